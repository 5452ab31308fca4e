import { expect } from 'vitest';
import { type Operation, revised, withResult } from '../../src/operations/operation.ts';
import type { Operations } from '../../src/operations/operations.ts';
import type { Show, Shown } from '../../src/operations/receipt.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { eventually } from '../support/eventually.ts';
import { createSignal } from '../support/signal.ts';
import {
  CARD,
  CLAIM_AND_OUTCOME,
  FILLED,
  type OperationsSetup,
  resultOf,
  SHOWN,
  setUpOperations,
  test,
  USER,
} from './operations-setup.ts';
import { ACCOUNT, accepted, logged, ORDER } from './rental-stand-in.ts';

test('notifies once and leaves the due index if no work is pending', async ({ setup }) => {
  const operation = await setup.claimed();
  expect(await scheduled(setup)).toHaveLength(1);
  await setup.advance(operation);
  expect(await scheduled(setup)).toEqual([]);
  for (let again = 0; again < 5; again++) await setup.advance(operation);
  await setup.pass(60_000);
  expect(setup.shown()).toEqual(CLAIM_AND_OUTCOME);
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
  expect(await setup.isNotified(operation)).toBe(true);
});

test.for(['claimed', 'orphaned'] as const)(
  'shows the outcome of an operation that a lost process left %s once more, after its last edit',
  async (left, { setup }) => {
    await setup[left]();
    const other = setup.replica();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, setup.clock.now)]));
    await setup.pass(30_000, other.reconciler);
    const outcome = left === 'claimed' ? 'refused' : 'done';
    expect(setup.shown().at(-1)).toBe(outcome);
    setup.show.mockClear();
    await setup.pass(40_000, other.reconciler);
    expect(setup.show).not.toHaveBeenCalled();
    await setup.pass(120_000, other.reconciler);
    expect(setup.shown()).toEqual([outcome]);
    expect(setup.show.mock.calls[0]?.[0].receipt.late).toBe(false);
    expect(await scheduled(setup)).toEqual([]);
  },
);

test('shows an outcome once more that a process stored before it was lost', async ({ setup }) => {
  const operation = await setup.claimed();
  const lost = setup.replica(setup.storage, async ({ state }) =>
    state === 'claimed' || state === 'sent' ? SHOWN : new Promise(() => undefined),
  );
  void setup.executeClaim(operation, lost);
  await eventually(async () => expect((await setup.read(operation)).state).toBe('done'));
  const other = setup.replica();
  await setup.pass(30_000, other.reconciler);
  expect(setup.shown()).toEqual(['done']);
  // Telegram applies the last edit of the lost process now.
  setup.show.mockClear();
  await setup.pass(120_000, other.reconciler);
  expect(setup.shown()).toEqual(['done']);
  expect(await scheduled(setup)).toEqual([]);
});

test.for([false, true])(
  'retries a notification after the delay that Telegram demanded, with a pending delivery: %s',
  async (isPending, { setup }) => {
    setup.reported.mockResolvedValue(isPending);
    const operation = await setup.claimed();
    setup.show.mockResolvedValue({ kind: 'later', afterMs: 60_000 });
    await setup.advance(operation);
    setup.show.mockClear();
    setup.show.mockResolvedValue(SHOWN);
    await setup.pass(57_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', receipt: { notified: 0 } });
    expect(setup.show).not.toHaveBeenCalled();
    await setup.pass(15_000);
    expect(setup.shown()).toEqual(['done']);
  },
);

test('shows a claim only by an edit and sends its outcome as a new message', async ({ setup }) => {
  const told: string[] = [];
  const show: Show = async ({ state, receipt }, may) => {
    told.push(`${may} ${state}`);
    return may === 'edit' && receipt.card === CARD ? { kind: 'unplaced' } : { kind: 'shown', card: 77 };
  };
  const process = setup.replica(setup.storage, show);
  await setup.executeClaim(await setup.claimed(), process);
  await setup.pass(15_000, process.reconciler);
  expect(told[0]).toBe('edit claimed');
  expect(told.filter((how) => how.startsWith('send'))).toEqual(['send done']);
});

test('shows an outcome again if a slow edit to *in progress* may have overwritten it', async ({ setup }) => {
  const { raised, raise } = createSignal();
  const told: [string, number | undefined][] = [];
  const process = setup.replica(setup.storage, async ({ state, receipt }) => {
    if (state === 'claimed') await raised;
    told.push([state, receipt.card]);
    return SHOWN;
  });
  const operation = await setup.claimed();
  const executed = setup.executeClaim(operation, process);
  await eventually(async () => expect((await setup.read(operation)).state).toBe('done'));
  await setup.pass(6_000);
  expect(setup.shown()).toEqual(['done']);
  expect(await setup.isNotified(operation)).toBe(true);
  raise();
  await executed;
  expect(told).toEqual([
    ['claimed', CARD],
    ['done', CARD],
  ]);
  expect(await setup.isNotified(operation)).toBe(true);
});

/** Returns the order's statuses that the user was shown, in order. */
const statusesOf = ({ show }: OperationsSetup) =>
  show.mock.calls.map(([operation]) => resultOf(operation)?.status);

const scheduled = ({ storage }: OperationsSetup) =>
  storage.index.upTo('operations:due', Number.MAX_VALUE, 10);

test('schedules an operation with a pending delivery for when that is overdue', async ({ setup }) => {
  setup.reported.mockResolvedValue(true);
  const { user, id } = await setup.claimed();
  await setup.advance({ user, id });
  expect(await scheduled(setup)).toEqual([`${user}/${id}`]);
  setup.clock.now += 29_000;
  expect(await setup.storage.index.due('operations:due', 10, Number.MAX_SAFE_INTEGER)).toEqual([]);
  setup.clock.now += 2_000;
  expect(await setup.storage.index.due('operations:due', 10, Number.MAX_SAFE_INTEGER)).toHaveLength(1);
});

/** Calls `happen` while the outcome of the next purchase is shown for the first time. */
function whileOutcomeIsShown({ show }: OperationsSetup, happen: () => Promise<void>): void {
  let isFirst = true;
  show.mockImplementation(async (operation) => {
    if (resultOf(operation)?.status !== 'pending' || !isFirst) return SHOWN;
    isFirst = false;
    await happen();
    return SHOWN;
  });
}

test('shows a status that another replica failed to show while the outcome was shown', async ({ setup }) => {
  const operation = await setup.claimed();
  const other = setup.replica();
  whileOutcomeIsShown(setup, () => {
    setup.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
    return other.settlement.report(ACCOUNT, FILLED);
  });
  await setup.advance(operation);
  // The other replica fails to show it. Then the first replica shows it before it records its notification.
  expect(statusesOf(setup)).toEqual([undefined, 'pending', 'filled', 'filled']);
  expect(await setup.isNotified(operation)).toBe(true);
});

test('shows a newer status again after the outcome has overwritten it', async ({ setup }) => {
  const other = setup.replica();
  whileOutcomeIsShown(setup, () => other.settlement.report(ACCOUNT, FILLED));
  const operation = await setup.executed();
  expect(statusesOf(setup).slice(-2)).toEqual(['filled', 'filled']);
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'filled' } });
  expect(await setup.isNotified(operation)).toBe(true);
});

test('does not retry if the user cannot be notified', async ({ setup }) => {
  const operation = await setup.claimed();
  setup.show.mockResolvedValue({ kind: 'impossible' });
  await setup.advance(operation);
  setup.show.mockClear();
  await setup.pass(60_000);
  expect(setup.show).not.toHaveBeenCalled();
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
});

test('notifies of a change that happens during a notification', async ({ setup }) => {
  const operation = await setup.executed();
  const { settlement } = setup.operations;
  let filled: Promise<void> | undefined;
  setup.show.mockImplementationOnce(async () => {
    // The report waits for the current notification, which doesn't wait for the report.
    filled = settlement.report(ACCOUNT, FILLED);
    await eventually(async () =>
      expect(await setup.read(operation)).toMatchObject({ result: { status: 'filled' } }),
    );
    return SHOWN;
  });
  await settlement.report(ACCOUNT, { ...FILLED, amount: 32_500 });
  await filled;
  await setup.pass(15_000);
  const statuses = statusesOf(setup);
  expect(statuses.slice(0, 4)).toEqual([undefined, 'pending', 'pending', 'filled']);
  expect(statuses.at(-1)).toBe('filled');
  expect(await setup.isNotified(operation)).toBe(true);
});

test.for<Shown>([SHOWN, { kind: 'later', afterMs: 1_000 }])(
  'shows a newer status once an older notification has ended ($kind)',
  async (result, { setup }) => {
    const operation = await setup.lost();
    setup.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, followUp: 90 });
    const { settlement } = setup.operations;
    const value = { order: ORDER, status: 'pending' };
    await settlement.settle(await setup.stored(operation), { kind: 'accepted', value });
    await setup.advance(operation);
    const other = setup.replica();
    setup.show.mockClear();
    setup.show.mockImplementationOnce(async () => {
      await other.settlement.report(ACCOUNT, FILLED);
      return result;
    });
    await settlement.report(ACCOUNT, { ...FILLED, amount: 32_500 });
    await setup.pass(5_000);
    expect(statusesOf(setup)).toEqual(['pending', 'filled']);
    expect(await setup.isNotified(operation)).toBe(true);
  },
);

test('retries the notification of the end of a search if Telegram delays it', async ({ setup }) => {
  await setup.lost();
  setup.show.mockClear();
  setup.clock.now += 24 * 3600_000 + 1;
  setup.show.mockResolvedValueOnce({ kind: 'later', afterMs: 5_000 });
  await setup.pass(20_000);
  const told = setup.show.mock.calls.slice(0, 2).map(([shown]) => shown);
  expect(told).toMatchObject(Array(2).fill({ receipt: { late: true }, search: { over: true } }));
});

test('leaves the notification to the reconciler if the process dies before it', async ({ setup }) => {
  const operation = await setup.claimed();
  setup.show.mockRejectedValue(new Error('the process ends'));
  await setup.advance(operation).catch(() => undefined);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', receipt: { notified: 0 } });
  setup.show.mockReset();
  setup.show.mockResolvedValue(SHOWN);
  await setup.pass(12_000);
  expect(setup.shown()).toEqual(['done']);
});

test('keeps a newer follow-up marked as late until it is shown itself', async ({ setup }) => {
  const operation = await setup.lost();
  setup.show.mockClear();
  setup.show.mockImplementationOnce(async () => {
    await setup.store.change(operation, (present) =>
      present.state === 'done' ? withResult(present, { ...present.result, status: 'failed' }) : undefined,
    );
    return { ...SHOWN, followUp: 90 };
  });
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  const told = setup.show.mock.calls.map(([operation]) => operation);
  expect(told).toMatchObject([
    { receipt: { late: true }, result: { status: 'filled' } },
    { receipt: { late: true }, result: { status: 'failed' } },
  ]);
  expect(await setup.read(operation)).toMatchObject({ receipt: { late: false } });
});

test('keeps a follow-up marked as late until it was shown, and then its message ID', async ({ setup }) => {
  const { report } = setup.operations.settlement;
  const operation = await setup.lost();
  setup.show.mockResolvedValueOnce({ kind: 'later', afterMs: 1_000 });
  await report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ receipt: { late: true } });
  setup.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, followUp: 90 });
  await setup.pass(20_000);
  expect(setup.show).toHaveBeenLastCalledWith(
    expect.objectContaining({ state: 'done', receipt: expect.objectContaining({ late: true }) }),
  );
  expect(await setup.read(operation)).toMatchObject({ receipt: { card: CARD, followUp: 90, late: false } });
  await setup.store.change(operation, (present) => ({
    ...present,
    receipt: revised(present, { late: true }),
  }));
  await setup.advance(operation);
  expect(setup.show).toHaveBeenLastCalledWith(
    expect.objectContaining({ receipt: expect.objectContaining({ followUp: 90 }) }),
  );
  expect(await setup.read(operation)).toMatchObject({ receipt: { card: CARD, followUp: 90 } });
});

test('marks a delivery as late only if it is reported after the outcome was shown', async ({ setup }) => {
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, amount: 32_500 });
  await setup.executed();
  expect(setup.show.mock.calls.some(([{ receipt }]) => receipt.late)).toBe(false);
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(setup.show).toHaveBeenLastCalledWith(
    expect.objectContaining({
      receipt: expect.objectContaining({ late: true }),
      result: expect.objectContaining({ status: 'filled' }),
    }),
  );
});

test('sends a follow-up once when two replicas notify at once', async ({ setup }) => {
  const operation = await setup.lost();
  const other = setup.replica();
  const answered = createSignal();
  setup.show.mockClear();
  setup.show.mockImplementationOnce(async () => {
    await answered.raised;
    return { kind: 'shown', card: CARD, followUp: 90 };
  });
  const first = setup.operations.settlement.report(ACCOUNT, FILLED);
  await eventually(() => expect(setup.show).toHaveBeenCalledTimes(1));
  await other.reconciler.advance(operation);
  expect(setup.show).toHaveBeenCalledTimes(1);
  answered.raise();
  await first;
  await setup.pass(15_000);
  expect(setup.show).toHaveBeenCalledTimes(1);
  expect(await setup.read(operation)).toMatchObject({ receipt: { followUp: 90, late: false } });
});

test('replaces a deleted receipt once if several replicas show it at once', async ({ setup }) => {
  let card = CARD + 10;
  const sent: number[] = [];
  const show: Show = async (operation, may) => {
    if (operation.receipt.card !== CARD) return { kind: 'shown', card: operation.receipt.card };
    if (may === 'edit') return { kind: 'unplaced' };
    sent.push(++card);
    await new Promise((resolve) => setImmediate(resolve));
    return { kind: 'shown', card };
  };
  const operation = await setup.executed();
  await setup.store.change(operation, (present) => ({ ...present, receipt: revised(present) }));
  const replicas = Array.from({ length: 5 }, () => setup.replica(setup.storage, show));
  await Promise.all(replicas.map(({ reconciler }) => reconciler.advance(operation)));
  await setup.pass(15_000, setup.replica(setup.storage, show).reconciler);
  expect(sent).toHaveLength(1);
  expect(await setup.read(operation)).toMatchObject({ receipt: { card } });
  expect(await setup.isNotified(operation)).toBe(true);
});

test.each(['filled', 'failed'] as const)(
  'sends a follow-up for a %s order, also while the outcome is shown, and keeps the balance',
  async (status) => {
    for (const elsewhere of [true, false]) {
      const setup = setUpOperations();
      const operation = await setup.claimed();
      const report = async () => {
        const { settlement } = elsewhere ? setup.replica() : setup.operations;
        const reported = settlement.report(ACCOUNT, { ...FILLED, status });
        // In the same process, the report waits for its turn. Another replica shows it at once.
        if (elsewhere) await reported;
      };
      whileOutcomeIsShown(setup, report);
      await setup.advance(operation);
      await setup.pass(1_000);
      // Also scheduled, although the attempt has just left the reconciler's schedule.
      const refund = status === 'failed' ? { refund: { checks: 1 } } : {};
      expect(await setup.read(operation)).toMatchObject({ result: refund });
      const lates = setup.show.mock.calls.filter(
        ([shown]) => shown.receipt.late && resultOf(shown)?.status === status,
      );
      expect(lates.length).toBeGreaterThan(0);
      expect(await setup.read(operation)).toMatchObject({ result: { status, balanceLeft: '997.68' } });
      expect(await setup.isNotified(operation)).toBe(true);
      setup.show.mockClear();
      await setup.pass(60_000);
      expect(setup.show).not.toHaveBeenCalled();
    }
  },
);

const NEWS = 88;

/** Opens a purchase whose order was filled after its outcome was shown. No follow-up has been sent yet. */
async function openFilled() {
  const setup = setUpOperations();
  const operation = await setup.executed();
  setup.show.mockResolvedValue({ kind: 'later', afterMs: 1_000 });
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  return { ...setup, operation };
}

/** Returns a `Show` that records edits and sends, and calls `send` for each reply. */
function showing(send: () => Promise<Awaited<ReturnType<Show>>>) {
  const sent: string[] = [];
  const edited: string[] = [];
  const show: Show = async (operation, may) => {
    const status = String(resultOf(operation)?.status);
    if (may === 'edit' && operation.receipt.followUp === undefined) {
      edited.push(status);
      return { kind: 'unplaced' };
    }
    sent.push(status);
    return send();
  };
  return { show, sent, edited };
}

test('shows nothing if another replica has sent the follow-up right before', async () => {
  const setup = await openFilled();
  const reply = async () => ({ kind: 'shown', card: CARD, followUp: NEWS }) as const;
  const [own, other] = [showing(reply), showing(reply)];
  let isFirst = true;
  const add: Storage['add'] = async (key, ...rest) => {
    if (isFirst && key.startsWith('sending-receipt:')) {
      isFirst = false;
      await setup.replica(setup.storage, other.show).reconciler.advance(setup.operation);
    }
    return setup.storage.add(key, ...rest);
  };
  await setup.replica({ ...setup.storage, add }, own.show).reconciler.advance(setup.operation);
  expect([isFirst, other.sent, own.sent]).toEqual([false, ['filled'], []]);
});

test('sends a follow-up at most twice if processes die, then edits only the receipt until the user returns', async () => {
  const setup = await openFilled();
  const { show, sent, edited } = showing(() => new Promise(() => undefined));
  for (const times of [1, 2]) {
    void setup.replica(setup.storage, show).reconciler.advance(setup.operation);
    await eventually(() => expect(sent).toHaveLength(times));
    // Longer than the lease of a dead process.
    setup.clock.now += 20_000;
  }
  await setup.replica(setup.storage, show).reconciler.advance(setup.operation);
  expect(sent).toEqual(['filled', 'filled']);
  expect(edited.at(-1)).toBe('filled');
  expect(await setup.isNotified(setup.operation)).toBe(true);
  const returning = showing(async () => ({ kind: 'shown', card: CARD, followUp: NEWS }));
  await comesBack(setup.replica(setup.storage, returning.show), USER);
  expect(returning.sent).toEqual(['filled']);
});

test.each([
  ['retries a follow-up until Telegram accepts it', false, 6],
  ["sends a follow-up at most twice if Telegram's result is unclear", true, 2],
])('%s', async (_, isUnclear, times) => {
  const setup = await openFilled();
  const { show, sent } = showing(async () =>
    sent.length < 6
      ? { kind: 'later', afterMs: 1_000, ...(isUnclear && { isUnclear: true }) }
      : { kind: 'shown', card: CARD, followUp: NEWS },
  );
  await setup.pass(60_000, setup.replica(setup.storage, show).reconciler);
  expect(sent).toHaveLength(times);
  expect(await setup.isNotified(setup.operation)).toBe(true);
  if (!isUnclear)
    expect(await setup.read(setup.operation)).toMatchObject({ receipt: { followUp: NEWS, late: false } });
});

const BLOCKED: Shown = { kind: 'impossible' };

/** Opens a purchase whose outcome was not delivered because its user had blocked the bot. */
async function openMissed() {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  setup.show.mockResolvedValue(BLOCKED);
  await setup.advance(operation);
  setup.show.mockReset();
  setup.show.mockResolvedValue(SHOWN);
  return { ...setup, operation };
}

/** Delivers missed notifications, as when a user returns after blocking the bot. */
const comesBack = async ({ undelivered, notifyUndelivered }: Operations, user: number) =>
  notifyUndelivered(await undelivered(user));

test('delivers a missed outcome once, as a follow-up, when the user returns for good', async () => {
  const { operations, show, operation, store, pass } = await openMissed();
  await store.change(operation, (present) => ({ ...present, receipt: revised(present) }));
  show.mockResolvedValueOnce(BLOCKED);
  await comesBack(operations, USER);
  show.mockClear();
  await comesBack(operations, USER);
  expect(show.mock.calls).toEqual([
    [expect.objectContaining({ state: 'done', receipt: expect.objectContaining({ late: true }) })],
  ]);
  await comesBack(operations, USER);
  await comesBack(operations, USER + 1);
  await pass(60_000);
  expect(show.mock.calls.filter(([{ id }]) => id === operation.id)).toHaveLength(1);
});

test.each<[string, () => Promise<Shown>]>([
  ['Telegram delays it', async () => ({ kind: 'later', afterMs: 1_000 })],
  ['the process dies', () => Promise.reject(new Error('the process ends'))],
])('leaves the delivery to the reconciler if %s', async (_, showOnce) => {
  const { operations, show, pass } = await openMissed();
  show.mockImplementationOnce(showOnce);
  await comesBack(operations, USER).catch(() => undefined);
  show.mockClear();
  await pass(15_000);
  expect(show.mock.calls).toEqual([
    [expect.objectContaining({ state: 'done', receipt: expect.objectContaining({ late: true }) })],
  ]);
});

test('sends a new reply instead of editing one that precedes the missed outcome', async ({ setup }) => {
  await setup.executed();
  setup.show.mockResolvedValueOnce({ kind: 'shown', card: CARD, followUp: 90 });
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  setup.show.mockResolvedValueOnce(BLOCKED);
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  await comesBack(setup.operations, USER);
  const [last] = setup.show.mock.calls.at(-1) ?? [];
  expect(last).toMatchObject({ receipt: { late: true }, result: { status: 'filled' } });
  expect(last?.receipt.followUp).toBeUndefined();
});

test('delivers the outcomes of only the latest five operations', async ({ setup }) => {
  setup.show.mockResolvedValue(BLOCKED);
  for (let bought = 1; bought <= 7; bought++) await setup.executed();
  setup.show.mockReset();
  setup.show.mockResolvedValue(SHOWN);
  await comesBack(setup.operations, USER);
  expect(setup.shown()).toEqual(Array(5).fill('done'));
});

test('delivers nothing at the return if the outcome was shown before', async ({ setup }) => {
  const operation = await setup.claimed();
  setup.show.mockResolvedValueOnce(BLOCKED);
  await setup.advance(operation);
  expect(setup.shown()).toContain('done');
  setup.show.mockClear();
  await comesBack(setup.operations, USER);
  expect(setup.show).not.toHaveBeenCalled();
});

test('ignores an unreadable list of missed operations', async ({ setup }) => {
  await setup.storage.set(`undelivered:{${USER}}`, 'garbage');
  await comesBack(setup.operations, USER);
  expect(setup.show).not.toHaveBeenCalled();
});

test('replaces the reply about an outcome in doubt by one about the delivery', async ({ setup }) => {
  const operation = await setup.lost();
  const shown: Operation['receipt'][] = [];
  setup.show.mockImplementation(async ({ receipt }) => {
    shown.push(receipt);
    return { kind: 'shown', card: CARD, ...(receipt.late && { followUp: 90 + shown.length }) };
  });
  const { settlement } = setup.operations;
  await settlement.conclude(await setup.stored(operation), { kind: 'likely' }, false);
  await setup.advance(operation);
  const { followUp } = (await setup.read(operation)).receipt;
  await settlement.report(ACCOUNT, FILLED);
  expect(shown.at(-1)).toMatchObject({ late: true, outdated: followUp });
  expect(shown.at(-1)?.followUp).toBeUndefined();
  expect((await setup.read(operation)).receipt.followUp).toBeGreaterThan(followUp ?? 0);
});
