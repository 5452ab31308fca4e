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
  /** The delay of `latency`; the wait that `rate-limit` names. */
  ms: whole(0, 600_000).optional(),
  /** Of `error-before` and `error-after`. */
  status: whole(500, 599).optional(),
});

/** `POST /faults` orders a fault for requests to come, `DELETE /faults` takes all of them back. */
export function controlFaults(faults: Faults): Hono {
  return new Hono()
    .post('/', async (c) => c.json(faults.order(await readBody(c.req, fault))))
    .delete('/', (c) => {
      faults.clear();
      return c.json({ faults: [] });
    });
}
