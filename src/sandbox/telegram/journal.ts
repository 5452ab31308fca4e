/** A call of the bot as it was answered; status 0 where the connection was cut or never answered. */
export interface Call {
  method: string;
  params: Readonly<Record<string, unknown>>;
  status: number;
  description?: string;
}

const KEPT = 5_000;

export interface Journal {
  note(call: Call): void;
  calls(method?: string): Call[];
  clear(): void;
}

/** The last calls of the bot, newest last. */
export function createJournal(): Journal {
  let calls: Call[] = [];
  return {
    note(call) {
      calls.push(call);
      if (calls.length > 2 * KEPT) calls = calls.slice(-KEPT);
    },
    calls: (method) => calls.slice(-KEPT).filter((call) => method === undefined || call.method === method),
    clear() {
      calls = [];
    },
  };
}
