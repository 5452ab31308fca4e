import { describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  ADDRESS,
  accepted,
  CUT,
  logged,
  OFFLINE,
  ORDER,
  orderOf,
  profileOf,
  rejected,
} from './rental-stand-in.ts';
import { openRoom, START, USER } from './room.ts';

const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const FILLED = { order: ORDER, status: 'filled', at: START, address: ADDRESS, energyAmount: 65_000 } as const;

describe('a report of an order that fits', () => {
  test('settles an unknown outcome, and is news', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, FILLED);
    expect(await room.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'filled' },
      settledAt: START,
    });
    expect(room.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
  });

  test('settles it from the webhook logs, where its event never came', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.shown().at(-1)).toBe('done');
  });

  test('settles one that was called likely', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'likely' });
    await room.operations.settlement.report(ACCOUNT, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('settles a failed order too', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { status: 'failed' } });
  });

  test('proves one operation alone', async () => {
    const room = openRoom();
    const first = await room.lost();
    const second = await room.lost();
    await room.operations.settlement.report(ACCOUNT, FILLED);
    await room.operations.settlement.report(ACCOUNT, FILLED);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(60_000);
    const states = [await room.read(first), await room.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1 });
    expect([await room.read(first), await room.read(second)]).toMatchObject([
      { state: 'done' },
      { state: 'done' },
    ]);
  });

  test('is given to one, also where two find it at the same time', async () => {
    const room = openRoom();
    const [first, second] = [await room.lost(), await room.lost()];
    const found = { kind: 'strong', report: FILLED } as const;
    const { conclude } = room.operations.settlement;
    await Promise.all([conclude(first, found, false), conclude(second, found, false)]);
    const states = [await room.read(first), await room.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
  });

  test('proves nothing of another where its operation has its answer', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    const done = await room.claimed();
    await room.advance(done);
    await room.operations.settlement.report(ACCOUNT, FILLED);
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await room.pass(60_000);
    expect(await room.read(unknown)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    expect(await room.read(done)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  });

  test('proves nothing of another while its own operation waits for the answer', async () => {
    const room = openRoom();
    const unknown = await room.lost();
    const going = await room.claimed();
    room.rental.buyEnergy.mockImplementationOnce(async () => {
      await room.operations.settlement.report(ACCOUNT, FILLED);
      return orderOf();
    });
    await room.advance(going);
    expect(await room.read(going)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(room.show.mock.calls.filter(([{ id, state }]) => id === unknown.id && state === 'done')).toEqual(
      [],
    );
    expect(await room.read(unknown)).toMatchObject({ state: 'unknown' });
  });
});

describe('a report proves nothing', () => {
  const reports: [string, object][] = [
    ['of another address', { address: OTHER_ADDRESS }],
    ['of another amount', { energyAmount: 131_000 }],
    ['without an address', { address: undefined }],
    ['from before the request', { at: START - 30_001 }],
  ];
  test.each(reports)('%s', async (_, other) => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT, { ...FILLED, ...other });
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('of another account', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.operations.settlement.report(ACCOUNT + 1, FILLED);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test.each([
    ['of another address', logged(ORDER, START, { data: { address: OTHER_ADDRESS } })],
    ['of another amount', logged(ORDER, START, { data: { energy_amount: 64_999 } })],
    ['from before the request', logged(ORDER, START - 30_001)],
    ['of something else', logged(ORDER, START, { type: 'deposit.confirmed' })],
  ])('in the logs %s', async (_, entry) => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.webhookLogs.mockResolvedValue(accepted([entry]));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown' });
  });
});

test('a report within the difference of two clocks fits', async () => {
  const room = openRoom();
  const operation = await room.lost();
  await room.operations.settlement.report(ACCOUNT, { ...FILLED, at: START - 30_000 });
  expect(await room.read(operation)).toMatchObject({ state: 'done' });
});

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

  test('but it is where another was over before, or was refused', async () => {
    const room = openRoom();
    await room.advance(await room.claimed());
    room.clock.now += 1_000;
    const operation = await room.lost();
    room.clock.now += 1_000;
    room.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
    await room.advance(await room.claimed());
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(operation)).toMatchObject({ state: 'likely' });
  });
});
