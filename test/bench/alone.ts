import { setTimeout as delay } from 'node:timers/promises';
import { startApp } from './app-process.ts';
import type { Bench, RedisWorld } from './bench-world.ts';
import { type Kept, keptBytes } from './kept-bytes.ts';
import type { RecordedReplies } from './recorded-replies.ts';
import { startRedisProxy } from './redis-proxy.ts';
import { difference, NO_TRAFFIC, scaled, type Traffic } from './round-trips.ts';
import type { Sizes } from './sizes.ts';
import type { WalkName } from './walks.ts';

/** What one step of one person, alone, asks of Redis, on average; less what the bot asks of it anyway. */
export interface StepCost extends Traffic {
  step: string;
  /** Commands with those that scripts run inside Redis. */
  withScripts: number;
  /** Bot API calls and requests to the service. */
  requests: number;
}

export interface Alone {
  /** In a second, while nobody does anything. */
  idle: Traffic;
  steps: StepCost[];
  kept: Kept;
  replies: RecordedReplies;
}

const WALKER = 90_000;
/** After its last call the bot may still have to write. */
const QUIET_MS = 250;
const PATIENCE_MS = 30_000;

/** Follows one person, alone with the bot, by a Redis whose traffic is counted. */
export async function measureAlone(bench: Bench, world: RedisWorld, sizes: Sizes): Promise<Alone> {
  const { standIns, origin } = bench;
  const { redis } = world;
  const proxy = await startRedisProxy(world.url);
  const app = await startApp({ standIns: origin, redisUrl: proxy.url });
  const sums = new Map<string, StepCost & { times: number }>();
  const replies: RecordedReplies = {};
  let idle = NO_TRAFFIC;

  async function quiet(): Promise<void> {
    await world.drained(PATIENCE_MS);
    while ((await standIns.ask('msSinceLastCall', null)) < QUIET_MS) await delay(QUIET_MS / 5);
  }

  async function commandsRun(): Promise<number> {
    const calls = (await redis.info('commandstats')).matchAll(/^cmdstat_(?!info:|zcard:)[^:]+:calls=(\d+)/gm);
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async function walk(name: WalkName, counts = true): Promise<void> {
    await standIns.ask('begin', { at: WALKER, walk: name });
    for (;;) {
      const ran = await commandsRun();
      const before = proxy.traffic();
      const began = performance.now();
      const taken = await standIns.ask('next', null);
      if (taken === undefined) return;
      await quiet();
      const seconds = (performance.now() - began) / 1000;
      const used = difference(difference(proxy.traffic(), before), scaled(idle, seconds));
      const inScripts = (await commandsRun()) - ran - difference(proxy.traffic(), before).commands;
      const { asked = '', reply = { calls: [] } } = (await standIns.ask('replied', null)) ?? {};
      replies[asked] = reply;
      const cost = { ...used, withScripts: used.commands + inScripts, requests: reply.calls.length };
      if (counts) add(sums, name === 'purchase' ? taken.step : `${name}: ${taken.step}`, cost);
    }
  }

  try {
    await warmUp();
    const before = proxy.traffic();
    await delay(sizes.idleMs);
    idle = scaled(difference(proxy.traffic(), before), 1000 / sizes.idleMs);
    for (let times = 0; times < sizes.alone; times++) {
      await walk('purchase');
      await walk('start', false);
      await walk('account');
    }
    await walk('menu');
    const kept = await keptBytes(bench, world);
    return { idle, steps: average(sums), kept, replies };
  } finally {
    await app.kill();
    proxy.stop();
  }

  /** What is done once: modules are loaded, connections made, scripts told to Redis, reports offered. */
  async function warmUp(): Promise<void> {
    await walk('link', false);
    for (let times = 0; times < 2; times++) await walk('purchase', false);
  }
}

function add(
  sums: Map<string, StepCost & { times: number }>,
  step: string,
  cost: Omit<StepCost, 'step'>,
): void {
  const sum = sums.get(step);
  const one = { step, ...cost, times: 1 };
  if (sum === undefined) sums.set(step, one);
  else {
    sum.times += 1;
    for (const name of FIGURES) sum[name] += cost[name];
  }
}

const FIGURES = ['roundTrips', 'commands', 'bytesOut', 'bytesIn', 'withScripts', 'requests'] as const;

function average(sums: Map<string, StepCost & { times: number }>): StepCost[] {
  return [...sums.values()].map(({ times, ...sum }) => {
    for (const name of FIGURES) sum[name] /= times;
    return sum;
  });
}
