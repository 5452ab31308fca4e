import { startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import type { Sizes } from './sizes.ts';

export type Eventful = Awaited<ReturnType<typeof measureEvents>>;

const LINKING = { atOnce: 24 };
const PATIENCE_MS = 60_000;

/** Events of the service: first at a tenth of the pace, then at the pace that is aimed at. */
export async function measureEvents(bench: Bench, world: RedisWorld, { events }: Sizes) {
  const { standIns } = bench;
  const { accounts: people, each, perSecond } = events;
  const app = await startApp(bench, { redisUrl: world.url });
  try {
    const group = { ...LINKING, people };
    await prepare(bench, { ...group, walks: people, walk: 'link' });
    await prepare(bench, { ...group, walks: people, walk: 'reports' });
    await prepare(bench, { ...group, walks: people * each, walk: 'purchase' });
    const orders = await standIns.ask('eventsLeft', null);
    const few = Math.min(Math.floor(orders / 3), 5 * perSecond);
    const post = (count: number, pace: number) =>
      standIns.ask('postEvents', { count, perSecond: pace, patienceMs: PATIENCE_MS });
    const slow = await post(few, perSecond / 10);
    const fast = await post(orders - few, perSecond);
    return {
      paces: [slow, fast],
      perSecond,
      accounts: people,
    };
  } finally {
    await app.kill();
  }
}
