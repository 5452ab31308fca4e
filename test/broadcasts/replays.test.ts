import { describe, expect, test } from 'vitest';
import { signedRecords } from '../support/records.ts';
import { ADMIN, type House, OTHER_ADMIN, openHouse, openProcess, START } from './replicas.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RECORD = 'broadcast:b1';
const END_MARKER = 'broadcast-end:b1';

/** Records every text that is stored under keys with this prefix, in order. */
function recordTexts(house: House, prefix: string): { key: string; text: string }[] {
  const texts: { key: string; text: string }[] = [];
  const { set, add, replace } = house.storage;
  const note = (key: string, text: string) => {
    if (key.startsWith(prefix)) texts.push({ key, text });
  };
  house.storage.set = async (key, text, ...rest) => {
    note(key, text);
    return set(key, text, ...rest);
  };
  house.storage.add = async (key, text, ...rest) => {
    note(key, text);
    return add(key, text, ...rest);
  };
  house.storage.replace = async (key, expected, text, ...rest) => {
    note(key, text);
    return replace(key, expected, text, ...rest);
  };
  return texts;
}

/** Runs a process twice. Expects that it sends nothing and notifies admins once, with this reason. */
async function expectHeldUp(
  house: House,
  process: ReturnType<typeof openProcess>,
  why: string,
): Promise<void> {
  await process.run();
  await process.run();
  expect(house.got).toHaveLength(20);
  expect(house.told).toMatchObject([{ state: 'paused', pause: { why } }]);
}

const stateOf = (text: string) => JSON.parse(text.slice(text.indexOf('{'))).state as string;

/** Opens a scheduled broadcast that was paused once and has ended, with all records that it stored on the way. */
async function openEnded() {
  const house = openHouse();
  const records = recordTexts(house, RECORD);
  const chunks = recordTexts(house, 'broadcast-audience:');
  let pausing: Promise<boolean> | undefined;
  const process = openProcess(house, {
    answers: async () => {
      if (house.got.length === 5) pausing ??= process.broadcasts.pause('b1', ADMIN);
      if (house.got.length >= 15) await idle.run();
      return { kind: 'sent' };
    },
  });
  /** Another replica, which runs from time to time while the first one sends. */
  const idle = openProcess(house);
  await process.fill(20);
  await process.broadcasts.start(process.draft('b1', { at: START + MINUTE }));
  house.clock.now += 2 * MINUTE;
  await process.run();
  await pausing;
  await process.broadcasts.resume('b1', OTHER_ADMIN);
  await process.run();
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 20 });
  expect(house.got).toHaveLength(20);
  house.told.length = 0;
  const old = records.filter(({ text }) => stateOf(text) !== 'done');
  const oldChunks = [...chunks];
  return {
    ...{ house, process, idle, old },
    /** Restores an old record with its audience, both as the active broadcast and as a due one. */
    async putBack(text: string): Promise<void> {
      for (const chunk of oldChunks) await house.storage.set(chunk.key, chunk.text);
      await house.storage.set(RECORD, text);
      await house.storage.set('broadcast-active', 'b1');
      await house.storage.index.put('broadcasts-scheduled', 'b1', START);
    },
  };
}

/** Returns the first old record in this state. */
function oldRecord(old: { text: string }[], state: string): string {
  const found = old.find(({ text }) => stateOf(text) === state);
  if (found === undefined) throw new Error(`no record in state ${state}`);
  return found.text;
}

describe('an old record of an ended broadcast', () => {
  test('is rejected, not listed as running and reported, whatever its state', async () => {
    const { house, old, putBack } = await openEnded();
    expect(new Set(old.map(({ text }) => stateOf(text)))).toEqual(
      new Set(['scheduled', 'gathering', 'sending', 'paused']),
    );
    for (const { text } of old) {
      const restarted = openProcess(house);
      await putBack(text);
      expect(await restarted.broadcasts.active()).toBeUndefined();
      expect(await restarted.broadcasts.scheduled()).toEqual([]);
      const reports = house.replayed.length;
      await restarted.run();
      await restarted.run();
      expect(house.replayed.slice(reports).map(({ id, state }) => [id, state])).toEqual([['b1', 'done']]);
      expect(await house.storage.get('broadcast-active')).toBeUndefined();
      expect(await house.storage.keys('broadcast-audience:')).toEqual([]);
    }
    expect(house.got).toHaveLength(20);
    expect(house.told).toEqual([]);
  });

  test('is rejected if the broadcast was cancelled before its time', async () => {
    const house = openHouse();
    const texts = recordTexts(house, RECORD);
    const one = openProcess(house);
    await one.fill(3);
    await one.broadcasts.start(one.draft('b1', { at: START + MINUTE }));
    await one.broadcasts.stop('b1', ADMIN);
    await house.storage.set(RECORD, oldRecord(texts, 'scheduled'));
    await house.storage.index.put('broadcasts-scheduled', 'b1', START + MINUTE);
    house.clock.now += 2 * MINUTE;
    await openProcess(house).run();
    expect(house.got).toEqual([]);
    expect(house.replayed).toMatchObject([{ id: 'b1', state: 'stopped' }]);
  });

  test.each(['gathering', 'sending'])(
    'waits for an admin an hour after its last progress if the end marker is gone (%s)',
    async (state) => {
      const { house, old, putBack } = await openEnded();
      await putBack(oldRecord(old, state));
      await house.storage.delete(END_MARKER);
      house.clock.now += HOUR + MINUTE;
      const restarted = openProcess(house);
      await expectHeldUp(house, restarted, 'outdated');
      expect(await restarted.broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
      await restarted.run();
      expect(await restarted.broadcasts.find('b1')).toMatchObject({ state: 'done' });
    },
  );

  test.each(['scheduled', 'gathering', 'sending', 'paused'])(
    'waits for an admin in processes that saw a newer record, if the end marker is gone (%s)',
    async (state) => {
      const { house, process, idle, old, putBack } = await openEnded();
      for (const one of [idle, process]) {
        await putBack(oldRecord(old, state));
        await house.storage.delete(END_MARKER);
        house.told.length = 0;
        expect(await one.broadcasts.resume('b1', OTHER_ADMIN)).toBe(false);
        await one.run();
        await one.run();
        expect(house.told).toMatchObject([{ state: 'paused', pause: { why: 'outdated' } }]);
      }
      expect(house.got).toHaveLength(20);
      expect(await process.broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
    },
  );
});

test('waits for an admin in the process that ended the broadcast if the end marker is gone', async () => {
  const house = openHouse();
  const records = recordTexts(house, RECORD);
  const chunks = recordTexts(house, 'broadcast-audience:');
  const one = openProcess(house);
  await one.fill(20);
  await one.broadcasts.start(one.draft());
  await one.run();
  expect(house.told).toMatchObject([{ state: 'done' }]);
  for (const { key, text } of [...chunks]) await house.storage.set(key, text);
  await house.storage.set(RECORD, oldRecord(records, 'sending'));
  await house.storage.set('broadcast-active', 'b1');
  await house.storage.delete(END_MARKER);
  await one.run();
  await one.run();
  expect(house.got).toHaveLength(20);
  expect(house.told).toMatchObject([{ state: 'done' }, { state: 'paused', pause: { why: 'outdated' } }]);
});

test('does not start a scheduled broadcast that is marked as active before its time', async () => {
  const house = openHouse();
  const one = openProcess(house);
  await one.fill(3);
  await one.broadcasts.start(one.draft('b1', { at: START + HOUR }));
  await house.storage.set('broadcast-active', 'b1');
  await one.run();
  expect(house.got).toEqual([]);
  house.clock.now += HOUR + MINUTE;
  await one.run();
  expect(house.got).toHaveLength(3);
});

describe('an audience chunk', () => {
  const chunkKey = (id: string, chunk: number) => `broadcast-audience:${id}:${chunk}`;

  test.each<[string, (house: House) => Promise<string>]>([
    ['is not signed', async () => JSON.stringify([1_001, 1_002])],
    [
      'was signed for another broadcast',
      async ({ storage }) => (await signedRecords(storage).set(chunkKey('b2', 0), '[1001,1002]')).text,
    ],
    [
      'was signed for another place',
      async ({ storage }) => (await signedRecords(storage).set(chunkKey('b1', 1), '[1001,1002]')).text,
    ],
  ])('is not sent to if it %s', async (_, forged) => {
    const house = openHouse();
    const { set } = house.storage;
    const text = await forged(house);
    house.storage.set = async (key, value, ...rest) =>
      set(key, key === chunkKey('b1', 0) ? text : value, ...rest);
    const one = openProcess(house);
    await one.fill(2);
    await one.broadcasts.start(one.draft());
    await one.run();
    expect(house.got).toEqual([]);
    expect(house.told).toMatchObject([{ state: 'paused', pause: { why: 'audience' } }]);
  });
});

describe('a legitimate broadcast', () => {
  /** Runs a process that loses its lease after this time, in the middle of the broadcast. */
  async function runUntil(house: House, ms: number, answers: (user: number) => 'sent' | 'later') {
    let die = () => {};
    const death = new Promise<void>((resolve) => {
      die = resolve;
    });
    let isDead = false;
    const process = openProcess(house, {
      answers: (user) =>
        answers(user) === 'sent' ? { kind: 'sent' } : { kind: 'later', afterMs: 90 * MINUTE },
      isMine: () => !isDead,
      waited: () => {
        if (house.clock.now < START + ms) return;
        isDead = true;
        die();
      },
    });
    await process.fill(20);
    await process.broadcasts.start(process.draft());
    const running = process.run();
    await death;
    await running;
  }

  test.each([
    ['in the middle', 1],
    ['while deferred users are retried', 2],
  ])('continues after a restart although Telegram demanded a long pause %s', async (_, times) => {
    const house = openHouse();
    let objections = 0;
    await runUntil(house, times * 85 * MINUTE, (user) => {
      if (user !== 1_010 || objections >= times) return 'sent';
      objections += 1;
      return 'later';
    });
    expect(objections).toBe(times);
    const next = openProcess(house);
    await next.run();
    expect(house.told.map(({ state }) => state)).toEqual(['done']);
    expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 20 });
  });

  test('waits for an admin after an outage of more than an hour', async () => {
    const house = openHouse();
    const first = openProcess(house, {
      answers: () => {
        if (house.got.length === 4) void first.broadcasts.close();
        return { kind: 'sent' };
      },
    });
    await first.fill(20);
    await first.broadcasts.start(first.draft());
    await first.run();
    house.clock.now += HOUR + MINUTE;
    const next = openProcess(house);
    await next.run();
    expect(house.told).toMatchObject([{ state: 'paused', pause: { why: 'outdated' } }]);
    expect(house.got.length).toBeLessThan(20);
    await next.broadcasts.resume('b1', ADMIN);
    await next.run();
    expect(new Set(house.got).size).toBe(20);
    expect(house.got).toHaveLength(20);
  });

  test('starts hours after another one blocked it', async () => {
    const house = openHouse();
    const one = openProcess(house);
    await one.fill(3);
    await one.broadcasts.start(one.draft('b1'));
    const { active } = one.broadcasts;
    let isRaced = true;
    const { get } = house.storage;
    // The other one becomes active between the check and the start.
    house.storage.get = async (key) => {
      if (key !== 'broadcast-active' || !isRaced) return get(key);
      isRaced = false;
      return undefined;
    };
    expect(await one.broadcasts.start(one.draft('b2'))).toBe('busy');
    expect((await active())?.id).toBe('b1');
    await one.run();
    house.clock.now += 2 * HOUR;
    expect(await one.broadcasts.start(one.draft('b2'))).toBe('started');
    await one.run();
    expect(await one.broadcasts.find('b2')).toMatchObject({ state: 'done', sent: 3 });
  });
});

describe('after Redis was rolled back, a broadcast', () => {
  /** Starts a new epoch of the stored data, as after a rollback. */
  const rollBack = (house: House) => {
    house.storage.continuity = async () => ({
      ...{ epoch: 'later', run: 'later', isProved: true, cause: 'unproved', ageMs: 0 },
    });
  };

  test.each(['gathering', 'sending'])('waits for an admin if its state is %s', async (state) => {
    const { house, old, putBack } = await openEnded();
    await putBack(oldRecord(old, state));
    await house.storage.delete(END_MARKER);
    rollBack(house);
    const restarted = openProcess(house);
    await expectHeldUp(house, restarted, 'rolled-back');
    expect(await restarted.broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
    await restarted.run();
    expect(await restarted.broadcasts.find('b1')).toMatchObject({ state: 'done' });
  });

  test('waits for an admin if its time had come before', async () => {
    const { house, old, putBack } = await openEnded();
    await putBack(oldRecord(old, 'scheduled'));
    await house.storage.delete(END_MARKER);
    await house.storage.delete('broadcast-active');
    await house.storage.index.put('broadcasts-scheduled', 'b1', START + MINUTE);
    rollBack(house);
    const restarted = openProcess(house);
    await expectHeldUp(house, restarted, 'rolled-back');
  });

  test('is sent at its time if that comes later', async () => {
    const house = openHouse();
    const one = openProcess(house);
    await one.fill(3);
    await one.broadcasts.start(one.draft('b1', { at: START + MINUTE }));
    rollBack(house);
    house.storage.continuity = async () => ({
      ...{ epoch: 'later', run: 'later', isProved: true, cause: 'unproved', ageMs: 2 * MINUTE },
    });
    house.clock.now += 2 * MINUTE;
    await openProcess(house).run();
    expect(house.got).toHaveLength(3);
  });
});
