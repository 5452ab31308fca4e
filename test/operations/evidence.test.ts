import { describe, expect } from 'vitest';
import type { OperationRef } from '../../src/operations/operation.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import { FILLED, type OperationsSetup, START, setUpOperations, test, USER } from './operations-setup.ts';
import {
  ACCOUNT,
  accepted,
  CUT,
  logged,
  OFFLINE,
  ORDER,
  orderOf,
  profileOf,
  rejected,
} from './rental-stand-in.ts';

const DAY_MS = 24 * 3600_000;
const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

describe('a report of a matching order', () => {
  test('settles an unknown outcome and sends a follow-up', async ({ setup }) => {
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'filled' },
      settledAt: START,
    });
    expect(setup.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
  });

  test('settles it from the webhook logs if its event is missing', async ({ setup }) => {
    const operation = await setup.lost();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.shown().at(-1)).toBe('done');
  });

  test('settles a likely outcome', async ({ setup }) => {
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely' });
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('settles a failed order too', async ({ setup }) => {
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'failed' } });
  });

  test('settles only one operation', async ({ setup }) => {
    const first = await setup.lost();
    const second = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(60_000);
    const states = [await setup.read(first), await setup.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1 });
    expect([await setup.read(first), await setup.read(second)]).toMatchObject([
      { state: 'done' },
      { state: 'done' },
    ]);
  });

  test('settles one operation when two find it at once', async ({ setup }) => {
    const [first, second] = [await setup.lost(), await setup.lost()];
    const found = { kind: 'strong', result: { order: ORDER, status: 'filled' } } as const;
    const { conclude } = setup.operations.settlement;
    const known = [await setup.stored(first), await setup.stored(second)];
    await Promise.all(known.map((stored) => conclude(stored, found, false)));
    const states = [await setup.read(first), await setup.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
  });

  test('does not settle another operation if its own one has a response', async ({ setup }) => {
    const unknown = await setup.lost();
    const done = await setup.executed();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(60_000);
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    expect(await setup.read(done)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  });

  test('settles its operation after a lost response if it arrived during the request', async ({ setup }) => {
    const operation = await setup.claimed();
    setup.rental.buyEnergy.mockImplementationOnce(async () => {
      await setup.operations.settlement.report(ACCOUNT, FILLED);
      return CUT;
    });
    await setup.advance(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    await setup.pass(6_000);
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: FILLED.order } });
  });

  test('does not settle an operation sent after it if it has no time', async ({ setup }) => {
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: undefined });
    setup.clock.now += 60_000;
    const operation = await setup.lost();
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('settles nothing if its record was forged', async ({ setup }) => {
    const operation = await setup.lost();
    const key = `order-report:${ACCOUNT}:energy:${FILLED.order}`;
    await setup.storage.set(key, JSON.stringify(FILLED));
    await setup.storage.index.put(`reports-of-account:${ACCOUNT}`, `energy:${FILLED.order}`, setup.clock.now);
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('finds the latest operation of an account with hundreds of earlier attempts', async ({ setup }) => {
    for (let n = 0; n < 600; n++) {
      await setup.storage.index.put(`sent-of-account:${ACCOUNT}`, `999/${n}`, START - 600 + n);
    }
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: FILLED.order } });
  });

  test('does not settle another operation while its own one waits for the response', async ({ setup }) => {
    const unknown = await setup.lost();
    const going = await setup.claimed();
    setup.rental.buyEnergy.mockImplementationOnce(async () => {
      await setup.operations.settlement.report(ACCOUNT, FILLED);
      return orderOf();
    });
    await setup.advance(going);
    expect(await setup.read(going)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.show.mock.calls.filter(([{ id, state }]) => id === unknown.id && state === 'done')).toEqual(
      [],
    );
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown' });
  });
});

describe('a report proves nothing', () => {
  test.for<[string, object, number?]>([
    ['with another address', { address: OTHER_ADDRESS }],
    ['with another amount', { amount: 131_000 }],
    ['without an address', { address: undefined }],
    ['with a time before the request', { at: START - 30_001 }],
    ['from another account', {}, ACCOUNT + 1],
  ])('%s', async ([_, other, account = ACCOUNT], { setup }) => {
    const operation = await setup.lost();
    await setup.operations.settlement.report(account, { ...FILLED, ...other });
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test.each([
    ['another address', logged(ORDER, START, { data: { address: OTHER_ADDRESS } })],
    ['another amount', logged(ORDER, START, { data: { energy_amount: 64_999 } })],
    ['a time before the request', logged(ORDER, START - 30_001)],
    ['another event type', logged(ORDER, START, { type: 'deposit.confirmed' })],
  ])('in the logs with %s', async (_, entry) => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.rental.webhookLogs.mockResolvedValue(accepted([entry]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });
});

test('a report within the clock tolerance matches', async ({ setup }) => {
  const operation = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: START - 30_000 });
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
});

describe('the balance', () => {
  test.for<[string, Awaited<ReturnType<Rental['profile']>>, object]>([
    ['makes the outcome likely after a drop by the estimate', profileOf('997.68'), { state: 'likely' }],
    ['allows for rounding down', profileOf('997.681'), { state: 'likely' }],
    ['allows for rounding up', profileOf('997.6708'), { state: 'likely' }],
    ['proves nothing a hundredth below', profileOf('997.67'), { search: { balance: 'moved' } }],
    ['proves nothing a hundredth above', profileOf('997.69'), { search: { balance: 'moved' } }],
    ['proves nothing after a rise', profileOf('1002.32'), { search: { balance: 'moved' } }],
    ['proves nothing if it is unchanged', profileOf('1000.000000'), { search: { balance: 'same' } }],
    ['is recorded as unread without a connection', OFFLINE, { search: { balance: 'unread' } }],
    ['is recorded as unread after a lost response', CUT, { search: { balance: 'unread' } }],
    ['is recorded as unread after a rejection', rejected(401, 'HTTP_401'), { search: { balance: 'unread' } }],
  ])('%s', async ([_, profile, expected], { setup }) => {
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profile);
    await setup.pass(10_000);
    const { state, settledAt, ...found } = await setup.read(operation);
    expect({ state, ...found }).toMatchObject({ state: 'unknown', ...expected });
    if (state === 'likely') expect(settledAt).toEqual(expect.any(Number));
    expect(setup.show).toHaveBeenLastCalledWith(expect.objectContaining({ state, late: state === 'likely' }));
  });

  test('proves nothing without an estimate', async ({ setup }) => {
    const operation = await setup.lost({ estimate: undefined });
    setup.rental.profile.mockResolvedValue(profileOf('1000.005'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'moved' } });
  });
});

describe('a matching balance', () => {
  const matching = async ({ rental, pass, read }: OperationsSetup, operation: OperationRef) => {
    rental.profile.mockResolvedValue(profileOf('997.68'));
    await pass(10_000);
    return read(operation);
  };

  test.each([
    ['if another outcome is unknown', USER],
    ["if another user's outcome in the account is unknown", USER + 1],
  ])('proves nothing %s', async (_, user) => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.lost({ user });
    expect(await matching(setup, operation)).toMatchObject({
      state: 'unknown',
      search: { balance: 'moved' },
    });
  });

  test('proves nothing if another purchase was made afterwards', async ({ setup }) => {
    const operation = await setup.lost();
    setup.clock.now += 1;
    await setup.executed();
    expect(await matching(setup, operation)).toMatchObject({ state: 'unknown' });
  });

  test.each([
    ['proves nothing if another purchase settled within the clock tolerance', 29_999, 'unknown'],
    ['makes the outcome likely if another purchase settled before', 30_000, 'likely'],
  ])('%s', async (_, ms, state) => {
    const setup = setUpOperations();
    await setup.executed();
    setup.clock.now += ms;
    const operation = await setup.lost();
    setup.clock.now += 1_000;
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'INSUFFICIENT_BALANCE'));
    // A refused purchase doesn't count.
    await setup.executed();
    expect(await matching(setup, operation)).toMatchObject({ state });
  });

  test.each([
    ['a day ago', DAY_MS + 1, 'likely'],
    ['within a day', DAY_MS - 60_000, 'unknown'],
  ])('with an unknown outcome %s', async (_, ms, state) => {
    const setup = setUpOperations();
    await setup.lost();
    setup.clock.now += ms;
    expect(await matching(setup, await setup.lost())).toMatchObject({ state });
  });

  test.each([
    [499, 'likely'],
    [500, 'unknown'],
  ])('with %i attempts results in %s, because only 500 attempts are read', async (attempts, state) => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    for (let other = 1; other < attempts; other++)
      await setup.storage.index.scheduleIn(`sent-of-account:${ACCOUNT}`, `${USER}/GONE${other}`, 0);
    expect(await matching(setup, operation)).toMatchObject({ state });
  });
});

describe('a delivery', () => {
  test('is found in the logs of an account with events if its event is missing', async ({ setup }) => {
    setup.reported.mockResolvedValue(true);
    const operation = await setup.executed();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER + 1, START), logged(ORDER, START)]));
    await setup.pass(25_000);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
    await setup.pass(15_000);
    expect(setup.show).toHaveBeenLastCalledWith(
      expect.objectContaining({ result: expect.objectContaining({ order: ORDER, status: 'filled' }) }),
    );
  });

  test('is found in the logs also if it failed', async ({ setup }) => {
    setup.reported.mockResolvedValue(true);
    const operation = await setup.executed();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, { type: 'order.failed' })]));
    await setup.pass(40_000);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'failed' } });
  });

  test('is not searched for in an account without events', async ({ setup }) => {
    await setup.executed();
    await setup.pass(3_600_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('is searched for one day', async ({ setup }) => {
    setup.reported.mockResolvedValue(true);
    await setup.executed();
    setup.clock.now = START + DAY_MS - 60_000;
    await setup.pass(10_000);
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
    setup.rental.webhookLogs.mockClear();
    setup.clock.now = START + 2 * DAY_MS;
    await setup.pass(10_000);
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
    expect(await setup.storage.index.upTo('operations:due', Number.MAX_VALUE, 10)).toEqual([]);
  });

  test('is searched for again after an outage of the service', async ({ setup }) => {
    setup.reported.mockResolvedValue(true);
    const operation = await setup.executed();
    setup.rental.webhookLogs.mockResolvedValueOnce(OFFLINE);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(120_000);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'filled' } });
  });
});
