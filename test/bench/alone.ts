import { setTimeout as delay } from 'node:timers/promises';
import { startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { type Kept, keptBytes } from './kept-bytes.ts';
import type { RecordedReplies } from './recorded-replies.ts';
import { startRedisProxy } from './redis-proxy.ts';
import { difference, NO_TRAFFIC, scaled, type Traffic } from './round-trips.ts';
import type { Sizes } from './sizes.ts';
import { createStepCosts, type StepCost } from './step-costs.ts';
import { CONFIRM, type WalkName } from './walks.ts';

export interface Alone {
  /** Traffic of the idle bot, per second. */
  idle: Traffic;
  steps: StepCost[];
  kept: Kept;
  replies: RecordedReplies;
}

/** Name of the polling that follows a reported outcome. */
export const AFTERWARDS = 'afterwards: the watch';
const FIRST = 90_000;
/**
 * Period without a call after which the bot counts as quiet, in milliseconds. It may still write after its last call.
 */
const QUIET_MS = 150;
/** Interval of the idle bot's recurring work, in milliseconds. */
const RECURRING_MS = 3_000;
const PATIENCE_MS = 30_000;

/** Measures one user at a time with an otherwise idle bot, through a proxy that counts Redis traffic. */
export async function measureAlone(bench: Bench, world: RedisWorld, sizes: Sizes): Promise<Alone> {
  const { standIns } = bench;
  const { redis } = world;
  const proxy = await startRedisProxy(world.url);
  const app = await startApp(bench, { redisUrl: proxy.url });
  const costs = createStepCosts();
  const replies: RecordedReplies = {};

  async function quiet(): Promise<void> {
    while ((await standIns.ask('msSinceLastCall', null)) < QUIET_MS) await delay(QUIET_MS / 5);
  }

  async function commandsRun(): Promise<number> {
    const calls = (await redis.info('commandstats')).matchAll(/^cmdstat_(?!info:|zcard:)[^:]+:calls=(\d+)/gm);
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Returns the Redis traffic and the duration of `work`, in seconds. */
  async function during<T>(work: () => Promise<T>) {
    const [ran, before, began] = [await commandsRun(), proxy.traffic(), performance.now()];
    const result = await work();
    const used = difference(proxy.traffic(), before);
    const withScripts = (await commandsRun()) - ran;
    return { result, used: { ...used, withScripts }, seconds: (performance.now() - began) / 1000 };
  }

  /** Records the cost of each step under the name that `nameOf` returns. Without `nameOf` nothing is recorded. */
  async function walk(at: number, name: WalkName, nameOf?: (step: string) => string): Promise<void> {
    await standIns.ask('begin', { at, walk: name });
    for (;;) {
      const { result: taken, used } = await during(async () => {
        const next = await standIns.ask('next', null);
        await quiet();
        return next;
      });
      if (taken === undefined) return;
      const { asked = '', reply = { calls: [] } } = (await standIns.ask('replied', null)) ?? {};
      if (nameOf === undefined) continue;
      replies[asked] = reply;
      costs.add(nameOf(taken.step), { ...used, requests: reply.calls.length });
      if (taken.step === CONFIRM) await watch(nameOf(AFTERWARDS));
    }
  }

  async function watch(name: string): Promise<void> {
    const { used, seconds } = await during(() => world.drained(PATIENCE_MS));
    const withScripts = used.withScripts - idleWithScripts * seconds;
    costs.add(name, { ...difference(used, scaled(idle, seconds)), withScripts, requests: 0 });
  }

  /** Makes users link and buy, slowly enough for the flood guard. */
  async function meet(first: number, people: number, purchases: number): Promise<void> {
    const group = { first, people, perSecond: people };
    await prepare(bench, { ...group, walks: people, walk: 'link' });
    await prepare(bench, { ...group, walks: people * purchases, walk: 'purchase' });
    await quiet();
    await world.drained(PATIENCE_MS);
  }

  let idle = NO_TRAFFIC;
  let idleWithScripts = 0;
  try {
    const { alone, often, idleMs } = sizes;
    // Each walk uses another user with one earlier purchase, because more purchases cost more.
    await meet(FIRST, alone, 1);
    if (often > 0) await meet(FIRST + alone, 1, often);
    const { used } = await during(() => delay(idleMs));
    idle = scaled(used, 1000 / idleMs);
    idleWithScripts = (used.withScripts * 1000) / idleMs;
    if (often > 0) await walk(FIRST + alone, 'purchase', (step) => `${step}, after ${often} purchases`);
    for (let at = FIRST; at < FIRST + alone; at++) {
      // Starts the steps at a random time of the recurring work; otherwise it would hit the same step each time.
      await delay(Math.random() * RECURRING_MS);
      await walk(at, 'purchase', (step) => step);
      await walk(at, 'start');
      await walk(at, 'account', (step) => `account: ${step}`);
    }
    await walk(FIRST, 'menu', (step) => `menu: ${step}`);
    const kept = await keptBytes(bench, world);
    const steps = costs.medians((step) => !step.includes(AFTERWARDS));
    return { idle, steps, kept, replies };
  } finally {
    await app.kill();
    proxy.stop();
  }
}
