/** A call of the bot as it was answered; status 0 where the connection was cut or never answered. */
export interface Call {
  method: string;
  params: Readonly<Record<string, unknown>>;
  status: number;
  description?: string;
  /** When it was answered, in epoch milliseconds of the sandbox's clock. */
  at: number;
}

const KEPT = 5_000;
/** So many more, so that not each call cuts off the oldest. */
const SPARE = 500;

export interface Journal {
  note(call: Omit<Call, 'at'>): void;
  calls(method?: string): Call[];
  clear(): void;
}

/** The last calls of the bot, newest last. */
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
