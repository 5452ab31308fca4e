import { expect, test } from 'vitest';
import type { Copied } from '../../src/telegram/copier.ts';
import { ADMIN, doubled, OTHER_ADMIN, openHouse, openProcess, START } from './room.ts';

const HOUR = 3600_000;
type Answer = (user: number) => Copied | Promise<Copied>;
async function openFilled(count: number, answers?: Answer) {
  const house = openHouse();
  const process = openProcess(house, { ...(answers && { answers }) });
  await process.fill(count);
  return { house, ...process };
}
const everybody = (count: number) => Array.from({ length: count }, (_, at) => 1_001 + at);
const sorted = (got: number[]) => got.toSorted((a, b) => a - b);

test('a slow answer holds up those behind it, at most three of whom are begun', async () => {
  const began: number[] = [];
  let free: (c: Copied) => void = () => {};
  let looks = 0;
  const house = openHouse();
  const p = openProcess(house, {
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
  expect(sorted(house.got)).toEqual(everybody(200));
});

test('held up amid one that Telegram objects to: nobody twice, nobody left out', async () => {
  let paused: Promise<boolean> | undefined;
  let objected = 0;
  const { house, broadcasts, run, draft } = await openFilled(60, async (user) => {
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
  expect(sorted(house.got)).toEqual(everybody(60));
});

test('whoever takes over keeps the quiet', async () => {
  const house = openHouse();
  const at: [number, number][] = [];
  let until = 0;
  let closed: Promise<void> | undefined;
  const answers: Answer = (user) => {
    at.push([user, house.clock.now]);
    if (user === 1_010 && until === 0) {
      until = house.clock.now + 60_000;
      closed = first.broadcasts.close();
      return { kind: 'later', afterMs: 60_000 };
    }
    return { kind: 'sent' };
  };
  const first = openProcess(house, { answers });
  await first.fill(40);
  await first.broadcasts.start(first.draft());
  await first.run();
  await closed;
  const before = at.length;
  await openProcess(house, { answers }).run();
  expect(at.length).toBeGreaterThan(before);
  for (const [, time] of at.slice(before)) expect(time).toBeGreaterThanOrEqual(until);
  expect(new Set(house.got).size).toBe(40);
});

test('taking back a scheduled one leaves the one under way alone', async () => {
  const { house, broadcasts, run, draft } = await openFilled(20);
  await broadcasts.start(draft('b2', { at: START + HOUR }));
  await broadcasts.start(draft('b1'));
  expect(await broadcasts.stop('b2', ADMIN)).toBe(true);
  expect((await broadcasts.active())?.id).toBe('b1');
  expect(await broadcasts.scheduled()).toEqual([]);
  await run();
  expect(house.got.length).toBe(20);
});

test('one is scheduled while another is under way', async () => {
  const { broadcasts, draft } = await openFilled(2);
  await broadcasts.start(draft('b1'));
  expect(await broadcasts.start(draft('b2', { at: START + HOUR }))).toBe('scheduled');
});

test('two that are due at once are sent one after the other', async () => {
  const { house, broadcasts, run, draft } = await openFilled(5);
  await broadcasts.start(draft('b1', { at: START + HOUR }));
  await broadcasts.start(draft('b2', { at: START + HOUR }));
  house.clock.now = START + HOUR + 1;
  await run();
  await run();
  expect(house.got.length).toBe(10);
  expect((await broadcasts.ended(3)).map(({ state }) => state)).toEqual(['done', 'done']);
});

test('59 minutes late it still begins', async () => {
  const { house, broadcasts, run, draft } = await openFilled(5);
  await broadcasts.start(draft('b1', { at: START + HOUR }));
  house.clock.now = START + HOUR + 59 * 60_000;
  await run();
  expect(house.got.length).toBe(5);
});

test('one that is held up can be stopped', async () => {
  let paused: Promise<boolean> | undefined;
  const { house, broadcasts, run, draft } = await openFilled(60, () => {
    if (house.got.length === 20) paused = broadcasts.pause('b1', ADMIN);
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
  const { house, broadcasts, run, draft } = await openFilled(20);
  await broadcasts.start(draft());
  expect(await broadcasts.stop('b1', ADMIN)).toBe(true);
  expect(await broadcasts.pause('b1', OTHER_ADMIN)).toBe(true);
  await run();
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
  expect(house.got).toEqual([]);
});

test('Telegram is away for a minute, and nobody is given up', async () => {
  const house = openHouse();
  const p = openProcess(house, {
    answers: () => (house.clock.now < START + 60_000 ? { kind: 'away' } : { kind: 'sent' }),
  });
  await p.fill(30);
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(await p.broadcasts.find('b1')).toMatchObject({ sent: 30, failed: 0 });
});

test('Telegram that is away is asked seldom', async () => {
  let asked = 0;
  const house = openHouse();
  const p = openProcess(house, {
    answers: () => {
      if (house.clock.now >= START + 60_000) return { kind: 'sent' };
      asked += 1;
      return { kind: 'away' };
    },
  });
  await p.fill(30);
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(asked).toBeLessThan(100);
});

test('who is answered that it failed, again and again, is given up', async () => {
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
  // Three times in its turn, and as often at the end.
  expect(asked).toBe(6);
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 9, failed: 1 });
});

test('two processes are at it at once, and nobody gets it twice', async () => {
  const house = openHouse();
  const slow: Answer = async () => {
    await new Promise((r) => setTimeout(r, 1));
    return { kind: 'sent' };
  };
  const [one, other] = [openProcess(house, { answers: slow }), openProcess(house, { answers: slow })];
  await one.fill(100);
  await one.broadcasts.start(one.draft());
  const all = [one.run(), new Promise((r) => setTimeout(r, 10)).then(() => other.run())];
  await Promise.all(all);
  for (let i = 0; i < 5; i += 1) {
    await one.run();
    await other.run();
  }
  expect(doubled(house.got)).toEqual([]);
  expect(new Set(house.got).size).toBe(100);
});

test('what could not be told is told by the next', async () => {
  const { house, broadcasts, run, draft } = await openFilled(5);
  const push = house.told.push.bind(house.told);
  let fails = 1;
  house.told.push = (...x) => {
    if (fails-- > 0) throw new Error('away');
    return push(...x);
  };
  await broadcasts.start(draft());
  await run().catch(() => {});
  expect(house.told.length).toBe(0);
  await run();
  expect(house.told.map(({ state }) => state)).toEqual(['done']);
  expect(await broadcasts.active()).toBeUndefined();
});

test('who comes while it is held up doesn’t get it', async () => {
  let paused: Promise<boolean> | undefined;
  const { house, people, broadcasts, run, draft } = await openFilled(60, () => {
    if (house.got.length === 20) paused = broadcasts.pause('b1', ADMIN);
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  await paused;
  await people.gone(1_001, 'blocked');
  await people.met(9_999, 'en', undefined);
  await broadcasts.resume('b1', ADMIN);
  await run();
  expect(sorted(house.got)).toEqual(everybody(60));
});

test('of two put off each has its tries', async () => {
  const asked = new Map<number, number>();
  const { house, broadcasts, run, draft } = await openFilled(60, (user) => {
    const n = (asked.get(user) ?? 0) + 1;
    asked.set(user, n);
    if (user === 1_010) return { kind: 'later', afterMs: 1_000 };
    if (user === 1_030 && n <= 3) return { kind: 'later', afterMs: 1_000 };
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  expect(sorted(house.got)).toEqual(everybody(60).filter((u) => u !== 1_010));
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 59, failed: 1, putOff: [] });
});

test('while the last are tried again it can be stopped, and the quiet holds', async () => {
  let n = 0;
  let until = 0;
  const early: number[] = [];
  let stopped: Promise<boolean> | undefined;
  const { house, broadcasts, run, draft } = await openFilled(20, (user) => {
    if (user !== 1_010) return { kind: 'sent' };
    n += 1;
    if (house.clock.now < until) early.push(n);
    until = house.clock.now + 10_000;
    if (n === 3) stopped = broadcasts.stop('b1', ADMIN);
    return { kind: 'later', afterMs: 10_000 };
  });
  await broadcasts.start(draft());
  await run();
  await stopped;
  expect(early).toEqual([]);
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'stopped' });
});

test('refused now and then is no reason to hold it up', async () => {
  const { broadcasts, run, draft } = await openFilled(200, (user) =>
    user % 5 === 0 ? { kind: 'refused', reason: 'x' } : { kind: 'sent' },
  );
  await broadcasts.start(draft());
  await run();
  expect(await broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 160, failed: 40 });
});

test('after Telegram has objected some times it is slower', async () => {
  const times: number[] = [];
  let later = 0;
  const { house, broadcasts, run, draft } = await openFilled(120, () => {
    if (later < 8 && house.got.length >= 10) {
      later += 1;
      return { kind: 'later', afterMs: 1_000 };
    }
    times.push(house.clock.now);
    return { kind: 'sent' };
  });
  await broadcasts.start(draft());
  await run();
  const t = times.slice(12, 40);
  expect((t.at(-1) ?? 0) - (t[0] ?? 0)).toBeGreaterThan(2_000);
});

test('a test goes to an admin who wants no news', async () => {
  const { house, people, broadcasts, run, draft } = await openFilled(1);
  await people.met(ADMIN, 'en', undefined);
  await people.quiet(ADMIN, true);
  await broadcasts.start(draft('b1', { audience: { who: 'me' } }));
  await run();
  expect(house.got).toEqual([ADMIN]);
});

test('a test under way is waited for, and told nobody else', async () => {
  const { house, people, broadcasts, run, draft } = await openFilled(3);
  await people.met(ADMIN, 'en', undefined);
  await broadcasts.start(draft('t', { audience: { who: 'me' } }));
  const second = broadcasts.start(draft('b1'));
  const ran = run();
  expect(await second).toBe('started');
  await ran;
  expect(house.told).toEqual([]);
  expect(house.shown.has(OTHER_ADMIN)).toBe(false);
});

test('a part of the audience that could not be read is read again', async () => {
  const house = openHouse();
  let fails = 0;
  const storage = new Proxy(house.storage, {
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
  const p = openProcess(house, {
    storage,
    waited: () => {
      waits += 1;
      if (waits > 3_000) throw new Error('stuck');
    },
  });
  await p.fill(5);
  await p.broadcasts.start(p.draft());
  await p.run();
  expect(house.got.length).toBe(5);
});

test('a shorter quiet does not end a longer one', async () => {
  const at: number[] = [];
  let both = () => {};
  const areBoth = new Promise<void>((resolve) => {
    both = resolve;
  });
  const once = new Set([1_010, 1_011]);
  const { house, broadcasts, run, draft } = await openFilled(30, async (user) => {
    at.push(house.clock.now);
    if (!once.delete(user)) return { kind: 'sent' };
    if (user === 1_011) both();
    await areBoth;
    if (user === 1_010) return { kind: 'later', afterMs: 30_000 };
    // Its answer comes as that of the other is known.
    await new Promise(setImmediate);
    return { kind: 'later', afterMs: 1_000 };
  });
  await broadcasts.start(draft());
  await run();
  const gaps = at.slice(1).map((time, one) => time - (at[one] ?? 0));
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(25_000);
  expect(await broadcasts.find('b1')).toMatchObject({ sent: 30, objections: 2 });
});

test('why it is held up is told by the next process where one died before it did, and by each once', async () => {
  const house = openHouse();
  const push = house.told.push.bind(house.told);
  house.told.push = () => {
    throw new Error('away');
  };
  const first = openProcess(house, { answers: () => ({ kind: 'no-source' }) });
  await first.fill(5);
  await first.broadcasts.start(first.draft());
  await expect(first.run()).rejects.toThrow('away');
  house.told.push = push;
  const next = openProcess(house);
  await next.run();
  await next.run();
  const told = house.told.map(({ state, pause }) => ({ state, pause }));
  expect(told).toEqual([{ state: 'paused', pause: { why: 'gone', at: expect.any(Number) } }]);
});

test('held up once more for the same reason, at the same place, it is news again', async () => {
  const { house, broadcasts, run, draft } = await openFilled(5, () => ({ kind: 'no-source' }));
  await broadcasts.start(draft());
  await run();
  house.clock.now += 60_000;
  await broadcasts.resume('b1', OTHER_ADMIN);
  await run();
  const held = house.told.map(({ state, settled, pause }) => ({ state, settled, at: pause?.at }));
  expect(held).toHaveLength(2);
  expect(held[0]?.at).toBeLessThan(held[1]?.at ?? 0);
});
