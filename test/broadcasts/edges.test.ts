import { expect, test } from 'vitest';
import type { Copied } from '../../src/telegram/sender.ts';
import { ADMIN, doubled, OTHER_ADMIN, openProcess, openShared, START } from './replicas.ts';

const HOUR = 3600_000;
type Answer = (user: number) => Copied | Promise<Copied>;
async function openFilled(count: number, answers?: Answer) {
  const shared = openShared();
  const process = openProcess(shared, { ...(answers && { answers }) });
  await process.fill(count);
  return { shared, ...process };
}
const everybody = (count: number) => Array.from({ length: count }, (_, at) => 1_001 + at);
const sorted = (got: number[]) => got.toSorted((a, b) => a - b);

test('a slow response delays later recipients, with at most three others under way', async () => {
  const began: number[] = [];
  let free: (c: Copied) => void = () => {};
  let looks = 0;
  const shared = openShared();
  const p = openProcess(shared, {
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
  await p.fill(200);
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(sorted(shared.got)).toEqual(everybody(200));
});

test('sends each user one copy when paused during a 429 retry', async () => {
  let paused: Promise<boolean> | undefined;
  let objected = 0;
  const { shared, broadcasts, run, draft } = await openFilled(60, async (user) => {
    if (user === 1_022 && objected < 1) {
      await new Promise((r) => setTimeout(r, 5));
      objected += 1;
      paused = broadcasts.pause('b1', ADMIN);
      return { kind: 'later', afterMs: 5_000 };
    }
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  expect(await paused).toBe(true);
  expect((await broadcasts.active())?.state).toBe('paused');
  await broadcasts.resume('b1', ADMIN);
  await run();
  expect(sorted(shared.got)).toEqual(everybody(60));
});

test('the next process respects the pause that Telegram demanded', async () => {
  const shared = openShared();
  const at: [number, number][] = [];
  let until = 0;
  let closed: Promise<void> | undefined;
  const answers: Answer = (user) => {
    at.push([user, shared.clock.now]);
    if (user === 1_010 && until === 0) {
      until = shared.clock.now + 60_000;
      closed = first.broadcasts.close();
      return { kind: 'later', afterMs: 60_000 };
    }
    return { kind: 'sent' };
  };
  const first = openProcess(shared, { answers });
  await first.fill(40);
  await first.broadcasts.start(first.draft());
  await first.run();
  await closed;
  const before = at.length;
  await openProcess(shared, { answers }).run();
  expect(at.length).toBeGreaterThan(before);
  for (const [, time] of at.slice(before)) expect(time).toBeGreaterThanOrEqual(until);
  expect(new Set(shared.got).size).toBe(40);
});

test('cancelling a scheduled broadcast leaves the running one alone', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(20);
  await broadcasts.start(draft('b2', { at: START + HOUR }));
  await broadcasts.start(draft('b1'));
  expect(await broadcasts.stop('b2', ADMIN)).toBe(true);
  expect((await broadcasts.active())?.id).toBe('b1');
  expect(await broadcasts.scheduled()).toEqual([]);
  await run();
  expect(shared.got.length).toBe(20);
});

test('schedules a broadcast while another one is running', async () => {
  const { broadcasts, draft } = await openFilled(2);
  await broadcasts.start(draft('b1'));
  expect(await broadcasts.start(draft('b2', { at: START + HOUR }))).toBe('scheduled');
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

test('starts a scheduled broadcast up to 59 minutes late', async () => {
  const { shared, broadcasts, run, draft } = await openFilled(5);
  await broadcasts.start(draft('b1', { at: START + HOUR }));
  shared.clock.now = START + HOUR + 59 * 60_000;
  await run();
  expect(shared.got.length).toBe(5);
});

test('stops a paused broadcast', async () => {
  let paused: Promise<boolean> | undefined;
  const { shared, broadcasts, run, draft } = await openFilled(60, () => {
    if (shared.got.length === 20) paused = broadcasts.pause('b1', ADMIN);
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  await paused;
  const stopped = broadcasts.stop('b1', OTHER_ADMIN);
  await new Promise((r) => setTimeout(r, 5));
  await run();
  await stopped;
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
  expect(await broadcasts.active()).toBeUndefined();
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

test('counts no failure when Telegram is unavailable for a minute', async () => {
  const shared = openShared();
  const p = openProcess(shared, {
    answers: () => (shared.clock.now < START + 60_000 ? { kind: 'away' } : { kind: 'sent' }),
  });
  await p.fill(30);
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(await p.broadcasts.find('b1')).toMatchObject({ sent: 30, failed: 0 });
});

test('sends few requests while Telegram is unavailable', async () => {
  let asked = 0;
  const shared = openShared();
  const p = openProcess(shared, {
    answers: () => {
      if (shared.clock.now >= START + 60_000) return { kind: 'sent' };
      asked += 1;
      return { kind: 'away' };
    },
  });
  await p.fill(30);
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(asked).toBeLessThan(100);
});

test('gives up a recipient after repeated failed responses', async () => {
  let asked = 0;
  const { broadcasts, run, draft } = await openFilled(10, (user) => {
    if (user === 1_003) {
      asked += 1;
      if (asked > 50) return { kind: 'sent' };
      return { kind: 'failed', reason: '500' };
    }
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  // Three times at their position, and three more times at the end.
  expect(asked).toBe(6);
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 9, failed: 1 });
});

test('sends each user one copy when two processes run at once', async () => {
  const shared = openShared();
  const slow: Answer = async () => {
    await new Promise((r) => setTimeout(r, 1));
    return { kind: 'sent' };
  };
  const [one, other] = [openProcess(shared, { answers: slow }), openProcess(shared, { answers: slow })];
  await one.fill(100);
  await one.broadcasts.start(one.draft());
  const all = [one.run(), new Promise((r) => setTimeout(r, 10)).then(() => other.run())];
  await Promise.all(all);
  for (let i = 0; i < 5; i += 1) {
    await one.run();
    await other.run();
  }
  expect(doubled(shared.got)).toEqual([]);
  expect(new Set(shared.got).size).toBe(100);
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

test('does not send to users who join while it is paused', async () => {
  let paused: Promise<boolean> | undefined;
  const { shared, users, broadcasts, run, draft } = await openFilled(60, () => {
    if (shared.got.length === 20) paused = broadcasts.pause('b1', ADMIN);
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  await paused;
  await users.setUnreachable(1_001, 'blocked');
  await users.recordActivity(9_999, 'en', undefined);
  await broadcasts.resume('b1', ADMIN);
  await run();
  expect(sorted(shared.got)).toEqual(everybody(60));
});

test('counts the retries of two deferred users separately', async () => {
  const asked = new Map<number, number>();
  const { shared, broadcasts, run, draft } = await openFilled(60, (user) => {
    const n = (asked.get(user) ?? 0) + 1;
    asked.set(user, n);
    if (user === 1_010) return { kind: 'later', afterMs: 1_000 };
    if (user === 1_030 && n <= 3) return { kind: 'later', afterMs: 1_000 };
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  expect(sorted(shared.got)).toEqual(everybody(60).filter((u) => u !== 1_010));
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 59, failed: 1, deferred: [] });
});

test('can be stopped while deferred users are retried, and respects their 429 pauses', async () => {
  let n = 0;
  let until = 0;
  const early: number[] = [];
  let stopped: Promise<boolean> | undefined;
  const { shared, broadcasts, run, draft } = await openFilled(20, (user) => {
    if (user !== 1_010) return { kind: 'sent' };
    n += 1;
    if (shared.clock.now < until) early.push(n);
    until = shared.clock.now + 10_000;
    if (n === 3) stopped = broadcasts.stop('b1', ADMIN);
    return { kind: 'later', afterMs: 10_000 };
  });
  await broadcasts.start(draft());
  await run();
  await stopped;
  expect(early).toEqual([]);
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
});

test('does not pause after occasional rejections', async () => {
  const { broadcasts, run, draft } = await openFilled(200, (user) =>
    user % 5 === 0 ? { kind: 'refused', reason: 'x' } : { kind: 'sent' },
  );
  await broadcasts.start(draft());
  await run();
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 160, failed: 40 });
});

test('slows down after several 429s', async () => {
  const times: number[] = [];
  let later = 0;
  const { shared, broadcasts, run, draft } = await openFilled(120, () => {
    if (later < 8 && shared.got.length >= 10) {
      later += 1;
      return { kind: 'later', afterMs: 1_000 };
    }
    times.push(shared.clock.now);
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  const t = times.slice(12, 40);
  expect((t.at(-1) ?? 0) - (t[0] ?? 0)).toBeGreaterThan(2_000);
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
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(shared.got.length).toBe(5);
});

test('a shorter 429 pause does not end a longer one', async () => {
  const at: number[] = [];
  let both = () => {};
  const areBoth = new Promise<void>((resolve) => {
    both = resolve;
  });
  const once = new Set([1_010, 1_011]);
  const { shared, broadcasts, run, draft } = await openFilled(30, async (user) => {
    at.push(shared.clock.now);
    if (!once.delete(user)) return { kind: 'sent' };
    if (user === 1_011) both();
    await areBoth;
    if (user === 1_010) return { kind: 'later', afterMs: 30_000 };
    // Responds when the response for the other user is already known.
    await new Promise(setImmediate);
    return { kind: 'later', afterMs: 1_000 };
  });
  await broadcasts.start(draft());
  await run();
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
  const first = openProcess(shared, { answers: () => ({ kind: 'no-source' }) });
  await first.fill(5);
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
  const { shared, broadcasts, run, draft } = await openFilled(5, () => ({ kind: 'no-source' }));
  await broadcasts.start(draft());
  await run();
  shared.clock.now += 60_000;
  await broadcasts.resume('b1', OTHER_ADMIN);
  await run();
  const held = shared.notified.map(({ state, settled, pause }) => ({ state, settled, at: pause?.at }));
  expect(held).toHaveLength(2);
  expect(held[0]?.at).toBeLessThan(held[1]?.at ?? 0);
});
