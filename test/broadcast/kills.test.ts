import { expect, test } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import type { Copied } from '../../src/telegram/copier.ts';
import { doubled, openHouse, openProcess } from './room.ts';

const PEOPLE = 2_000;
const AT_ONCE = 4;

/** A storage that a process is cut off from once it is dead, and until then is the one that all share. */
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

/** A process that dies, without a word, as it has sent so many; what it had under way may have arrived. */
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

test('whichever processes die over it, nobody is left out, and at most those under way get it twice', async () => {
  const house = openHouse();
  const last = openProcess(house);
  await last.fill(PEOPLE);
  await last.broadcasts.start(last.draft());
  const deaths = [1, 2, 3, 4, 5, 7, 50, 51, 400, 401];
  for (const after of deaths) {
    const process = dying(house, after);
    void process.run();
    await process.death;
    // Its lease ends by the clock of the wall; it is nobody else's turn before.
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

test('one that is frozen past its lease and woken goes no further: nobody twice but what was under way', async () => {
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

test('a process that ends leaves it to the next, and nobody gets it twice', async () => {
  const house = openHouse();
  let closed: Promise<void> | undefined;
  const first = openProcess(house, {
    answers: () => {
      if (house.got.length === 77) closed = first.broadcasts.close();
      return { kind: 'sent' };
    },
  });
  await first.fill(300);
  await first.broadcasts.start(first.draft());
  await first.run();
  await closed;
  expect(house.got.length).toBeLessThan(100);
  const next = openProcess(house);
  await next.run();
  expect(new Set(house.got).size).toBe(300);
  expect(doubled(house.got)).toEqual([]);
  expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 300, retaken: 0 });
});

test('while the storage is away nothing more is sent than may be, and it goes on by itself', async () => {
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
