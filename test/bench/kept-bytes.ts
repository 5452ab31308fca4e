import type { Redis } from 'ioredis';
import { type Bench, prepare, type RedisWorld } from './bench-world.ts';
import { FIRST_PERSON } from './identities.ts';

/** Bytes in Redis by key prefix: of a linked user, the addition of an open flow, and of one operation. */
export interface Kept {
  linked: Record<string, number>;
  amidFlow: Record<string, number>;
  operation: Record<string, number>;
}

const PEOPLE = 5;
const OPERATIONS = 5;
const FIRST = 95_000;
const PATIENCE_MS = 30_000;
/** Prefixes of keys that expire within seconds. */
const PASSING = ['heartbeat', 'sending-of'];

/** Measures the bytes that users leave in Redis, averaged over a few new users. */
export async function keptBytes(bench: Bench, world: RedisWorld): Promise<Kept> {
  const group = { first: FIRST, people: PEOPLE };
  // Slow enough for the flood guard.
  const each = { walks: PEOPLE, perSecond: PEOPLE };
  const bytes = async () => {
    await world.drained(PATIENCE_MS);
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
    const keys = await redis.keys(`*${FIRST_PERSON.app + FIRST + at}*`);
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
