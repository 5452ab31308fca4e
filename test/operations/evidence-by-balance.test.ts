import { describe, expect, test } from 'vitest';
import { setUpOperations, USER } from './operations-setup.ts';
import { ACCOUNT, CUT, OFFLINE, profileOf, rejected } from './rental-stand-in.ts';

describe('the balance', () => {
  test.each(['997.68', '997.681', '997.6708'])(
    'makes the outcome likely and notifies the user after a drop to %s',
    async (balance) => {
      const setup = setUpOperations();
      const operation = await setup.lost();
      setup.rental.profile.mockResolvedValue(profileOf(balance));
      await setup.pass(10_000);
      expect(await setup.read(operation)).toMatchObject({ state: 'likely', settledAt: expect.any(Number) });
      expect(setup.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'likely', late: true }));
    },
  );

  test.each([
    ['997.67', 'moved'],
    ['997.69', 'moved'],
    ['1002.32', 'moved'],
    ['1000.000000', 'same'],
  ])('proves nothing at %s and is recorded as %s', async (balance, said) => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf(balance));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: said } });
  });

  test.each([OFFLINE, CUT, rejected(401, 'HTTP_401')])(
    'is recorded as unread if it cannot be read',
    async (answer) => {
      const setup = setUpOperations();
      const operation = await setup.lost();
      setup.rental.profile.mockResolvedValue(answer);
      await setup.pass(10_000);
      expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'unread' } });
    },
  );

  test('proves nothing without an estimate', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost({ estimate: undefined });
    setup.rental.profile.mockResolvedValue(profileOf('1000.005'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });
});

describe('a matching balance', () => {
  test.each([
    ['if another outcome is unknown', USER],
    ["if another user's outcome in the account is unknown", USER + 1],
  ])('proves nothing %s', async (_, user) => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.lost({ user });
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });

  test('proves nothing if another purchase was made afterwards', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.clock.now += 1;
    await setup.advance(await setup.claimed());
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('proves nothing if another purchase settled less than 30 seconds before, the clock tolerance', async () => {
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
    setup.clock.now += 29_999;
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test.each([
    [499, 'likely'],
    [500, 'unknown'],
  ])(
    'with %i attempts in the account results in %s, because only 500 attempts are read',
    async (attempts, state) => {
      const setup = setUpOperations();
      const operation = await setup.lost();
      for (let other = 1; other < attempts; other++) {
        await setup.storage.index.scheduleIn(`sent-of-account:${ACCOUNT}`, `${USER}/GONE${other}`, 0);
      }
      setup.rental.profile.mockResolvedValue(profileOf('997.68'));
      await setup.pass(10_000);
      expect(await setup.read(operation)).toMatchObject({ state });
    },
  );

  test('makes the outcome likely if another purchase settled earlier or was refused', async () => {
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
    setup.clock.now += 30_000;
    const operation = await setup.lost();
    setup.clock.now += 1_000;
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
    await setup.advance(await setup.claimed());
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely' });
  });
});
