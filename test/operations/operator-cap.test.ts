import { describe, expect, test } from 'vitest';
import type { DailyCap } from '../../src/operations/daily-cap.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { ACCOUNT, accepted, CUT, rejected } from './rental-stand-in.ts';
import { ENERGY, openRoom, type Room, SMART_MODE, USER, WITHDRAWAL } from './room.ts';

const HOUR = 3600_000;
const NEXT_DAY = Date.parse('2025-06-02T00:00:00Z');

/** A room whose user spends from the operator's account; everything costs 2.32 TRX there. */
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

/** Confirms as the tap does, which takes its part first, and carries it out. */
async function bought(room: Room, more: Parameters<Room['draft']>[0] = {}): Promise<Operation> {
  const draft = await room.draft({ ...OPERATORS, ...more });
  await room.operations.operatorCap.take(draft, 'decided');
  expect(await room.confirm(draft)).toBe('committed');
  await room.advance(draft);
  return room.read(draft);
}

test('what admins buy counts until midnight, of all of them together, at the price that the service charged', async () => {
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

test('the limit is asked again right before the request: nothing is sent above it', async () => {
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

test('of two at once that have room for one, one has it', async () => {
  const room = await openOperated('4.00');
  const drafts = [await room.draft(OPERATORS), await room.draft({ ...OPERATORS, user: USER + 1 })];
  const took = await Promise.all(drafts.map((one) => room.cap.take(one, 'decided')));
  expect(took.toSorted()).toEqual([false, true]);
});

test('what was refused is given back; what may have left stays taken', async () => {
  const room = await openOperated('5.00');
  room.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
  expect(await bought(room)).toMatchObject({ state: 'refused' });
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
  room.rental.buyEnergy.mockResolvedValueOnce(CUT);
  expect(await bought(room)).toMatchObject({ state: 'unknown' });
  expect(await room.cap.taken(ACCOUNT)).toBe('2.32');
});

test('a card that is never carried out gives its part back by itself', async () => {
  const room = await openOperated('5.00');
  await room.cap.take(await room.draft(OPERATORS), 'decided');
  expect(await room.cap.left(ACCOUNT)).toBe('2.68');
  room.clock.now += HOUR;
  expect(await room.cap.left(ACCOUNT)).toBe('5.00');
});

test('what has no known price finds no room: nothing says that it would stay below the limit', async () => {
  const room = await openOperated('50.00');
  const draft = await room.draft({ ...OPERATORS, estimate: undefined });
  expect(await room.cap.take(draft, 'decided')).toBe(false);
  expect(await room.cap.left(ACCOUNT)).toBe('50.00');
});

test('what was given back by a decision counts again where the service says later what it cost', async () => {
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

test('a purchase from an account of one’s own counts nothing', async () => {
  const room = await openOperated('0.00');
  room.operator.isKey.mockReturnValue(false);
  const own = await room.claimed();
  await room.advance(own);
  expect(await room.read(own)).toMatchObject({ state: 'done' });
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
});

describe('nothing is sent', () => {
  test.each([
    ['a reference that is a link of their own by now', OPERATORS, false],
    ['a link of their own that is a reference by now', {}, true],
  ])('of a card from before: %s', async (_, drafted, isKey) => {
    const room = await openOperated();
    room.operator.isKey.mockReturnValue(isKey);
    const operation = await room.claimed(drafted);
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'unlinked' } });
    expect(room.rental.buyEnergy).not.toHaveBeenCalled();
  });

  test('of a withdrawal, though nobody asked the service whose account it is', async () => {
    const room = await openOperated();
    room.operator.owns.mockResolvedValue(false);
    const operation = await room.claimed({ ...OPERATORS, request: { ...WITHDRAWAL, cap: '100' } });
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'operator' } });
    expect(room.rental.withdraw).not.toHaveBeenCalled();
    expect(room.rental.profile).not.toHaveBeenCalled();
  });

  test.each(['start', 'resume'])('of Smart Mode’s %s, which no limit would hold', async (action) => {
    const room = await openOperated();
    const operation = await room.claimed({ ...OPERATORS, request: { ...SMART_MODE, action } });
    await room.advance(operation);
    expect(await room.read(operation)).toMatchObject({ refusal: { reason: 'operator-ongoing' } });
  });
});

test('ending Smart Mode is free, and done though nothing may be spent', async () => {
  const room = await openOperated('0.00');
  const request = { kind: 'smart-mode', action: 'end', address: ENERGY.address, subscription: 12 };
  const draft = await room.draft({ ...OPERATORS, request, estimate: undefined });
  expect(await room.cap.take(draft, 'sent')).toBe(true);
  expect(await room.cap.taken(ACCOUNT)).toBe('0.00');
});

test('an amount that was changed from outside counts for nothing, and a new one is written over it', async () => {
  const room = await openOperated('5.00');
  await bought(room);
  const key = `operator-spent:${ACCOUNT}`;
  const text = (await room.storage.get(key)) ?? '';
  await room.storage.set(key, text.replace('2.32', '-9.99'));
  expect(await room.cap.left(ACCOUNT)).toBe('5.00');
  await bought(room);
  expect(await room.cap.left(ACCOUNT)).toBe('2.68');
});
