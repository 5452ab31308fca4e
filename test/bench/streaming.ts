import { startApp } from './app-process.ts';
import { type Bench, DUE_INDEX, prepare, type RedisWorld } from './bench-world.ts';
import { memoryOf } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';

export type Streamed = Awaited<ReturnType<typeof measureStream>>;

const LINKING = { atOnce: 24 };
const SETTLED_MS = 60_000;

/** Measures purchases at a constant rate with one process: how many complete, and what remains due. */
export async function measureStream(bench: Bench, world: RedisWorld, { stream }: Sizes) {
  const { standIns } = bench;
  const { perSecond, seconds, people } = stream;
  const app = await startApp(bench, { redisUrl: world.url });
  try {
    await prepare(bench, { ...LINKING, people, walks: people, walk: 'link' });
    const before = await standIns.ask('orders', null);
    const walks = perSecond * seconds;
    const walked = await standIns.ask('walk', { people, walks, perSecond, walk: 'purchase' });
    const dueAtOnce = await world.redis.zcard(DUE_INDEX);
    const began = performance.now();
    const due = await world.drained(SETTLED_MS);
    return {
      ...{ perSecond, people, walked, dueAtOnce, due, drainedMs: performance.now() - began },
      why: await whyDue(world),
      orders: (await standIns.ask('orders', null)) - before,
      memory: memoryOf(app.pid),
    };
  } finally {
    await app.kill();
  }
}

/** Counts the operations in the due index by state and by whether they are due now. */
async function whyDue({ redis }: RedisWorld): Promise<Record<string, number>> {
  const [seconds] = await redis.time();
  const why: Record<string, number> = {};
  const found = await redis.zrange(DUE_INDEX, '0', '-1', 'WITHSCORES');
  for (let at = 0; at < found.length; at += 2) {
    const [user, id] = (found[at] ?? '').split('/');
    const record = (await redis.get(`operation:{${user}}:${id}`)) ?? '';
    const [, state = 'its record is gone'] = /"state":"(\w+)"/.exec(record) ?? [];
    const isLate = Number(found[at + 1]) <= Number(seconds) * 1000;
    const name = `${state}, ${isLate ? 'due now' : 'due later'}`;
    why[name] = (why[name] ?? 0) + 1;
  }
  return why;
}
