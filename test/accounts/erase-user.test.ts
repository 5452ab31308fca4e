import { describe, expect, it, test, vi } from 'vitest';
import type {
  ErasureNotification,
  ErasureRequest,
  ErasureUnlinkResult,
} from '../../src/accounts/erase-user.ts';
import { createUserErasure } from '../../src/accounts/erase-user.ts';
import { type JobRef, type Jobs, JobsUnavailable } from '../../src/platform/jobs.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { killedAfter } from '../support/killed.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { settled } from '../support/settled.ts';

const USER = 502;
const WISH: ErasureRequest = {
  user: USER,
  askedAt: 1_764_000_000_000,
  update: 7,
  at: 1_000,
  language: 'en',
  linkedAt: 5,
};
const DAY_MS = 24 * 3600_000;
const RECORD = `erasure:{${USER}}`;
const CONFIRMED = JSON.stringify({ ...WISH, confirmedAt: Date.now(), step: 'confirmed' });
const JOB = { name: 'erase-user', ref: { user: USER, id: String(WISH.askedAt) } };
const LEFT = { account: 1001, events: 'off', unchecked: 0 } as const;
const RETAINED = ['operation', 'invoice', 'chat', 'erasure'];
const KEPT = RETAINED.map((kind) => `${kind}:{${USER}}`);
const OWN = [`addresses:{${USER}}`, `link:{${USER}}`, `whatever comes later:{${USER}}:1`];
const OTHERS = ['addresses:{5020}', `told:{501}:by:${USER}`, 'users'];

/** Creates a job queue whose jobs run only when the test calls `run`. */
function queue() {
  const handlers = new Map<string, (ref: JobRef) => Promise<void>>();
  const waiting: { name: string; ref: JobRef }[] = [];
  const add = vi.fn<Jobs['add']>(async (name, ref) => void waiting.push({ name, ref }));
  return {
    ...{ add, waiting },
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

function open(storage: Storage = createMemoryStorage(), jobs = queue()) {
  const leave = vi.fn(async (): Promise<ErasureUnlinkResult> => LEFT);
  const setup = vi.fn(async (_wish: ErasureRequest, _keys: readonly string[]): Promise<unknown> => undefined);
  const tell = vi.fn(async (_forgotten: ErasureNotification): Promise<'notified' | 'unclear'> => 'notified');
  const { log, lines } = recordingLog();
  const records = signedRecords(storage);
  const userErasure = createUserErasure({
    retainedKinds: new Set(RETAINED),
    storage,
    records,
    jobs,
    unlink: leave,
    modules: [setup],
    notify: tell,
    log,
  });
  return { storage, records, jobs, leave, setup, tell, lines, ...userErasure };
}

async function fill(storage: Storage): Promise<void> {
  await Promise.all([...KEPT, ...OWN, ...OTHERS].map((key) => storage.set(key, 'x')));
  await storage.index.put(`notifications-of-chat:{${USER}}`, 'a', 1);
}

const keysIn = async (storage: Storage) => (await storage.keys('')).toSorted();

/** Processes an update of the user that changes the session. Returns the previous session, or why it did not begin. */
async function update(storage: Storage, id: number): Promise<string | undefined> {
  const chat = { chat: USER, update: id, token: `t${id}` };
  const begun = await storage.chats.begin({ ...chat, leaseMs: 15_000 });
  await storage.chats.commit({ ...chat, changes: { session: `s${id}`, conversation: `c${id}` } });
  return begun.kind === 'granted' ? begun.session : begun.kind;
}

test('erases all keys with the user’s ID except retained kinds, and no others', async () => {
  const { storage, jobs, request: begin, leave, setup, tell } = open();
  await fill(storage);
  await update(storage, 6);
  await begin(WISH);
  expect(leave).not.toHaveBeenCalled();
  await jobs.run();
  expect(await keysIn(storage)).toEqual([...KEPT, ...OTHERS].toSorted());
  expect(setup).toHaveBeenCalledExactlyOnceWith(WISH, expect.arrayContaining([...KEPT, ...OWN]));
  expect(tell.mock.calls).toEqual([[{ user: USER, language: 'en', unlinked: LEFT }]]);
  expect(await storage.chats.begin({ chat: USER, update: 8, token: 't8', leaseMs: 1 })).toEqual({
    kind: 'granted',
    attempt: 1,
  });
});

test('erases records that are written during the erasure', async () => {
  const { storage, jobs, request: begin } = open();
  await fill(storage);
  const { tagged } = storage;
  let looks = 0;
  storage.tagged = async (tag) => {
    const found = await tagged(tag);
    looks += 1;
    if (looks < 3) await storage.set(`addresses:{${USER}}:${looks}`, 'x');
    return found;
  };
  await begin(WISH);
  await jobs.run();
  expect(await tagged(String(USER))).toEqual(KEPT);
});

test('keeps a link that was made after the request', async () => {
  const { storage, jobs, request: begin, leave, tell } = open();
  await fill(storage);
  leave.mockResolvedValue('another');
  await begin(WISH);
  await jobs.run();
  expect((await storage.tagged(String(USER))).toSorted()).toEqual([...KEPT, `link:{${USER}}`].toSorted());
  expect(tell.mock.calls).toEqual([[{ user: USER, language: 'en' }]]);
});

test('waits for the confirming tap to end, then blocks updates of the user', async () => {
  const { storage, jobs, request: begin, setup } = open();
  const tap = { chat: USER, update: 7, token: 'tap' };
  await storage.chats.begin({ ...tap, leaseMs: 15_000 });
  await begin(WISH);
  let isDone = false;
  let finish = () => {};
  setup.mockImplementationOnce(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const running = jobs.run().then(() => {
    isDone = true;
  });
  await settled();
  expect(setup).not.toHaveBeenCalled();
  expect(await storage.chats.commit({ ...tap, changes: {} })).toBe('committed');
  await eventually(() => expect(setup).toHaveBeenCalledOnce());
  expect(await storage.chats.begin({ chat: USER, update: 8, token: 't8', leaseMs: 1 })).toMatchObject({
    kind: 'busy',
  });
  expect(isDone).toBe(false);
  finish();
  await running;
  expect(await update(storage, 8)).toBeUndefined();
});

test('erases and notifies only once if the same request is repeated', async () => {
  const { storage, jobs, request: begin, leave, tell } = open();
  await fill(storage);
  await begin(WISH);
  await jobs.run();
  await Promise.all(OWN.map((key) => storage.set(key, 'of the new life')));
  expect(await update(storage, 8)).toBeUndefined();
  await begin(WISH);
  await jobs.run();
  expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
  expect(await update(storage, 9)).toBe('s8');
  expect(leave).toHaveBeenCalledOnce();
  expect(tell).toHaveBeenCalledOnce();
});

test('hasBegun is true for the confirmed question before anything is erased', async () => {
  const { jobs, request: begin, hasStarted: hasBegun, setup } = open();
  expect(await hasBegun(WISH)).toBe(false);
  setup.mockImplementationOnce(async () => expect(await hasBegun(WISH)).toBe(true));
  await begin(WISH);
  await jobs.run();
  expect(setup).toHaveBeenCalledOnce();
  expect(await hasBegun(WISH)).toBe(true);
  expect(await hasBegun({ ...WISH, askedAt: WISH.askedAt + 1 })).toBe(false);
});

test('a frozen process does not erase newer data or notify again after another finished', async () => {
  let now = 0;
  const storage = createMemoryStorage({ now: () => now });
  await fill(storage);
  const frozen = open(storage);
  let thaw = () => {};
  frozen.setup.mockImplementationOnce(() => new Promise<void>((resolve) => (thaw = resolve)));
  await frozen.request(WISH);
  const thawed = expect(frozen.jobs.run()).rejects.toThrow('another process took the chat');
  await eventually(() => expect(frozen.setup).toHaveBeenCalledOnce());
  now += 60_000;
  const next = open(storage);
  await next.request(WISH);
  await next.jobs.run();
  await Promise.all(OWN.map((key) => storage.set(key, 'of the new life')));
  thaw();
  await thawed;
  expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
  await frozen.jobs.run();
  expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
  expect(next.leave).not.toHaveBeenCalled();
  expect(next.tell.mock.calls).toMatchObject([[{ unlinked: LEFT }]]);
  expect(frozen.tell).not.toHaveBeenCalled();
});

test('notifies a user at most twice if the notification got no response', async () => {
  const { jobs, request: begin, leave, tell } = open();
  tell.mockResolvedValue('unclear');
  await begin(WISH);
  await expect(jobs.run()).rejects.toThrow('may not have been notified');
  await jobs.run();
  expect(tell).toHaveBeenCalledTimes(2);
  expect(leave).toHaveBeenCalledOnce();
});

test('erases and notifies once if two taps confirm it', async () => {
  const { storage, jobs, request: begin, leave, tell } = open();
  await fill(storage);
  await begin(WISH);
  await jobs.run();
  await Promise.all(OWN.map((key) => storage.set(key, 'of the new life')));
  await begin({ ...WISH, update: 8, at: 1_001 });
  await jobs.run();
  expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
  for (const once of [leave, tell]) expect(once).toHaveBeenCalledOnce();
});

test('notifies once if the job is queued twice', async () => {
  const { jobs, request: begin, tell } = open();
  await begin(WISH);
  tell.mockImplementationOnce(async () => {
    jobs.waiting.push(...jobs.waiting.slice(0, 1));
    return 'notified';
  });
  await jobs.run();
  expect(jobs.waiting).toEqual([]);
  expect(tell).toHaveBeenCalledOnce();
});

test.each([1, 2])('keeps the step told if another process read the record earlier (read %s)', async (at) => {
  const storage = createMemoryStorage();
  const first = open(storage);
  first.tell.mockRejectedValueOnce(new Error('Telegram is away'));
  await first.request(WISH);
  await expect(first.jobs.run()).rejects.toThrow('Telegram is away');
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
  await second.request({ ...WISH, update: 8 });
  // A process fails if another one changed the record after its read. Its job then runs again.
  await second.jobs.run().catch(() => second.jobs.run());
  expect((await first.records.get(RECORD))?.content).toContain('"step":"notified"');
  expect([...first.tell.mock.calls, ...second.tell.mock.calls]).toHaveLength(2);
});

test('puts only the user and the question in the job', async () => {
  const { jobs, request: begin } = open();
  await begin(WISH);
  expect(jobs.waiting).toEqual([JOB]);
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
    async (storage) => open(storage).request({ ...WISH, askedAt: WISH.askedAt + 1 }),
  ],
])('does nothing for a job with %s', async (_, write) => {
  const storage = createMemoryStorage();
  await fill(storage);
  await write(storage);
  await update(storage, 6);
  const before = await keysIn(storage);
  const { jobs, leave, setup, tell } = open(storage);
  jobs.waiting.push(JOB);
  await jobs.run();
  expect(await keysIn(storage)).toEqual(before);
  expect(await update(storage, 8)).toBe('s6');
  for (const effect of [leave, setup, tell]) expect(effect).not.toHaveBeenCalled();
});

describe('after an attacker restored an earlier version of the record', () => {
  /** Runs an erasure, then stores new data of the user. The final notification fails if `isTold` is false. */
  async function finished({ isTold = true } = {}) {
    const clock = { now: WISH.askedAt };
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
      },
    };
    const first = open(storage);
    await first.request(WISH);
    if (!isTold) first.tell.mockRejectedValueOnce(new Error('Telegram is away'));
    await first.jobs.run().catch(() => undefined);
    expect(first.tell).toHaveBeenCalledOnce();
    await Promise.all(OWN.map((key) => storage.set(key, 'of the new life')));
    for (const effect of [first.leave, first.setup, first.tell]) effect.mockClear();
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

  async function replay(storage: Storage, process: ReturnType<typeof open>, text: string) {
    await storage.set(RECORD, text);
    process.jobs.waiting.push(JOB);
    await process.jobs.run();
    expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
    for (const effect of [process.leave, process.setup]) expect(effect).not.toHaveBeenCalled();
  }

  it('does not erase or notify again in the same process, even without chat records', async () => {
    const { storage, first, earlier, dropChats } = await finished();
    expect(earlier).toHaveLength(3);
    for (const text of earlier) {
      dropChats();
      await replay(storage, first, text);
    }
    expect(first.tell).not.toHaveBeenCalled();
  });

  it.each([0, 1])(
    'erases nothing again in a process that failed to notify the user (version %s)',
    async (version) => {
      const { storage, first, earlier, dropChats } = await finished({ isTold: false });
      expect(earlier).toHaveLength(2);
      dropChats();
      await replay(storage, first, earlier[version] ?? '');
      expect(first.tell).toHaveBeenCalledOnce();
    },
  );

  it('erases nothing in another process, because the chat has processed the update', async () => {
    const { storage, earlier } = await finished();
    for (const text of earlier) {
      const other = open(storage);
      await replay(storage, other, text);
      if (text.includes('"step":"confirmed"')) expect(other.tell).not.toHaveBeenCalled();
    }
  });

  it('does nothing more than a day after the confirmation, by the storage clock', async () => {
    const { clock, storage, earlier, dropChats } = await finished();
    clock.now += DAY_MS + 1;
    for (const text of earlier) {
      dropChats();
      const other = open(storage);
      await replay(storage, other, text);
      expect(other.tell).not.toHaveBeenCalled();
      expect(other.lines()).toMatchObject([{ level: 'warn', user: USER }]);
    }
  });
});

test('erases again after a new request', async () => {
  const { storage, jobs, request: begin, tell } = open();
  for (const update of [7, 8]) {
    await fill(storage);
    await begin({ ...WISH, askedAt: WISH.askedAt + update, update });
    await jobs.run();
    expect((await storage.tagged(String(USER))).toSorted()).toEqual(KEPT.toSorted());
  }
  expect(tell).toHaveBeenCalledTimes(2);
});

test('releases the chat if a module fails, and unlinks the account only once', async () => {
  const { storage, jobs, request: begin, leave, setup, tell } = open();
  await fill(storage);
  setup.mockRejectedValueOnce(new Error('somebody is telling there'));
  await begin(WISH);
  await expect(jobs.run()).rejects.toThrow('somebody is telling there');
  expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
  expect(await update(storage, 8)).toBeUndefined();
  await jobs.run();
  expect((await storage.tagged(String(USER))).toSorted()).toEqual(KEPT.toSorted());
  expect(leave).toHaveBeenCalledOnce();
  expect(tell).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ unlinked: LEFT }));
});

test('retries a failed notification without erasing again', async () => {
  const { storage, jobs, request: begin, tell } = open();
  await begin(WISH);
  tell.mockRejectedValueOnce(new Error('Telegram is away'));
  await expect(jobs.run()).rejects.toThrow('Telegram is away');
  await Promise.all(OWN.map((key) => storage.set(key, 'of the new life')));
  await jobs.run();
  expect(tell).toHaveBeenCalledTimes(2);
  expect(await storage.tagged(String(USER))).toEqual(expect.arrayContaining(OWN));
});

test('rejects and queues nothing if the queue is unavailable', async () => {
  const { jobs, request: begin } = open();
  jobs.add.mockRejectedValueOnce(new JobsUnavailable('no answer'));
  await expect(begin(WISH)).rejects.toThrow(JobsUnavailable);
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
    const begun = first.request(WISH);
    await begun.then(first.jobs.run).catch(() => undefined);
    isKilled = victim.wasKilled();
    const second = open(storage);
    second.jobs.waiting.push(...first.jobs.waiting);
    // Telegram delivers the update again only if it failed.
    await begun.catch(() => second.request(WISH));
    await second.jobs.run();
    expect(await keysIn(storage)).toEqual([...KEPT, ...OTHERS].toSorted());
    expect(await update(storage, 8)).toBeUndefined();
    // If the first process crashed during the notification, the second one notifies again.
    const told = first.tell.mock.calls.length + second.tell.mock.calls.length;
    expect(told).toBe(first.tell.mock.calls.length > 0 && isKilled ? 2 : 1);
  }
  expect(calls).toBeGreaterThan(5);
});
