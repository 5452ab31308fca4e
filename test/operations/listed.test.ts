import { describe, expect, test } from 'vitest';
import { failing, openRoom, START, USER, WITHDRAW_CAP, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, HASH } from './rental-stand-in.ts';

const NUMBER = 31;
const NAME = { account: ACCOUNT, numbering: 'withdrawal', order: NUMBER };

/** Opens an account with a withdrawal by the bot that the service lists with this status. */
async function openListed(status = 'pending') {
  const room = openRoom();
  room.rental.withdraw.mockResolvedValue(
    accepted({
      ...{ id: NUMBER, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status },
      created_at: new Date(START).toISOString(),
    }),
  );
  room.rental.withdrawals.mockResolvedValue(accepted([]));
  const announced = await room.announced.draft({ user: USER, account: ACCOUNT, address: ADDRESS, trx: '1' });
  if (announced) await room.announced.keep(announced);
  room.clock.now += 10 * 60_000;
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await room.claimed({ request, balance: '1000.00' });
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: NUMBER, status } });
  room.show.mockClear();
  const shownStatus = () => room.show.mock.calls.map(([{ result }]) => result?.status);
  return { room, operation, shownStatus, noteListed: room.operations.noteListed };
}

test.each([
  ['completed', HASH],
  ['failed', undefined],
])('applies the status %s to its operation and returns its user', async (status, txHash) => {
  const { room, operation, noteListed, shownStatus } = await openListed();
  const standing = { status, ...(txHash && { txHash }) };
  expect(await noteListed(NAME, standing)).toBe(USER);
  expect(await room.read(operation)).toMatchObject({ result: { order: NUMBER, ...standing } });
  expect(shownStatus()).toContain(status);
});

test('shows a repeated status once', async () => {
  const { room, noteListed } = await openListed();
  await noteListed(NAME, { status: 'completed', txHash: HASH });
  const shown = room.show.mock.calls.length;
  expect(await noteListed(NAME, { status: 'completed', txHash: HASH })).toBe(USER);
  expect(room.show).toHaveBeenCalledTimes(shown);
});

test('does not show a pending status', async () => {
  const { room, noteListed } = await openListed();
  expect(await noteListed(NAME, { status: 'pending' })).toBe(USER);
  expect(room.show).not.toHaveBeenCalled();
});

test.each(['completed', 'failed'])(
  'keeps the status %s when a later list has another one',
  async (status) => {
    const { room, operation, noteListed } = await openListed(status);
    for (const late of ['pending', 'completed', 'failed'])
      expect(await noteListed(NAME, { status: late })).toBe(USER);
    expect(await room.read(operation)).toMatchObject({ result: { status } });
    expect(room.show).not.toHaveBeenCalled();
  },
);

describe('no operation is found for', () => {
  test.each([
    ['another number', { ...NAME, order: NUMBER + 1 }],
    ['the number of another account', { ...NAME, account: ACCOUNT + 1 }],
    ['the number of an order', { ...NAME, numbering: 'energy' }],
  ])('%s', async (_, name) => {
    const { room, operation, noteListed } = await openListed();
    expect(await noteListed(name, { status: 'completed' })).toBeUndefined();
    expect(await room.read(operation)).toMatchObject({ result: { status: 'pending' } });
  });
});

test('shows a written status later if the process died before showing it', async () => {
  const { room, operation, shownStatus } = await openListed();
  let isDead = false;
  const own = room.replica(
    failing(room.storage, () => isDead),
    async () => {
      isDead = true;
      throw new Error('killed');
    },
  );
  const completed = { status: 'completed', txHash: HASH };
  await expect(own.noteListed(NAME, completed)).rejects.toThrow();
  expect(await room.read(operation)).toMatchObject({ result: completed });
  expect(await room.operations.noteListed(NAME, completed)).toBe(USER);
  await room.pass(15_000);
  expect(shownStatus()).toContain('completed');
});

test('returns "perhaps" for an unassigned withdrawal while an outcome is unknown', async () => {
  const room = openRoom();
  room.rental.withdrawals.mockResolvedValue(accepted([]));
  room.rental.withdraw.mockResolvedValue(CUT);
  const announced = await room.announced.draft({ user: USER, account: ACCOUNT, address: ADDRESS, trx: '1' });
  if (announced) await room.announced.keep(announced);
  room.clock.now += 10 * 60_000;
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await room.claimed({ request, balance: '1000.00' });
  expect(await room.operations.noteListed(NAME, { status: 'pending' })).toBeUndefined();
  await room.advance(operation);
  expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  expect(await room.operations.noteListed(NAME, { status: 'pending' })).toBe('perhaps');
  expect(await room.operations.noteListed({ ...NAME, numbering: 'energy' }, { status: 'x' })).toBeUndefined();
});
