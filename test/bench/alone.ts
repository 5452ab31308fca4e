import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { startApp } from './app-process.ts';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { FIRST_PERSON } from './identities.ts';
import type { RecordedReplies } from './recorded-replies.ts';
import { difference, NO_TRAFFIC, scaled, startRedisProxy, type Traffic } from './redis-traffic.ts';
import type { Sizes } from './sizes.ts';
import { spreadOf } from './slices.ts';
import { CONFIRM, PURCHASE_STEPS, readCard, type WalkName } from './walks.ts';

export interface Alone {
  /** Traffic of the idle bot, per second. */
  idle: Traffic;
  steps: StepCost[];
  kept: Kept;
  replies: RecordedReplies;
}

/** Name of the polling that follows a reported outcome, as a step. */
export const AFTERWARDS = 'polling afterwards';
const [BEFORE_CONFIRM] = PURCHASE_STEPS.slice(-2);
const FIRST = 90_000;
/**
 * Period without a call after which the bot counts as quiet, in milliseconds. It may still write after its last call.
 */
const QUIET_MS = 150;
/** Interval of the idle bot's recurring work, in milliseconds. */
const RECURRING_MS = 3_000;
const DRAIN_TIMEOUT_MS = 30_000;

/** Measures one user at a time with an otherwise idle bot, through a proxy that counts Redis traffic. */
export async function measureAlone(bench: Bench, world: RedisWorld, sizes: Sizes): Promise<Alone> {
  const { standIns } = bench;
  const proxy = await startRedisProxy(world.url);
  const app = await startApp(bench, { redisUrl: proxy.url });
  const costs = createStepCosts();
  const replies: RecordedReplies = {};

  async function quiet(): Promise<void> {
    while ((await standIns.ask('msSinceLastCall', null)) < QUIET_MS) await delay(QUIET_MS / 5);
  }

  /** Returns the Redis traffic and the duration of `work`, in seconds. */
  async function during<T>(work: () => Promise<T>) {
    const [before, began] = [proxy.traffic(), performance.now()];
    const result = await work();
    const used = difference(proxy.traffic(), before);
    return { result, used, seconds: (performance.now() - began) / 1000 };
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
      if (taken.step === BEFORE_CONFIRM) await readCard();
      const { asked = '', reply = { calls: [] } } = (await standIns.ask('replied', null)) ?? {};
      if (nameOf === undefined) continue;
      replies[asked] = reply;
      costs.add(nameOf(taken.step), { ...used, requests: reply.calls.length });
      if (taken.step === CONFIRM) await measurePolling(nameOf(AFTERWARDS));
    }
  }

  async function measurePolling(name: string): Promise<void> {
    const { used, seconds } = await during(() => world.drained(DRAIN_TIMEOUT_MS));
    costs.add(name, { ...difference(used, scaled(idle, seconds)), requests: 0 });
  }

  /** Makes users link and buy once, slowly enough for the flood guard. */
  async function prepareUsers(first: number, people: number): Promise<void> {
    const group = { first, people, perSecond: people };
    await prepare(bench, { ...group, walks: people, walk: 'link' });
    await prepare(bench, { ...group, walks: people, walk: 'purchase' });
    await quiet();
    await world.drained(DRAIN_TIMEOUT_MS);
  }

  let idle = NO_TRAFFIC;
  try {
    const { alone, idleMs } = sizes;
    // Each walk uses another user with one earlier purchase, because more purchases cost more.
    await prepareUsers(FIRST, alone);
    const { used } = await during(() => delay(idleMs));
    idle = scaled(used, 1000 / idleMs);
    for (let at = FIRST; at < FIRST + alone; at++) {
      // Starts the steps at a random time of the recurring work; otherwise it would hit the same step each time.
      await delay(Math.random() * RECURRING_MS);
      await walk(at, 'purchase', (step) => step);
      await walk(at, 'start');
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

/** Bytes in Redis by key prefix: of a linked user, the addition of an open flow, and of one operation. */
interface Kept {
  linked: Record<string, number>;
  amidFlow: Record<string, number>;
  operation: Record<string, number>;
}

const PEOPLE = 5;
const OPERATIONS = 5;
const FIRST_MEASURED = 95_000;
/** Prefixes of keys that expire within seconds. */
const PASSING = ['heartbeat', 'sending-of'];

/** Measures the bytes that users leave in Redis, averaged over a few new users. */
async function keptBytes(bench: Bench, world: RedisWorld): Promise<Kept> {
  const group = { first: FIRST_MEASURED, people: PEOPLE };
  // Slow enough for the flood guard.
  const each = { walks: PEOPLE, perSecond: PEOPLE };
  const bytes = async () => {
    await world.drained(DRAIN_TIMEOUT_MS);
    return bytesOf(world.redis);
  };
  await prepare(bench, { ...group, ...each, walk: 'link' });
  const linked = await bytesOf(world.redis);
  await prepare(bench, { ...group, ...each, walk: 'question' });
  const amidFlow = await bytesOf(world.redis);
  // The first purchase also creates records that exist once per user.
  await prepare(bench, { ...group, ...each, walk: 'purchase' });
  const once = await bytes();
  const walks = OPERATIONS * PEOPLE;
  await prepare(bench, { ...group, ...each, walks, walk: 'purchase' });
  const often = await bytes();
  return {
    linked: per(PEOPLE, linked),
    amidFlow: per(PEOPLE, less(amidFlow, linked)),
    operation: per(walks, less(often, once)),
  };
}

/** Returns the bytes by key prefix. */
async function bytesOf(redis: Redis): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (let at = 0; at < PEOPLE; at++) {
    const keys = await redis.keys(`*${FIRST_PERSON.app + FIRST_MEASURED + at}*`);
    for (const key of keys) {
      const [name = ''] = key.split(':');
      if (PASSING.includes(name)) continue;
      const bytes = Number(await redis.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'));
      sums[name] = (sums[name] ?? 0) + bytes;
    }
  }
  return sums;
}

function less(more: Record<string, number>, than: Record<string, number>): Record<string, number> {
  const rest = Object.entries(more).map(([name, bytes]) => [name, bytes - (than[name] ?? 0)] as const);
  return Object.fromEntries(rest.filter(([, bytes]) => bytes !== 0));
}

function per(count: number, sums: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(sums).map(([name, bytes]) => [name, bytes / count]));
}

export function total(bytes: Record<string, number>): number {
  return Object.values(bytes).reduce((sum, one) => sum + one, 0);
}

/** Cost of a step in Redis traffic and requests. */
interface Cost extends Traffic {
  /** Bot API calls and requests to the service. */
  requests: number;
}

export interface StepCost extends Cost {
  step: string;
}

const NOTHING: Cost = { ...NO_TRAFFIC, requests: 0 };
const FIGURES = Object.keys(NOTHING) as (keyof Cost)[];

/** Collects the costs of steps that are measured several times. */
function createStepCosts() {
  const taken = new Map<string, Cost[]>();

  function combined(combine: (values: number[]) => number, costs: Cost[]): Cost {
    const cost = { ...NOTHING };
    for (const name of FIGURES) cost[name] = combine(costs.map((one) => one[name]));
    return cost;
  }

  return {
    add(step: string, cost: Cost): void {
      taken.set(step, [...(taken.get(step) ?? []), cost]);
    },
    /** Returns the median of short steps, which excludes those during recurring work, and the mean of the others. */
    medians: (isShort: (step: string) => boolean): StepCost[] =>
      [...taken].map(([step, costs]) => {
        const combine = isShort(step) ? (values: number[]) => spreadOf(values).median : mean;
        return { step, ...combined(combine, costs) };
      }),
  };
}

function mean(values: number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}
