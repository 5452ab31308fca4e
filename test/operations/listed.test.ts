import { describe, expect, test } from 'vitest';
import { failing, START, setUpOperations, USER, WITHDRAW_CAP, WITHDRAWAL } from './operations-setup.ts';
import { ACCOUNT, ADDRESS, accepted, CUT, HASH } from './rental-stand-in.ts';

const NUMBER = 31;
const NAME = { account: ACCOUNT, namespace: 'withdrawal', order: NUMBER };

/** Opens an account with a withdrawal by the bot that the service lists with this status. */
async function openListed(status = 'pending') {
  const setup = setUpOperations();
  setup.rental.withdraw.mockResolvedValue(
    accepted({
      ...{ id: NUMBER, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status },
      created_at: new Date(START).toISOString(),
    }),
  );
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  const announced = await setup.addressAnnouncements.draft({
    user: USER,
    account: ACCOUNT,
    address: ADDRESS,
    trx: '1',
  });
  if (announced) await setup.addressAnnouncements.add(announced);
  setup.clock.now += 10 * 60_000;
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await setup.claimed({ request, balance: '1000.00' });
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: NUMBER, status } });
  setup.show.mockClear();
  const shownStatus = () => setup.show.mock.calls.map(([{ result }]) => result?.status);
  return { setup, operation, shownStatus, applyListedStatus: setup.operations.applyListedStatus };
}

test.each([
  ['completed', HASH],
  ['failed', undefined],
])('applies the status %s to its operation and returns its user', async (status, txHash) => {
  const { setup, operation, applyListedStatus, shownStatus } = await openListed();
  const standing = { status, ...(txHash && { txHash }) };
  expect(await applyListedStatus(NAME, standing)).toBe(USER);
  expect(await setup.read(operation)).toMatchObject({ result: { order: NUMBER, ...standing } });
  expect(shownStatus()).toContain(status);
});

test('shows a repeated status once', async () => {
  const { setup, applyListedStatus } = await openListed();
  await applyListedStatus(NAME, { status: 'completed', txHash: HASH });
  const shown = setup.show.mock.calls.length;
  expect(await applyListedStatus(NAME, { status: 'completed', txHash: HASH })).toBe(USER);
  expect(setup.show).toHaveBeenCalledTimes(shown);
});

test('does not show a pending status', async () => {
  const { setup, applyListedStatus } = await openListed();
  expect(await applyListedStatus(NAME, { status: 'pending' })).toBe(USER);
  expect(setup.show).not.toHaveBeenCalled();
});

test.each(['completed', 'failed'])(
  'keeps the status %s when a later list has another one',
  async (status) => {
    const { setup, operation, applyListedStatus } = await openListed(status);
    for (const late of ['pending', 'completed', 'failed'])
      expect(await applyListedStatus(NAME, { status: late })).toBe(USER);
    expect(await setup.read(operation)).toMatchObject({ result: { status } });
    expect(setup.show).not.toHaveBeenCalled();
  },
);

describe('no operation is found for', () => {
  test.each([
    ['another number', { ...NAME, order: NUMBER + 1 }],
    ['the number of another account', { ...NAME, account: ACCOUNT + 1 }],
    ['the number of an order', { ...NAME, namespace: 'energy' }],
  ])('%s', async (_, name) => {
    const { setup, operation, applyListedStatus } = await openListed();
    expect(await applyListedStatus(name, { status: 'completed' })).toBeUndefined();
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
  });
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
  await expect(own.applyListedStatus(NAME, completed)).rejects.toThrow();
  expect(await setup.read(operation)).toMatchObject({ result: completed });
  expect(await setup.operations.applyListedStatus(NAME, completed)).toBe(USER);
  await setup.pass(15_000);
  expect(shownStatus()).toContain('completed');
});

test('returns "perhaps" for an unassigned withdrawal while an outcome is unknown', async () => {
  const setup = setUpOperations();
  setup.rental.withdrawals.mockResolvedValue(accepted([]));
  setup.rental.withdraw.mockResolvedValue(CUT);
  const announced = await setup.addressAnnouncements.draft({
    user: USER,
    account: ACCOUNT,
    address: ADDRESS,
    trx: '1',
  });
  if (announced) await setup.addressAnnouncements.add(announced);
  setup.clock.now += 10 * 60_000;
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await setup.claimed({ request, balance: '1000.00' });
  expect(await setup.operations.applyListedStatus(NAME, { status: 'pending' })).toBeUndefined();
  await setup.advance(operation);
  expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  expect(await setup.operations.applyListedStatus(NAME, { status: 'pending' })).toBe('perhaps');
  expect(
    await setup.operations.applyListedStatus({ ...NAME, namespace: 'energy' }, { status: 'x' }),
  ).toBeUndefined();
});
