import { setTimeout as delay } from 'node:timers/promises';
import { fixedPart } from '../support/locales.ts';
import { type Started, startApp } from './app-process.ts';
import { type Bench, DUE_INDEX, prepare, type RedisWorld } from './bench-world.ts';
import { memoryOf } from './process-cpu.ts';
import type { Sizes } from './sizes.ts';
import { quantile } from './slices.ts';

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
      orders: (await standIns.ask('orders', null)) - before,
      memory: memoryOf(app.pid),
    };
  } finally {
    await app.kill();
  }
}

export type Eventful = Awaited<ReturnType<typeof measureEvents>>;
const PATIENCE_MS = 60_000;
/** Deposits per account. At 28 notifications a second it takes minutes. */
const DEPOSITS_EACH = 2;
const DEPOSITS_PATIENCE_MS = 600_000;

/** Measures events of the service, first at a tenth of the target rate, then at the target rate. */
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

    // Deposits are polled after their event, and their notifications go through the outbox.
    await standIns.ask('limitTelegram', { on: true });
    const count = people * DEPOSITS_EACH;
    const deposits = await standIns.ask('postDeposits', {
      count,
      perSecond,
      patienceMs: DEPOSITS_PATIENCE_MS,
    });
    const refusals = await standIns.ask('refusals', null);
    await standIns.ask('limitTelegram', { on: false });
    return {
      paces: [slow, fast],
      ...{ perSecond, accounts: people },
      deposits: { ...deposits, ...refusals },
    };
  } finally {
    await app.kill();
  }
}

export type Killed = Awaited<ReturnType<typeof measureKilled>>;
/** Shorter than the bot's own timeout of thirty seconds for the service, in milliseconds. */
const ASK_WITHIN_MS = 25_000;
const KILLED_PATIENCE_MS = 120_000;
const OUTCOMES = [fixedPart('operation-uncertain'), fixedPart('energy-done')];

/**
 * Kills the bot during purchases whose outcomes are unknown, and measures until every user is notified. One process
 * has at most 200 pending requests, so several processes are killed at once. One is restarted.
 */
export async function measureKilled(bench: Bench, world: RedisWorld, { watch }: Sizes) {
  const { standIns } = bench;
  const { accounts: people, processes } = watch;
  const running: Started[] = [];
  const start = async (port?: number) => {
    const app = await startApp(bench, { redisUrl: world.url, ...(port && { port }) });
    running.push(app);
    return app;
  };
  const group = { people };
  try {
    for (let at = 0; at < processes; at++) await start();
    for (const walk of ['link', 'card'] as const) {
      await prepare(bench, { ...group, ...LINKING, walks: people, walk });
    }
    await standIns.ask('hang', { on: true });
    await standIns.ask('confirmAll', group);
    const until = performance.now() + ASK_WITHIN_MS;
    let asked = 0;
    while (asked < people && performance.now() < until) {
      await delay(50);
      asked = await standIns.ask('hanging', null);
    }
    const notified = standIns.ask('untilNotified', { ...group, parts: OUTCOMES, ms: KILLED_PATIENCE_MS });
    await Promise.all(running.map((app) => app.kill()));
    await standIns.ask('hang', { on: false });
    const killedAt = Date.now();
    const port = Number(new URL(running.at(-1)?.origin ?? '').port);
    await start(port);
    const readyMs = Date.now() - killedAt;
    const { at, unreported } = await notified;
    const all = Object.values(at).flat();
    const since = all.map((time) => time - killedAt);
    const [unknown = [], bought = []] = OUTCOMES.map((outcome) => at[outcome] ?? []);
    return {
      ...{ people, processes, asked, unreported, readyMs },
      ...{ unknown: unknown.length, bought: bought.length },
      ms: { median: quantile(since, 0.5), p99: quantile(since, 0.99), last: quantile(since, 1) },
      due: await world.redis.zcard(DUE_INDEX),
    };
  } finally {
    await standIns.ask('hang', { on: false });
    for (const app of running) await app.kill();
  }
}
