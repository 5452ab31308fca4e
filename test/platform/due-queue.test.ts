import { expect, test } from 'vitest';
import { createDueQueue, defineDueQueue } from '../../src/platform/due-queue.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';

const CHECKS = defineDueQueue({
  keys: 'checks',
  ref: { user: 'number', id: 'string' },
  longestMs: 3600_000,
  content: 'When each operation is checked next',
  expiry: 'none: a single key',
});
const A = { user: 501, id: 'A' };
const B = { user: 502, id: 'B' };

function open() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  return { clock, storage, queue: createDueQueue(CHECKS, { storage }) };
}

test('returns references when they come due, longest due first', async () => {
  const { clock, queue } = open();
  await queue.scheduleIn(A, 5_000);
  await queue.scheduleIn(B, 1_000);
  expect(await queue.due(10)).toEqual([]);
  clock.now += 5_000;
  expect(await queue.due(10)).toEqual([B, A]);
  expect(await queue.due(1)).toEqual([B]);
  expect(await queue.overdueMs()).toBe(4_000);
});

test('moves a reference that is scheduled again, but not later with `scheduleNoLaterThan`', async () => {
  const { clock, queue } = open();
  await queue.scheduleIn(A, 1_000);
  await queue.scheduleNoLaterThan(A, 5_000);
  await queue.scheduleIn(B, 1_000);
  await queue.scheduleIn(B, 5_000);
  clock.now += 1_000;
  expect(await queue.due(10)).toEqual([A]);
  expect(await queue.scheduled(10)).toEqual([A, B]);
});

test('leases each due reference before its work starts, in batches', async () => {
  const { clock, queue } = open();
  const refs = Array.from({ length: 5 }, (_, at) => ({ user: 501, id: String(at) }));
  for (const ref of refs) await queue.scheduleIn(ref, 0);
  const started: unknown[] = [];
  await queue.takeDue({ leaseMs: 10_000, limit: 2 }, async (ref) => {
    expect(await queue.due(10)).not.toContainEqual(ref);
    started.push(ref);
  });
  expect(started).toEqual(refs);
  expect(await queue.due(10)).toEqual([]);
  clock.now += 10_000;
  expect(await queue.due(10)).toHaveLength(5);
});

test('lets work remove or reschedule its reference', async () => {
  const { clock, queue } = open();
  await queue.scheduleIn(A, 0);
  await queue.scheduleIn(B, 0);
  await queue.takeDue({ leaseMs: 10_000, limit: 10 }, (ref) =>
    ref.id === 'A' ? queue.remove(ref) : queue.scheduleIn(ref, 500),
  );
  clock.now += 500;
  expect(await queue.due(10)).toEqual([B]);
});

test('starts the other references of a batch if one fails, and then rejects', async () => {
  const { queue } = open();
  const C = { user: 503, id: 'C' };
  for (const ref of [A, B, C]) await queue.scheduleIn(ref, 0);
  const started: unknown[] = [];
  const start = async (ref: { id: string }) => {
    if (ref.id === 'B') throw new Error('no connection');
    started.push(ref);
  };
  await expect(queue.takeDue({ leaseMs: 10_000, limit: 10 }, start)).rejects.toThrow('no connection');
  expect(started).toEqual([A, C]);
  expect(await queue.due(10)).toEqual([]);
});

test('takes all due references, although malformed ones shorten the first batch', async () => {
  const { storage, queue } = open();
  for (const member of ['x', 'y']) await storage.index.put('checks', member, 0);
  for (const ref of [A, B]) await queue.scheduleIn(ref, 0);
  const started: unknown[] = [];
  await queue.takeDue({ leaseMs: 10_000, limit: 2 }, (ref) => started.push(ref));
  expect(started).toEqual([A, B]);
});

test.each(['501', '501/A/B', '0501/A', 'x/A', 'NaN/A', '1.5/A', '', '1e3/A', '9007199254740993/A'])(
  'drops the malformed member %j, which would block the queue',
  async (member) => {
    const { storage, queue } = open();
    await storage.index.put('checks', member, 0);
    await queue.scheduleIn(A, 0);
    expect(await queue.due(10)).toEqual([A]);
    expect(await storage.index.upTo('checks', Number.MAX_VALUE, 10)).toEqual(['501/A']);
  },
);

test('parses the stored form of a reference, and no other text', () => {
  const { queue } = open();
  expect(queue.parse(queue.memberOf(A))).toEqual(A);
  for (const member of ['', '501', 'A/501', '0501/A', '501/A/B']) expect(queue.parse(member)).toBeUndefined();
});

test('moves a reference from other queues and returns whether it was already in this one', async () => {
  const { storage, queue } = open();
  const urgent = defineDueQueue({ ...CHECKS, keys: 'urgent-checks' });
  const late = defineDueQueue({ ...CHECKS, keys: 'late-checks' });
  const others = [urgent, late].map((definition) => createDueQueue(definition, { storage }));
  for (const other of others) await other.scheduleIn(A, 0);
  expect(await queue.moveFrom([urgent, late], A, 5_000)).toBe(false);
  for (const other of others) expect(await other.scheduled(10)).toEqual([]);
  expect(await queue.scheduled(10)).toEqual([A]);
  for (const other of others) await other.scheduleIn(A, 0);
  expect(await queue.moveFrom([urgent], A, 5_000)).toBe(true);
  expect(await Promise.all(others.map((other) => other.scheduled(10)))).toEqual([[], [A]]);
});
