import { z } from 'zod';

/** Call of the bot and its response. The status is 0 if the connection was cut or the call never answered. */
interface Call {
  method: string;
  params: Readonly<Record<string, unknown>>;
  status: number;
  description?: string;
  /** Time of the response, in epoch milliseconds of the sandbox's clock. */
  at: number;
}

const MAX_CALLS = 5_000;
/** Number of calls above `MAX_CALLS` before the oldest are removed, so that not every call copies the list. */
const MAX_EXCESS_CALLS = 500;

export interface Journal {
  record(call: Omit<Call, 'at'>): void;
  calls(method?: string): Call[];
  clear(): void;
}

/** Creates the journal of the bot's last 5,000 calls, newest last. */
export function createJournal({ now }: { now: () => number }): Journal {
  let calls: Call[] = [];
  return {
    record(call) {
      calls.push({ ...call, at: now() });
      if (calls.length > MAX_CALLS + MAX_EXCESS_CALLS) calls = calls.slice(-MAX_CALLS);
    },
    calls: (method) =>
      calls.slice(-MAX_CALLS).filter((call) => method === undefined || call.method === method),
    clear() {
      calls = [];
    },
  };
}

export const faultOrder = z.object({
  /** If omitted, the fault applies to every method except `getUpdates`, which is called continuously. */
  method: z.string().optional(),
  kind: z.enum(['error', 'cut', 'rate-limit', 'latency', 'hang']),
  times: z.number().int().positive().default(1),
  /** Delay in milliseconds, for `latency`. */
  ms: z.number().nonnegative().default(1_000),
  /** For `rate-limit`, in seconds. */
  retry_after: z.number().int().positive().default(1),
  /** Executes the call and loses only its response. For `error`, `cut` and `hang`. */
  after: z.boolean().default(false),
});

export type Fault = z.output<typeof faultOrder>;

export interface Faults {
  add(fault: Fault): void;
  /** Returns the fault for this call and counts it as used. */
  useNext(method: string): Fault | undefined;
  clear(): void;
}

export function createFaults(): Faults {
  let ordered: Fault[] = [];
  return {
    add(fault) {
      ordered.push({ ...fault });
    },
    useNext(method) {
      const fault = ordered.find((each) =>
        each.method === undefined
          ? method !== 'getUpdates'
          : each.method.toLowerCase() === method.toLowerCase(),
      );
      if (!fault) return undefined;
      fault.times -= 1;
      ordered = ordered.filter(({ times }) => times > 0);
      return fault;
    },
    clear() {
      ordered = [];
    },
  };
}
