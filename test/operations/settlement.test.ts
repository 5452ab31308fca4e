import { describe, expect, onTestFinished, vi } from 'vitest';
import { decisionOf, type ManualResolution, type Operation } from '../../src/operations/operation.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { killedAfter } from '../support/killed.ts';
import { createSignal } from '../support/signal.ts';
import { storedKeys } from '../support/stored-keys.ts';
import {
  CLAIM_AND_OUTCOME,
  ENERGY,
  FILLED,
  failing,
  START,
  setUpOperations,
  test,
  USER,
  WITHDRAW_CAP,
  WITHDRAWAL,
} from './operations-setup.ts';
import {
  ACCOUNT,
  ADDRESS,
  accepted,
  CUT,
  changingCalls,
  HASH,
  ORDER,
  orderOf,
  profileOf,
  rejected,
} from './rental-stand-in.ts';

test('a report updates the operation of its order once, by number and account only', async ({ setup }) => {
  const { report } = setup.operations.settlement;
  const operation = await setup.executed();
  await report(ACCOUNT + 1, FILLED);
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
  await report(ACCOUNT, FILLED);
  await report(ACCOUNT, FILLED);
  expect(setup.shown()).toEqual([...CLAIM_AND_OUTCOME, 'done']);
  expect(await setup.read(operation)).toMatchObject({
    ...{ settledBy: 'reply', receipt: { late: false } },
    result: { order: ORDER, status: 'filled', price: '2.32', deliveredAt: START },
  });
  // The operation has the report, so it isn't stored separately.
  expect(await storedKeys(setup.storage, `order-report:${ACCOUNT}:`)).toEqual([]);
});

describe('closing', () => {
  test("ends the search for an unknown outcome, only for the operation's user, and notifies them", async ({
    setup,
  }) => {
    const { close } = setup.operations.settlement;
    const operation = await setup.lost();
    await close({ user: USER + 1, id: operation.id });
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    await close(operation);
    expect(setup.shown().at(-1)).toBe('closed');
    setup.rental.webhookLogs.mockClear();
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'closed', settledAt: START });
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test.for(['unknown', 'likely'] as const)(
    'lets a later report settle an outcome that was %s, with a message',
    async (state, { setup }) => {
      const { close, report } = setup.operations.settlement;
      const operation = await setup.lost();
      if (state === 'likely') setup.rental.profile.mockResolvedValue(profileOf('997.68'));
      await setup.pass(10_000);
      expect(await setup.read(operation)).toMatchObject({ state });
      await close(operation);
      await setup.pass(60_000);
      setup.show.mockClear();
      await report(ACCOUNT, { ...FILLED, at: setup.clock.now });
      expect(await setup.read(operation)).toMatchObject({
        state: 'done',
        result: { order: ORDER, status: 'filled' },
      });
      expect(setup.show.mock.calls).toMatchObject([[{ receipt: { late: true } }]]);
    },
  );

  test('leaves a report to an equal operation that is still unknown', async ({ setup }) => {
    const closed = await setup.lost();
    await setup.operations.settlement.close(closed);
    setup.clock.now += 1_000;
    const open = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    expect(await setup.read(open)).toMatchObject({ state: 'done' });
    expect(await setup.read(closed)).toMatchObject({ state: 'closed' });
  });

  test('ends a likely outcome', async ({ setup }) => {
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    await setup.operations.settlement.close(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'closed' });
  });

  test('does not change a draft, a claimed or a done operation', async ({ setup }) => {
    const { close } = setup.operations.settlement;
    const operation = await setup.draft();
    for (const state of ['draft', 'claimed', 'done']) {
      if (state === 'claimed') await setup.confirm(operation);
      if (state === 'done') await setup.advance(operation);
      await close(operation);
      expect(await setup.read(operation)).toMatchObject({ state });
    }
  });
});

describe('a late response', () => {
  const ANSWER = { kind: 'accepted', value: { order: ORDER, status: 'pending', price: '2.32' } } as const;

  test.for(['unknown', 'likely', 'closed'] as const)(
    'settles an operation in state %s and sends a follow-up',
    async (state, { setup }) => {
      const operation = await setup.orphaned();
      await setup.pass(15_000);
      await setup.store.change(
        operation,
        (present) => ({ ...present, state, settledAt: START }) as Operation,
      );
      expect(await setup.read(operation)).toMatchObject({ state });
      await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
      expect(await setup.read(operation)).toMatchObject({
        state: 'done',
        receipt: { late: true },
        result: ANSWER.value,
      });
    },
  );

  test('reopens an operation that evidence settles while its order is taken', async ({ setup }) => {
    const other = await setup.lost();
    setup.clock.now += 1_000;
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    const [bound, freed] = [createSignal(), createSignal()];
    const { replace } = setup.storage;
    const slow = setup.replica({
      ...setup.storage,
      async replace(key, ...rest) {
        if (key === `operation:{${other.user}}:${other.id}`) {
          bound.raise();
          await freed.raised;
        }
        return replace(key, ...rest);
      },
    });
    const reporting = slow.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    await bound.raised;
    const answered = setup.replica({
      ...setup.storage,
      async replace(key, ...rest) {
        if (key.startsWith('order:')) {
          freed.raise();
          await reporting;
          expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER } });
        }
        return replace(key, ...rest);
      },
    });
    await answered.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
  });

  test('reopens another operation that gets the order while it is taken', async ({ setup }) => {
    const first = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    const second = await setup.lost();
    const operation = await setup.orphaned({ request: { ...ENERGY, energy_amount: 131_000 } });
    await setup.pass(15_000);
    const { replace } = setup.storage;
    let isRebound = false;
    const own = setup.replica({
      ...setup.storage,
      async replace(key, ...rest) {
        if (key.endsWith(first.id) && !isRebound) {
          isRebound = true;
          await setup.storage.delete(`order:${ACCOUNT}:energy:${ORDER}`);
          await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
          expect(await setup.read(second)).toMatchObject({ state: 'done', result: { order: ORDER } });
        }
        return replace(key, ...rest);
      },
    });
    await own.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    for (const other of [first, second]) expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
  });

  test('is applied once', async ({ setup }) => {
    const operation = await setup.executed();
    const before = await setup.read(operation);
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toEqual(before);
  });
});

test("stores a reported event before it reads the order's owner", async ({ setup }) => {
  const calls: string[] = [];
  const storage = failing(setup.storage, ({ method, key }) => {
    calls.push(`${method} ${key.split(':')[0]}`);
    return false;
  });
  await setup.replica(storage).settlement.report(ACCOUNT, FILLED);
  expect(calls).toContain('add order-report');
  expect(calls.indexOf('add order-report')).toBeLessThan(calls.lastIndexOf('get order'));
});

test('keeps a report separately if evidence bound the order', async ({ setup }) => {
  const operation = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  expect(await storedKeys(setup.storage, 'order-report:')).toHaveLength(1);
});

test('keeps a report of an order without an operation as possible evidence', async ({ setup }) => {
  const operation = await setup.claimed();
  setup.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) =>
    orderOf({ ...purchase, order_id: 99 }),
  );
  await setup.advance(operation);
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ result: { order: 99, status: 'pending' } });
  expect(await storedKeys(setup.storage, 'order-report:')).toHaveLength(1);
});

const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const NUMBER = 31;
const NAME = { account: ACCOUNT, namespace: 'withdrawal', order: NUMBER };
/** Returns the withdrawal as the service lists it. */
const entryOf = (status: string, more = {}) => ({ address: ADDRESS, amount: '12.5', status, ...more });

/** Opens an account with a pending withdrawal by the bot that the service lists. */
async function openListed() {
  const setup = setUpOperations();
  setup.rental.withdraw.mockResolvedValue(
    accepted({
      ...{ id: NUMBER, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status: 'pending' },
      created_at: new Date(START).toISOString(),
    }),
  );
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  await setup.announced();
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await setup.executed({ request, balance: '1000.00' });
  expect(await setup.read(operation)).toMatchObject({
    state: 'done',
    result: { order: NUMBER, status: 'pending' },
  });
  setup.show.mockClear();
  const shownStatus = () =>
    setup.show.mock.calls.map(([shown]) => shown.state === 'done' && shown.result.status);
  return { setup, operation, shownStatus, applyListedStatus: setup.operations.applyListedStatus };
}

const OTHER_NAMES = [
  { ...NAME, order: NUMBER + 1 },
  { ...NAME, account: ACCOUNT + 1 },
  { ...NAME, namespace: 'energy' },
];

test.each([
  ['completed', HASH],
  ['failed', undefined],
])('applies the final status %s once, to its own operation, and returns its user', async (status, txHash) => {
  const { setup, operation, applyListedStatus, shownStatus } = await openListed();
  for (const name of OTHER_NAMES) expect(await applyListedStatus(name, entryOf(status))).toBeUndefined();
  expect(await applyListedStatus(NAME, entryOf('pending'))).toBe(USER);
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
  expect(setup.show).not.toHaveBeenCalled();
  const standing = { status, ...(txHash && { txHash }) };
  expect(await applyListedStatus(NAME, { ...entryOf(status), ...standing })).toBe(USER);
  // The check for the refund of a failed one shows it.
  await setup.pass(1_000);
  expect(shownStatus()).toContain(status);
  const shown = setup.show.mock.calls.length;
  for (const late of [status, 'pending', 'completed', 'failed'])
    expect(await applyListedStatus(NAME, entryOf(late))).toBe(USER);
  expect(await setup.read(operation)).toMatchObject({ result: { order: NUMBER, ...standing } });
  expect(setup.show).toHaveBeenCalledTimes(shown);
});

test('shows a written status later if the process died before showing it', async () => {
  const { setup, operation, shownStatus } = await openListed();
  let isDead = false;
  const own = setup.replica(
    failing(setup.storage, () => isDead),
    async () => {
      isDead = true;
      throw new Error('killed');
    },
  );
  const completed = { status: 'completed', txHash: HASH };
  await expect(own.applyListedStatus(NAME, { ...entryOf('completed'), ...completed })).rejects.toThrow();
  expect(await setup.read(operation)).toMatchObject({ result: completed });
  expect(await setup.operations.applyListedStatus(NAME, { ...entryOf('completed'), ...completed })).toBe(
    USER,
  );
  await setup.pass(15_000);
  expect(shownStatus()).toContain('completed');
});

test('names the user whose withdrawal of unknown outcome an unassigned entry would prove', async ({
  setup,
}) => {
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  setup.rental.withdraw.mockResolvedValue(CUT);
  await setup.announced();
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await setup.claimed({ request, balance: '1000.00' });
  expect(await setup.operations.applyListedStatus(NAME, entryOf('pending'))).toBeUndefined();
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  const { applyListedStatus } = setup.operations;
  const at = setup.clock.now;
  for (const other of [{}, { at, amount: '12.6' }, { at: at - DAY_MS }, { at, address: OTHER_ADDRESS }])
    expect(await applyListedStatus(NAME, entryOf('pending', other))).toEqual({ perhaps: [] });
  expect(await applyListedStatus(NAME, entryOf('pending', { at }))).toEqual({ perhaps: [USER] });
  expect(await applyListedStatus({ ...NAME, namespace: 'energy' }, entryOf('x'))).toBeUndefined();
});

test('searches again for a withdrawal of unknown outcome when an entry would prove it', async ({ setup }) => {
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  setup.rental.withdraw.mockResolvedValue(CUT);
  await setup.announced();
  const at = setup.clock.now;
  const operation = await setup.executed({
    request: { ...WITHDRAWAL, cap: WITHDRAW_CAP },
    balance: '1000.00',
  });
  for (let days = 0; days < 2; days += 1) await setup.pass(DAY_MS);
  const listed = { id: NUMBER, to_address: ADDRESS, amount_trx: '12.50', status: 'pending' };
  setup.rental.withdrawals.mockResolvedValue(
    accepted([{ ...listed, created_at: new Date(at).toISOString() }]),
  );
  await setup.pass(1_000);
  expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  expect(await setup.operations.applyListedStatus(NAME, entryOf('pending', { at }))).toEqual({
    perhaps: [USER],
  });
  await setup.pass(1_000);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: NUMBER } });
});

const WENT: Omit<ManualResolution, 'at'> = { outcome: 'done', reason: 'seen on the chain', admin: 7 };
const FAILED: Omit<ManualResolution, 'at'> = { outcome: 'not-done', reason: 'asked the service', admin: 8 };

type OperationsSetup = ReturnType<typeof setUpOperations>;

const moneyCalls = ({ rental }: OperationsSetup) =>
  changingCalls(rental).reduce((count, call) => count + call.mock.calls.length, 0);

/** Creates an operation with an unknown outcome whose attempt has surely ended. */
async function lostFor(setup: OperationsSetup, more: Parameters<OperationsSetup['lost']>[0] = {}) {
  const operation = await setup.lost(more);
  setup.clock.now += 8_000;
  return operation;
}

describe('a manual resolution', () => {
  test.each([
    [WENT, { state: 'done', settledAt: START + 8_000, result: {} }],
    [FAILED, { state: 'refused', refusal: { reason: 'by-hand' }, settledAt: START + 8_000 }],
  ])('%j settles an unknown outcome without a request and sends a follow-up', async (decision, ended) => {
    const setup = setUpOperations();
    const operation = await lostFor(setup);
    const sent = moneyCalls(setup);
    const decided = await setup.operations.resolveManually(operation, decision);
    expect(decided).toMatchObject({ kind: 'decided', operation: { id: operation.id } });
    const settled = await setup.read(operation);
    expect(settled).toMatchObject(ended);
    expect(decisionOf(settled)).toEqual({ ...decision, at: START + 8_000 });
    const [shown] = setup.show.mock.lastCall ?? [];
    expect(shown).toMatchObject({
      state: ended.state,
      receipt: { late: true },
      decided: { reason: decision.reason },
    });
    await setup.pass(DAY_MS);
    expect(moneyCalls(setup)).toBe(sent);
    expect(setup.show.mock.lastCall?.[0]).toBe(shown);
  });

  test('returns although its user cannot be notified yet', async ({ setup }) => {
    const operation = await lostFor(setup);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    setup.show.mockReturnValueOnce(new Promise(() => undefined));
    const deciding = setup.operations.resolveManually(operation, WENT);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await deciding).toMatchObject({ kind: 'decided' });
  });

  test('settles a likely outcome a day later and is sent as a separate follow-up', async ({ setup }) => {
    const operation = await lostFor(setup);
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    setup.show.mockResolvedValue({ kind: 'shown', card: 77, followUp: 78 });
    await setup.pass(DAY_MS);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely', receipt: { followUp: 78 } });
    setup.show.mockResolvedValue({ kind: 'shown', card: 77, followUp: 79 });
    expect(await setup.operations.resolveManually(operation, FAILED)).toMatchObject({ kind: 'decided' });
    const [first] = setup.show.mock.calls.flat().filter(({ state }) => state === 'refused');
    expect(first).toMatchObject({ receipt: { late: true } });
    expect(first?.receipt.followUp).toBeUndefined();
    const sentFollowUps = [{ message: 78 }, { message: 79, at: setup.clock.now }];
    expect(await setup.read(operation)).toMatchObject({
      state: 'refused',
      receipt: { followUp: 79, sentFollowUps },
    });
  });

  test('is applied and shown once, even if it is repeated', async ({ setup }) => {
    const operation = await lostFor(setup);
    const own = [setup.operations, setup.replica()];
    const twice = await Promise.all(own.map(({ resolveManually }) => resolveManually(operation, WENT)));
    expect(twice.map(({ kind }) => kind)).toEqual(['decided', 'decided']);
    const stood = await setup.read(operation);
    setup.clock.now += 1_000;
    expect(await setup.operations.resolveManually(operation, WENT)).toMatchObject({ kind: 'decided' });
    expect(await setup.read(operation)).toEqual(stood);
    expect(setup.shown().filter((state) => state === 'done')).toHaveLength(1);
  });

  test('counts for the first of two admins and returns the current state to the other', async ({ setup }) => {
    const operation = await lostFor(setup);
    const decided = await Promise.all([
      setup.operations.resolveManually(operation, WENT),
      setup.replica().resolveManually(operation, FAILED),
    ]);
    expect(decided.map(({ kind }) => kind).sort()).toEqual(['decided', 'late']);
    const stands = await setup.read(operation);
    for (const one of decided) expect(one).toMatchObject({ operation: { state: stands.state } });
    expect(decisionOf(stands)).toMatchObject(decided[0]?.kind === 'decided' ? WENT : FAILED);
  });

  test('or the event of the order takes effect, whichever is written first', async () => {
    for (const order of ['decision first', 'event first']) {
      const setup = setUpOperations();
      const operation = await lostFor(setup);
      const decide = () => setup.operations.resolveManually(operation, FAILED);
      const report = () => setup.replica().settlement.report(ACCOUNT, FILLED);
      const [decided] = await (order === 'decision first'
        ? Promise.all([decide(), report()])
        : report().then(async () => [await decide()] as const));
      const stands = await setup.read(operation);
      if (decided.kind === 'decided')
        expect(stands).toMatchObject({ state: 'refused', decided: { admin: FAILED.admin } });
      else expect(stands).toMatchObject({ state: 'done', result: { order: 7, status: 'filled' } });
      expect('decided' in stands).toBe(decided.kind === 'decided');
      if (order === 'event first') expect(decided.kind).toBe('late');
    }
  });

  test('is rejected while an attempt may still receive the response', async ({ setup }) => {
    const confirmed = await setup.claimed();
    expect(await setup.operations.resolveManually(confirmed, WENT)).toMatchObject({ kind: 'in-progress' });
    const lost = await lostFor(setup, { user: USER + 1 });
    await setup.storage.set(`heartbeat:{${USER + 1}}:${lost.id}`, '', { ttlMs: 8_000 });
    expect(await setup.operations.resolveManually(lost, WENT)).toMatchObject({ kind: 'in-progress' });
    expect(await setup.read(lost)).toMatchObject({ state: 'unknown' });
    setup.clock.now += 8_000;
    expect(await setup.operations.resolveManually(lost, WENT)).toMatchObject({ kind: 'decided' });
  });

  test.for(['done', 'refused', 'draft'])(
    'does not change an operation in state %s and finds none with an unknown id',
    async (state, { setup }) => {
      if (state === 'refused') setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'NO'));
      const operation = await (state === 'draft' ? setup.draft() : setup.claimed());
      if (state !== 'draft') await setup.advance(operation);
      const before = await setup.read(operation);
      expect(before.state).toBe(state);
      expect(await setup.operations.resolveManually(operation, WENT)).toMatchObject({ kind: 'late' });
      expect(await setup.read(operation)).toEqual(before);
      expect(await setup.operations.resolveManually({ user: USER, id: 'none' }, WENT)).toEqual({
        kind: 'none',
      });
    },
  );

  test('is replaced by a late response of the service', async ({ setup }) => {
    const { operation, attended, answer } = await setup.underWay();
    // The process hung for longer than its heartbeat lasts.
    setup.clock.now += 9_000;
    await setup.replica().reconciler.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    expect(await setup.operations.resolveManually(operation, FAILED)).toMatchObject({ kind: 'decided' });
    answer(orderOf());
    await attended;
    const stands = await setup.read(operation);
    expect(stands).toMatchObject({ state: 'done', settledBy: 'reply', result: { order: 7 } });
    expect(stands).not.toHaveProperty('decided');
  });

  test('is shown after a restart, whenever its process died', async () => {
    let decidedAt = 0;
    for (let calls = 1; ; calls += 1) {
      const setup = setUpOperations();
      const operation = await lostFor(setup);
      // The search for traces has ended.
      setup.clock.now += DAY_MS;
      await setup.pass(6_000);
      const dying = killedAfter(calls, setup.storage);
      const own = setup.replica(dying.storage, async () => {
        if (dying.wasKilled()) throw new Error('the process has ended');
        return { kind: 'shown', card: 40 };
      });
      const decided = await own.resolveManually(operation, WENT).catch(() => undefined);
      if (!dying.wasKilled()) {
        expect(decided).toMatchObject({ kind: 'decided' });
        break;
      }
      const { state } = await setup.read(operation);
      if (state !== 'done') continue;
      decidedAt += 1;
      setup.show.mockClear();
      // A process that died during a notification held its lease.
      await setup.pass(20_000);
      const { notified, revision } = (await setup.read(operation)).receipt;
      expect(notified, `after ${calls} calls`).toBe(revision);
    }
    expect(decidedAt).toBeGreaterThan(0);
  });

  test('applies although the user blocked the bot, and is shown after their return', async ({ setup }) => {
    const operation = await lostFor(setup);
    setup.show.mockResolvedValue({ kind: 'impossible' });
    expect(await setup.operations.resolveManually(operation, FAILED)).toMatchObject({ kind: 'decided' });
    expect(await setup.operations.undelivered(USER)).toEqual([{ user: USER, id: operation.id }]);
  });
});
