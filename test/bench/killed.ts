import { setTimeout as delay } from 'node:timers/promises';
import { type Started, startApp } from './app-process.ts';
import { type Bench, DUE_INDEX, prepare, type RedisWorld } from './bench-world.ts';
import type { Sizes } from './sizes.ts';
import { quantile } from './slices.ts';

export type Killed = Awaited<ReturnType<typeof measureKilled>>;

const LINKING = { atOnce: 24 };
/** Shorter than the bot's own timeout of thirty seconds for the service, in milliseconds. */
const ASK_WITHIN_MS = 25_000;
const PATIENCE_MS = 120_000;
const OUTCOMES = ["The outcome isn't known yet", '<b>Bought</b>'];

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
    const told = standIns.ask('untilTold', { ...group, parts: OUTCOMES, ms: PATIENCE_MS });
    await Promise.all(running.map((app) => app.kill()));
    await standIns.ask('hang', { on: false });
    const killedAt = Date.now();
    const port = Number(new URL(running.at(-1)?.origin ?? '').port);
    await start(port);
    const readyMs = Date.now() - killedAt;
    const { at, untold } = await told;
    const all = Object.values(at).flat();
    const since = all.map((time) => time - killedAt);
    const [unknown = [], bought = []] = OUTCOMES.map((outcome) => at[outcome] ?? []);
    return {
      ...{ people, processes, asked, untold, readyMs },
      ...{ unknown: unknown.length, bought: bought.length },
      ms: { median: quantile(since, 0.5), p99: quantile(since, 0.99), last: quantile(since, 1) },
      due: await world.redis.zcard(DUE_INDEX),
    };
  } finally {
    await standIns.ask('hang', { on: false });
    for (const app of running) await app.kill();
  }
}
