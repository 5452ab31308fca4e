import { z } from 'zod';

/** An event that came in, and what is still to be made of it. */
export const arrivalSchema = z.object({
  account: z.number(),
  event: z.object({
    type: z.string(),
    id: z.string(),
    at: z.string().optional(),
    order: z.object({ order_id: z.number(), address: z.string(), energy_amount: z.number() }).optional(),
    data: z.record(z.string(), z.unknown()),
  }),
  /** Sent by the service, or found in its log. */
  how: z.enum(['sent', 'logged']),
  /** Epoch milliseconds. */
  cameAt: z.number(),
  tries: z.number(),
  /** Of copies that come at once one is the first. */
  nonce: z.string(),
});

export type Arrival = z.infer<typeof arrivalSchema>;
