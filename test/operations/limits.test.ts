import { describe, expect, test, vi } from 'vitest';
import { createKinds } from '../../src/operations/kinds/kind.ts';
import { createCooldowns } from '../../src/operations/limits.ts';
import { type DoneOperation, INTERRUPTED, type Operation } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { signedRecords } from '../support/records.ts';
import { storedKeys } from '../support/stored-keys.ts';
import {
  ENERGY,
  FILLED,
  type OperationsSetup,
  SMART_MODE,
  START,
  setUpOperations,
  USER,
  WITHDRAWAL,
} from './operations-setup.ts';
import { ACCOUNT, CUT, ORDER, orderOf, rejected } from './rental-stand-in.ts';

const HOUR = 3600_000;
const NEXT_DAY = Date.parse('2025-06-02T00:00:00Z');

/** Opens operations whose user spends from the operator account. Each purchase costs 2.32 TRX. */
async function openOperated(cap?: string) {
  const setup = setUpOperations();
  setup.operator.isKey.mockReturnValue(true);
  if (cap !== undefined) await setup.operatorLimits.setCap(cap);
  return { ...setup, cap: setup.operations.operatorCap };
}

const OPERATORS = { usesOperatorAccount: true } as const;

/** Reserves part of the limit, confirms and executes a purchase, as a tap does. */
async function bought(
  setup: OperationsSetup,
  more: Parameters<OperationsSetup['draft']>[0] = {},
): Promise<Operation> {
  const draft = await setup.draft({ ...OPERATORS, ...more });
  await setup.operations.operatorCap.reserve(draft, 'decided');
  expect(await setup.confirm(draft)).toBe('committed');
  await setup.advance(draft);
  return setup.read(draft);
}

test('counts the charged prices of all admins until midnight', async () => {
  const setup = await openOperated('5.00');
  expect(await bought(setup, { estimate: '3.00' })).toMatchObject({ state: 'done' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('2.32');
  expect(await bought(setup, { user: USER + 1, estimate: '2.32' })).toMatchObject({ state: 'done' });
  expect(await setup.cap.remaining(ACCOUNT)).toBe('0.36');
  setup.clock.now = NEXT_DAY - 1;
  expect(await setup.cap.remaining(ACCOUNT)).toBe('0.36');
  setup.clock.now = NEXT_DAY;
  expect(await setup.cap.remaining(ACCOUNT)).toBe('5.00');
});

test('checks the limit again right before the request', async () => {
  const setup = await openOperated('5.00');
  const draft = await setup.draft(OPERATORS);
  expect(await setup.cap.reserve(draft, 'decided')).toBe(true);
  await setup.confirm(draft);
  await setup.operatorLimits.setCap('2.31');
  await setup.advance(draft);
  expect(await setup.refusal(draft)).toBe('operator-cap');
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

test('releases the amount of a refused operation and keeps that of an unknown one', async () => {
  const setup = await openOperated('5.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  expect(await bought(setup)).toMatchObject({ state: 'refused' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(CUT);
  const unknown = await bought(setup);
  expect(unknown).toMatchObject({ state: 'unknown' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('2.32');
  await setup.operations.settlement.close(unknown);
  await setup.advance(unknown);
  expect(await setup.read(unknown)).toMatchObject({ state: 'closed' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('2.32');
});

test('releases the amount of a card that is never executed after an hour', async () => {
  const setup = await openOperated('5.00');
  await setup.cap.reserve(await setup.draft(OPERATORS), 'decided');
  expect(await setup.cap.remaining(ACCOUNT)).toBe('2.68');
  setup.clock.now += HOUR;
  expect(await setup.cap.remaining(ACCOUNT)).toBe('5.00');
});

test('rejects an operation without a known price', async () => {
  const setup = await openOperated('50.00');
  const draft = await setup.draft({ ...OPERATORS, estimate: undefined });
  expect(await setup.cap.reserve(draft, 'decided')).toBe(false);
  expect(await setup.cap.remaining(ACCOUNT)).toBe('50.00');
});

test('counts a released amount again when the service reports its price later', async () => {
  const setup = await openOperated('5.00');
  const done = await setup.executed(OPERATORS);
  const settled = await setup.read<DoneOperation>(done);
  await setup.cap.settle({ ...settled, state: 'refused', refusal: INTERRUPTED });
  expect(await setup.cap.remaining(ACCOUNT)).toBe('5.00');
  await setup.cap.settle(settled);
  expect(await setup.cap.remaining(ACCOUNT)).toBe('2.68');
  await setup.cap.settle(settled);
  expect(await setup.cap.remaining(ACCOUNT)).toBe('2.68');
});

const MANUAL = { outcome: 'not-done', reason: 'asked the service', admin: USER } as const;
const DONE = { kind: 'accepted', value: { order: ORDER, status: 'pending', price: '2.32' } } as const;

/** Ways in which an operation that was claimed before midnight gets its outcome after it. */
const PATHS: [string, (setup: OperationsSetup, passMidnight: () => Promise<void>) => Promise<void>][] = [
  [
    'the request follows after midnight',
    async (setup, passMidnight) => {
      const draft = await setup.draft(OPERATORS);
      await setup.operations.operatorCap.reserve(draft, 'decided');
      await setup.confirm(draft);
      await passMidnight();
      await setup.advance(draft);
    },
  ],
  [
    'the response arrives after midnight',
    async (setup, passMidnight) => {
      setup.rental.buyEnergy.mockImplementationOnce(async () => {
        await passMidnight();
        return orderOf();
      });
      await bought(setup);
    },
  ],
  [
    'the reconciler takes a last step after the delivery',
    async (setup, passMidnight) => {
      setup.reported.mockResolvedValue(true);
      await bought(setup);
      await passMidnight();
      await setup.operations.settlement.report(ACCOUNT, FILLED);
      await setup.pass(60_000);
    },
  ],
  [
    'evidence settles an unknown outcome',
    async (setup, passMidnight) => {
      setup.rental.buyEnergy.mockResolvedValueOnce(CUT);
      await bought(setup);
      await passMidnight();
      await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
      await setup.pass(60_000);
    },
  ],
  [
    'a late response contradicts a manual resolution',
    async (setup, passMidnight) => {
      setup.rental.buyEnergy.mockResolvedValueOnce(CUT);
      const operation = await bought(setup);
      setup.clock.now += 8_000;
      await passMidnight();
      expect(await setup.operations.resolveManually(operation, MANUAL)).toMatchObject({ kind: 'decided' });
      await setup.pass(6_000);
      await setup.operations.settlement.settle(await setup.stored(operation), DONE);
      await setup.operations.operatorCap.settle(await setup.read(operation));
    },
  ],
];

test.each(PATHS)('counts a purchase only on the day of its claim: %s', async (_, settle) => {
  const setup = await openOperated('5.00');
  setup.clock.now = NEXT_DAY - 20_000;
  const counted: string[] = [];
  await settle(setup, async () => {
    counted.push(await setup.cap.reserved(ACCOUNT));
    setup.clock.now = NEXT_DAY;
  });
  expect([...counted, await setup.cap.reserved(ACCOUNT)]).toEqual(['2.32', '0.00']);
});

test('ends the reservation of a card that could still be confirmed at midnight', async () => {
  const setup = await openOperated('5.00');
  setup.clock.now = NEXT_DAY - 1;
  const draft = await setup.draft(OPERATORS);
  expect(await setup.cap.reserve(draft, 'decided')).toBe(true);
  setup.clock.now = NEXT_DAY;
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

test('counts a purchase until the next midnight of a clock that was set back', async () => {
  const setup = await openOperated('5.00');
  setup.clock.now = NEXT_DAY + HOUR;
  const operation = await bought(setup);
  setup.clock.now = NEXT_DAY - HOUR;
  await setup.cap.settle(operation);
  expect(await setup.cap.reserved(ACCOUNT)).toBe('2.32');
  setup.clock.now = NEXT_DAY;
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

test("does not count a purchase from a user's own account", async () => {
  const setup = await openOperated('0.00');
  setup.operator.isKey.mockReturnValue(false);
  expect(await setup.outcome()).toMatchObject({ state: 'done' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

describe('nothing is sent', () => {
  test.each([
    ['the operator account became a linked account', OPERATORS, false],
    ['a linked account became the operator account', {}, true],
  ])('for an outdated card: %s', async (_, drafted, isKey) => {
    const setup = await openOperated();
    setup.operator.isKey.mockReturnValue(isKey);
    expect(await setup.outcome(drafted)).toMatchObject({ refusal: { reason: 'unlinked' } });
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  });

  test('for a withdrawal with the operator key, before any profile read', async () => {
    const setup = await openOperated();
    setup.operator.owns.mockResolvedValue(false);
    expect(await setup.outcome({ ...OPERATORS, request: { ...WITHDRAWAL, cap: '100' } })).toMatchObject({
      refusal: { reason: 'operator' },
    });
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
    expect(setup.rental.profile).not.toHaveBeenCalled();
  });

  test.each(['start', 'resume'])("for Smart Mode's %s, which no limit would cover", async (action) => {
    const setup = await openOperated();
    expect(await setup.outcome({ ...OPERATORS, request: { ...SMART_MODE, action } })).toMatchObject({
      refusal: { reason: 'operator-ongoing' },
    });
  });
});

test('allows ending Smart Mode, which is free, with an exhausted limit', async () => {
  const setup = await openOperated('0.00');
  const request = { kind: 'smart-mode', action: 'end', address: ENERGY.address, subscription: 12 };
  const draft = await setup.draft({ ...OPERATORS, request, estimate: undefined });
  expect(await setup.cap.reserve(draft, 'sent')).toBe(true);
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

const MINUTE = 60_000;
const withdrawal = { account: ACCOUNT, request: WITHDRAWAL };
const purchase = { account: ACCOUNT, request: ENERGY };

/** Opens the cooldowns of two processes on one storage, each with its own clock. */
function openCooldowns() {
  const storage = createMemoryStorage({ now: () => START });
  const clocks = { here: START, there: START };
  const cooldownsOf = (whose: keyof typeof clocks) =>
    createCooldowns({ records: signedRecords(storage), kinds: createKinds(KINDS), now: () => clocks[whose] });
  return { storage, clocks, here: cooldownsOf('here'), there: cooldownsOf('there') };
}

test.each([
  ['behind', -5 * MINUTE, MINUTE],
  ['ahead', 5 * MINUTE, 0],
])('lasts between zero and one minute for a process whose clock is %s', async (_, by, ms) => {
  const { clocks, here, there } = openCooldowns();
  await here.begin(withdrawal);
  clocks.there += by;
  expect(await there.remainingMs(withdrawal)).toBe(ms);
});

test('stores and reads nothing for a kind without a cooldown', async () => {
  const { storage, here } = openCooldowns();
  const get = vi.spyOn(storage, 'get');
  await here.begin(purchase);
  expect(await here.remainingMs(purchase)).toBe(0);
  expect([get.mock.calls, await storedKeys(storage)]).toEqual([[], []]);
});
