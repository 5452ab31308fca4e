/** Call of the bot and its response. The status is 0 if the connection was cut or the call never answered. */
export interface Call {
  method: string;
  params: Readonly<Record<string, unknown>>;
  status: number;
  description?: string;
  /** Time of the response, in epoch milliseconds of the sandbox's clock. */
  at: number;
}

const KEPT = 5_000;
/** Number of calls above `KEPT` before the oldest are removed, so that not every call copies the list. */
const SPARE = 500;

export interface Journal {
  note(call: Omit<Call, 'at'>): void;
  calls(method?: string): Call[];
  clear(): void;
}

/** Creates the journal of the bot's last 5,000 calls, newest last. */
export function createJournal({ now }: { now: () => number }): Journal {
  let calls: Call[] = [];
  return {
    note(call) {
      calls.push({ ...call, at: now() });
      if (calls.length > KEPT + SPARE) calls = calls.slice(-KEPT);
    },
    calls: (method) => calls.slice(-KEPT).filter((call) => method === undefined || call.method === method),
    clear() {
      calls = [];
    },
  };
}
