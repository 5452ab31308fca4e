import { describe, expect, test } from 'vitest';
import type { DailyCap } from '../../src/operations/limits.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { ENERGY, openRoom, type Room, SMART_MODE, USER, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, rejected } from './rental-stand-in.ts';

const HOUR = 3600_000;
const NEXT_DAY = Date.parse('2025-06-02T00:00:00Z');

/** Opens operations whose user spends from the operator account. Each purchase costs 2.32 TRX. */
async function openOperated(cap?: string) {
  const room = openRoom();
  room.operator.isKey.mockReturnValue(true);
  room.rental.buyEnergy.mockImplementation(
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
  if (cap !== undefined) await room.operatorLimits.setCap(cap);
  return { ...room, cap: room.operations.operatorCap };
}

const OPERATORS = { operators: true } as const;

/** Reserves part of the limit, confirms and executes a purchase, as a tap does. */
async function bought(room: Room, more: Parameters<Room['draft']>[0] = {}): Promise<Operation> {
  const draft = await room.draft({ ...OPERATORS, ...more });
  await room.operations.operatorCap.take(draft, 'decided');
  expect(await room.confirm(draft)).toBe('committed');
  await room.advance(draft);
  return room.read(draft);
}

test('counts the charged prices of all admins until midnight', async () => {
  const room = await openOperated('5.00');
  expect(await bought(room, { estimate: '3.00' })).toMatchObject({ state: 'done' });
  expect(await room.cap.taken(ACCOUNT)).toBe('2.32');
  expect(await bought(room, { user: USER + 1, estimate: '2.32' })).toMatchObject({ state: 'done' });
  expect(await room.cap.left(ACCOUNT)).toBe('0.36');
  room.clock.now = NEXT_DAY - 1;
  expect(await room.cap.left(ACCOUNT)).toBe('0.36');
  room.clock.now = NEXT_DAY;
  expect(await room.cap.left(ACCOUNT)).toBe('5.00');
});

test('checks the limit again right before the request', async () => {
  const room = await openOperated('5.00');
  const draft = await room.draft(OPERATORS);
  expect(await room.cap.take(draft, 'decided')).toBe(true);
  await room.confirm(draft);
  await room.operatorLimits.setCap('2.31');
  await room.advance(draft);
  expect(await room.read(draft)).toMatchObject({ state: 'refused', refusal: { reason: 'operator-cap' } });
  expect(room.rental.buyEnergy).not.toHaveBeenCalled();
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
});

test('grants the rest of the limit to one of two concurrent operations', async () => {
  const room = await openOperated('4.00');
  const drafts = [await room.draft(OPERATORS), await room.draft({ ...OPERATORS, user: USER + 1 })];
  const took = await Promise.all(drafts.map((one) => room.cap.take(one, 'decided')));
  expect(took.toSorted()).toEqual([false, true]);
});

test('releases the amount of a refused operation and keeps that of an unknown one', async () => {
  const room = await openOperated('5.00');
  room.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  expect(await bought(room)).toMatchObject({ state: 'refused' });
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
  room.rental.buyEnergy.mockResolvedValueOnce(CUT);
  expect(await bought(room)).toMatchObject({ state: 'unknown' });
  expect(await room.cap.taken(ACCOUNT)).toBe('2.32');
});

test('releases the amount of a card that is never executed after an hour', async () => {
  const room = await openOperated('5.00');
  await room.cap.take(await room.draft(OPERATORS), 'decided');
  expect(await room.cap.left(ACCOUNT)).toBe('2.68');
  room.clock.now += HOUR;
  expect(await room.cap.left(ACCOUNT)).toBe('5.00');
});

test('rejects an operation without a known price', async () => {
  const room = await openOperated('50.00');
  const draft = await room.draft({ ...OPERATORS, estimate: undefined });
  expect(await room.cap.take(draft, 'decided')).toBe(false);
  expect(await room.cap.left(ACCOUNT)).toBe('50.00');
});

test('counts a released amount again when the service reports its price later', async () => {
  const room = await openOperated('5.00');
  const done = await room.claimed(OPERATORS);
  await room.advance(done);
  const settled = await room.read(done);
  if (settled === undefined) throw new Error('there is no such operation');
  const cap = room.cap as DailyCap;
  await cap.settle({ ...settled, state: 'refused' });
  expect(await room.cap.left(ACCOUNT)).toBe('5.00');
  await cap.settle(settled);
  expect(await room.cap.left(ACCOUNT)).toBe('2.68');
  await cap.settle(settled);
  expect(await room.cap.left(ACCOUNT)).toBe('2.68');
});

test("does not count a purchase from a user's own account", async () => {
  const room = await openOperated('0.00');
  room.operator.isKey.mockReturnValue(false);
  const own = await room.claimed();
  await room.advance(own);
  expect(await room.read(own)).toMatchObject({ state: 'done' });
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
});

describe('nothing is sent', () => {
  test.each([
    ['the operator account became a linked account', OPERATORS, false],
    ['a linked account became the operator account', {}, true],
  ])('for an outdated card: %s', async (_, drafted, isKey) => {
    const room = await openOperated();
    room.operator.isKey.mockReturnValue(isKey);
    const operation = await room.claimed(drafted);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'unlinked' } });
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
  });

  test('for a withdrawal with the operator key, before any profile read', async () => {
    const room = await openOperated();
    room.operator.owns.mockResolvedValue(false);
    const operation = await room.claimed({ ...OPERATORS, request: { ...WITHDRAWAL, cap: '100' } });
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'operator' } });
    expect(room.rental.withdraw).not.toHaveBeenCalled();
    expect(room.rental.profile).not.toHaveBeenCalled();
  });

  test.each(['start', 'resume'])("for Smart Mode's %s, which no limit would cover", async (action) => {
    const room = await openOperated();
    const operation = await room.claimed({ ...OPERATORS, request: { ...SMART_MODE, action } });
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'operator-ongoing' } });
  });
});

test('allows ending Smart Mode, which is free, with an exhausted limit', async () => {
  const room = await openOperated('0.00');
  const request = { kind: 'smart-mode', action: 'end', address: ENERGY.address, subscription: 12 };
  const draft = await room.draft({ ...OPERATORS, request, estimate: undefined });
  expect(await room.cap.take(draft, 'sent')).toBe(true);
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
});

test('ignores an amount that was tampered with and replaces it', async () => {
  const room = await openOperated('5.00');
  await bought(room);
  const key = `operator-spent:${ACCOUNT}`;
  const text = (await room.storage.get(key)) ?? '';
  await room.storage.set(key, text.replace('2.32', '-9.99'));
  expect(await room.cap.left(ACCOUNT)).toBe('5.00');
  await bought(room);
  expect(await room.cap.left(ACCOUNT)).toBe('2.68');
});
