import { z } from 'zod';

export const faultOrder = z.object({
  /** Without it, the fault is for any method but `getUpdates`, which is made all the time. */
  method: z.string().optional(),
  kind: z.enum(['error', 'cut', 'rate-limit', 'latency', 'hang']),
  times: z.number().int().positive().default(1),
  /** For `latency`. */
  ms: z.number().nonnegative().default(1_000),
  /** For `rate-limit`, in seconds. */
  retry_after: z.number().int().positive().default(1),
  /** The call is executed, and only its answer is lost: for `error`, `cut` and `hang`. */
  after: z.boolean().default(false),
});

export type Fault = z.output<typeof faultOrder>;

export interface Faults {
  order(fault: Fault): void;
  /** The fault that this call meets, counted as met. */
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
