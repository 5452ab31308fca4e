import { setTimeout as delay } from 'node:timers/promises';
import { startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import type { Sizes } from './sizes.ts';

export type Eventful = Awaited<ReturnType<typeof measureEvents>>;

const LINKING = { atOnce: 24 };
const PATIENCE_MS = 60_000;
/** Time after which an earlier notification no longer causes grouping, in milliseconds. */
const GATHERED_MS = 5_000;
/** Deposits per account in the run with limits. At 30 messages a second it takes minutes. */
const LIMITED_EACH = 2;
const LIMITED_PATIENCE_MS = 600_000;

/** Measures events of the service, first at a tenth of the target rate, then at the target rate. */
export async function measureEvents(bench: Bench, world: RedisWorld, { events }: Sizes) {
  const { standIns } = bench;
  const { accounts: people, each, noticesEach, perSecond } = events;
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

    // Deposits are polled after their event, and their notifications go through the outbox.
    const deposits = async (count: number, pace: number, patienceMs = PATIENCE_MS) => {
      // Earlier notifications must not cause grouping.
      await delay(GATHERED_MS);
      return standIns.ask('postDeposits', { count, perSecond: pace, patienceMs });
    };
    const notices = [
      { pace: perSecond / 10, ...(await deposits(Math.floor(people / 2), perSecond / 10)) },
      { pace: perSecond, ...(await deposits(people, perSecond)) },
      { pace: perSecond, ...(await deposits(people * noticesEach, perSecond)) },
    ];
    await standIns.ask('limitTelegram', { on: true });
    const limited = await deposits(people * LIMITED_EACH, perSecond, LIMITED_PATIENCE_MS);
    const refusals = await standIns.ask('refusals', null);
    await standIns.ask('limitTelegram', { on: false });
    return {
      paces: [slow, fast],
      ...{ perSecond, accounts: people },
      ...{ notices, limited: { ...limited, ...refusals } },
    };
  } finally {
    await app.kill();
  }
}
