import { expect, test } from 'vitest';
import type { Storage } from '../../src/platform/storage.ts';
import type { Copied } from '../../src/telegram/copier.ts';
import { doubled, openHouse, openProcess } from './replicas.ts';

const PEOPLE = 2_000;
const AT_ONCE = 4;

/** Returns a storage whose calls never settle once the process is dead. Until then it is the shared storage. */
function mortal(storage: Storage, isDead: () => boolean): Storage {
  const cut = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === 'index') return cut(value as object);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => (isDead() ? new Promise(() => {}) : value.apply(target, given));
      },
    });
  return cut(storage);
}

/** Opens a process that dies silently after this many sends. Its requests in flight may have arrived. */
function dying(house: ReturnType<typeof openHouse>, after: number) {
  let isDead = false;
  let sent = 0;
  let died = () => {};
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  const process = openProcess(house, {
    storage: mortal(house.storage, () => isDead),
    leases: mortal(house.leases, () => isDead),
    answers: (user): Copied | Promise<Copied> => {
      if (isDead) return new Promise(() => {});
      sent += 1;
      if (sent < after) return { kind: 'sent' };
      isDead = true;
      house.got.push(user);
      died();
      return new Promise(() => {});
    },
  });
  return { ...process, death };
}

test('reaches every user when processes die, with duplicates only for requests in flight', async () => {
  const house = openHouse();
  const last = openProcess(house);
  await last.fill(PEOPLE);
  await last.broadcasts.start(last.draft());
  const deaths = [1, 2, 3, 4, 5, 7, 50, 51, 400, 401];
  for (const after of deaths) {
    const process = dying(house, after);
    void process.run();
    await process.death;
    // The lease of a dead process would end by real time. No other process gets it before.
    await house.leases.delete('broadcast-turn');
  }
  await last.run();
  expect(new Set(house.got).size).toBe(PEOPLE);
  expect(doubled(house.got).length).toBeLessThanOrEqual(AT_ONCE * deaths.length);
  expect(doubled(house.got).length).toBeGreaterThan(0);
  const ended = await last.broadcasts.find('b1');
  expect(ended).toMatchObject({ state: 'done', sent: PEOPLE, settled: PEOPLE, putOff: [] });
  expect(ended?.retaken).toBe(deaths.length);
});

test('a process that wakes up after its lease has ended sends nothing more', async () => {
  const house = openHouse();
  const woken: (() => void)[] = [];
  let isFrozen = false;
  const frozen = openProcess(house, {
    answers: () => {
      isFrozen ||= house.got.length >= 100;
      if (!isFrozen) return { kind: 'sent' };
      return new Promise((resolve) => woken.push(() => resolve({ kind: 'sent' })));
    },
    isMine: () => !isFrozen,
  });
  await frozen.fill(PEOPLE);
  await frozen.broadcasts.start(frozen.draft());
  const running = frozen.run();
  await expect.poll(() => isFrozen).toBe(true);
  await house.leases.delete('broadcast-turn');
  const other = openProcess(house);
  const others = other.run();
  for (const wake of woken) wake();
  await Promise.all([running, others]);
  expect(new Set(house.got).size).toBe(PEOPLE);
  expect(doubled(house.got).length).toBeLessThanOrEqual(AT_ONCE);
  expect(await other.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: PEOPLE });
});

test.each([0, 1, 2, 3, 5, 8])(
  'hands over to the next process without duplicates when it closes (writes take %i ticks)',
  async (turns) => {
    const house = openHouse();
    const pass = async (times: number) => {
      for (let time = 0; time < times; time += 1) await new Promise(setImmediate);
    };
    const slow = {
      ...house.storage,
      async replace(...given: Parameters<Storage['replace']>) {
        await pass(turns);
        return house.storage.replace(...given);
      },
    };
    for (const at of [77, 130, 200]) {
      let closed: Promise<void> | undefined;
      const process = openProcess(house, {
        storage: slow,
        answers: async () => {
          if (house.got.length >= at) closed ??= process.broadcasts.close();
          await pass(house.got.length % 4);
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
    expect(house.got.length).toBeLessThan(250);
    const next = openProcess(house);
    await next.run();
    expect(new Set(house.got).size).toBe(300);
    expect(doubled(house.got)).toEqual([]);
    expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 300, retaken: 0 });
  },
);

test('stops sending while the storage is unavailable and continues on its own', async () => {
  const house = openHouse();
  let isAway = false;
  const away = new Proxy(house.storage, {
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
  const process = openProcess(house, {
    storage: away,
    answers: () => {
      if (house.got.length === 50) isAway = true;
      if (isAway) during += 1;
      return { kind: 'sent' };
    },
    waited: () => {
      if (isAway) looked += 1;
      if (looked > 20) isAway = false;
    },
  });
  await process.fill(200);
  await process.broadcasts.start(process.draft());
  await process.run();
  expect(during).toBeLessThanOrEqual(AT_ONCE);
  expect(new Set(house.got).size).toBe(200);
  expect(doubled(house.got)).toEqual([]);
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 200 });
});

test('recognizes its own write after a lost response and sends each user one copy', async () => {
  const house = openHouse();
  let isLost = false;
  const losing = {
    ...house.storage,
    async replace(...given: Parameters<Storage['replace']>) {
      const written = await house.storage.replace(...given);
      if (isLost) {
        isLost = false;
        throw new Error('the answer was lost');
      }
      return written;
    },
  };
  const process = openProcess(house, {
    storage: losing,
    answers: () => {
      if (house.got.length % 20 === 19) isLost = true;
      return { kind: 'sent' };
    },
  });
  await process.fill(200);
  await process.broadcasts.start(process.draft());
  await process.run();
  expect(doubled(house.got)).toEqual([]);
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 200, retaken: 0 });
});

test('counts a copy with an unexpected error as unknown and does not resend it', async () => {
  const house = openHouse();
  const process = openProcess(house, {
    answers: (user) => (user === 1_007 ? Promise.reject(new Error('of no kind')) : { kind: 'sent' }),
  });
  await process.fill(20);
  await process.broadcasts.start(process.draft());
  await process.run();
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 19, unknown: 1 });
});

test('the next process respects the pause that Telegram demanded from a dead one', async () => {
  const house = openHouse();
  let at = 0;
  let isDead = false;
  let die = () => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const first = openProcess(house, {
    storage: mortal(house.storage, () => isDead),
    leases: mortal(house.leases, () => isDead),
    answers: () => {
      if (house.got.length < 30 || at > 0) return { kind: 'sent' };
      at = house.clock.now;
      return { kind: 'later', afterMs: 600_000 };
    },
    waited: () => {
      if (at === 0 || house.clock.now < at + 5_000) return;
      isDead = true;
      die();
    },
  });
  await first.fill(60);
  await first.broadcasts.start(first.draft());
  void first.run();
  await death;
  await house.leases.delete('broadcast-turn');
  const before = house.got.length;
  const times: number[] = [];
  const next = openProcess(house, {
    answers: () => {
      times.push(house.clock.now);
      return { kind: 'sent' };
    },
  });
  await next.run();
  expect(before).toBeLessThan(60);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(at + 600_000);
  expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 60, objections: 1 });
});

test('a process that dies at the end leaves no progress message that shows it as running', async () => {
  const house = openHouse();
  const last = openProcess(house);
  await last.fill(10);
  await last.broadcasts.start(last.draft());
  let isDead = false;
  let died = () => {};
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  const storage = mortal(
    {
      ...house.storage,
      async delete(key, expected) {
        await house.storage.delete(key, expected);
        if (key !== 'broadcast-active') return;
        isDead = true;
        died();
      },
    },
    () => isDead,
  );
  void openProcess(house, { storage }).run();
  await death;
  await last.run();
  expect([...house.shown.values()].map(({ html }) => html)).toEqual([
    expect.stringContaining('Broadcast: done'),
  ]);
});
