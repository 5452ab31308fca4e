import { Hono } from 'hono';
import { z } from 'zod';
import { endpoints } from '../endpoints/endpoints.ts';
import type { Faults } from '../faults.ts';
import { readBody, whole } from '../fields.ts';
import { FAULT_KINDS } from '../state.ts';

const names = endpoints.map(({ name }) => name);

const fault = z.strictObject({
  endpoint: z.enum(names, { error: `expected one of ${names.join(', ')}` }),
  kind: z.enum(FAULT_KINDS, { error: `expected one of ${FAULT_KINDS.join(', ')}` }),
  times: whole(1, 1_000_000).default(1),
  /** Delay of `latency`, or the wait that `rate-limit` reports, in milliseconds. */
  ms: whole(0, 600_000).optional(),
  /** Status of `error-before` and `error-after`. */
  status: whole(500, 599).optional(),
});

/** Adds `POST /faults`, which orders a fault for the next requests, and `DELETE /faults`, which removes all faults. */
export function controlFaults(faults: Faults): Hono {
  return new Hono()
    .post('/', async (c) => c.json(faults.order(await readBody(c.req, fault))))
    .delete('/', (c) => {
      faults.clear();
      return c.json({ faults: [] });
    });
}
