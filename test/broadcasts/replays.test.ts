import { describe, expect, test } from 'vitest';
import type { Continuity } from '../../src/platform/storage.ts';
import { signedRecords } from '../support/records.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { ADMIN, OTHER_ADMIN, openFilled, openProcess, openShared, type Shared, START } from './replicas.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RECORD = 'broadcast:b1';
const END_MARKER = 'broadcast-end:b1';

/** Records every text that is stored under keys with this prefix, in order. */
function recordTexts(shared: Shared, prefix: string): { key: string; text: string }[] {
  const texts: { key: string; text: string }[] = [];
  const { set, add, replace } = shared.storage;
  const note = (key: string, text: string) => {
    if (key.startsWith(prefix)) texts.push({ key, text });
  };
  shared.storage.set = async (key, text, ...rest) => {
    note(key, text);
    return set(key, text, ...rest);
  };
  shared.storage.add = async (key, text, ...rest) => {
    note(key, text);
    return add(key, text, ...rest);
  };
  shared.storage.replace = async (key, expected, text, ...rest) => {
    note(key, text);
    return replace(key, expected, text, ...rest);
  };
  return texts;
}

/** Runs a process twice. Expects that it sends nothing and notifies admins once, with this reason. */
async function expectHeldUp(
  shared: Shared,
  process: ReturnType<typeof openProcess>,
  why: string,
): Promise<void> {
  await process.run();
  await process.run();
  expect(shared.got).toHaveLength(20);
  expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why } }]);
}

const stateOf = (text: string) => JSON.parse(text.slice(text.indexOf('{'))).state as string;

/** Opens a scheduled broadcast that was paused once and has ended, with all records that it stored on the way. */
async function openEnded() {
  const shared = openShared();
  const records = recordTexts(shared, RECORD);
  const chunks = recordTexts(shared, 'broadcast-audience:');
  let pausing: Promise<boolean> | undefined;
  const process = openProcess(shared, {
    answers: async () => {
      if (shared.got.length === 5) pausing ??= process.broadcasts.pause('b1', ADMIN);
      if (shared.got.length >= 15) await idle.run();
      return { kind: 'sent' };
    },
  });
  /** Another replica, which runs from time to time while the first one sends. */
  const idle = openProcess(shared);
  await process.fill(20);
  await process.broadcasts.start(process.draft('b1', { at: START + MINUTE }));
  shared.clock.now += 2 * MINUTE;
  await process.run();
  await pausing;
  await process.broadcasts.resume('b1', OTHER_ADMIN);
  await process.run();
  expect(await process.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 20 });
  expect(shared.got).toHaveLength(20);
  shared.notified.length = 0;
  const old = records.filter(({ text }) => stateOf(text) !== 'done');
  const oldChunks = [...chunks];
  return {
    ...{ shared, process, idle, old },
    /** Restores an old record with its audience, both as the active broadcast and as a due one. */
    async putBack(text: string): Promise<void> {
      for (const chunk of oldChunks) await shared.storage.set(chunk.key, chunk.text);
      await shared.storage.set(RECORD, text);
      await shared.storage.set('broadcast-active', 'b1');
      await shared.storage.index.put('broadcasts-scheduled', 'b1', START);
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
    const { shared, old, putBack } = await openEnded();
    expect(new Set(old.map(({ text }) => stateOf(text)))).toEqual(
      new Set(['scheduled', 'resolving', 'sending', 'paused']),
    );
    for (const { text } of old) {
      const restarted = openProcess(shared);
      await putBack(text);
      expect(await restarted.broadcasts.active()).toBeUndefined();
      expect(await restarted.broadcasts.scheduled()).toEqual([]);
      const reports = shared.replayed.length;
      await restarted.run();
      await restarted.run();
      expect(shared.replayed.slice(reports).map(({ id, state }) => [id, state])).toEqual([['b1', 'done']]);
      expect(await shared.storage.get('broadcast-active')).toBeUndefined();
      expect(await storedKeys(shared.storage, 'broadcast-audience:')).toEqual([]);
    }
    expect(shared.got).toHaveLength(20);
    expect(shared.notified).toEqual([]);
  });

  test('is rejected if the broadcast was cancelled before its time', async () => {
    const shared = openShared();
    const texts = recordTexts(shared, RECORD);
    const one = await openFilled(3, {}, shared);
    await one.broadcasts.start(one.draft('b1', { at: START + MINUTE }));
    await one.broadcasts.stop('b1', ADMIN);
    await shared.storage.set(RECORD, oldRecord(texts, 'scheduled'));
    await shared.storage.index.put('broadcasts-scheduled', 'b1', START + MINUTE);
    shared.clock.now += 2 * MINUTE;
    await openProcess(shared).run();
    expect(shared.got).toEqual([]);
    expect(shared.replayed).toMatchObject([{ id: 'b1', state: 'stopped' }]);
  });

  test.each(['resolving', 'sending'])(
    'waits for an admin an hour after its last progress if the end marker is gone (%s)',
    async (state) => {
      const { shared, old, putBack } = await openEnded();
      await putBack(oldRecord(old, state));
      await shared.storage.delete(END_MARKER);
      shared.clock.now += HOUR + MINUTE;
      const restarted = openProcess(shared);
      await expectHeldUp(shared, restarted, 'outdated');
      expect(await restarted.broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
      await restarted.run();
      expect(await restarted.broadcasts.find('b1')).toMatchObject({ state: 'done' });
    },
  );

  test.each(['scheduled', 'resolving', 'sending', 'paused'])(
    'waits for an admin in processes that saw a newer record, if the end marker is gone (%s)',
    async (state) => {
      const { shared, process, idle, old, putBack } = await openEnded();
      for (const one of [idle, process]) {
        await putBack(oldRecord(old, state));
        await shared.storage.delete(END_MARKER);
        shared.notified.length = 0;
        expect(await one.broadcasts.resume('b1', OTHER_ADMIN)).toBe(false);
        await one.run();
        await one.run();
        expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'outdated' } }]);
      }
      expect(shared.got).toHaveLength(20);
      expect(await process.broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
    },
  );
});

test('does not start a scheduled broadcast that is marked as active before its time', async () => {
  const { shared, ...one } = await openFilled(3);
  await one.broadcasts.start(one.draft('b1', { at: START + HOUR }));
  await shared.storage.set('broadcast-active', 'b1');
  await one.run();
  expect(shared.got).toEqual([]);
  shared.clock.now += HOUR + MINUTE;
  await one.run();
  expect(shared.got).toHaveLength(3);
});

describe('an audience chunk', () => {
  const chunkKey = (id: string, chunk: number) => `broadcast-audience:${id}:${chunk}`;

  test.each<[string, (shared: Shared) => Promise<string>]>([
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
    const shared = openShared();
    const { set } = shared.storage;
    const text = await forged(shared);
    shared.storage.set = async (key, value, ...rest) =>
      set(key, key === chunkKey('b1', 0) ? text : value, ...rest);
    const one = await openFilled(2, {}, shared);
    await one.send();
    expect(shared.got).toEqual([]);
    expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'audience' } }]);
  });
});

describe('a legitimate broadcast', () => {
  /** Runs a process that loses its lease after this time, in the middle of the broadcast. */
  async function runUntil(shared: Shared, ms: number, answers: (user: number) => 'sent' | 'later') {
    const { raised: death, raise: die } = createSignal();
    let isDead = false;
    const process = openProcess(shared, {
      answers: (user) =>
        answers(user) === 'sent' ? { kind: 'sent' } : { kind: 'later', afterMs: 90 * MINUTE },
      isHeld: () => !isDead,
      waited: () => {
        if (shared.clock.now < START + ms) return;
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
    const shared = openShared();
    let objections = 0;
    await runUntil(shared, times * 85 * MINUTE, (user) => {
      if (user !== 1_010 || objections >= times) return 'sent';
      objections += 1;
      return 'later';
    });
    expect(objections).toBe(times);
    const next = openProcess(shared);
    await next.run();
    expect(shared.notified.map(({ state }) => state)).toEqual(['done']);
    expect(await next.broadcasts.find('b1')).toMatchObject({ state: 'done', sent: 20 });
  });

  test('waits for an admin after an outage of more than an hour', async () => {
    const { shared, ...first } = await openFilled(20, {
      answers: () => {
        if (shared.got.length === 4) void first.broadcasts.close();
        return { kind: 'sent' };
      },
    });
    await first.send();
    shared.clock.now += HOUR + MINUTE;
    const next = openProcess(shared);
    await next.run();
    expect(shared.notified).toMatchObject([{ state: 'paused', pause: { why: 'outdated' } }]);
    expect(shared.got.length).toBeLessThan(20);
    await next.broadcasts.resume('b1', ADMIN);
    await next.run();
    expect(new Set(shared.got).size).toBe(20);
    expect(shared.got).toHaveLength(20);
  });

  test('starts hours after another one blocked it', async () => {
    const { shared, ...one } = await openFilled(3);
    await one.broadcasts.start(one.draft('b1'));
    const { active } = one.broadcasts;
    let isRaced = true;
    const { get } = shared.storage;
    // The other one becomes active between the check and the start.
    shared.storage.get = async (key) => {
      if (key !== 'broadcast-active' || !isRaced) return get(key);
      isRaced = false;
      return undefined;
    };
    expect(await one.broadcasts.start(one.draft('b2'))).toBe('busy');
    expect((await active())?.id).toBe('b1');
    await one.run();
    shared.clock.now += 2 * HOUR;
    expect(await one.broadcasts.start(one.draft('b2'))).toBe('started');
    await one.run();
    expect(await one.broadcasts.find('b2')).toMatchObject({ state: 'done', sent: 3 });
  });
});

describe('after Redis was rolled back, a broadcast', () => {
  /** Starts a new epoch of the stored data, as after a rollback. */
  const rollBack = (shared: Shared, changes: Partial<Continuity> = {}) => {
    shared.storage.continuity = async () => ({ epoch: 'later', cause: 'unproved', ageMs: 0, ...changes });
  };

  test.each(['resolving', 'sending'])('waits for an admin if its state is %s', async (state) => {
    const { shared, old, putBack } = await openEnded();
    await putBack(oldRecord(old, state));
    await shared.storage.delete(END_MARKER);
    rollBack(shared);
    const restarted = openProcess(shared);
    await expectHeldUp(shared, restarted, 'rolled-back');
    expect(await restarted.broadcasts.resume('b1', OTHER_ADMIN)).toBe(true);
    await restarted.run();
    expect(await restarted.broadcasts.find('b1')).toMatchObject({ state: 'done' });
  });

  test('waits for an admin if its time had come before', async () => {
    const { shared, old, putBack } = await openEnded();
    await putBack(oldRecord(old, 'scheduled'));
    await shared.storage.delete(END_MARKER);
    await shared.storage.delete('broadcast-active');
    await shared.storage.index.put('broadcasts-scheduled', 'b1', START + MINUTE);
    rollBack(shared);
    const restarted = openProcess(shared);
    await expectHeldUp(shared, restarted, 'rolled-back');
  });

  test('goes on if a process kept running and nothing was lost', async () => {
    const { shared, old, putBack } = await openEnded();
    await putBack(oldRecord(old, 'sending'));
    await shared.storage.delete(END_MARKER);
    rollBack(shared, { cause: 'restarted' });
    const restarted = openProcess(shared);
    await restarted.run();
    expect(await restarted.broadcasts.find('b1')).toMatchObject({ state: 'done' });
  });

  test('is sent at its time if that comes later', async () => {
    const { shared, ...one } = await openFilled(3);
    await one.broadcasts.start(one.draft('b1', { at: START + MINUTE }));
    rollBack(shared, { ageMs: 2 * MINUTE });
    shared.clock.now += 2 * MINUTE;
    await openProcess(shared).run();
    expect(shared.got).toHaveLength(3);
  });
});
