import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import type { Operation, OperationRef } from '../../src/operations/operation.ts';
import { createOperationSchema } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import {
  createAttempts,
  createHeartbeat,
  createRecheckSchedule,
  isOverdue,
  nextRecheckMs,
  nextSearchAt,
  searchAgainMs,
} from '../../src/operations/recovery.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { killedAfter } from '../support/killed.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { type OperationFields, operationIn } from './cards.ts';
import { START, setUpOperations, WITHDRAWAL } from './operations-setup.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const REF: OperationRef = { user: 502, id: '7Q2K9F3M' };

describe('quarantine', () => {
  const open = () => {
    const storage = createMemoryStorage({ now: () => START });
    const schedule = createRecheckSchedule({ storage });
    const members = (name: string) => storage.index.upTo(name, Number.MAX_VALUE, 1_000);
    return { storage, schedule, members };
  };

  test.each([1, 2, 3, 4])(
    'loses no operation if the process dies after its storage call %d',
    async (calls) => {
      const { storage, schedule, members } = open();
      await schedule.scheduleIn(REF, 0);
      const dying = createRecheckSchedule({ storage: killedAfter(calls, storage).storage });
      await dying
        .quarantine(REF)
        .then(dying.endQuarantine)
        .catch(() => undefined);
      const queued = [...(await members('operations:due')), ...(await members('operations:quarantined'))];
      expect(queued).toContain('502/7Q2K9F3M');
      await schedule.endQuarantine();
      expect([await schedule.due(10), await members('operations:quarantined')]).toEqual([[REF], []]);
    },
  );

  test('hides an operation until it ends', async () => {
    const { schedule } = open();
    await schedule.scheduleIn(REF, 0);
    await schedule.quarantine(REF);
    expect(await schedule.due(10)).toEqual([]);
    await schedule.endQuarantine();
    expect(await schedule.due(10)).toEqual([REF]);
  });

  test('ends for all operations, however many', async () => {
    const { schedule, members } = open();
    const refs = Array.from({ length: 250 }, (_, at) => ({ user: at, id: 'A' }));
    for (const ref of refs) await schedule.quarantine(ref);
    await schedule.endQuarantine();
    expect(await schedule.due(1_000)).toHaveLength(250);
    expect(await members('operations:quarantined')).toEqual([]);
  });
});

describe('the mark of an attempt', () => {
  async function open() {
    const { draft, kinds, clock, storage } = setUpOperations();
    const replica = () =>
      createAttempts({
        records: signedRecords(storage),
        schema: createOperationSchema(kinds),
        now: () => clock.now,
      });
    return { operation: await draft(), clock, replica };
  }

  test('allows one attempt per process, and none if another process made it', async () => {
    const { operation, replica } = await open();
    const attempts = replica();
    expect(attempts.markBegun(operation, true)).toBe(true);
    expect(attempts.markBegun(operation, true)).toBe(false);
    expect(replica().markBegun(operation, false)).toBe(false);
  });

  test('is kept by its process for a day, even if the stored one is removed', async () => {
    const { operation, clock, replica } = await open();
    const attempts = replica();
    attempts.markBegun(operation, true);
    clock.now += DAY;
    attempts.markBegun({ ...operation, id: 'ANOTHER1' }, true);
    expect(attempts.wasMadeHere(operation)).toBe(true);
    clock.now += 1;
    attempts.markBegun({ ...operation, id: 'ANOTHER2' }, true);
    expect(attempts.wasMadeHere(operation)).toBe(false);
    expect(attempts.wasMadeHere({ ...operation, id: 'ANOTHER1' })).toBe(true);
  });
});

describe('heartbeat', () => {
  test('counts for at most its silence after the clock was set back', async () => {
    const clock = { now: START };
    const storage = createMemoryStorage({ now: () => clock.now });
    const heartbeat = createHeartbeat({ storage, log: silentLog() }, { beatMs: HOUR, silentMs: 8 * SECOND });
    await heartbeat.during(REF, (beat) => beat());
    clock.now -= HOUR;
    expect(await heartbeat.isAlive(REF)).toBe(true);
    clock.now += 8 * SECOND;
    expect(await heartbeat.isAlive(REF)).toBe(false);
  });

  test('is not repeated after the work has failed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const storage = createMemoryStorage();
    const pace = { beatMs: 2 * SECOND, silentMs: 8 * SECOND };
    const heartbeat = createHeartbeat({ storage, log: silentLog() }, pace);
    const failing = heartbeat.during(REF, () => Promise.reject(new Error('no key')));
    await expect(failing).rejects.toThrow('no key');
    await vi.advanceTimersByTimeAsync(8 * SECOND);
    expect(await heartbeat.isAlive(REF)).toBe(false);
  });
});

describe('the next check of an operation', () => {
  const kinds = createKinds(KINDS);
  const PENDING = { attempt: { reported: true }, result: { status: 'pending', order: 7 } };
  function nextOf(
    change: OperationFields,
    age: number,
    reported = false,
    state: Operation['state'] = 'done',
  ) {
    const operation = operationIn(state, { ...PENDING, ...change });
    const services = { kinds, reported: async () => reported, now: () => START + age };
    return nextRecheckMs(services, operation);
  }

  test.each(['claimed', 'sent', 'unknown'] as const)('is due at once in the state %s', async (state) => {
    expect(await nextOf({}, 0, false, state)).toBe(0);
  });

  test.each([
    ['a delivered order', { result: { status: 'filled', order: 7 } }],
    ['a purchase without an order', { result: { status: 'pending' } }],
    ['one whose account sends no events here', { attempt: { reported: false } }],
  ])('is never due for %s', async (_, operation) => {
    expect(await nextOf(operation, 0)).toBeUndefined();
  });

  test('is never due for a refused operation', async () => {
    expect(await nextOf({}, 0, false, 'refused')).toBeUndefined();
  });

  test('asks whether the account sends its events here if the operation does not know', async () => {
    expect(await nextOf({ attempt: {} }, 0, true)).toBe(30 * SECOND);
    expect(await nextOf({ attempt: {} }, 0, false)).toBeUndefined();
  });

  test.each([
    [30 * SECOND, 0],
    [30 * SECOND, 30 * SECOND - 1],
    [MINUTE, 30 * SECOND],
    [30 * MINUTE, 10 * MINUTE],
    [HOUR, HOUR],
    [HOUR, DAY],
    [undefined, DAY + 1],
  ])('is due in %s ms if the order is %d ms old', async (ms, age) => {
    expect(await nextOf({}, age)).toBe(ms);
  });

  test('is due for thirty days if the service lists the operation, also without events', async () => {
    const listed = { request: WITHDRAWAL, attempt: { reported: false } };
    expect(await nextOf(listed, 30 * DAY)).toBe(HOUR);
    expect(await nextOf(listed, 30 * DAY + 1)).toBeUndefined();
  });

  test('searches for the delivery of an order after thirty seconds', () => {
    const overdueAt = (age: number) => isOverdue(operationIn('done'), START + age);
    expect([overdueAt(30 * SECOND - 1), overdueAt(30 * SECOND)]).toEqual([false, true]);
  });
});

describe('the next search for an outcome', () => {
  test.each([
    [0, 2],
    [1, 2],
    [2, 3],
    [3, 5],
    [11, 1_800],
    [12, 3_600],
    [99, 3_600],
  ])('comes after %d searches in %d seconds', (searches, seconds) => {
    expect(searchAgainMs(searches, DAY)).toBe(seconds * SECOND);
  });

  test.each([
    [0, 2],
    [10 * SECOND, 20],
    [-10 * SECOND, 20],
    [HOUR, 3_600],
  ])('comes after at most twice the age of %d ms, but not before two seconds', (age, seconds) => {
    expect(searchAgainMs(12, age)).toBe(seconds * SECOND);
  });

  test('is known while an unknown outcome is searched for', () => {
    const search = { count: 2, at: START + MINUTE, over: false, balance: 'same' } as const;
    const nextOf = (change: OperationFields) => nextSearchAt(operationIn('unknown', { search, ...change }));
    expect(nextOf({})).toBe(START + MINUTE + 3 * SECOND);
    expect(nextOf({ search: { ...search, count: 12 } })).toBe(START + 3 * MINUTE);
    expect(nextSearchAt(operationIn('likely', { search }))).toBeUndefined();
    expect(nextOf({ search: undefined })).toBeUndefined();
    expect(nextOf({ search: { ...search, over: true } })).toBeUndefined();
  });
});
