import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { World } from './world.ts';

const every = z.number().int().positive().optional();
const order = z.object({
  first_id: z.number().int().positive(),
  count: z.number().int().positive().max(1_000_000),
  language_code: z.string().min(1).default('en'),
  blocked_every: every,
  deactivated_every: every,
});

/** Adds the control routes for the crowd (many simulated users), its received messages and the message rate. */
export function addCrowd(
  control: Hono,
  { world: { crowd, pace }, body }: { world: World; body: (c: Context) => Promise<unknown> },
): void {
  control.post('/crowd', async (c) => {
    const { first_id, count, language_code, blocked_every, deactivated_every } = order.parse(await body(c));
    const isAdded = crowd.add({
      firstId: first_id,
      count,
      languageCode: language_code,
      blockedEvery: blocked_every,
      deactivatedEvery: deactivated_every,
    });
    return isAdded ? c.json({ ok: true }) : c.json({ error: 'One of these ids is somebody’s already.' }, 409);
  });
  control.get('/crowd', (c) => {
    const { missedCount, missed, ...figures } = crowd.figures();
    const isAsked = c.req.query('missed') === '1';
    return c.json({ ...figures, missed_count: missedCount, ...(isAsked && { missed }) });
  });
  control.get('/pace', (c) => {
    const { refused, mostInASecond, lastRefusedAt } = pace.figures();
    return c.json({ refused, most_in_a_second: mostInASecond, last_refused_at: lastRefusedAt ?? null });
  });
}
