import { expect, test } from 'vitest';
import type { Storage } from '../../src/platform/storage.ts';
import { createRandom } from '../sandbox/conservation/market.ts';
import { openProcess, openShared, type Shared } from './replicas.ts';

const PEOPLE = 6;
/** Telegram rejects the first message to this user with a 429, so the bot retries it at the end. */
const PUT_OFF = 1_003;
const never = () => new Promise<never>(() => {});

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
  let die = () => {};
  const death = new Promise<void>((resolve) => {
    die = () => {
      isDead = true;
      resolve();
    };
  });
  const is = (when: KillPoint['when'], count: number) => point?.when === when && point.count === count;
  const mortal = <T extends object>(part: T, isCounted: boolean): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === 'index') return mortal(value as object, isCounted);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          if (isCounted) calls += 1;
          const call = calls;
          if (isCounted && is('before call', call)) die();
          if (isDead) return never();
          const result = await value.apply(target, given);
          if (isCounted && is('after call', call)) die();
          return isDead ? never() : result;
        };
      },
    });
  const process = openProcess(shared, {
    storage: mortal<Storage>(shared.storage, true),
    leases: mortal<Storage>(shared.leases, false),
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
  await last.fill(PEOPLE);
  await last.broadcasts.start(last.draft());
  let killed = 0;
  for (const point of points) killed += (await runAndKill(telegram, shared, point)) ? 1 : 0;
  await runAndKill(telegram, shared, undefined);
  const ended = await last.broadcasts.find('b1');
  if (ended?.state !== 'done') throw new Error(`the broadcast is ${ended?.state}`);
  const times = Array.from(
    { length: PEOPLE },
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
  expect(ended.sent + ended.unknown, about).toBe(PEOPLE);
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
  expect(count).toBeGreaterThan(PEOPLE);
}

test.each(WHEN)('sends each user one or two copies if a process is killed %s n', async (when) => {
  await forEachPoint(when, [], ({ times, ended }, points) => {
    const about = JSON.stringify(points);
    expect(
      times.filter((count) => count < 1 || count > 2),
      about,
    ).toEqual([]);
    expect(ended, about).toMatchObject({ sent: PEOPLE, unknown: 0, deferred: [], openAttempts: [] });
  });
});

test.each(WHEN)('sends each user at most two copies after kills %s n and at first messages', async (when) => {
  const atFirst: KillPoint = { when: 'at message', count: 1 };
  await forEachPoint(when, [atFirst, atFirst, atFirst], expectNobodyMoreThanTwice);
});

test('sends each user at most two copies if ten processes are killed at random points', async () => {
  const random = createRandom(31);
  for (let run = 0; run < 60; run += 1) {
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
