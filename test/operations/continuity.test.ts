import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import { createContinuityWatch } from '../../src/operations/continuity.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Continuity } from '../../src/platform/storage.ts';
import { recordingLog } from '../support/log-lines.ts';
import {
  CARD,
  INVOICE,
  openOn,
  SMART_MODE,
  START,
  type setUpOperations,
  test,
  WITHDRAWAL,
} from './operations-setup.ts';
import { accepted, logged, ORDER } from './rental-stand-in.ts';

const MINUTE = 60_000;
const FIRST: Continuity = { epoch: 'memory', cause: 'new', ageMs: 0 };
const LOST: Continuity = { ...FIRST, epoch: 'second', cause: 'lost' };
const RESTARTED: Continuity = { ...FIRST, epoch: 'second', cause: 'restarted' };
const UNPROVED: Continuity = { ...FIRST, epoch: 'second', cause: 'unproved', ageMs: 10_000 };

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
    lines,
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

  test('reports an unproved loss once among all replicas within ten seconds', async () => {
    const { state, replica, report, errors } = openWatches();
    const watches = [replica(), replica()];
    for (const watch of watches) watch.start();
    await vi.advanceTimersByTimeAsync(0);
    state.present = UNPROVED;
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.advanceTimersByTimeAsync(MINUTE);
    for (const watch of watches) watch.stop();
    expect(report.mock.calls).toEqual([[UNPROVED.epoch]]);
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
    expect(report).toHaveBeenCalledTimes(2);
  });

  test("does not report yesterday's loss at a start", async () => {
    const { state, replica, report } = openWatches();
    state.present = { ...UNPROVED, ageMs: 24 * 3600_000 };
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

  test('takes no claims while Redis does not report its run, although it did at the last check', async () => {
    const { state, replica, report } = openWatches();
    const watch = replica();
    expect(await watch.obstacle()).toBeUndefined();
    state.present = { epoch: '', cause: 'unreadable', ageMs: 20_000 };
    watch.start();
    await vi.advanceTimersByTimeAsync(MINUTE);
    watch.stop();
    expect(await watch.obstacle()).toMatchObject({ by: 'storage', why: expect.stringContaining('run_id') });
    expect(report).not.toHaveBeenCalled();
  });

  test('takes claims after a restart that a process survived, which only the log shows', async () => {
    const { state, replica, report, lines } = openWatches();
    const watch = replica();
    watch.start();
    await vi.advanceTimersByTimeAsync(0);
    state.present = { ...RESTARTED, ageMs: MINUTE };
    await vi.advanceTimersByTimeAsync(MINUTE);
    watch.stop();
    expect(await watch.obstacle()).toBeUndefined();
    expect(report).not.toHaveBeenCalled();
    expect(lines()).toMatchObject([{ level: 'warn', reason: 'restarted' }]);
  });

  test('does not return the last check from before an outage', async () => {
    const { state, storage, replica } = openWatches();
    const watch = replica();
    watch.start();
    await vi.advanceTimersByTimeAsync(0);
    state.present = RESTARTED;
    expect(await watch.last()).toEqual(FIRST);
    storage.continuity.mockRejectedValueOnce(new Error('the storage is away'));
    await vi.advanceTimersByTimeAsync(2_000);
    watch.stop();
    expect(await watch.last()).toEqual(RESTARTED);
  });

  test('gives processes that kept running ten seconds before it reports an unproved restart', async () => {
    const { state, replica, report } = openWatches();
    const watch = replica();
    watch.start();
    state.present = { ...UNPROVED, ageMs: 9_999 };
    await vi.advanceTimersByTimeAsync(4_000);
    expect(report).not.toHaveBeenCalled();
    state.present = UNPROVED;
    await vi.advanceTimersByTimeAsync(2_000);
    watch.stop();
    expect(report).toHaveBeenCalledTimes(1);
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
    expect(await decisions.withCode(awaiting, setup.clock.now)).toMatchObject({ kind: 'void' });
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

  test('takes no text, but a new card can be confirmed, also one that repeats it', async ({ setup }) => {
    const drafted = await setup.draft();
    const own = restarted(setup, LOST);
    expect(await own.drafts.open(drafted)).toBeUndefined();
    expect(await own.drafts.find(drafted)).toMatchObject({ state: 'void' });
    const next = await own.drafts.draft({ ...drafted, update: 900, voided: drafted.id });
    expect(next).toMatchObject({ epoch: 'second', warnings: { voided: drafted.id } });
    expect(await own.decisions.confirm(next, CARD, openOn(next))).toMatchObject({ kind: 'claim' });
  });
});

describe('a claim from before continuity was lost', () => {
  test('becomes unknown without its process, is not sent, and is settled by evidence', async ({ setup }) => {
    const operation = await setup.claimed();
    const { reconciler } = restarted(setup, LOST);
    await setup.pass(15_000, reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', attempt: { sentAt: START } });
    expect(setup.shown()).toContain('unknown');
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START + 1_000)]));
    await setup.pass(30_000, reconciler);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
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
});
