import { describe, expect, test, vi } from 'vitest';
import { createMemoryJobs } from '../../src/jobs/memory.ts';
import type { OperationRef } from '../../src/operations/operation.ts';
import { createSends, SENDS_AT_ONCE } from '../../src/operations/sends.ts';
import type { Stored } from '../../src/operations/store.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { ACCOUNT } from './rental-stand-in.ts';
import { openRoom, USER } from './room.ts';

/** Sends of a room whose requests all hang, until they are let go. */
function openHanging() {
  const room = openRoom();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const execute = vi.fn(async ({ operation: { id } }: Stored) => {
    begun.push(id);
    await new Promise<void>((resolve) => ends.set(id, resolve));
    await room.store.change({ user: USER, id }, (present) => ({ ...present, state: 'done' }));
  });
  const notify = vi.fn(async () => undefined);
  const carryOut = vi.fn<(ref: OperationRef) => Promise<void>>(async () => {});
  const showAgain = vi.fn<(ref: OperationRef) => Promise<void>>(async () => {});
  const sends = createSends({
    ...{ store: room.store, execute, notify, showAgain, carryOut },
    log: silentLog(),
  });
  const claimed = async (count: number, account = ACCOUNT) => {
    const operations: OperationRef[] = [];
    while (operations.length < count) operations.push(await room.claimed({ account }));
    return operations;
  };
  return {
    room,
    begun,
    sends,
    execute,
    notify,
    showAgain,
    carryOut,
    claimed,
    end: (id: string) => ends.get(id)?.(),
  };
}

describe('sends of one account', () => {
  test('run five at once; the others wait in order, and hold no worker', async () => {
    const { begun, sends, claimed, end, notify } = openHanging();
    const operations = await claimed(8);
    const ids = operations.map(({ id }) => id);
    const sent = operations.map((operation) => sends.send(operation));
    await Promise.all(sent.slice(5));
    expect(begun).toEqual(ids.slice(0, 5));
    expect(notify).toHaveBeenCalledTimes(3);
    end(ids[2] ?? '');
    await eventually(() => expect(begun).toEqual(ids.slice(0, 6)));
    end(ids[5] ?? '');
    await eventually(() => expect(begun).toEqual(ids.slice(0, 7)));
    end(ids[0] ?? '');
    await eventually(() => expect(begun).toEqual(ids));
    for (const id of ids) end(id);
    await Promise.all(sent);
  });

  test('keep no other account waiting', async () => {
    const { begun, sends, claimed } = openHanging();
    for (const operation of await claimed(6)) void sends.send(operation);
    const [other] = await claimed(1, ACCOUNT + 1);
    void sends.send(other as OperationRef);
    await eventually(() => expect(begun).toContain(other?.id));
    expect(begun).toHaveLength(6);
  });

  test('are begun once, however often they are handed here while they wait or are under way', async () => {
    const { begun, sends, claimed, end } = openHanging();
    const operations = await claimed(6);
    const sent = operations.map((operation) => sends.send(operation));
    await eventually(() => expect(begun).toHaveLength(5));
    for (const operation of operations) await sends.send(operation);
    for (const { id } of operations) {
      await eventually(() => expect(begun).toContain(id));
      end(id);
    }
    await Promise.all(sent);
    for (const operation of operations) await sends.send(operation);
    expect(begun).toHaveLength(6);
  });

  test('go on after one that failed', async () => {
    const { begun, sends, execute, claimed } = openHanging();
    const operations = await claimed(6);
    execute.mockRejectedValueOnce(new Error('the storage is away'));
    const [first, ...others] = operations.map((operation) => sends.send(operation));
    for (const other of others) void other;
    await eventually(() => expect(begun).toHaveLength(5));
    expect(begun).toContain(operations[5]?.id);
    void first?.catch(() => undefined);
  });

  test('that wait are left to others once this process ends', async () => {
    const { begun, sends, claimed, end } = openHanging();
    const operations = await claimed(6);
    const sent = operations.map((operation) => sends.send(operation));
    await sent[5];
    void sends.close();
    for (const { id } of operations) end(id);
    await Promise.all(sent);
    expect(begun).toHaveLength(5);
  });
});

describe('what this process has just committed', () => {
  test('is sent at once, as it was committed, and nobody waits for it; the end of the process does', async () => {
    const { room, begun, sends, execute, claimed, end } = openHanging();
    const [operation] = (await claimed(1)) as [OperationRef];
    const stored = await room.stored(operation);
    const read = vi.spyOn(room.store, 'read');
    sends.begin(stored);
    await eventually(() => expect(begun).toEqual([operation.id]));
    expect(execute).toHaveBeenCalledWith(stored);
    expect(read).not.toHaveBeenCalled();
    let isClosed = false;
    const closed = sends.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    end(operation.id);
    await closed;
  });

  test('is sent once, though a job for it comes too', async () => {
    const { room, begun, sends, claimed, end } = openHanging();
    const [operation] = (await claimed(1)) as [OperationRef];
    sends.begin(await room.stored(operation));
    await sends.send(operation);
    end(operation.id);
    await sends.close();
    expect(begun).toEqual([operation.id]);
  });

  test('waits in the queue of all replicas beyond what one process may have under way', async () => {
    const { room, begun, sends, carryOut, claimed } = openHanging();
    for (let account = 0; account < SENDS_AT_ONCE; account++) {
      const [operation] = (await claimed(1, ACCOUNT + account)) as [OperationRef];
      sends.begin(await room.stored(operation));
    }
    const [beyond] = (await claimed(1)) as [OperationRef];
    sends.begin(await room.stored(beyond));
    await eventually(() => expect(begun).toHaveLength(SENDS_AT_ONCE));
    expect(carryOut.mock.calls).toEqual([[{ user: USER, id: beyond.id }]]);
  });

  test('stays as it was committed where it could not be carried out, for whoever finds it due', async () => {
    const { room, sends, execute, claimed } = openHanging();
    const [operation] = (await claimed(1)) as [OperationRef];
    execute.mockRejectedValueOnce(new Error('the storage is away'));
    sends.begin(await room.stored(operation));
    await sends.close();
    expect(await room.read(operation)).toMatchObject({ state: 'claimed' });
  });
});

test('an orphan is told while sends hang', async () => {
  const room = openRoom();
  const jobs = createMemoryJobs({ log: silentLog() });
  const added = (name: string) => (ref: OperationRef) => jobs.add(name, JSON.stringify(ref));
  const own = room.replica(room.storage, room.show, added('watch'), {
    carryOut: added('send'),
  });
  const orphan = await room.orphaned();
  const hanging = room.rental.profile.mockClear().mockImplementation(() => new Promise(() => undefined));
  jobs.define('watch', (ref) => own.reconciler.advance(JSON.parse(ref)), { concurrency: 2 });
  jobs.define('send', (ref) => own.sends.send(JSON.parse(ref)), { concurrency: 20 });
  await jobs.start();
  for (let n = 0; n < 30; n++) {
    await added('send')(await room.claimed({ account: ACCOUNT + n }));
  }
  await eventually(() => expect(hanging).toHaveBeenCalledTimes(20));
  room.clock.now += 9_000;
  await own.reconciler.run();
  await eventually(() => expect(room.shown()).toContain('unknown'));
  expect(await room.read(orphan)).toMatchObject({ state: 'unknown' });
});

test('one that comes just as the last of five ends is sent, and waits in no lane that nobody empties', async () => {
  const { room, sends, execute, claimed } = openHanging();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  for (const hops of [0, 1, 2, 3, 4]) {
    const operations = await claimed(6, ACCOUNT + hops);
    const [last, ...five] = await Promise.all(operations.map((operation) => room.stored(operation)));
    execute.mockImplementation(() => gate);
    for (const stored of five) sends.begin(stored);
    open();
    for (let hop = 0; hop < hops; hop++) await Promise.resolve();
    sends.begin(last as Stored);
    await eventually(() => expect(execute).toHaveBeenCalledWith(last));
  }
});

test('one that another replica took up while it waited here is shown as it is by now', async () => {
  const { room, sends, showAgain, claimed, end } = openHanging();
  const operations = await claimed(6);
  for (const operation of operations) sends.begin(await room.stored(operation));
  const waiting = operations[5] as OperationRef;
  await room.store.change(waiting, (present) => ({ ...present, state: 'done' }));
  await eventually(() => {
    for (const { id } of operations.slice(0, 5)) end(id);
    expect(showAgain.mock.calls).toEqual([[{ user: USER, id: waiting.id }]]);
  });
});

test('one that is read as the process ends is not begun any more', async () => {
  const { sends, execute, claimed } = openHanging();
  const [operation] = (await claimed(1)) as [OperationRef];
  const sent = sends.send(operation);
  await sends.close();
  await sent;
  expect(execute).not.toHaveBeenCalled();
});
