import { describe, expect, test, vi } from 'vitest';
import { createUserErasure } from '../../src/accounts/erase-user.ts';
import { type JobRef, type Jobs, JobsUnavailable } from '../../src/platform/jobs.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';
import { createSignal } from '../support/signal.ts';

type Deps = Parameters<typeof createUserErasure>[0];

const USER = 502;
const REQUEST = {
  ...{ user: USER, askedAt: 1_764_000_000_000, update: 7, at: 1_000, linkedAt: 5 },
  language: 'en' as const,
};
const DAY_MS = 24 * 3600_000;
const RECORD = `erasure:{${USER}}`;
const CONFIRMED = JSON.stringify({ ...REQUEST, confirmedAt: Date.now(), step: 'confirmed' });
const JOB = { name: 'erase-user', ref: { user: USER, id: String(REQUEST.askedAt) } };
const UNLINKED = { account: 1001, events: 'off', unchecked: 0 } as const;
const RETAINED_KINDS = ['operation', 'invoice', 'chat', 'erasure'];
const RETAINED = RETAINED_KINDS.map((kind) => `${kind}:{${USER}}`);
const ERASED = [`addresses:{${USER}}`, `link:{${USER}}`, `whatever comes later:{${USER}}:1`];
const OTHERS = ['addresses:{5020}', `told:{501}:by:${USER}`, 'users'];

/** Creates a job queue whose jobs run only when the test calls `run`. */
function createQueue() {
  const handlers = new Map<string, (ref: JobRef) => Promise<void>>();
  const waiting: { name: string; ref: JobRef }[] = [];
  return {
    waiting,
    add: vi.fn<Jobs['add']>(async (name, ref) => void waiting.push({ name, ref })),
    define: (name: string, handler: (ref: JobRef) => Promise<void>) => void handlers.set(name, handler),
    /** Runs all waiting jobs, including jobs that they add. A failed job stays in the queue. */
    async run(): Promise<void> {
      for (let job = waiting[0]; job; job = waiting[0]) {
        await handlers.get(job.name)?.(job.ref);
        waiting.shift();
      }
    },
  };
}

/** Opens the erasure in a process. `erase`: requests it and runs all jobs. */
function open(storage: Storage = createMemoryStorage()) {
  const jobs = createQueue();
  const unlink = vi.fn<Deps['unlink']>(async () => UNLINKED);
  const eraseInModule = vi.fn<Deps['modules'][number]>(async () => undefined);
  const eraseInNext = vi.fn<Deps['modules'][number]>(async () => undefined);
  const notify = vi.fn<Deps['notify']>(async () => 'notified');
  const { log, lines } = recordingLog();
  const records = signedRecords(storage);
  const userErasure = createUserErasure({
    ...{ storage, records, jobs, unlink, notify, log },
    retainedKinds: new Set(RETAINED_KINDS),
    modules: [eraseInModule, eraseInNext],
  });
  return {
    ...{ storage, records, jobs, unlink, eraseInModule, eraseInNext, notify, lines, ...userErasure },
    effects: [unlink, eraseInModule, notify],
    async erase(request = REQUEST) {
      await userErasure.request(request);
      await jobs.run();
    },
  };
}

async function openFilled() {
  const setup = open();
  await fill(setup.storage);
  return setup;
}

async function fill(storage: Storage): Promise<void> {
  await Promise.all([...RETAINED, ...ERASED, ...OTHERS].map((key) => storage.set(key, 'x')));
  await storage.index.put(`notifications-of-chat:{${USER}}`, 'a', 1);
}

/** Stores what the user does after the erasure. */
const storeLater = (storage: Storage) => Promise.all(ERASED.map((key) => storage.set(key, 'stored later')));
const keysOf = async (storage: Storage) => (await storage.tagged(String(USER))).toSorted();
const allKeys = async (storage: Storage) => (await storage.keys('')).toSorted();

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
  const { storage, jobs, request, unlink, eraseInModule, notify } = await openFilled();
  await update(storage, 6);
  await request(REQUEST);
  expect(jobs.waiting).toEqual([JOB]);
  expect(unlink).not.toHaveBeenCalled();
  await jobs.run();
  expect(await allKeys(storage)).toEqual([...RETAINED, ...OTHERS].toSorted());
  const keys = expect.arrayContaining([...RETAINED, ...ERASED]);
  expect(eraseInModule).toHaveBeenCalledExactlyOnceWith(REQUEST, keys);
  expect(notify.mock.calls).toEqual([[{ user: USER, language: 'en', unlinked: UNLINKED }]]);
  expect(await storage.chats.begin({ chat: USER, update: 8, token: 't8', leaseMs: 1 })).toEqual({
    kind: 'granted',
    attempt: 1,
  });
});

test('erases records that are written during the erasure', async () => {
  const { storage, erase } = await openFilled();
  const { tagged } = storage;
  let reads = 0;
  storage.tagged = async (tag) => {
    const found = await tagged(tag);
    reads += 1;
    if (reads < 3) await storage.set(`addresses:{${USER}}:${reads}`, 'x');
    return found;
  };
  await erase();
  expect(await tagged(String(USER))).toEqual(RETAINED);
});

test('keeps a link that was made after the request', async () => {
  const { storage, erase, unlink, notify } = await openFilled();
  unlink.mockResolvedValue('another');
  await erase();
  expect(await keysOf(storage)).toEqual([...RETAINED, `link:{${USER}}`].toSorted());
  expect(notify.mock.calls).toEqual([[{ user: USER, language: 'en' }]]);
});

test('waits for the confirming tap to end, then blocks updates of the user', async () => {
  const { storage, jobs, request, eraseInModule } = open();
  const tap = { chat: USER, update: 7, token: 'tap' };
  await storage.chats.begin({ ...tap, leaseMs: 15_000 });
  await request(REQUEST);
  const { raised, raise: end } = createSignal();
  eraseInModule.mockReturnValueOnce(raised);
  const erased = jobs.run();
  await settled();
  expect(eraseInModule).not.toHaveBeenCalled();
  expect(await storage.chats.commit({ ...tap, changes: {} })).toBe('committed');
  await eventually(() => expect(eraseInModule).toHaveBeenCalledOnce());
  expect(await update(storage, 8)).toBe('busy');
  expect(jobs.waiting).toEqual([JOB]);
  end();
  await erased;
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
  const thawed = expect(frozen.erase()).rejects.toThrow('another process took the chat');
  await eventually(() => expect(frozen.eraseInModule).toHaveBeenCalledOnce());
  now += 60_000;
  const next = open(storage);
  await next.erase();
  await storeLater(storage);
  thaw();
  await thawed;
  await expectLaterDataKept(storage);
  await frozen.jobs.run();
  await expectLaterDataKept(storage);
  expect(next.unlink).not.toHaveBeenCalled();
  expect(next.notify.mock.calls).toMatchObject([[{ unlinked: UNLINKED }]]);
  for (const effect of [frozen.eraseInNext, frozen.notify]) expect(effect).not.toHaveBeenCalled();
});

test.each<[string, Deps['notify']]>([
  ['got no response', async () => 'unclear'],
  ['was cut off with its process', () => Promise.reject(new Error('the process died'))],
])('sends a notification that %s twice, and again when the user returns', async (_, notification) => {
  const { jobs, erase, unlink, notify, onUserReturned } = open();
  notify.mockImplementation(notification);
  await erase().catch(() => undefined);
  for (let time = 0; time < 3; time++) await jobs.run().catch(() => undefined);
  expect(notify).toHaveBeenCalledTimes(2);
  expect(jobs.waiting).toEqual([]);
  notify.mockResolvedValue('notified');
  for (let time = 0; time < 2; time++) {
    await onUserReturned(USER);
    await jobs.run();
  }
  expect(notify).toHaveBeenCalledTimes(3);
  expect(unlink).toHaveBeenCalledOnce();
});

test('notifies once if the job is queued twice', async () => {
  const { jobs, erase, notify } = open();
  notify.mockImplementationOnce(async () => {
    jobs.waiting.push(...jobs.waiting.slice(0, 1));
    return 'notified';
  });
  await erase();
  expect(jobs.waiting).toEqual([]);
  expect(notify).toHaveBeenCalledOnce();
});

test.each([1, 2])('stays finished if another process read the record before (read %s)', async (at) => {
  const storage = createMemoryStorage();
  const first = open(storage);
  first.notify.mockResolvedValueOnce('unsent');
  await expect(first.erase()).rejects.toThrow('was not notified');
  let reads = 0;
  const second = open({
    ...storage,
    async get(key) {
      const before = await storage.get(key);
      reads += 1;
      if (reads === at) await first.jobs.run();
      return before;
    },
  });
  // A process fails if another one changed the record after its read. Its job then runs again.
  await second.erase({ ...REQUEST, update: 8 }).catch(() => second.jobs.run());
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
    (storage) => open(storage).request({ ...REQUEST, askedAt: REQUEST.askedAt + 1 }),
  ],
])('does nothing for a job with %s', async (_, write) => {
  const { storage, jobs, effects } = await openFilled();
  await write(storage);
  await update(storage, 6);
  const before = await allKeys(storage);
  jobs.waiting.push(JOB);
  await jobs.run();
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
      },
    };
    const first = open(storage);
    if (!isNotified) first.notify.mockResolvedValueOnce('unsent');
    await first.erase().catch(() => undefined);
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
    process.jobs.waiting.push(JOB);
    await process.jobs.run();
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
      expect(other.lines()).toMatchObject([{ level: 'warn', user: USER }]);
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
  const { storage, jobs, erase, unlink, eraseInModule, notify } = await openFilled();
  eraseInModule.mockRejectedValueOnce(new Error('a notification is being sent'));
  await expect(erase()).rejects.toThrow('a notification is being sent');
  await expectLaterDataKept(storage);
  expect(await update(storage, 8)).toBeUndefined();
  await jobs.run();
  expect(await keysOf(storage)).toEqual(RETAINED.toSorted());
  expect(unlink).toHaveBeenCalledOnce();
  expect(notify).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ unlinked: UNLINKED }));
});

test('retries a failed notification without erasing again', async () => {
  const { storage, jobs, erase, notify } = open();
  notify.mockResolvedValueOnce('unsent');
  await expect(erase()).rejects.toThrow('was not notified');
  await storeLater(storage);
  await jobs.run();
  expect(notify).toHaveBeenCalledTimes(2);
  await expectLaterDataKept(storage);
});

test('rejects and queues nothing if the queue is unavailable', async () => {
  const { jobs, request } = open();
  jobs.add.mockRejectedValueOnce(new JobsUnavailable('no answer'));
  await expect(request(REQUEST)).rejects.toThrow(JobsUnavailable);
  expect(jobs.waiting).toEqual([]);
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
    await requested.then(first.jobs.run).catch(() => undefined);
    isKilled = victim.wasKilled();
    const second = open(storage);
    second.jobs.waiting.push(...first.jobs.waiting);
    // Telegram delivers the update again only if it failed.
    await requested.catch(() => second.request(REQUEST));
    await second.jobs.run();
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
