import { describe, expect, test } from 'vitest';
import { ACCOUNT, CUT, OFFLINE, profileOf, rejected } from './rental-stand-in.ts';
import { openRoom, USER } from './room.ts';

describe('the balance', () => {
  test.each(['997.68', '997.681', '997.6708'])(
    'that fell by the estimate to %s makes it likely, and is told',
    async (balance) => {
      const room = openRoom();
      const operation = await room.lost();
      room.rental.profile.mockResolvedValue(profileOf(balance));
      await room.pass(10_000);
      expect(await room.read(operation)).toMatchObject({ state: 'likely', settledAt: expect.any(Number) });
      expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'likely', late: true }));
    },
  );

  test.each([
    ['997.67', 'moved'],
    ['997.69', 'moved'],
    ['1002.32', 'moved'],
    ['1000.000000', 'same'],
  ])('of %s proves nothing: it is said to be %s', async (balance, said) => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf(balance));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: said } });
  });

  test.each([OFFLINE, CUT, rejected(401, 'HTTP_401')])(
    'that could not be read is said to be so',
    async (answer) => {
      const room = openRoom();
      const operation = await room.lost();
      room.rental.profile.mockResolvedValue(answer);
      await room.pass(10_000);
      expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'unread' } });
    },
  );

  test('proves nothing where no price was expected', async () => {
    const room = openRoom();
    const operation = await room.lost({ estimate: undefined });
    room.rental.profile.mockResolvedValue(profileOf('1000.005'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });
});

describe('a fitting balance is not enough', () => {
  test.each([
    ['beside another unknown outcome', USER],
    ["beside another user's unknown outcome of the same account", USER + 1],
  ])('%s', async (_, user) => {
    const room = openRoom();
    const operation = await room.lost();
    await room.lost({ user });
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });

  test('where another was bought meanwhile', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.clock.now += 1;
    await room.advance(await room.claimed());
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('where another was over just before, by a clock that may go wrong by half a minute', async () => {
    const room = openRoom();
    await room.advance(await room.claimed());
    room.clock.now += 29_999;
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test.each([
    [499, 'likely'],
    [500, 'unknown'],
  ])(
    'among %i attempts of the account it is %s: of more, one that matters may be missing',
    async (attempts, state) => {
      const room = openRoom();
      const operation = await room.lost();
      for (let other = 1; other < attempts; other++) {
        await room.storage.index.putIn(`sent-of-account:${ACCOUNT}`, `${USER}/GONE${other}`, 0);
      }
      room.rental.profile.mockResolvedValue(profileOf('997.68'));
      await room.pass(10_000);
      expect(await room.read(operation)).toMatchObject({ state });
    },
  );

  test('but it is where another was over before, or was refused', async () => {
    const room = openRoom();
    await room.advance(await room.claimed());
    room.clock.now += 30_000;
    const operation = await room.lost();
    room.clock.now += 1_000;
    room.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
    await room.advance(await room.claimed());
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'likely' });
  });
});
