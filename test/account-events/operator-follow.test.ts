import { expect, test } from 'vitest';
import { accepted, OFFLINE, profileOf } from '../operations/rental-stand-in.ts';
import { ADMIN, HOUR, MINUTE, openLooks } from './poller-setup.ts';

const OPERATOR = 1000;

test('polls the operator’s balance every ten minutes even if no user holds the account', async () => {
  const setup = await openLooks();
  setup.operator.account.mockResolvedValueOnce(undefined).mockResolvedValue(OPERATOR);
  setup.operator.owns.mockImplementation(async (account) => account === OPERATOR);
  await setup.operatorLimits.setAlert('100.00');
  let balance = '500.00';
  const asked: number[] = [];
  setup.rental.profile.mockImplementation(async (key) => {
    if (key !== 'operator-key') return OFFLINE;
    asked.push(setup.clock.now);
    return accepted({ ...profileOf(balance, OPERATOR).value });
  });
  const looks = setup.replica(undefined, { operatorKey: 'operator-key' });
  await setup.pass(2 * MINUTE, looks);
  expect(asked.length).toBeGreaterThan(0);
  await setup.pass(5 * HOUR, looks);
  const told = async () => (await setup.told()).filter(({ kind }) => kind === 'operator');
  expect(await told()).toEqual([]);
  const last = asked.at(-1) ?? 0;
  expect(setup.clock.now - last).toBeLessThanOrEqual(10 * MINUTE);
  balance = '99.00';
  await setup.pass(11 * MINUTE, looks);
  expect(await told()).toMatchObject([
    { chat: ADMIN, data: { what: 'low', balance: '99.00', mark: '100.00' } },
  ]);
  await looks.close();
});
