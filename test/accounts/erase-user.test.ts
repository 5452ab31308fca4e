import { describe, expect, test, vi } from 'vitest';
import { createUserErasure, DUE_ERASURES } from '../../src/accounts/erase-user.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createGivenUp } from '../../src/platform/given-up.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { createUserKeys } from '../../src/platform/user-keys.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { keysTagged } from '../support/tagged.ts';

type Deps = Parameters<typeof createUserErasure>[0];

const USER = 502;
const REQUEST = {
  ...{ user: USER, askedAt: 1_764_000_000_000, update: 7, at: 1_000, linkedAt: 5 },
  language: 'en' as const,
};
const RECORD = `erasure:{${USER}}`;
const CONFIRMED = JSON.stringify({ ...REQUEST, confirmedAt: Date.now(), step: 'confirmed' });
const QUEUE = DUE_ERASURES.keys;
const MEMBER = `${USER}/${REQUEST.askedAt}`;
const UNLINKED = { account: 1001, events: 'off', unchecked: 0 } as const;
const RETAINED_KINDS = ['operation', 'invoice', 'chat', 'erasure'];
const RETAINED = RETAINED_KINDS.map((kind) => `${kind}:{${USER}}`);
const ERASED = [`addresses:{${USER}}`, `link:{${USER}}`, `whatever comes later:{${USER}}:1`];
/** Definitions of the keys that consist of their kind and the user. */
const SINGLE = [...RETAINED_KINDS, 'addresses', 'link', 'notifications-of-chat'].map((kind) => ({
  ...{ keys: `${kind}:{user}`, content: '', expiry: '' },
}));
const OTHERS = ['addresses:{5020}', `told:{501}:by:${USER}`, 'users'];

/** Opens the erasure in a process. `erase`: requests it and waits until it has ended or failed. */
function open(storage: Storage = createMemoryStorage()) {
  const unlink = vi.fn<Deps['unlink']>(async () => UNLINKED);
  const eraseInModule = vi.fn<Deps['modules'][number]>(async () => undefined);
  const eraseInNext = vi.fn<Deps['modules'][number]>(async () => undefined);
  const notify = vi.fn<Deps['notify']>(async () => 'notified');
  const notifyAdmin = vi.fn<Deps['notifyAdmin']>(async () => undefined);
  const { log, lines } = recordingLog();
  const records = signedRecords(storage);
  const userKeys = createUserKeys({ storage, records, data: SINGLE, log });
  const userErasure = createUserErasure({
    storage,
    userKeys,
    records,
    unlink,
    notify,
    notifyAdmin,
    log,
    givenUp: createGivenUp({ storage }),
    retainedKinds: new Set(RETAINED_KINDS),
    modules: [eraseInModule, eraseInNext],
  });
  return {
    ...userErasure,
    storage,
    userKeys,
    records,
    unlink,
    eraseInModule,
    eraseInNext,
    notify,
    notifyAdmin,
    lines,
    effects: [unlink, eraseInModule, notify],
    async erase(request: Parameters<typeof userErasure.request>[0] = REQUEST) {
      await userErasure.request(request);
      await settled();
    },
    /** Makes erasures come due, among them the usual one if `isForged`, and runs them. */
    async runDue({ isForged = false } = {}) {
      const members = await waiting(storage);
      for (const member of isForged ? [...members, MEMBER] : members)
        await storage.index.put(QUEUE, member, 0);
      await userErasure.startDue();
      await settled();
    },
    /** Returns the messages of logged failures. */
    failures: () => lines().map(({ err }) => (err as Error | undefined)?.message),
  };
}

const waiting = (storage: Storage) => storage.index.upTo(QUEUE, Number.MAX_VALUE, 100);

async function openFilled() {
  const setup = open();
  await setup.userKeys.check(async () => undefined, false);
  await fill(setup.storage);
  return setup;
}

async function fill(storage: Storage): Promise<void> {
  await Promise.all([...RETAINED, ...ERASED, ...OTHERS].map((key) => storage.set(key, 'x')));
  await storage.index.put(`notifications-of-chat:{${USER}}`, 'a', 1);
}

/** Stores what the user does after the erasure. */
const storeLater = (storage: Storage) => Promise.all(ERASED.map((key) => storage.set(key, 'stored later')));
const keysOf = async (storage: Storage) => (await keysTagged(storage, USER)).toSorted();
const allKeys = async (storage: Storage) =>
  (await storedKeys(storage)).filter((key) => !/^(keys-of-user:|key-check)/.test(key)).toSorted();

async function expectLaterDataKept(storage: Storage): Promise<void> {
  expect(await keysOf(storage)).toEqual(expect.arrayContaining(ERASED));
}

/** Processes an update of the user that changes the session. Returns the previous session, or why it did not begin. */
async function update(storage: Storage, id: number): Promise<string | undefined> {
  const chat = { chat: USER, update: id, token: `t${id}` };
  const begun = await storage.chats.begin({ ...chat, leaseMs: 15_000 });
  await storage.chats.commit({ ...chat, changes: { session: `s${id}`, conversation: `c${id}` } });
  return begun.kind === 'granted' ? begun.session : begun.kind;
}

test('erases all keys with the user’s id except retained kinds, and no others', async () => {
  const { storage, erase, eraseInModule, notify } = await openFilled();
  await update(storage, 6);
  await erase();
  expect(await waiting(storage)).toEqual([]);
  expect(await allKeys(storage)).toEqual([...RETAINED, ...OTHERS].toSorted());
  const keys = expect.arrayContaining([...RETAINED, ...ERASED]);
  expect(eraseInModule).toHaveBeenCalledExactlyOnceWith(REQUEST, keys);
  expect(notify.mock.calls).toEqual([[{ user: USER, language: 'en', at: REQUEST.at, unlinked: UNLINKED }]]);
  expect(await storage.chats.begin({ chat: USER, update: 8, token: 't8', leaseMs: 1 })).toEqual({
    kind: 'granted',
    attempt: 1,
  });
});

test('erases records that are written during the erasure', async () => {
  const { storage, erase } = await openFilled();
  const { listed } = storage;
  let reads = 0;
  storage.listed = async (...given) => {
    const found = await listed(...given);
    reads += 1;
    if (reads < 3) await storage.set(`addresses:{${USER}}:${reads}`, 'x');
    return found;
  };
  await erase();
  expect(await keysOf(storage)).toEqual(RETAINED.toSorted());
});

test('keeps a link that was made after the request', async () => {
  const { storage, erase, unlink, notify } = await openFilled();
  unlink.mockResolvedValue('another');
  await erase();
  expect(await keysOf(storage)).toEqual([...RETAINED, `link:{${USER}}`].toSorted());
  expect(notify.mock.calls).toEqual([[{ user: USER, language: 'en', at: REQUEST.at }]]);
});

test('waits for the confirming tap to end, then blocks updates of the user', async () => {
  const { storage, request, eraseInModule } = open();
  const tap = { chat: USER, update: 7, token: 'tap' };
  await storage.chats.begin({ ...tap, leaseMs: 15_000 });
  await request(REQUEST);
  const { raised, raise: end } = createSignal();
  eraseInModule.mockReturnValueOnce(raised);
  await settled();
  expect(eraseInModule).not.toHaveBeenCalled();
  expect(await storage.chats.commit({ ...tap, changes: {} })).toBe('committed');
  await eventually(() => expect(eraseInModule).toHaveBeenCalledOnce());
  expect(await update(storage, 8)).toBe('busy');
  expect(await waiting(storage)).toEqual([MEMBER]);
  end();
  await settled();
  expect(await update(storage, 8)).toBeUndefined();
});

test.each([
  ['the same request is repeated', REQUEST],
  ['two taps confirm it', { ...REQUEST, update: 8, at: 1_001 }],
])('erases and notifies only once if %s', async (_, repeated) => {
  const { storage, erase, unlink, notify } = await openFilled();
  await erase();
  await storeLater(storage);
  expect(await update(storage, 8)).toBeUndefined();
  await erase(repeated);
  await expectLaterDataKept(storage);
  expect(await update(storage, 9)).toBe('s8');
  for (const effect of [unlink, notify]) expect(effect).toHaveBeenCalledOnce();
});

test('has started before anything is erased, for the confirmed question only', async () => {
  const { erase, hasStarted, eraseInModule } = open();
  expect(await hasStarted(REQUEST)).toBe(false);
  eraseInModule.mockImplementationOnce(async () => expect(await hasStarted(REQUEST)).toBe(true));
  await erase();
  expect(eraseInModule).toHaveBeenCalledOnce();
  expect(await hasStarted(REQUEST)).toBe(true);
  expect(await hasStarted({ ...REQUEST, askedAt: REQUEST.askedAt + 1 })).toBe(false);
});

test('a frozen process does not erase newer data or notify again after another finished', async () => {
  let now = 0;
  const storage = createMemoryStorage({ now: () => now });
  await fill(storage);
  const frozen = open(storage);
  const { raised, raise: thaw } = createSignal();
  frozen.eraseInModule.mockReturnValueOnce(raised);
  await frozen.erase();
  expect(frozen.eraseInModule).toHaveBeenCalledOnce();
  now += 60_000;
  const next = open(storage);
  await next.erase();
  await storeLater(storage);
  thaw();
  await settled();
  expect(frozen.failures()).toEqual(['another process took the chat from this erasure']);
  await expectLaterDataKept(storage);
  await frozen.runDue();
  await expectLaterDataKept(storage);
  expect(next.unlink).not.toHaveBeenCalled();
  expect(next.notify.mock.calls).toMatchObject([[{ unlinked: UNLINKED }]]);
  for (const effect of [frozen.eraseInNext, frozen.notify]) expect(effect).not.toHaveBeenCalled();
});

test('tells an admin who erases a user once the data is erased, again after a failure', async () => {
  const { erase, runDue, notify, notifyAdmin, eraseInModule } = open();
  notifyAdmin.mockRejectedValueOnce(new Error('Redis is away'));
  await erase({ ...REQUEST, byAdmin: 7 });
  expect(notify).not.toHaveBeenCalled();
  await runDue();
  expect(notifyAdmin.mock.calls).toEqual(Array(2).fill([{ user: USER, askedAt: REQUEST.askedAt, admin: 7 }]));
  for (const effect of [eraseInModule, notify]) expect(effect).toHaveBeenCalledOnce();
});

test.each<[string, Deps['notify']]>([
  ['got no response', async () => 'unclear'],
  ['was cut off with its process', () => Promise.reject(new Error('the process died'))],
])('sends a notification that %s twice, and again when the user returns', async (_, notification) => {
  const { storage, erase, runDue, unlink, notify, onUserReturned } = open();
  notify.mockImplementation(notification);
  await erase();
  for (let time = 0; time < 3; time++) await runDue();
  expect(notify).toHaveBeenCalledTimes(2);
  expect(await waiting(storage)).toEqual([]);
  notify.mockResolvedValue('notified');
  for (let time = 0; time < 2; time++) {
    await onUserReturned(USER);
    await settled();
  }
  expect(notify).toHaveBeenCalledTimes(3);
  expect(unlink).toHaveBeenCalledOnce();
});

test('notifies again if the user returns while an erasure without a response ends', async () => {
  const storage = createMemoryStorage();
  const returning = open(storage);
  let hasReturned = false;
  const { erase, runDue, notify } = open({
    ...storage,
    index: {
      ...storage.index,
      async remove(...args) {
        if (!hasReturned) await returning.onUserReturned(USER);
        hasReturned = true;
        await returning.close();
        await storage.index.remove(...args);
      },
    },
  });
  notify.mockResolvedValue('unclear');
  returning.notify.mockResolvedValue('unclear');
  await erase();
  await runDue();
  await runDue();
  expect(await waiting(storage)).toEqual([MEMBER]);
});

test.each([1, 2])('stays finished if another process read the record before (read %s)', async (at) => {
  const storage = createMemoryStorage();
  const first = open(storage);
  first.notify.mockResolvedValueOnce('unsent');
  await first.erase();
  expect(first.failures()).toEqual(['the user was not notified of the erasure']);
  let reads = 0;
  const second = open({
    ...storage,
    async get(key) {
      const before = await storage.get(key);
      reads += 1;
      if (reads === at) await first.runDue();
      return before;
    },
  });
  await second.erase({ ...REQUEST, update: 8 });
  // A process fails if another one changed the record after its read. The erasure is then due again.
  await second.runDue();
  expect((await first.records.get(RECORD))?.content).toContain('"step":"notified"');
  expect([...first.notify.mock.calls, ...second.notify.mock.calls]).toHaveLength(2);
});

test.each<[string, (storage: Storage) => Promise<unknown>]>([
  ['no record', (storage) => storage.delete(RECORD)],
  ['an unsigned record', (storage) => storage.set(RECORD, CONFIRMED)],
  [
    'a record that another installation signed',
    (storage) => signedRecords(storage, { keys: [Buffer.alloc(32, 9)] }).set(RECORD, CONFIRMED),
  ],
  [
    'the record of another user',
    async (storage) => {
      const { text } = await signedRecords(storage).set('erasure:{501}', CONFIRMED);
      await storage.set(RECORD, text);
    },
  ],
  [
    'the record of another question',
    async (storage) => {
      const other = open(storage);
      await other.close();
      await other.request({ ...REQUEST, askedAt: REQUEST.askedAt + 1 });
      await storage.index.remove(QUEUE, ...(await waiting(storage)));
    },
  ],
])('does nothing for a due erasure with %s', async (_, write) => {
  const { storage, runDue, effects } = await openFilled();
  await write(storage);
  await update(storage, 6);
  const before = await allKeys(storage);
  await runDue({ isForged: true });
  expect(await allKeys(storage)).toEqual(before);
  expect(await update(storage, 8)).toBe('s6');
  for (const effect of effects) expect(effect).not.toHaveBeenCalled();
});

describe('after an attacker restored an earlier version of the record', () => {
  /** Runs an erasure, then stores new data of the user. The final notification fails if `isNotified` is false. */
  async function finished({ isNotified = true } = {}) {
    const clock = { now: REQUEST.askedAt };
    const memory = createMemoryStorage({ now: () => clock.now });
    const texts: string[] = [];
    let { chats } = memory;
    const storage: Storage = {
      ...memory,
      async add(key, value, lifetime) {
        if (key === RECORD) texts.push(value);
        return memory.add(key, value, lifetime);
      },
      async replace(key, expected, value, lifetime) {
        if (key === RECORD) texts.push(value);
        return memory.replace(key, expected, value, lifetime);
      },
      chats: {
        begin: (request) => chats.begin(request),
        commit: (request) => chats.commit(request),
        release: (request) => chats.release(request),
        isLatest: (request) => chats.isLatest(request),
        readConversation: (chat) => chats.readConversation(chat),
      },
    };
    const first = open(storage);
    if (!isNotified) first.notify.mockResolvedValueOnce('unsent');
    await first.erase();
    expect(first.notify).toHaveBeenCalledOnce();
    await storeLater(storage);
    for (const effect of first.effects) effect.mockClear();
    return {
      ...{ clock, storage, first },
      /** All signed texts that the record had, except the current one. */
      earlier: [...new Set(texts)].slice(0, -1),
      /** Clears the chat records. They aren't signed, so an attacker can do so too. */
      dropChats(): void {
        ({ chats } = createMemoryStorage({ now: () => clock.now }));
      },
    };
  }

  async function replay(storage: Storage, process: ReturnType<typeof open>, text = '') {
    await storage.set(RECORD, text);
    await process.runDue({ isForged: true });
    await expectLaterDataKept(storage);
    for (const effect of [process.unlink, process.eraseInModule]) expect(effect).not.toHaveBeenCalled();
  }

  test('does not erase or notify again in the same process, even without chat records', async () => {
    const { storage, first, earlier, dropChats } = await finished();
    expect(earlier).toHaveLength(3);
    for (const text of earlier) {
      dropChats();
      await replay(storage, first, text);
    }
    expect(first.notify).not.toHaveBeenCalled();
  });

  test.each([0, 1])(
    'erases nothing again in a process that failed to notify the user (version %s)',
    async (version) => {
      const { storage, first, earlier, dropChats } = await finished({ isNotified: false });
      expect(earlier).toHaveLength(2);
      dropChats();
      await replay(storage, first, earlier[version]);
      expect(first.notify).toHaveBeenCalledOnce();
    },
  );

  test('erases nothing in another process, because the chat has processed the update', async () => {
    const { storage, earlier } = await finished();
    for (const text of earlier) {
      const other = open(storage);
      await replay(storage, other, text);
      if (text.includes('"step":"confirmed"')) expect(other.notify).not.toHaveBeenCalled();
    }
  });

  test('does nothing more than a day after the confirmation, by the storage clock', async () => {
    const { clock, storage, earlier, dropChats } = await finished();
    clock.now += DAY_MS + 1;
    for (const text of earlier) {
      dropChats();
      const other = open(storage);
      await replay(storage, other, text);
      expect(other.notify).not.toHaveBeenCalled();
      expect(other.lines()).toMatchObject([{ level: 'error', user: USER }]);
      expect(await waiting(storage)).toEqual([]);
    }
  });
});

test('erases again after a new request', async () => {
  const { storage, erase, notify } = open();
  for (const update of [7, 8]) {
    await fill(storage);
    await erase({ ...REQUEST, askedAt: REQUEST.askedAt + update, update });
    expect(await keysOf(storage)).toEqual(RETAINED.toSorted());
  }
  expect(notify).toHaveBeenCalledTimes(2);
});

test('releases the chat if a module fails, and unlinks the account only once', async () => {
  const { storage, erase, runDue, failures, unlink, eraseInModule, notify } = await openFilled();
  eraseInModule.mockRejectedValueOnce(new Error('a notification is being sent'));
  await erase();
  expect(failures()).toEqual(['a notification is being sent']);
  await expectLaterDataKept(storage);
  expect(await update(storage, 8)).toBeUndefined();
  await runDue();
  expect(await keysOf(storage)).toEqual(RETAINED.toSorted());
  expect(unlink).toHaveBeenCalledOnce();
  expect(notify).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ unlinked: UNLINKED }));
});

test('retries a failed notification without erasing again', async () => {
  const { storage, erase, runDue, notify } = open();
  notify.mockResolvedValueOnce('unsent');
  await erase();
  await storeLater(storage);
  await runDue();
  expect(notify).toHaveBeenCalledTimes(2);
  await expectLaterDataKept(storage);
});

test('is tried again after a second, then after twice the time each, at most after a minute', async () => {
  const clock = { now: REQUEST.askedAt };
  const storage = createMemoryStorage({ now: () => clock.now });
  const { erase, startDue, eraseInModule } = open(storage);
  const startedAt = clock.now;
  const tries: number[] = [];
  eraseInModule.mockImplementation(async () => {
    tries.push((clock.now - startedAt) / 1_000);
    throw new Error('out of reach');
  });
  await erase();
  for (let second = 0; second < 200; second += 1) {
    clock.now += 1_000;
    await startDue();
    await settled();
  }
  expect(tries).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 124, 184]);
});

test('does not come due elsewhere while its steps go on', async () => {
  const clock = { now: REQUEST.askedAt };
  const storage = createMemoryStorage({ now: () => clock.now });
  const { erase, eraseInModule, eraseInNext } = open(storage);
  const isDue: boolean[] = [];
  async function takeTime(): Promise<void> {
    clock.now += 14_000;
    isDue.push((await storage.index.due(QUEUE, 1, DAY_MS)).length > 0);
  }
  eraseInModule.mockImplementation(takeTime);
  eraseInNext.mockImplementation(takeTime);
  await erase();
  expect(isDue).toEqual([false, false]);
});

test('is finished before the process stops, and nothing more is started', async () => {
  const { storage, erase, request, close, eraseInModule, notify } = open();
  const { raised, raise: go } = createSignal();
  eraseInModule.mockReturnValueOnce(raised);
  await erase();
  const closed = close();
  go();
  await closed;
  expect(notify).toHaveBeenCalledOnce();
  await request({ ...REQUEST, askedAt: REQUEST.askedAt + 1 });
  await settled();
  expect(eraseInModule).toHaveBeenCalledOnce();
  expect(await waiting(storage)).toHaveLength(1);
});

test('another process completes the erasure after a crash at any storage call', async () => {
  let calls = 0;
  for (let isKilled = true; isKilled; calls += 1) {
    const storage = createMemoryStorage();
    await fill(storage);
    await update(storage, 6);
    const victim = killedAfter(calls, storage);
    const first = open(victim.storage);
    const requested = first.request(REQUEST);
    await requested.then(settled).catch(() => undefined);
    isKilled = victim.wasKilled();
    const second = open(storage);
    // Telegram delivers the update again only if it failed.
    await requested.catch(() => second.erase());
    await second.runDue();
    const keys = (await allKeys(storage)).filter((key) => !key.startsWith('message-attempt:'));
    expect(keys).toEqual([...RETAINED, ...OTHERS].toSorted());
    expect(await update(storage, 8)).toBeUndefined();
    // If the first process crashed during the notification, the second one notifies again.
    const notified = first.notify.mock.calls.length + second.notify.mock.calls.length;
    expect(notified).toBeGreaterThanOrEqual(1);
    expect(notified).toBeLessThanOrEqual(first.notify.mock.calls.length > 0 && isKilled ? 2 : 1);
  }
  expect(calls).toBeGreaterThan(5);
});
