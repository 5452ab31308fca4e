import { expect, test } from 'vitest';
import type { Storage } from '../../src/platform/storage.ts';
import type { Copied } from '../../src/telegram/sender.ts';
import { createRandom } from '../support/random.ts';
import { createSignal } from '../support/signal.ts';
import { doubled, openFilled, openProcess, openShared, type Shared } from './replicas.ts';

const PEOPLE = 600;
const CONCURRENCY = 4;

const never = () => new Promise<never>(() => {});

/**
 * Returns a storage whose calls never settle once the process is dead. Until then it is the shared storage. `before`
 * and `after` each call may kill the process.
 */
function mortal(
  storage: Storage,
  isDead: () => boolean,
  { before, after }: { before?: () => number; after?: (call: number) => void } = {},
): Storage {
  const cut = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === 'index') return cut(value as object);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          const call = before?.() ?? 0;
          if (isDead()) return never();
          const result = await value.apply(target, given);
          after?.(call);
          return isDead() ? never() : result;
        };
      },
    });
  return cut(storage);
}

/** Opens a process that dies silently after this many sends. Its requests in flight may have arrived. */
function dying(shared: ReturnType<typeof openShared>, after: number) {
  let isDead = false;
  let sent = 0;
  const { raised: death, raise: died } = createSignal();
  const process = openProcess(shared, {
    storage: mortal(shared.storage, () => isDead),
    leases: mortal(shared.leases, () => isDead),
    answers: (user): Copied | Promise<Copied> => {
      if (isDead) return new Promise(() => {});
      sent += 1;
      if (sent < after) return { kind: 'sent' };
      isDead = true;
      shared.got.push(user);
      died();
      return new Promise(() => {});
    },
  });
  return { ...process, death };
}

test('reaches every user when processes die, with duplicates only for requests in flight', async () => {
  const { shared, ...last } = await openFilled(PEOPLE);
  await last.broadcasts.start(last.draft());
  const deaths = [1, 2, 3, 4, 5, 7, 50, 51, 200, 201];
  for (const after of deaths) {
    const process = dying(shared, after);
    void process.run();
    await process.death;
    // The lease of a dead process would end by real time. No other process gets it before.
    await shared.leases.delete('broadcast-lease');
  }
  await last.run();
  expect(new Set(shared.got).size).toBe(PEOPLE);
  expect(doubled(shared.got).length).toBeLessThanOrEqual(CONCURRENCY * deaths.length);
  expect(doubled(shared.got).length).toBeGreaterThan(0);
  const ended = await last.broadcasts.find('b1');
  expect(ended).toMatchObject({ state: 'done', sent: PEOPLE, settled: PEOPLE, deferred: [] });
  expect(ended?.takeovers).toBe(deaths.length);
});

test('a process that wakes up after its lease has ended sends nothing more', async () => {
  const { raised: freezing, raise: freeze } = createSignal();
  const { raised: waking, raise: wake } = createSignal();
  let isFrozen = false;
  const { shared, ...frozen } = await openFilled(PEOPLE, {
    async answers() {
      isFrozen ||= shared.got.length >= 100;
      if (isFrozen) {
        freeze();
        await waking;
      }
      return { kind: 'sent' };
    },
    isHeld: () => !isFrozen,
  });
  await frozen.broadcasts.start(frozen.draft());
  const running = frozen.run();
  await freezing;
  await shared.leases.delete('broadcast-lease');
  const other = openProcess(shared);
  const others = other.run();
  wake();
  await Promise.all([running, others]);
  expect(new Set(shared.got).size).toBe(PEOPLE);
  expect(doubled(shared.got).length).toBeLessThanOrEqual(CONCURRENCY);
  expect(await other.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: PEOPLE });
});

test.each([0, 2, 5])(
  'hands over to the next process without duplicates when it closes (writes take %i ticks)',
  async (leases) => {
    const shared = openShared();
    const pass = async (times: number) => {
      for (let time = 0; time < times; time += 1) await new Promise(setImmediate);
    };
    const slow = {
      ...shared.storage,
      async replace(...given: Parameters<Storage['replace']>) {
        await pass(leases);
        return shared.storage.replace(...given);
      },
    };
    for (const at of [77, 130, 200]) {
      let closed: Promise<void> | undefined;
      const process = openProcess(shared, {
        storage: slow,
        answers: async () => {
          if (shared.got.length >= at) closed ??= process.broadcasts.close();
          await pass(shared.got.length % 4);
          return { kind: 'sent' };
        },
      });
      if (at === 77) {
        await process.fill(300);
        await process.broadcasts.start(process.draft());
      }
      await process.run();
      await closed;
    }
    expect(shared.got.length).toBeLessThan(250);
    const next = openProcess(shared);
    await next.run();
    expect(new Set(shared.got).size).toBe(300);
    expect(doubled(shared.got)).toEqual([]);
    expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 300, takeovers: 0 });
  },
);

test('stops sending while the storage is unavailable and continues on its own', async () => {
  const shared = openShared();
  let isAway = false;
  const away = new Proxy(shared.storage, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        if (isAway) throw new Error('away');
        return value.apply(target, given);
      };
    },
  });
  let during = 0;
  let looked = 0;
  const process = openProcess(shared, {
    storage: away,
    answers: () => {
      if (shared.got.length === 50) isAway = true;
      if (isAway) during += 1;
      return { kind: 'sent' };
    },
    waited: () => {
      if (isAway) looked += 1;
      if (looked > 20) isAway = false;
    },
  });
  await process.fill(200);
  await process.send();
  expect(during).toBeLessThanOrEqual(CONCURRENCY);
  expect(new Set(shared.got).size).toBe(200);
  expect(doubled(shared.got)).toEqual([]);
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 200 });
});

test('records each attempt before it sends the copy, also while writes fail', async () => {
  const shared = openShared();
  let writes = 0;
  const storage: Storage = {
    ...shared.storage,
    async replace(...given) {
      if (++writes % 7 === 0) throw new Error('away');
      return shared.storage.replace(...given);
    },
  };
  const unrecorded: number[] = [];
  const process = openProcess(shared, {
    storage,
    async answers(user) {
      const record = (await shared.storage.get('broadcast:b1')) ?? '';
      const { openAttempts } = JSON.parse(record.slice(record.indexOf('{')));
      if (!openAttempts.includes(user - 1_001)) unrecorded.push(user);
      return { kind: 'sent' };
    },
  });
  await process.fill(100);
  for (let run = 0; run < 10; run += 1)
    await (run === 0 ? process.send() : process.run()).catch(() => undefined);
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 100 });
  expect(unrecorded).toEqual([]);
});

test('sends nothing if its lease ends while it records the attempt', async () => {
  const shared = openShared();
  let isHeld = true;
  const storage: Storage = {
    ...shared.storage,
    async replace(key, expected, value, lifetime) {
      if (value.includes('"openAttempts":[5]')) isHeld = false;
      return shared.storage.replace(key, expected, value, lifetime);
    },
  };
  const process = await openFilled(20, { storage, isHeld: () => isHeld }, shared);
  await process.send();
  expect(isHeld).toBe(false);
  expect(shared.got).not.toContain(1_006);
});

test('recognizes its own write after a lost response and sends each user one copy', async () => {
  const shared = openShared();
  let isLost = false;
  const losing = {
    ...shared.storage,
    async replace(...given: Parameters<Storage['replace']>) {
      const written = await shared.storage.replace(...given);
      if (isLost) {
        isLost = false;
        throw new Error('the answer was lost');
      }
      return written;
    },
  };
  const process = openProcess(shared, {
    storage: losing,
    answers: () => {
      if (shared.got.length % 20 === 19) isLost = true;
      return { kind: 'sent' };
    },
  });
  await process.fill(200);
  await process.send();
  expect(doubled(shared.got)).toEqual([]);
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 200, takeovers: 0 });
});

test('the next process respects the pause that Telegram demanded from a dead one', async () => {
  const shared = openShared();
  let at = 0;
  let isDead = false;
  const { raised: death, raise: die } = createSignal();
  const first = openProcess(shared, {
    storage: mortal(shared.storage, () => isDead),
    leases: mortal(shared.leases, () => isDead),
    answers: () => {
      if (shared.got.length < 30 || at > 0) return { kind: 'sent' };
      at = shared.clock.now;
      return { kind: 'later', afterMs: 600_000 };
    },
    waited: () => {
      if (at === 0 || shared.clock.now < at + 5_000) return;
      isDead = true;
      die();
    },
  });
  await first.fill(60);
  await first.broadcasts.start(first.draft());
  void first.run();
  await death;
  await shared.leases.delete('broadcast-lease');
  const before = shared.got.length;
  const times: number[] = [];
  const next = openProcess(shared, {
    answers: () => {
      times.push(shared.clock.now);
      return { kind: 'sent' };
    },
  });
  await next.run();
  expect(before).toBeLessThan(60);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(at + 600_000);
  expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 60, rateLimitHits: 1 });
});

test('a process that dies at the end leaves no progress message that shows it as running', async () => {
  const { shared, ...last } = await openFilled(10);
  await last.broadcasts.start(last.draft());
  let isDead = false;
  const { raised: death, raise: died } = createSignal();
  const storage = mortal(
    {
      ...shared.storage,
      async delete(key, expected) {
        await shared.storage.delete(key, expected);
        if (key !== 'broadcast-active') return;
        isDead = true;
        died();
      },
    },
    () => isDead,
  );
  void openProcess(shared, { storage }).run();
  await death;
  await last.run();
  expect([...shared.progressMessages.values()].map(({ html }) => html)).toEqual([
    expect.stringContaining('Broadcast: done'),
  ]);
});

const USERS = 6;
/** Telegram rejects the first message to this user with a 429, so the bot retries it at the end. */
const PUT_OFF = 1_003;

/** Messages that Telegram received, in order, and whether it has sent its 429. */
interface Telegram {
  sent: number[];
  hasPutOff: boolean;
}

/**
 * Point at which a process is killed: before the nth storage call takes effect, right after it has taken effect, or
 * when Telegram receives the nth message.
 */
interface KillPoint {
  when: 'before call' | 'after call' | 'at message';
  count: number;
}

const WHEN = ['before call', 'after call', 'at message'] as const;

/** Runs a process until it is killed at this point or has nothing left to do. Returns whether it was killed. */
async function runAndKill(
  telegram: Telegram,
  shared: Shared,
  point: KillPoint | undefined,
): Promise<boolean> {
  let calls = 0;
  let messages = 0;
  let isDead = false;
  const { raised: death, raise } = createSignal();
  const die = () => {
    isDead = true;
    raise();
  };
  const is = (when: KillPoint['when'], count: number) => point?.when === when && point.count === count;
  const storage = mortal(shared.storage, () => isDead, {
    before() {
      calls += 1;
      if (is('before call', calls)) die();
      return calls;
    },
    after(call) {
      if (is('after call', call)) die();
    },
  });
  const process = openProcess(shared, {
    storage,
    leases: mortal(shared.leases, () => isDead),
    answers: (user) => {
      if (isDead) return never();
      if (user === PUT_OFF && !telegram.hasPutOff) {
        telegram.hasPutOff = true;
        return { kind: 'later', afterMs: 200 };
      }
      messages += 1;
      telegram.sent.push(user);
      if (is('at message', messages)) die();
      return isDead ? never() : { kind: 'sent' };
    },
  });
  await Promise.race([process.run(), death]);
  // The lease of a dead process would end by real time.
  if (isDead) await shared.leases.delete('broadcast-lease');
  return isDead;
}

/**
 * Sends a broadcast with processes that are killed one after the other, and a last one that finishes. Counts copies per
 * user.
 */
async function sendWithKills(points: readonly KillPoint[]) {
  const shared = openShared();
  const telegram: Telegram = { sent: [], hasPutOff: false };
  const last = openProcess(shared);
  await last.fill(USERS);
  await last.broadcasts.start(last.draft());
  let killed = 0;
  for (const point of points) killed += (await runAndKill(telegram, shared, point)) ? 1 : 0;
  await runAndKill(telegram, shared, undefined);
  const ended = await last.broadcasts.find('b1');
  if (ended?.state !== 'done') throw new Error(`the broadcast is ${ended?.state}`);
  const times = Array.from(
    { length: USERS },
    (_, at) => telegram.sent.filter((user) => user === 1_001 + at).length,
  );
  return { killed, times, ended };
}

type Result = Awaited<ReturnType<typeof sendWithKills>>;

function expectNobodyMoreThanTwice({ times, ended }: Result, points: readonly KillPoint[]): void {
  const about = JSON.stringify(points);
  expect(Math.max(...times), about).toBeLessThanOrEqual(2);
  const missed = times.filter((count) => count === 0).length;
  // A process that is killed between the record of an attempt and its request leaves an attempt that sent nothing.
  if (points.every(({ when }) => when !== 'after call')) expect(missed, about).toBe(0);
  expect(missed, about).toBeLessThanOrEqual(ended.unknown);
  expect(ended.sent + ended.unknown, about).toBe(USERS);
  expect(ended, about).toMatchObject({ deferred: [], openAttempts: [] });
}

/**
 * Kills the first process at each point of this kind until a run ends before the point. `others` are killed as given.
 */
async function forEachPoint(
  when: KillPoint['when'],
  others: readonly KillPoint[],
  check: (result: Result, points: readonly KillPoint[]) => void,
): Promise<void> {
  let count = 0;
  let killed = 1;
  while (killed > 0) {
    count += 1;
    const points = [{ when, count }, ...others];
    const result = await sendWithKills(points);
    check(result, points);
    killed = result.killed;
    if (count > 500) throw new Error('no run ended before the kill point');
  }
  expect(count).toBeGreaterThan(USERS);
}

test.each(WHEN)('sends each user one or two copies if a process is killed %s n', async (when) => {
  await forEachPoint(when, [], ({ times, ended }, points) => {
    const about = JSON.stringify(points);
    expect(
      times.filter((count) => count < 1 || count > 2),
      about,
    ).toEqual([]);
    expect(ended, about).toMatchObject({ sent: USERS, unknown: 0, deferred: [], openAttempts: [] });
  });
});

test.each(WHEN)('sends each user at most two copies after kills %s n and at first messages', async (when) => {
  const atFirst: KillPoint = { when: 'at message', count: 1 };
  await forEachPoint(when, [atFirst, atFirst, atFirst], expectNobodyMoreThanTwice);
});

test('sends each user at most two copies if ten processes are killed at random points', async () => {
  const random = createRandom(31);
  for (let run = 0; run < 25; run += 1) {
    const points = Array.from({ length: 10 }, () => ({
      when: random.pick(WHEN) ?? 'at message',
      count: 1 + random.below(24),
    }));
    expectNobodyMoreThanTwice(await sendWithKills(points), points);
  }
});

test('writes the record at most twice per user', async () => {
  const shared = openShared();
  let writes = 0;
  const { replace } = shared.storage;
  shared.storage.replace = async (key, ...rest) => {
    if (key === 'broadcast:b1') writes += 1;
    return replace(key, ...rest);
  };
  const process = openProcess(shared);
  await process.fill(100);
  await process.send();
  expect(shared.got).toHaveLength(100);
  expect(writes).toBeLessThanOrEqual(2 * 100 + 5);
});
