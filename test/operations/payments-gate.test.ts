import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import {
  type ContinuityWatch,
  createContinuityWatch,
  createMaintenance,
  createPaymentsGate,
  type Maintenance,
} from '../../src/operations/payments-gate.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Continuity, Durability } from '../../src/platform/storage.ts';
import { changedFields } from '../support/changed-fields.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { countingRoundTrips } from '../support/round-trips.ts';
import {
  CARD,
  INVOICE,
  openOn,
  SMART_MODE,
  START,
  setUpOperations,
  test,
  WITHDRAWAL,
} from './operations-setup.ts';
import { accepted, logged, ORDER, orderOf } from './rental-stand-in.ts';

const NOT_DURABLE: Durability = { durable: false, why: 'appendonly is off' };
const NEVER = { find: async () => undefined };
const OFF = { by: 'storage', why: 'appendonly is off' };

function openGate(found: Durability) {
  const clock = { now: 1_000 };
  const obstacle = vi.fn<ContinuityWatch['obstacle']>(async () => undefined);
  const find = vi.fn<Maintenance['find']>(async () => undefined);
  const durability = vi.fn(async () => found);
  return {
    clock,
    durability,
    find,
    obstacle,
    paymentsGate: createPaymentsGate({
      storage: { durability },
      volatile: false,
      continuity: { obstacle },
      maintenance: { find },
      now: () => clock.now,
    }),
  };
}

test('is closed with a reason while the storage is not durable', async () => {
  const { paymentsGate } = openGate(NOT_DURABLE);
  expect(await paymentsGate.closed()).toEqual(OFF);
});

test('opens on a volatile storage only if that is allowed', async () => {
  const continuity = { obstacle: async () => undefined };
  const deps = { storage: createMemoryStorage(), continuity, maintenance: NEVER, now: Date.now };
  expect(await createPaymentsGate({ ...deps, volatile: true }).closed()).toBeUndefined();
  expect(await createPaymentsGate({ ...deps, volatile: false }).closed()).toMatchObject({
    why: expect.stringMatching(/memory/),
  });
});

test('opens within seconds after the storage has become durable', async () => {
  const { paymentsGate, durability, clock } = openGate(NOT_DURABLE);
  await paymentsGate.closed();
  durability.mockResolvedValue({ durable: true });
  clock.now += 5_000;
  expect(await paymentsGate.closed()).toBeUndefined();
});

test('checks a durable storage again after a minute', async () => {
  const { paymentsGate, durability, clock } = openGate({ durable: true });
  await paymentsGate.closed();
  clock.now += 59_999;
  await paymentsGate.closed();
  expect(durability).toHaveBeenCalledOnce();
  durability.mockResolvedValue(NOT_DURABLE);
  clock.now += 1;
  expect(await paymentsGate.closed()).toEqual(OFF);
});

test('checks the storage at once before a claim', async () => {
  const { paymentsGate, durability } = openGate({ durable: true });
  await paymentsGate.closed();
  durability.mockResolvedValue(NOT_DURABLE);
  expect(await paymentsGate.closed()).toBeUndefined();
  expect(await paymentsGate.closedNow()).toEqual(OFF);
  expect(await paymentsGate.closed()).toEqual(OFF);
});

test('takes no payments while the continuity of the data is in doubt', async () => {
  const { paymentsGate, obstacle } = openGate({ durable: true });
  const lost = { by: 'data-lost', why: 'the storage lost its data a moment ago' } as const;
  obstacle.mockResolvedValue(lost);
  for (const ask of [paymentsGate.closed, paymentsGate.closedNow]) expect(await ask()).toEqual(lost);
  obstacle.mockResolvedValue(undefined);
  expect(await paymentsGate.closed()).toBeUndefined();
});

test('rejects if the storage cannot be checked', async () => {
  const { paymentsGate, durability } = openGate({ durable: true });
  durability.mockRejectedValue(new Error('away'));
  await expect(paymentsGate.closed()).rejects.toThrow('away');
});

test('is closed during maintenance, which it checks each time, also with volatile storage', async () => {
  for (const volatile of [true, false]) {
    const { find, durability, obstacle, clock } = openGate({ durable: true });
    const paymentsGate = createPaymentsGate({
      ...{ storage: { durability }, volatile, maintenance: { find } },
      continuity: { obstacle },
      now: () => clock.now,
    });
    for (const ask of [paymentsGate.closed, paymentsGate.closedNow]) {
      expect(await ask()).toBeUndefined();
      find.mockResolvedValueOnce({ since: 1, admin: 504 });
      expect(await ask()).toMatchObject({ by: 'maintenance' });
    }
  }
});

test('rejects if the maintenance state cannot be read', async () => {
  const { paymentsGate, find } = openGate({ durable: true });
  find.mockRejectedValue(new Error('away'));
  await expect(paymentsGate.closedNow()).rejects.toThrow('away');
});

const ADMIN = 504;

function open() {
  const clock = { now: 1_000 };
  const now = () => clock.now;
  const { storage, roundTrips } = countingRoundTrips(createMemoryStorage({ now }));
  const replica = () => createMaintenance({ records: signedRecords(storage), now });
  return { clock, storage, replica, roundTrips };
}

test('every replica reads the start and the admin of a maintenance until its end', async () => {
  const { replica } = open();
  const [one, other] = [replica(), replica()];
  expect(await other.find()).toBeUndefined();
  expect(await one.turnOn(ADMIN)).toBe(true);
  expect(await other.find()).toEqual({ since: 1_000, admin: ADMIN });
  expect(await other.turnOff()).toBe(true);
  expect(await one.find()).toBeUndefined();
});

test('turning it on or off again changes nothing', async () => {
  const { replica, clock } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  clock.now += 1;
  expect(await maintenance.turnOn(ADMIN + 1)).toBe(false);
  expect(await maintenance.find()).toEqual({ since: 1_000, admin: ADMIN });
  await maintenance.turnOff();
  expect(await maintenance.turnOff()).toBe(false);
});

test('reads the state with one round trip, which starts ahead of its use', async () => {
  const { replica, roundTrips } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  const before = roundTrips();
  const read = maintenance.readAhead();
  expect(await read()).toMatchObject({ admin: ADMIN });
  expect(roundTrips() - before).toBe(1);
});

test('counts as on without a known admin if the record was tampered with', async () => {
  const { replica, storage } = open();
  const maintenance = replica();
  await maintenance.turnOn(ADMIN);
  const signed = (await storage.get('maintenance')) ?? '';
  const content = signed.slice(signed.indexOf('{'));
  const changes = changedFields(content).map(([, json]) => signed.replace(content, json));
  expect(changes).toHaveLength(2);
  for (const text of [...changes, 'off', '', content]) {
    await storage.set('maintenance', text);
    expect(await replica().find(), text).toEqual({});
  }
  await storage.set('other', signed);
  expect(await maintenance.turnOff()).toBe(true);
  expect(await maintenance.find()).toBeUndefined();
});

const MINUTE = 60_000;
const FIRST: Continuity = { epoch: 'memory', run: 'memory', isProved: true, cause: 'new', ageMs: 0 };
const LOST: Continuity = { ...FIRST, epoch: 'second', cause: 'lost' };
const UNPROVED: Continuity = { ...FIRST, epoch: 'second', run: 'restarted', cause: 'unproved' };

/** Time of the storage's clock, in epoch milliseconds. */
const NOW = 1_000_000;

/** Opens replicas of the watch on a storage whose continuity the test sets. */
function openWatches() {
  const state = { present: FIRST };
  const { add, delete: remove } = createMemoryStorage();
  const storage = { add, delete: remove, now: () => NOW, continuity: vi.fn(async () => state.present) };
  const report = vi.fn(async () => {});
  const { log, lines } = recordingLog();
  return {
    state,
    storage,
    report,
    errors: () => lines().filter(({ level }) => level === 'error'),
    replica: () => createContinuityWatch({ storage, report, log }),
  };
}

describe('continuity watch', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('returns since when the data is continuous, and 0 if the storage was empty', async () => {
    const { replica, state } = openWatches();
    expect(await replica().since()).toBe(0);
    state.present = { ...FIRST, epoch: 'later', cause: 'unproved', ageMs: 4_000 };
    expect(await replica().since()).toBe(NOW - 4_000);
  });

  test('reports nothing if the storage was empty at the first start', async () => {
    const { replica, report } = openWatches();
    const watch = replica();
    watch.start();
    await vi.advanceTimersByTimeAsync(MINUTE);
    watch.stop();
    expect(report).not.toHaveBeenCalled();
    expect(await watch.obstacle()).toBeUndefined();
  });

  test('reports a loss with its cause once among all replicas within ten seconds', async () => {
    const { state, replica, report, errors } = openWatches();
    const watches = [replica(), replica()];
    for (const watch of watches) watch.start();
    await vi.advanceTimersByTimeAsync(0);
    state.present = LOST;
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.advanceTimersByTimeAsync(MINUTE);
    for (const watch of watches) watch.stop();
    expect(report.mock.calls).toEqual([['lost']]);
    expect(errors()).toHaveLength(1);
  });

  test('retries a failed report', async () => {
    const { state, replica, report } = openWatches();
    state.present = UNPROVED;
    report.mockRejectedValueOnce(new Error('the storage is away'));
    const watch = replica();
    watch.start();
    await vi.advanceTimersByTimeAsync(10_000);
    watch.stop();
    expect(report.mock.calls).toEqual([['unproved'], ['unproved']]);
  });

  test("does not report yesterday's loss at a start", async () => {
    const { state, replica, report } = openWatches();
    state.present = { ...LOST, ageMs: 24 * 3600_000 };
    const watch = replica();
    watch.start();
    await vi.advanceTimersByTimeAsync(10_000);
    watch.stop();
    expect(report).not.toHaveBeenCalled();
  });

  test('takes no claims for five minutes after data was lost', async () => {
    const { state, replica } = openWatches();
    state.present = { ...LOST, ageMs: 5 * MINUTE - 1 };
    expect(await replica().obstacle()).toMatchObject({ by: 'data-lost' });
    state.present = { ...LOST, ageMs: 5 * MINUTE };
    expect(await replica().obstacle()).toBeUndefined();
  });

  test('takes no claims as soon as continuity is in doubt, although the last check proved it', async () => {
    const { state, replica } = openWatches();
    const watch = replica();
    expect(await watch.check()).toMatchObject({ isProved: true });
    state.present = { ...FIRST, isProved: false };
    expect(await watch.obstacle()).toMatchObject({ by: 'storage' });
  });

  test('takes no claims while continuity is in doubt, and delays the start until it is proved', async () => {
    const { state, replica } = openWatches();
    state.present = { ...FIRST, isProved: false };
    const watch = replica();
    expect(await watch.obstacle()).toMatchObject({ by: 'storage' });
    let isEstablished = false;
    const established = watch.establish().then(() => {
      isEstablished = true;
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isEstablished).toBe(false);
    state.present = UNPROVED;
    await vi.advanceTimersByTimeAsync(500);
    await established;
    expect(await watch.obstacle()).toBeUndefined();
  });
});

/** Opens a process that starts after continuity was lost, on the same storage. */
function restarted(setup: ReturnType<typeof setUpOperations>, present: Continuity) {
  const continuity = createContinuityWatch({
    storage: { ...setup.storage, continuity: async () => present },
    report: async () => {},
    log: recordingLog().log,
  });
  return setup.replica(undefined, undefined, { continuity });
}

describe('a card from before continuity was lost', () => {
  test('is void: neither Confirm nor a code claims it', async ({ setup }) => {
    const drafted = await setup.draft();
    const awaiting = await setup.draft({ request: WITHDRAWAL, balance: '1000.00' });
    await setup.confirm(awaiting);
    const { decisions } = restarted(setup, LOST);
    expect(await decisions.confirm(drafted, CARD, openOn(drafted))).toMatchObject({
      kind: 'void',
      operation: { state: 'void' },
    });
    expect(await decisions.withCode(awaiting)).toMatchObject({ kind: 'void' });
    expect(await setup.read(drafted)).toMatchObject({ state: 'draft' });
  });

  test('is shown as void, because other states would imply that nothing was charged', async ({ setup }) => {
    const drafted = await setup.draft();
    const awaiting = await setup.draft({ request: WITHDRAWAL, balance: '1000.00' });
    await setup.confirm(awaiting);
    const { decisions, drafts, reconciler } = restarted(setup, LOST);
    expect(await decisions.cancel(drafted, CARD, openOn(drafted))).toMatchObject({ kind: 'void' });
    expect(await decisions.cancel(awaiting, CARD, undefined)).toMatchObject({ kind: 'void' });
    setup.clock.now += 10 * MINUTE;
    expect(await decisions.confirm(drafted, CARD, openOn(drafted))).toMatchObject({ kind: 'void' });
    const left = await setup.draft();
    expect(await drafts.supersede(await setup.stored(drafted))).toMatchObject({ state: 'void' });
    expect(await drafts.cancelAbandoned(left)).toMatchObject({ state: 'void' });
    await reconciler.advance(awaiting);
    expect(await setup.read(awaiting)).toMatchObject({ state: 'void' });
  });

  test('is not offered again, but a new card can be confirmed', async ({ setup }) => {
    const drafted = await setup.draft();
    const own = restarted(setup, LOST);
    expect(await own.drafts.open(drafted)).toBeUndefined();
    const next = await own.drafts.draft({ ...drafted, update: 900 });
    expect(next).toMatchObject({ epoch: 'second' });
    expect(await own.decisions.confirm(next, CARD, openOn(next))).toMatchObject({ kind: 'claim' });
  });
});

describe('a claim from before continuity was lost', () => {
  test.each([
    ['in another epoch', LOST],
    ['in another run of the storage', { ...FIRST, run: 'restarted' }],
  ])('%s: becomes unknown, is not sent, and is settled by evidence', async (_, present) => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    const { reconciler } = restarted(setup, present);
    await setup.pass(15_000, reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', sentAt: START });
    expect(setup.shown()).toContain('unknown');
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START + 1_000)]));
    await setup.pass(30_000, reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  });

  test('waits while continuity is in doubt', async ({ setup }) => {
    const operation = await setup.claimed();
    await setup.pass(30_000, restarted(setup, { ...FIRST, isProved: false }).reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'claimed' });
  });

  test('counts as not made if it is for an invoice', async ({ setup }) => {
    const operation = await setup.claimed({ request: INVOICE });
    await setup.pass(15_000, restarted(setup, LOST).reconciler);
    expect(await setup.refusal(operation)).toBe('not-made');
  });

  test('is not proved by a subscription that may have existed before', async ({ setup }) => {
    const operation = await setup.claimed({ request: SMART_MODE });
    const { address } = SMART_MODE;
    setup.rental.subscriptions.mockResolvedValue(
      accepted([{ id: 5, address, label: 'Shop', status: 'active', bw_guarantee: true }] as never),
    );
    await setup.pass(MINUTE, restarted(setup, LOST).reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('is still sent by the process that committed it', async ({ setup }) => {
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf());
    await setup.executeClaim(operation, restarted(setup, LOST));
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
    expect(await setup.read(operation)).toMatchObject({ state: 'done' });
  });
});
