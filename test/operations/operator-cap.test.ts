import { describe, expect, test } from 'vitest';
import type { DailyCap } from '../../src/operations/limits.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  ENERGY,
  type OperationsSetup,
  SMART_MODE,
  setUpOperations,
  USER,
  WITHDRAWAL,
} from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, rejected } from './rental-stand-in.ts';

const HOUR = 3600_000;
const NEXT_DAY = Date.parse('2025-06-02T00:00:00Z');

/** Opens operations whose user spends from the operator account. Each purchase costs 2.32 TRX. */
async function openOperated(cap?: string) {
  const setup = setUpOperations();
  setup.operator.isKey.mockReturnValue(true);
  setup.rental.buyEnergy.mockImplementation(
    async (_key, { address }) =>
      accepted({
        order_id: 7,
        status: 'pending',
        price_trx: '2.32',
        address,
        energy_amount: 65_000,
        duration_hours: 1,
      }) as never,
  );
  if (cap !== undefined) await setup.operatorLimits.setCap(cap);
  return { ...setup, cap: setup.operations.operatorCap };
}

const OPERATORS = { operators: true } as const;

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
  expect(await setup.read(draft)).toMatchObject({ state: 'refused', refusal: { reason: 'operator-cap' } });
  expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

test('grants the rest of the limit to one of two concurrent operations', async () => {
  const setup = await openOperated('4.00');
  const drafts = [await setup.draft(OPERATORS), await setup.draft({ ...OPERATORS, user: USER + 1 })];
  const took = await Promise.all(drafts.map((one) => setup.cap.reserve(one, 'decided')));
  expect(took.toSorted()).toEqual([false, true]);
});

test('releases the amount of a refused operation and keeps that of an unknown one', async () => {
  const setup = await openOperated('5.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  expect(await bought(setup)).toMatchObject({ state: 'refused' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(CUT);
  expect(await bought(setup)).toMatchObject({ state: 'unknown' });
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
  const done = await setup.claimed(OPERATORS);
  await setup.advance(done);
  const settled = await setup.read(done);
  if (settled === undefined) throw new Error('there is no such operation');
  const cap = setup.cap as DailyCap;
  await cap.settle({ ...settled, state: 'refused' });
  expect(await setup.cap.remaining(ACCOUNT)).toBe('5.00');
  await cap.settle(settled);
  expect(await setup.cap.remaining(ACCOUNT)).toBe('2.68');
  await cap.settle(settled);
  expect(await setup.cap.remaining(ACCOUNT)).toBe('2.68');
});

test("does not count a purchase from a user's own account", async () => {
  const setup = await openOperated('0.00');
  setup.operator.isKey.mockReturnValue(false);
  const own = await setup.claimed();
  await setup.advance(own);
  expect(await setup.read(own)).toMatchObject({ state: 'done' });
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

describe('nothing is sent', () => {
  test.each([
    ['the operator account became a linked account', OPERATORS, false],
    ['a linked account became the operator account', {}, true],
  ])('for an outdated card: %s', async (_, drafted, isKey) => {
    const setup = await openOperated();
    setup.operator.isKey.mockReturnValue(isKey);
    const operation = await setup.claimed(drafted);
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ refusal: { reason: 'unlinked' } });
    expect(setup.rental.buyEnergy).not.toHaveBeenCalled();
  });

  test('for a withdrawal with the operator key, before any profile read', async () => {
    const setup = await openOperated();
    setup.operator.owns.mockResolvedValue(false);
    const operation = await setup.claimed({ ...OPERATORS, request: { ...WITHDRAWAL, cap: '100' } });
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ refusal: { reason: 'operator' } });
    expect(setup.rental.withdraw).not.toHaveBeenCalled();
    expect(setup.rental.profile).not.toHaveBeenCalled();
  });

  test.each(['start', 'resume'])("for Smart Mode's %s, which no limit would cover", async (action) => {
    const setup = await openOperated();
    const operation = await setup.claimed({ ...OPERATORS, request: { ...SMART_MODE, action } });
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ refusal: { reason: 'operator-ongoing' } });
  });
});

test('allows ending Smart Mode, which is free, with an exhausted limit', async () => {
  const setup = await openOperated('0.00');
  const request = { kind: 'smart-mode', action: 'end', address: ENERGY.address, subscription: 12 };
  const draft = await setup.draft({ ...OPERATORS, request, estimate: undefined });
  expect(await setup.cap.reserve(draft, 'sent')).toBe(true);
  expect(await setup.cap.reserved(ACCOUNT)).toBe('0.00');
});

test('ignores an amount that was tampered with and replaces it', async () => {
  const setup = await openOperated('5.00');
  await bought(setup);
  const key = `operator-spent:${ACCOUNT}`;
  const text = (await setup.storage.get(key)) ?? '';
  await setup.storage.set(key, text.replace('2.32', '-9.99'));
  expect(await setup.cap.remaining(ACCOUNT)).toBe('5.00');
  await bought(setup);
  expect(await setup.cap.remaining(ACCOUNT)).toBe('2.68');
});
