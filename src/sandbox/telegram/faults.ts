import { z } from 'zod';

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
  order(fault: Fault): void;
  /** Returns the fault for this call and counts it as used. */
  meet(method: string): Fault | undefined;
  clear(): void;
}

export function createFaults(): Faults {
  let ordered: Fault[] = [];
  return {
    order(fault) {
      ordered.push({ ...fault });
    },
    meet(method) {
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
