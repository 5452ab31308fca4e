import { expect, test } from 'vitest';
import { accepted, OFFLINE, profileOf } from '../operations/rental-stand-in.ts';
import { ADMIN, HOUR, MINUTE, openPollers } from './pollers-setup.ts';

const OPERATOR = 1000;

test('polls the operator’s balance every ten minutes even if no user holds the account', async () => {
  const setup = await openPollers();
  setup.operator.account.mockResolvedValueOnce(undefined).mockResolvedValue(OPERATOR);
  setup.operator.owns.mockImplementation(async (account) => account === OPERATOR);
  await setup.operatorLimits.setAlert('100.00');
  let balance = '500.00';
  const polledAt: number[] = [];
  setup.rental.profile.mockImplementation(async (key) => {
    if (key !== 'operator-key') return OFFLINE;
    polledAt.push(setup.clock.now);
    return accepted({ ...profileOf(balance, OPERATOR).value });
  });
  const pollers = setup.replica(undefined, { operatorKey: 'operator-key' });
  await setup.pass(2 * MINUTE, pollers);
  expect(polledAt.length).toBeGreaterThan(0);
  await setup.pass(5 * HOUR, pollers);
  const notified = async () => (await setup.notified()).filter(({ kind }) => kind === 'operator');
  expect(await notified()).toEqual([]);
  const lastPolledAt = polledAt.at(-1) ?? 0;
  expect(setup.clock.now - lastPolledAt).toBeLessThanOrEqual(10 * MINUTE);
  balance = '99.00';
  await setup.pass(11 * MINUTE, pollers);
  expect(await notified()).toMatchObject([
    { chat: ADMIN, data: { what: 'low', balance: '99.00', threshold: '100.00' } },
  ]);
  await pollers.close();
});
