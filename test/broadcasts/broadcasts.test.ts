import { describe, expect, test } from 'vitest';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { createBroadcastLaunch } from '../../src/features/broadcast/broadcast-flow.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';
import type { Copied } from '../../src/telegram/sender.ts';
import { signedRecords } from '../support/records.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { TEXTS } from '../support/texts.ts';
import {
  ADMIN,
  doubled,
  everybody,
  OTHER_ADMIN,
  openFilled,
  openProcess,
  openShared,
  recipients,
  START,
} from './replicas.ts';

const HOUR = 3600_000;

test('sends each user one copy within the rate and concurrency limits and notifies all admins', async () => {
  const { shared, broadcasts, run, draft, most } = await openFilled(2_345);
  expect(await broadcasts.count({ who: 'everybody' })).toBe(2_345);
  expect(await broadcasts.start(draft())).toBe('started');
  await run();
  expect(recipients(shared)).toEqual(everybody(2_345));
  expect(most.inProgress).toBeLessThanOrEqual(4);
  expect(shared.clock.now - START).toBeGreaterThanOrEqual((2_345 / 28) * 1_000 - 1_000);
  const ended = await broadcasts.find('b1');
  expect(ended).toMatchObject({ state: 'done', total: 2_345, settled: 2_345, sent: 2_345, failed: 0 });
  expect(shared.notified).toEqual([ended]);
  expect(await broadcasts.active()).toBeUndefined();
  expect(await broadcasts.ended(3)).toEqual([ended]);
  expect((await storedKeys(shared.storage, 'broadcast-audience')).length).toBe(0);
  expect(shared.progressMessages.get(OTHER_ADMIN)?.html).toContain('done');
});

test('skips users who join, leave or opt out after the start', async () => {
  let reached = 0;
  const { shared, users, broadcasts, send } = await openFilled(30, async () => {
    reached += 1;
    if (reached === 3) {
      await users.recordActivity(9_999, 'en', undefined);
      await users.setBroadcastOptOut(1_020, true);
      await users.setUnreachable(1_021, 'blocked');
      await users.setBanned(1_022, true);
      await users.erase(1_023);
    }
    return { kind: 'sent' };
  });
  await send();
  expect(recipients(shared)).toEqual(everybody(30).filter((user) => user < 1_020 || user > 1_023));
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 26, skipped: 4, settled: 30 });
});

test('sends each user the version in their language, with its buttons and an opt-out button', async () => {
  const shared = openShared();
  const seen: [number, number, string[]][] = [];
  const { users, broadcasts, draft, run } = openProcess(shared, {
    answers: (user, { message }, keyboard) => {
      seen.push([user, message, keyboard.flat().map(({ text }) => text)]);
      return { kind: 'sent' };
    },
  });
  await users.recordActivity(1, 'en', undefined);
  await users.recordActivity(2, 'ru', undefined);
  const own = { text: 'Energie', url: 'https://a.c', texts: { en: 'Energy', ru: 'Энергия' } };
  const content = { chat: ADMIN, buttons: [{ text: 'Prices', url: 'https://a.b' }, own], hash: 'h' };
  const contents = { default: { ...content, message: 9 }, ru: { ...content, message: 10 } };
  await broadcasts.start(draft('b1', { contents }));
  await run();
  // An admin's label is the same for all; the bot's own is in the user's language.
  expect(seen.toSorted()).toEqual([
    [1, 9, ['Prices', 'Energy', TEXTS.in('en').plain('button-announcements-off')]],
    [2, 10, ['Prices', 'Энергия', TEXTS.in('ru').plain('button-announcements-off')]],
  ]);
});

describe('unreachable users', () => {
  test('are counted by reason, marked as gone and excluded from later audiences', async () => {
    const why = ['blocked', 'deactivated', 'unreachable'] as const;
    const { users, broadcasts, send } = await openFilled(30, (user) =>
      user <= 1_003 ? { kind: 'unwritable', why: why[user - 1_001] ?? 'blocked' } : { kind: 'sent' },
    );
    await send();
    expect(await broadcasts.find('b1')).toMatchObject({
      ...{ sent: 27, blocked: 1, deactivated: 1, unreachable: 1 },
    });
    expect((await users.find(1_002))?.unreachable).toBe('deactivated');
    expect(await broadcasts.count({ who: 'everybody' })).toBe(27);
  });
});

const SENT: Copied = { kind: 'sent' };
const LATER: Copied = { kind: 'later', afterMs: 1_000 };
const FAILED: Copied = { kind: 'failed', reason: '500' };

/** Result of Telegram by user, try of the user (from 1) and time since the start. */
type ResultOf = (user: number, tries: number, ms: number) => Copied | Promise<Copied>;
/** Gives one user this result at the first `most` tries, and otherwise accepts messages. */
const only =
  (one: number, result: Copied, most = Number.POSITIVE_INFINITY): ResultOf =>
  (user, tries) =>
    user === one && tries <= most ? result : SENT;
const throwing: ResultOf = (user) => (user === 1_007 ? Promise.reject(new Error('of no kind')) : SENT);
const twoLater: ResultOf = (user, tries) => (user === 1_010 || (user === 1_030 && tries <= 3) ? LATER : SENT);
const refusing: ResultOf = (user) => (user % 5 === 0 ? { kind: 'refused', reason: 'x' } : SENT);
const awayAtFirst: ResultOf = (_user, _tries, ms) => (ms < 60_000 ? { kind: 'away' } : SENT);

test.each<[string, ResultOf, Partial<Broadcast>]>([
  ['counts a lost response as unknown', only(1_005, { kind: 'unclear' }), { sent: 59, unknown: 1 }],
  ['counts an unexpected error as unknown', throwing, { sent: 59, unknown: 1 }],
  ['gives up a user with a 429 at each try', only(1_002, LATER), { sent: 59, failed: 1, deferred: [] }],
  // Three times at their position, and three more times at the end.
  ['gives up a user after six failed responses', only(1_003, FAILED, 6), { sent: 59, failed: 1 }],
  ['sends to a user after five failed responses', only(1_003, FAILED, 5), { sent: 60, failed: 0 }],
  ['counts the tries of two deferred users separately', twoLater, { sent: 59, failed: 1, deferred: [] }],
  ['does not pause after occasional rejections', refusing, { sent: 48, failed: 12 }],
  ['counts no failure while Telegram is unavailable', awayAtFirst, { sent: 60, failed: 0 }],
])('%s', async (_, resultOf, expected) => {
  const tries = new Map<number, number>();
  const { shared, broadcasts, send } = await openFilled(60, (user) => {
    tries.set(user, (tries.get(user) ?? 0) + 1);
    return resultOf(user, tries.get(user) ?? 0, shared.clock.now - START);
  });
  await send();
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', ...expected });
  expect(doubled(shared.got)).toEqual([]);
  // Few requests are lost while Telegram is unavailable.
  expect([...tries.values()].reduce((sum, count) => sum + count, 0)).toBeLessThan(160);
});

describe('after a 429', () => {
  test('sends nothing until the pause is over, then counts the retried user as sent', async () => {
    let refused = false;
    const at: number[] = [];
    const seen = new Set<string | undefined>();
    const { shared, broadcasts, send } = await openFilled(20, {
      answers: (user) => {
        at.push(shared.clock.now);
        if (user !== 1_008 || refused) return { kind: 'sent' };
        refused = true;
        return { kind: 'later', afterMs: 30_000 };
      },
      waited: () => void seen.add(shared.progressMessages.get(OTHER_ADMIN)?.html),
    });
    await send();
    expect(
      [...seen].filter((html) => /Slowed down by Telegram: 1 time, \d+ s/.test(html ?? '')).length,
    ).toBeGreaterThan(5);
    expect(recipients(shared)).toEqual(everybody(20));
    const gaps = at.slice(1).map((time, one) => time - (at[one] ?? 0));
    expect(gaps.filter((gap) => gap >= 29_000)).toHaveLength(1);
    expect(await broadcasts.find('b1')).toMatchObject({ sent: 20, failed: 0, rateLimitHits: 1 });
  });
});

describe('an admin', () => {
  test('pauses a broadcast, another admin resumes it, and each user gets one copy', async () => {
    let paused: Promise<boolean> | undefined;
    const { shared, broadcasts, run, send } = await openFilled(300, () => {
      if (shared.got.length === 20) paused = broadcasts.pause('b1', ADMIN);
      return { kind: 'sent' };
    });
    await send();
    expect(await paused).toBe(true);
    expect(await broadcasts.active()).toMatchObject({ state: 'paused', pause: { why: 'admin', by: ADMIN } });
    const before = shared.got.length;
    expect(before).toBeLessThan(300);
    await run();
    expect(shared.got.length).toBe(before);
    expect(await broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
    expect(await broadcasts.resume('b1', OTHER_ADMIN)).toBe(false);
    await run();
    expect(recipients(shared)).toEqual(everybody(300));
  });

  test('stops a broadcast, which frees the slot for another one', async () => {
    let stopped: Promise<boolean> | undefined;
    const { shared, broadcasts, run, draft } = await openFilled(300, () => {
      if (shared.got.length === 20) stopped = broadcasts.stop('b1', OTHER_ADMIN);
      return { kind: 'sent' };
    });
    await broadcasts.start(draft());
    expect(await broadcasts.start(draft('b2'))).toBe('busy');
    await run();
    expect(await stopped).toBe(true);
    expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped', stoppedBy: OTHER_ADMIN });
    expect(await broadcasts.stop('b1', OTHER_ADMIN)).toBe(false);
    expect(shared.got.length).toBeLessThan(300);
    expect(await broadcasts.start(draft('b2'))).toBe('started');
  });

  test('loses the role, so the broadcast is paused until another admin resumes it', async () => {
    const { shared, broadcasts, run, draft } = await openFilled(60);
    await broadcasts.start(draft());
    shared.admins.delete(ADMIN);
    await run();
    expect(shared.got).toEqual([]);
    expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'former-admin' } }]);
    await broadcasts.resume('b1', OTHER_ADMIN);
    await run();
    expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', admin: OTHER_ADMIN, sent: 60 });
  });
});

describe('a scheduled broadcast', () => {
  /** Opens a broadcast that starts in an hour, and runs it at this time after the start of the test. */
  async function runAt(ms: number, prepare = async (_setup: Awaited<ReturnType<typeof openFilled>>) => {}) {
    const setup = await openFilled(10);
    expect(await setup.broadcasts.start(setup.draft('b1', { at: START + HOUR }))).toBe('scheduled');
    await prepare(setup);
    setup.shared.clock.now = START + ms;
    await setup.run();
    return setup;
  }

  test.each([
    ['at its time', 1],
    ['up to 59 minutes late', 59 * 60_000],
  ])('starts %s and not before', async (_, lateMs) => {
    const { shared, broadcasts } = await runAt(HOUR + lateMs, async (setup) => {
      expect((await setup.broadcasts.scheduled()).map(({ id }) => id)).toEqual(['b1']);
      await setup.run();
      expect(setup.shared.got).toEqual([]);
    });
    expect(recipients(shared)).toEqual(everybody(10));
    expect(await broadcasts.scheduled()).toEqual([]);
  });

  test('is not sent if it is more than an hour late, and admins are notified', async () => {
    const { shared } = await runAt(2 * HOUR + 60_000);
    expect([shared.got, shared.notified.map(({ state }) => state)]).toEqual([[], ['missed']]);
  });

  test('can be cancelled before its time', async () => {
    const { shared } = await runAt(HOUR + 1, async ({ broadcasts }) => {
      expect(await broadcasts.stop('b1', OTHER_ADMIN)).toBe(true);
    });
    expect(shared.got).toEqual([]);
  });
});

test('pauses and notifies admins when the source message is gone, and counts no failures', async () => {
  let isGone = false;
  const { shared, broadcasts, send } = await openFilled(60, () => {
    isGone ||= shared.got.length >= 30;
    return isGone ? { kind: 'no-source' } : { kind: 'sent' };
  });
  await send();
  expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'gone' } }]);
  const reached = shared.got.length;
  expect(await broadcasts.find('b1')).toMatchObject({ sent: reached, failed: 0 });
});

test('pauses a broadcast that Telegram rejects for every user', async () => {
  const { shared, broadcasts, send } = await openFilled(200, () => ({
    kind: 'refused',
    reason: 'Bad Request: BUTTON_URL_INVALID',
  }));
  await send();
  expect(shared.notified).toMatchObject([
    { pause: { why: 'refused', reason: 'Bad Request: BUTTON_URL_INVALID' } },
  ]);
  expect((await broadcasts.find('b1'))?.failed).toBeLessThan(30);
});

test('does not send twice when it is confirmed twice', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(10);
  expect([await broadcasts.start(draft()), await broadcasts.start(draft())]).toEqual(['started', 'started']);
  await run();
  expect(await broadcasts.start(draft())).toBe('started');
  await run();
  expect(doubled(shared.got)).toEqual([]);
});

test('rejects the count when the audience cannot be read', async () => {
  const shared = openShared();
  const away = async () => Promise.reject(new Error('away'));
  const { broadcasts } = openProcess(shared, { storage: { ...shared.storage, get: away } });
  await expect(broadcasts.count({ who: 'everybody' })).rejects.toThrow('away');
});

test('a slow response delays later recipients, with at most three others under way', async () => {
  const began: number[] = [];
  let free: (c: Copied) => void = () => {};
  let looks = 0;
  const { shared, ...p } = await openFilled(200, {
    answers: (user) => {
      began.push(user);
      if (user !== 1_010) return { kind: 'sent' };
      return new Promise((resolve) => {
        free = resolve;
      });
    },
    waited: () => {
      looks += 1;
      if (looks === 200) {
        expect.soft(began.length).toBeLessThanOrEqual(13);
        free({ kind: 'sent' });
      }
    },
  });
  await p.send();
  expect(recipients(shared)).toEqual(everybody(200));
});

test('sends each user one copy when paused during a 429 retry', async () => {
  let paused: Promise<boolean> | undefined;
  let objected = 0;
  const { shared, broadcasts, run, send } = await openFilled(60, async (user) => {
    if (user === 1_022 && objected < 1) {
      await new Promise((r) => setTimeout(r, 5));
      objected += 1;
      paused = broadcasts.pause('b1', ADMIN);
      return { kind: 'later', afterMs: 5_000 };
    }
    return { kind: 'sent' };
  });
  await send();
  expect(await paused).toBe(true);
  expect((await broadcasts.active())?.state).toBe('paused');
  await broadcasts.resume('b1', ADMIN);
  await run();
  expect(recipients(shared)).toEqual(everybody(60));
});

test('schedules broadcasts beside a running one, and cancels them without effect on that one', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(20);
  await broadcasts.start(draft('b0', { at: START + HOUR }));
  await broadcasts.start(draft('b1'));
  expect(await broadcasts.start(draft('b2', { at: START + HOUR }))).toBe('scheduled');
  for (const id of ['b0', 'b2']) expect(await broadcasts.stop(id, ADMIN)).toBe(true);
  expect((await broadcasts.active())?.id).toBe('b1');
  expect(await broadcasts.scheduled()).toEqual([]);
  await run();
  expect(shared.got.length).toBe(20);
});

test('sends two broadcasts that are due at once one after the other', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(5);
  await broadcasts.start(draft('b1', { at: START + HOUR }));
  await broadcasts.start(draft('b2', { at: START + HOUR }));
  shared.clock.now = START + HOUR + 1;
  await run();
  await run();
  expect(shared.got.length).toBe(10);
  expect((await broadcasts.ended(3)).map(({ state }) => state)).toEqual(['done', 'done']);
});

test('stays stopped when another admin pauses it before a process has stopped it', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(20);
  await broadcasts.start(draft());
  expect(await broadcasts.stop('b1', ADMIN)).toBe(true);
  expect(await broadcasts.pause('b1', OTHER_ADMIN)).toBe(true);
  await run();
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
  expect(shared.got).toEqual([]);
});

test('notifies admins in the next run if the notification failed', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(5);
  const push = shared.notified.push.bind(shared.notified);
  let fails = 1;
  shared.notified.push = (...x) => {
    if (fails-- > 0) throw new Error('away');
    return push(...x);
  };
  await broadcasts.start(draft());
  await run().catch(() => {});
  expect(shared.notified.length).toBe(0);
  await run();
  expect(shared.notified.map(({ state }) => state)).toEqual(['done']);
  expect(await broadcasts.active()).toBeUndefined();
});

test('can be stopped while deferred users are retried, and respects their 429 pauses', async () => {
  let n = 0;
  let until = 0;
  const early: number[] = [];
  let stopped: Promise<boolean> | undefined;
  const { shared, broadcasts, send } = await openFilled(20, (user) => {
    if (user !== 1_010) return { kind: 'sent' };
    n += 1;
    if (shared.clock.now < until) early.push(n);
    until = shared.clock.now + 10_000;
    if (n === 3) stopped = broadcasts.stop('b1', ADMIN);
    return { kind: 'later', afterMs: 10_000 };
  });
  await send();
  await stopped;
  expect(early).toEqual([]);
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
});

test('sends a test to an admin who opted out', async () => {
  const { shared, users, broadcasts, run, draft } = await openFilled(1);
  await users.recordActivity(ADMIN, 'en', undefined);
  await users.setBroadcastOptOut(ADMIN, true);
  await broadcasts.start(draft('b1', { audience: { who: 'me' } }));
  await run();
  expect(shared.got).toEqual([ADMIN]);
});

test('waits for a running test broadcast, which notifies no other admin', async () => {
  const { shared, users, broadcasts, run, draft } = await openFilled(3);
  await users.recordActivity(ADMIN, 'en', undefined);
  await broadcasts.start(draft('t', { audience: { who: 'me' } }));
  const second = broadcasts.start(draft('b1'));
  const ran = run();
  expect(await second).toBe('started');
  await ran;
  expect(shared.notified).toEqual([]);
  expect(shared.progressMessages.has(OTHER_ADMIN)).toBe(false);
});

test('retries an audience chunk that could not be read', async () => {
  const shared = openShared();
  let fails = 0;
  const storage = new Proxy(shared.storage, {
    get(t, name) {
      const value = Reflect.get(t, name);
      if (name !== 'get') return value;
      return async (key: string) => {
        if (key.startsWith('broadcast-audience') && fails++ < 2) throw new Error('away');
        return t.get(key);
      };
    },
  });
  let waits = 0;
  const p = openProcess(shared, {
    storage,
    waited: () => {
      waits += 1;
      if (waits > 3_000) throw new Error('stuck');
    },
  });
  await p.fill(5);
  await p.send();
  expect(shared.got.length).toBe(5);
});

test('a shorter 429 pause does not end a longer one', async () => {
  const at: number[] = [];
  const both = createSignal();
  const once = new Set([1_010, 1_011]);
  const { shared, broadcasts, send } = await openFilled(30, async (user) => {
    at.push(shared.clock.now);
    if (!once.delete(user)) return { kind: 'sent' };
    if (user === 1_011) both.raise();
    await both.raised;
    if (user === 1_010) return { kind: 'later', afterMs: 30_000 };
    // Responds when the response for the other user is already known.
    await new Promise(setImmediate);
    return { kind: 'later', afterMs: 1_000 };
  });
  await send();
  const gaps = at.slice(1).map((time, one) => time - (at[one] ?? 0));
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(25_000);
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 30, rateLimitHits: 2 });
});

test('the next process notifies admins of a pause once if the first one died before', async () => {
  const shared = openShared();
  const push = shared.notified.push.bind(shared.notified);
  shared.notified.push = () => {
    throw new Error('away');
  };
  const first = await openFilled(5, () => ({ kind: 'no-source' }), shared);
  await first.broadcasts.start(first.draft());
  await expect(first.run()).rejects.toThrow('away');
  shared.notified.push = push;
  const next = openProcess(shared);
  await next.run();
  await next.run();
  const notified = shared.notified.map(({ state, pause }) => ({ state, pause }));
  expect(notified).toEqual([{ state: 'paused', pause: { why: 'gone', at: expect.any(Number) } }]);
});

test('notifies admins again when it is paused again for the same reason', async () => {
  const { shared, broadcasts, run, send } = await openFilled(5, () => ({ kind: 'no-source' }));
  await send();
  shared.clock.now += 60_000;
  await broadcasts.resume('b1', OTHER_ADMIN);
  await run();
  const held = shared.notified.map(({ state, settled, pause }) => ({ state, settled, at: pause?.at }));
  expect(held).toHaveLength(2);
  expect(held[0]?.at).toBeLessThan(held[1]?.at ?? 0);
});

test('a stopped broadcast cannot be resumed from an older message', async () => {
  const { shared, ...one } = await openFilled(30);
  await one.broadcasts.start(one.draft());
  const pausing = one.broadcasts.pause('b1', ADMIN);
  await one.run();
  await pausing;
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'paused' });
  const before = shared.got.length;
  expect(await one.broadcasts.stop('b1', ADMIN)).toBe(true);
  expect(await one.broadcasts.resume('b1', OTHER_ADMIN)).toBe(false);
  await one.run();
  expect(shared.got.length).toBe(before);
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
  expect(await one.broadcasts.active()).toBeUndefined();
});

test('Resume on an older message does not undo a pending stop', async () => {
  let stopping: Promise<boolean> | undefined;
  const { shared, ...one } = await openFilled(200, {
    answers: () => {
      if (shared.got.length === 40) stopping = one.broadcasts.stop('b1', ADMIN);
      if (shared.got.length === 42) void one.broadcasts.resume('b1', OTHER_ADMIN);
      return { kind: 'sent' };
    },
  });
  await one.send();
  expect(await stopping).toBe(true);
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
});

test('retries deferred users within the rate limit', async () => {
  const times: number[] = [];
  const tried = new Set<number>();
  const { shared, broadcasts, send } = await openFilled(300, (user) => {
    if (user % 5 === 0 && !tried.has(user)) {
      tried.add(user);
      return { kind: 'refused', reason: 'x' };
    }
    if (tried.has(user)) times.push(shared.clock.now);
    return { kind: 'sent' };
  });
  await send();
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 300 });
  expect(times).toHaveLength(60);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan((60 / 30) * 1_000 - 100);
});

test('sends a deferred user one copy although the storage fails right after', async () => {
  const shared = openShared();
  const tries = new Map<number, number>();
  let fails = 0;
  const storage = {
    ...shared.storage,
    replace: async (...given: Parameters<typeof shared.storage.replace>) => {
      if (fails > 0 && given[0].startsWith('broadcast:')) {
        fails -= 1;
        throw new StorageUnavailable('away');
      }
      return shared.storage.replace(...given);
    },
  };
  const one = openProcess(shared, {
    storage,
    answers: (user) => {
      const count = (tries.get(user) ?? 0) + 1;
      tries.set(user, count);
      if (user === 1_002 && count <= 2) return { kind: 'later', afterMs: 1_000 };
      if (user === 1_002 && count === 3) fails = 1;
      return { kind: 'sent' };
    },
  });
  await one.fill(10);
  await one.broadcasts.start(one.draft());
  await one.run().catch(() => undefined);
  await one.run();
  expect(await one.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 10 });
  expect(doubled(shared.got)).toEqual([]);
});

test('is stopped while the audience is resolved, before it begins to send', async () => {
  const { shared, ...one } = await openFilled(2_500);
  await one.broadcasts.start(one.draft());
  let stopping: Promise<boolean> | undefined;
  const { set } = shared.storage;
  shared.storage.set = async (key, ...rest) => {
    await set(key, ...rest);
    if (!key.startsWith('broadcast-audience') || stopping) return;
    stopping = one.broadcasts.stop('b1', ADMIN);
    // Control requests are read at most every 400 ms.
    shared.clock.now += 400;
    await new Promise(setImmediate);
  };
  await one.run();
  expect(await stopping).toBe(true);
  const stopped = await one.broadcasts.find('b1');
  expect([stopped?.state, stopped?.begunAt, shared.got]).toEqual(['stopped', undefined, []]);
  expect(await storedKeys(shared.storage, 'broadcast-audience')).toEqual([]);
});

test('an older version does not give up a broadcast that a newer version started', async () => {
  const { shared, ...one } = await openFilled(3);
  await one.broadcasts.start(one.draft());
  const key = 'broadcast:b1';
  const records = signedRecords(shared.storage);
  const record = await records.get(key);
  const newer = JSON.parse(record?.content ?? '{}');
  await records.set(key, JSON.stringify({ ...newer, audience: { who: 'of-a-newer-version' } }));
  await one.run();
  expect(await shared.storage.get('broadcast-active')).toBe('b1');
});

test('lists all scheduled broadcasts, also more than twenty', async () => {
  const shared = openShared();
  const one = openProcess(shared);
  for (let count = 0; count < 25; count += 1)
    await one.broadcasts.start(one.draft(`b${count}`, { at: shared.clock.now + 3600_000 + count }));
  expect(await one.broadcasts.scheduled()).toHaveLength(25);
});

test('notes the start in the admin log even if the first attempt failed', async () => {
  const { shared, ...one } = await openFilled(3);
  const noted: string[] = [];
  let lost = 1;
  const adminLog = {
    add: async (_: number, act: string) => {
      if (lost-- > 0) throw new StorageUnavailable('away');
      noted.push(act);
    },
  };
  const launch = createBroadcastLaunch({ broadcasts: one.broadcasts, adminLog: adminLog as never });
  const ctx = { words: TEXTS.in('en'), tx: { signal: new AbortController().signal } } as never;
  const draft = one.draft('b1', { at: shared.clock.now + 3600_000 });
  await launch(ctx, draft, 3).catch(() => undefined);
  await launch(ctx, draft, 3).catch(() => undefined);
  expect(noted).toEqual(['broadcast-scheduled']);
});
