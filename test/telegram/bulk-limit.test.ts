import { describe, expect, test, vi } from 'vitest';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { type BulkLimit, MAX_PER_SECOND } from '../../src/telegram/bulk-limit.ts';
import { openBulkLimit } from '../support/bulk-limit.ts';
import { recordingLog } from '../support/log-lines.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

/** Opens a storage that replicas share, with a clock that the test controls. Waits advance the clock. */
function open() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const { log, lines } = recordingLog();
  const replica = (of: Storage = storage, during: () => unknown = () => {}) =>
    openBulkLimit({
      storage: of,
      now,
      async wait(ms) {
        clock.now += ms;
        await during();
      },
      log,
    });
  /** Sends with these replicas for `ms`, each as soon as it may and `lateMs` after that. Returns the times of the messages. */
  async function sendFor(ms: number, limits: readonly BulkLimit[], { lateMs = 0 } = {}): Promise<number[]> {
    const end = clock.now + ms;
    const next = limits.map((limit) => ({ limit, at: clock.now }));
    const times: number[] = [];
    for (;;) {
      const [first] = next.toSorted((one, other) => one.at - other.at);
      if (first === undefined || first.at >= end) break;
      clock.now = first.at;
      const waitMs = await first.limit.acquire();
      if (waitMs === 0) times.push(clock.now);
      else first.at = clock.now + waitMs + lateMs;
    }
    clock.now = end;
    return times;
  }
  /** Returns how many messages this replica may send within a second. */
  const countAllowed = async (limit: BulkLimit) => (await sendFor(SECOND - 1, [limit])).length;
  return { clock, storage, lines, replica, sendFor, countAllowed };
}

/** Reports a 429 of each of these chats. */
async function refuse(limit: BulkLimit, chats: readonly number[], ms: number): Promise<void> {
  for (const chat of chats) await limit.onRateLimited(chat, ms);
}
const FIVE = [501, 502, 503, 504, 505];
const SIX = [...FIVE, 506];

/** Returns the highest number of times within any second. */
const mostInASecond = (times: readonly number[]) =>
  Math.max(...times.map((time) => times.filter((at) => at > time - SECOND && at <= time).length));

describe('replicas together', () => {
  test.each([1, 2, 5])('send 28 messages a second: %i replicas', async (replicas) => {
    const { replica, sendFor } = open();
    const times = await sendFor(
      20 * SECOND,
      Array.from({ length: replicas }, () => replica()),
    );
    expect(times.length).toBeGreaterThan(20 * MAX_PER_SECOND * 0.95);
    expect(mostInASecond(times)).toBeLessThanOrEqual(30);
  });

  test('send at most 28 messages at once', async () => {
    const { replica } = open();
    const limits = Array.from({ length: 20 }, () => replica());
    const waits = await Promise.all([...limits, ...limits, ...limits].map((limit) => limit.acquire()));
    expect(waits.filter((ms) => ms === 0).length).toBeGreaterThan(0);
    expect(waits.filter((ms) => ms === 0).length).toBeLessThanOrEqual(MAX_PER_SECOND);
  });

  test('ask the storage once for four messages, and not at all while they wait', async () => {
    const { storage, replica, sendFor } = open();
    const reads = vi.spyOn(storage, 'get').mockClear();
    const limit = replica();
    await limit.acquire();
    const once = reads.mock.calls.length;
    await sendFor(10 * SECOND, [limit]);
    // A few more reads find the limit reached.
    expect(reads.mock.calls.length / once).toBeLessThan(1.2 * 10 * (MAX_PER_SECOND / 4));
  });

  test('do not send later than within a second what they acquired', async () => {
    const { clock, replica, sendFor } = open();
    const [first, ...others] = [replica(), replica(), replica()];
    await first?.acquire();
    clock.now += SECOND - 1;
    expect(await first?.acquire()).toBe(0);
    clock.now += 1;
    await sendFor(900, others);
    expect(await first?.acquire()).toBeGreaterThan(0);
  });
});

describe('a replica', () => {
  test('spaces its messages evenly', async () => {
    const { replica, sendFor } = open();
    const times = await sendFor(20 * SECOND, [replica()]);
    // Evenly spaced messages would be 36 ms apart. A replica catches up at most one of them.
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 100).length).toBeLessThanOrEqual(4);
  });

  test('keeps nearly the same rate on a machine whose timers are late', async () => {
    const { replica, sendFor } = open();
    const times = await sendFor(20 * SECOND, [replica()], { lateMs: 25 });
    expect(times.length).toBeGreaterThan(20 * MAX_PER_SECOND * 0.95);
    expect(mostInASecond(times)).toBeLessThanOrEqual(30);
  });

  test('waits for whole milliseconds', async () => {
    const { clock, replica } = open();
    const limit = replica();
    for (let count = 0; count < 50; count += 1) {
      const waitMs = await limit.acquire();
      expect(Number.isInteger(waitMs)).toBe(true);
      clock.now += waitMs;
    }
  });

  test('does not catch up more than one message after a break', async () => {
    const { clock, replica, sendFor } = open();
    const limit = replica();
    await sendFor(SECOND, [limit]);
    clock.now += 60 * SECOND;
    expect((await sendFor(10, [limit])).length).toBe(2);
  });
});

describe('replies', () => {
  test('reduce the next messages in bulk, once', async () => {
    const { replica, countAllowed } = open();
    const limit = replica();
    const usual = await countAllowed(replica());
    limit.countReply();
    limit.countReply();
    expect(await countAllowed(limit)).toBe(usual - 2);
    expect(await countAllowed(limit)).toBe(usual);
  });

  test('leave a quarter to messages in bulk', async () => {
    const { replica, sendFor } = open();
    const limit = replica();
    let sent = 0;
    for (let passed = 0; passed < 10 * SECOND; passed += 10) {
      for (let count = 0; count < 10; count += 1) limit.countReply();
      sent += (await sendFor(10, [limit])).length;
    }
    expect(sent).toBeGreaterThanOrEqual((10 * MAX_PER_SECOND) / 4);
    expect(sent).toBeLessThan(10 * MAX_PER_SECOND * 0.4);
  });
});

describe('a message that waits', () => {
  test('is sent as soon as the limit allows it', async () => {
    const { clock, replica } = open();
    const limit = replica();
    await refuse(limit, SIX, 1_500);
    const { now } = clock;
    expect(await limit.acquireSoon()).toBe(0);
    expect(clock.now - now).toBe(1_500);
  });

  test('gives up after two seconds if others are faster', async () => {
    const { clock, storage, replica } = open();
    const exhaust = async () => {
      while ((await replica().acquire()) === 0);
    };
    const limit = replica(storage, exhaust);
    await exhaust();
    const { now } = clock;
    expect(await limit.acquireSoon()).toBe(SECOND);
    expect(clock.now - now).toBe(2 * SECOND);
  });

  test('has priority over messages that do not wait, in its process', async () => {
    const { clock, storage, replica } = open();
    const found: number[] = [];
    const limit: BulkLimit = replica(storage, async () => {
      found.push(await limit.acquire());
    });
    while ((await limit.acquire()) === 0);
    expect(await limit.acquireSoon()).toBe(0);
    expect(found).toEqual([36]);
    clock.now += 40;
    expect(await limit.acquire()).toBe(0);
  });

  test('does not wait for a long pause', async () => {
    const { clock, replica } = open();
    const limit = replica();
    await refuse(limit, SIX, 2_001);
    const { now } = clock;
    expect(await limit.acquireSoon()).toBe(2_001);
    expect(clock.now).toBe(now);
  });
});

describe('while the storage is unavailable', () => {
  /** Opens a replica whose storage can fail. */
  function openFailing() {
    const opened = open();
    const failing = { is: true, asked: 0 };
    const storage: Storage = new Proxy(opened.storage, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          failing.asked += 1;
          if (failing.is) throw new Error('away');
          return Reflect.apply(value, target, given);
        };
      },
    });
    return { ...opened, failing, limit: opened.replica(storage) };
  }

  test('allows nothing, asks again after three seconds, and logs it', async () => {
    const { clock, failing, limit, lines, countAllowed } = openFailing();
    expect(await Promise.all(Array.from({ length: 9 }, limit.acquire))).toEqual(
      Array.from({ length: 9 }, () => 3_000),
    );
    const { asked } = failing;
    clock.now += 2_999;
    expect(await limit.acquire()).toBe(1);
    expect(failing.asked).toBe(asked);
    expect(lines()).toMatchObject([{ level: 'warn', err: { message: 'away' } }]);
    clock.now += 1;
    expect(await limit.acquire()).toBe(3_000);
    failing.is = false;
    clock.now += 3_000;
    expect(await countAllowed(limit)).toBeGreaterThanOrEqual(MAX_PER_SECOND);
  });

  test('pauses itself after refusals', async () => {
    const { clock, failing, limit, lines } = openFailing();
    await refuse(limit, SIX, 20_000);
    expect(lines()).toHaveLength(2);
    failing.is = false;
    clock.now += 19_999;
    expect(await limit.acquire()).toBe(1);
  });
});

describe('429s of chats', () => {
  test.each<[string, (limit: BulkLimit, clock: { now: number }) => Promise<void>]>([
    ['of five chats', (limit) => refuse(limit, FIVE, 20_000)],
    ['of one chat, again and again', (limit) => refuse(limit, Array(50).fill(501), 20_000)],
    [
      'of six chats, but not within five seconds',
      async (limit, clock) => {
        await refuse(limit, FIVE, 20_000);
        clock.now += 5_000;
        await refuse(limit, SIX.slice(5), 20_000);
      },
    ],
  ])('do not delay other chats: %s', async (_, refuseSome) => {
    const { clock, replica, countAllowed } = open();
    const limit = replica();
    await refuseSome(limit, clock);
    expect(await countAllowed(limit)).toBeGreaterThanOrEqual(MAX_PER_SECOND);
  });

  test('pause all replicas for the shortest wait if more than five chats return them', async () => {
    const { clock, replica } = open();
    const [limit, other] = [replica(), replica()];
    await refuse(limit, FIVE, 40_000);
    clock.now += 4_999;
    await refuse(limit, [506], 20_000);
    expect(await limit.acquire()).toBe(20_000);
    clock.now += 5_000;
    expect(await other.acquire()).toBe(15_000);
    clock.now += 14_999;
    expect([await limit.acquire(), await other.acquire(), await replica().acquire()]).toEqual([1, 1, 1]);
    clock.now += 1;
    expect(await limit.acquire()).toBe(0);
    expect(await other.acquire()).toBe(0);
  });

  test('also end what a replica has acquired already', async () => {
    const { replica } = open();
    const limit = replica();
    expect(await limit.acquire()).toBe(0);
    await refuse(limit, SIX, 20_000);
    expect(await limit.acquire()).toBe(20_000);
  });

  test('count once, and do not shorten a longer pause', async () => {
    const { clock, replica } = open();
    const limit = replica();
    await refuse(limit, SIX, 20_000);
    await refuse(limit, SIX, 10_000);
    expect([await limit.acquire(), await replica().acquire()]).toEqual([20_000, 20_000]);
    clock.now += 20_000;
    await refuse(limit, FIVE, 10_000);
    expect(await limit.acquire()).toBe(0);
  });

  test('that caused a pause do not cause another one', async () => {
    const { clock, replica } = open();
    const limit = replica();
    await refuse(limit, SIX, 1_000);
    clock.now += 1_000;
    await refuse(limit, [507], 1_000);
    expect(await limit.acquire()).toBe(0);
  });

  test('let callers ask again after half a minute during a pause of hours', async () => {
    const { clock, replica } = open();
    const limit = replica();
    await refuse(limit, SIX, 3 * HOUR);
    expect(await limit.acquire()).toBe(30_000);
    clock.now += 3 * HOUR - 1;
    expect([await limit.acquire(), await replica().acquire()]).toEqual([1, 1]);
  });

  test('pause no longer than demanded if the clock is set back', async () => {
    const { clock, replica } = open();
    const limit = replica();
    await refuse(limit, SIX, 20_000);
    clock.now -= 10_000;
    expect([await limit.acquire(), await replica().acquire()]).toEqual([20_000, 20_000]);
    clock.now -= HOUR;
    expect([await limit.acquire(), await replica().acquire()]).toEqual([0, 0]);
  });
});
