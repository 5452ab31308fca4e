import { describe, expect, test } from 'vitest';
import { createKeyAttempts } from '../src/accounts/account-keys.ts';
import { createAddressAnnouncements } from '../src/accounts/address-announcements.ts';
import { createKinds } from '../src/operations/kinds/kind.ts';
import { createCooldowns, createTargetLocks, createWithdrawalCap } from '../src/operations/limits.ts';
import type { Operation } from '../src/operations/operation.ts';
import { KINDS } from '../src/operations/operations.ts';
import { createHeartbeat } from '../src/operations/recovery.ts';
import { createDueQueue, type defineDueQueue } from '../src/platform/due-queue.ts';
import { createLeases } from '../src/platform/leases.ts';
import { createMemoryStorage } from '../src/platform/memory-storage.ts';
import { createSharedRateLimiter } from '../src/platform/rate-limit.ts';
import { createTtlCache } from '../src/platform/ttl-cache.ts';
import { allStoredData } from '../src/stored-data.ts';
import { START, WITHDRAWAL } from './operations/operations-setup.ts';
import { ACCOUNT } from './operations/rental-stand-in.ts';
import { silentLog } from './support/log-lines.ts';
import { signedRecords } from './support/records.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const USER = 502;

/** Jumps of the storage's clock: how far ahead it is at first, and by how much it is then set back. */
const JUMPS = [
  ['an hour ahead for 8 seconds', HOUR, HOUR],
  ['back by 20 seconds', 0, 20 * SECOND],
  ['back by 90 seconds', 0, 90 * SECOND],
  ['back by an hour', 0, HOUR],
] as const;

function openClock() {
  const clock = { now: START };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  return { clock, now, storage, records: signedRecords(storage), kinds: createKinds(KINDS) };
}
type World = ReturnType<typeof openClock>;

type DueQueueData = ReturnType<typeof defineDueQueue<{ id: 'string' }>>;
const isDueQueue = (data: object): data is DueQueueData => 'ref' in data && 'longestMs' in data;
const DUE_QUEUES = allStoredData().filter(isDueQueue);

test('every due queue is declared', () => expect(DUE_QUEUES.length).toBeGreaterThan(12));

describe.each(JUMPS)('a clock that is set %s', (_, aheadMs, backMs) => {
  test.each(DUE_QUEUES.map((queue) => [queue.keys, queue] as const))(
    'delays nothing in the due queue %s for longer than usual',
    async (_keys, definition) => {
      const { clock, storage } = openClock();
      const queue = createDueQueue({ ...definition, ref: { id: 'string' } }, { storage });
      await queue.scheduleIn({ id: 'before' }, definition.longestMs);
      clock.now += aheadMs;
      await queue.scheduleIn({ id: 'ahead' }, Number.MAX_SAFE_INTEGER);
      clock.now += 8 * SECOND - backMs;
      await queue.due(10);
      clock.now += definition.longestMs;
      expect((await queue.due(10)).map(({ id }) => id).toSorted()).toEqual(['ahead', 'before']);
    },
  );
});

/** Something that blocks for a while. `isBlocking` may be what first notices the jump. */
interface Mechanism {
  periodMs: number;
  /** Whether it starts anew after the clock was set back. Otherwise it ends within two periods. */
  startsAnew: boolean;
  open(world: World): { begin(): Promise<unknown>; isBlocking(): Promise<boolean> };
}

const withdrawal = (id: string) =>
  ({
    id,
    user: USER,
    account: ACCOUNT,
    request: WITHDRAWAL,
    expiresAt: START + 2 * MINUTE,
  }) as unknown as Operation;
const SUBJECT = { account: ACCOUNT, request: WITHDRAWAL };
const REF = { user: USER, id: '7Q2K' };

const MECHANISMS: Record<string, Mechanism> = {
  'a rate limit': {
    periodMs: MINUTE,
    startsAnew: true,
    open(world) {
      const limiter = createSharedRateLimiter(world);
      const acquire = (member: string) => limiter.acquire('x', member, { max: 1, withinMs: MINUTE });
      return { begin: () => acquire('a'), isBlocking: async () => (await acquire('b')) > 0 };
    },
  },
  'a cooldown': {
    periodMs: MINUTE,
    startsAnew: true,
    open(world) {
      const cooldowns = createCooldowns(world);
      const isBlocking = async () => (await cooldowns.remainingMs(SUBJECT)) > 0;
      return { begin: () => cooldowns.begin(SUBJECT), isBlocking };
    },
  },
  'a spending limit': {
    periodMs: DAY,
    startsAnew: true,
    open(world) {
      const cap = createWithdrawalCap(world, '20');
      const isBlocking = async () => !(await cap.reserve(withdrawal('b'), 'sent'));
      return { begin: () => cap.reserve(withdrawal('a'), 'sent'), isBlocking };
    },
  },
  'the lock of a lost withdrawal': {
    periodMs: 10 * MINUTE,
    startsAnew: true,
    open(world) {
      const locks = createTargetLocks(world);
      const isBlocking = async () => !(await locks.acquire(withdrawal('b')));
      return { begin: () => locks.acquire(withdrawal('a')), isBlocking };
    },
  },
  'the lease of a process that died': {
    periodMs: 8 * SECOND,
    startsAnew: true,
    open({ storage }) {
      const leases = createLeases({ storage });
      const begin = () => storage.add('x', 'died', { ttlMs: 8 * SECOND });
      return { begin, isBlocking: async () => (await leases.withLease('x', async () => {})) === 'busy' };
    },
  },
  'work that is done once in a while': {
    periodMs: 10 * MINUTE,
    startsAnew: true,
    open({ storage }) {
      const leases = createLeases({ storage });
      const work = () => leases.withLease('x', async () => {}, { keptMs: 10 * MINUTE });
      return { begin: work, isBlocking: async () => (await work()) === 'over' };
    },
  },
  'an update whose process died': {
    periodMs: 15 * SECOND,
    startsAnew: true,
    open({ storage: { chats } }) {
      const begin = (token: string) => chats.begin({ chat: USER, update: 1, token, leaseMs: 15 * SECOND });
      return { begin: () => begin('a'), isBlocking: async () => (await begin('b')).kind === 'busy' };
    },
  },
  'the heartbeat of a process that died': {
    periodMs: 8 * SECOND,
    startsAnew: true,
    open({ storage }) {
      const heartbeat = createHeartbeat({ storage, log: silentLog() });
      const begin = () => heartbeat.during(REF, (beat) => beat());
      return { begin, isBlocking: () => heartbeat.isAlive(REF) };
    },
  },
  'the wait of a user who tries keys': {
    periodMs: HOUR,
    startsAnew: true,
    open(world) {
      const attempts = createKeyAttempts(world);
      const begin = async () => {
        for (let count = 0; count < 5; count++) await attempts.recordRefusal(USER);
      };
      return { begin, isBlocking: async () => (await attempts.waitMs(USER)) > 0 };
    },
  },
  'the wait for an announced address': {
    periodMs: 10 * MINUTE,
    startsAnew: true,
    open(world) {
      const announcements = createAddressAnnouncements(world);
      const wanted = { user: USER, account: ACCOUNT, address: 'T', trx: '5' };
      return {
        async begin() {
          const announcement = await announcements.draft(wanted);
          if (announcement) await announcements.add(announcement);
        },
        async isBlocking() {
          await announcements.due(10);
          return (await announcements.getStatus(wanted)).kind === 'waiting';
        },
      };
    },
  },
  'a cached value': {
    periodMs: MINUTE,
    startsAnew: false,
    open({ now }) {
      const cache = createTtlCache<string, true>({ ttlMs: MINUTE, now });
      return { begin: async () => cache.set('x', true), isBlocking: async () => cache.get('x') === true };
    },
  },
};

describe.each(Object.entries(MECHANISMS))('%s', (_name, { periodMs, startsAnew, open }) => {
  test.each(JUMPS)('ends in time with a clock that is set %s', async (_jump, aheadMs, backMs) => {
    const world = openClock();
    const mechanism = open(world);
    world.clock.now += aheadMs;
    await mechanism.begin();
    world.clock.now -= backMs;
    if (startsAnew) expect(await mechanism.isBlocking()).toBe(true);
    // Twice: values that start anew do so when they are first seen.
    for (const ms of [periodMs / 2, periodMs / 2]) {
      await mechanism.isBlocking();
      world.clock.now += ms;
    }
    if (startsAnew) expect(await mechanism.isBlocking()).toBe(false);
    world.clock.now += periodMs;
    expect(await mechanism.isBlocking()).toBe(false);
  });
});
