import { describe, expect } from 'vitest';
import { operationCard } from '../../src/operations/card.ts';
import type { OrderReport } from '../../src/operations/kinds/kind.ts';
import type { OperationRef, SentOperation } from '../../src/operations/operation.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import type { Rental } from '../../src/rental-api/client.ts';
import type { WebhookLogEntry } from '../../src/rental-api/schemas.ts';
import { TEXTS } from '../support/texts.ts';
import {
  BANDWIDTH,
  ENERGY,
  FILLED,
  failing,
  INVOICE,
  type OperationsSetup,
  resultOf,
  START,
  setUpOperations,
  test,
  USER,
} from './operations-setup.ts';
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
    expect(setup.show).toHaveBeenLastCalledWith(
      expect.objectContaining({ state: 'done', receipt: expect.objectContaining({ late: true }) }),
    );
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

  test.for<[behaviour: string, balance: string, fields: object, price: string | undefined]>([
    ['that it names', '990.00', { price: '2.31' }, '2.31'],
    ['by which the balance fell, if that is the estimate', '997.681', {}, '2.319'],
    ['only if it is known: the balance fell by something else', '990.00', {}, undefined],
  ])('proves an outcome with the price %s', async ([, balance, fields, price], { setup }) => {
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf(balance));
    await setup.pass(10_000);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, ...fields });
    expect(resultOf(await setup.read(operation))?.price).toBe(price);
  });

  test('proves an outcome with the price that the balance shows when a log names its order', async ({
    setup,
  }) => {
    const operation = await setup.lost();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(resultOf(await setup.read(operation))).toMatchObject({ order: ORDER, price: '2.32' });
    const figure = await setup.operations.figures.during(setup.clock.now, 1);
    expect([figure('energy', 'sun'), figure('energy', 'unpriced')]).toEqual([2_320_000, 0]);
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
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
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

test('neither a log nor a balance of another account is evidence', async ({ setup }) => {
  const operation = await setup.lost();
  setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
  setup.rental.profile.mockResolvedValue(profileOf('997.68', ACCOUNT + 1));
  await setup.pass(60_000);
  expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'unread' } });
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
    const found = await setup.read(operation);
    const { state } = found;
    expect(found).toMatchObject({ state: 'unknown', ...expected });
    if (state === 'likely') expect(found.settledAt).toEqual(expect.any(Number));
    expect(setup.show).toHaveBeenLastCalledWith(
      expect.objectContaining({ state, receipt: expect.objectContaining({ late: state === 'likely' }) }),
    );
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
    const other = await setup.lost({ user });
    const found = await matching(setup, operation);
    expect(found).toMatchObject({ state: 'unknown', search: { balance: 'mixed' } });
    const shared = 'search' in found ? found.search?.seen?.or : [];
    // Another user's operation isn't named.
    expect(shared).toEqual(user === USER ? [other.id] : undefined);
  });

  test.for<[string, string, object]>([
    ['unchanged', '997.68', { state: 'unknown', search: { balance: 'same', seen: { charged: '2.32' } } }],
    ['lower by the price', '995.36', { state: 'likely', search: { seen: { charged: '2.32' } } }],
    ['lower by another sum', '990.00', { state: 'unknown', search: { balance: 'moved' } }],
  ])('is %s apart from a later purchase that was delivered', async ([, left, expected], { setup }) => {
    const operation = await setup.lost();
    setup.clock.now += 1;
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ status: 'filled' }));
    await setup.executed();
    setup.rental.profile.mockResolvedValue(profileOf(left));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject(expected);
  });

  test.for<[string, string, object]>([
    ['unchanged', '1000.00', { state: 'unknown', search: { balance: 'same' } }],
    ['lower by the price', '997.68', { state: 'likely', search: { seen: { left: '997.68' } } }],
  ])('counts as %s if it was so before the next unknown operation', async ([, left, expected], { setup }) => {
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(OFFLINE);
    await setup.pass(40_000);
    setup.rental.profile.mockResolvedValue(profileOf(left));
    const { id } = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('991.00'));
    await setup.pass(60_000);
    const found = await setup.read(operation);
    expect(found).toMatchObject(expected);
    expect(found).toMatchObject({ search: { seen: { next: id } } });
  });

  test('shows the price beside a purchase seconds before, whose charge the balance before contains', async ({
    setup,
  }) => {
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ price_trx: '4.67' }));
    await setup.executed();
    setup.clock.now += 1_000;
    setup.rental.profile.mockResolvedValue(profileOf('995.33'));
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('993.01'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({
      state: 'likely',
      search: { seen: { left: '993.01' } },
    });
  });

  test('that once showed the price keeps showing it when other money comes', async ({ setup }) => {
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    await setup.lost({ user: USER + 1, estimate: '4.67' });
    const operation = await matching(setup, await setup.lost());
    const seen = { balance: 'mixed', seen: { left: '997.68' } };
    expect(operation).toMatchObject({ state: 'unknown', search: seen });
    setup.rental.profile.mockResolvedValue(profileOf('1002.35'));
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: seen });
  });

  test('is unchanged apart from another purchase once an event settles that one', async ({ setup }) => {
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    const operation = await setup.lost({ request: { ...ENERGY, energy_amount: 131_000 } });
    await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance: 'mixed' } });
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    await setup.pass(1_000);
    const found = { state: 'unknown', search: { balance: 'same', seen: { charged: '2.32' } } };
    expect(await setup.read(operation)).toMatchObject(found);
  });

  test('is shared by unknown operations of one price', async ({ setup }) => {
    const first = await setup.lost();
    const second = await setup.lost();
    await matching(setup, first);
    expect([await setup.read(first), await setup.read(second)]).toMatchObject([
      { state: 'unknown', search: { balance: 'mixed', seen: { or: [second.id] } } },
      { state: 'unknown', search: { balance: 'mixed', seen: { or: [first.id] } } },
    ]);
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
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
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
    ['half a minute ago', 30_000, 'likely'],
    ['less than half a minute ago', 29_999, 'unknown'],
  ])('with an unknown outcome %s', async (_, ms, state) => {
    const setup = setUpOperations();
    await setup.lost();
    setup.clock.now += ms;
    expect(await matching(setup, await setup.lost())).toMatchObject({ state });
  });

  test.for<[price: string, balance: string, text: string]>([
    ['2.32', 'mixed', "hasn't changed, but a refund of an earlier order may hide that this was charged."],
    ['2.30', 'same', "Your balance hasn't changed."],
  ])(
    'may hide the charge behind the refund of an order of %s TRX',
    async ([price, balance, text], { setup }) => {
      setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
      setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ price_trx: price }));
      await setup.executed();
      setup.clock.now += 60_000;
      const { id, user } = await setup.lost();
      await setup.pass(60_000);
      const operation = await setup.read({ id, user });
      expect(operation).toMatchObject({ state: 'unknown', search: { balance } });
      const about = { kind: setup.kinds.of(operation.request), reported: false, now: setup.clock.now };
      expect(operationCard(TEXTS.in('en'), operation, about).html).toContain(text);
    },
  );

  test.for([
    ['of unknown outcome', 'mixed'],
    ['whose refund was seen before', 'same'],
  ] as const)('beside an earlier order %s is %s if it is unchanged', async ([before, balance], { setup }) => {
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    if (before === 'of unknown outcome') await setup.lost();
    else {
      const earlier = await setup.executed();
      setup.rental.profile.mockResolvedValue(profileOf('997.68'));
      await setup.pass(40_000);
      setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
      await setup.pass(120_000);
      expect(resultOf(await setup.read(earlier))?.refund).toMatchObject({ balance: 'back' });
    }
    setup.clock.now += 30_000;
    const operation = await setup.lost();
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { balance } });
  });

  test.for([
    ['falls by the price', '997.68', {}],
    ['rises by a deposit', '1050.00', { amount: '50', currency: 'TRX', status: 'confirmed' }],
  ] as const)(
    'counts as unchanged if it was so a minute after, although it %s later',
    async ([, left, paid], { setup }) => {
      const operation = await setup.lost();
      setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
      await setup.pass(130_000);
      expect(await setup.read(operation)).toMatchObject({ search: { balance: 'same' } });
      setup.rental.profile.mockResolvedValue(profileOf(left));
      const created_at = new Date(setup.clock.now).toISOString();
      setup.rental.deposits.mockResolvedValue(accepted('amount' in paid ? [{ ...paid, created_at }] : []));
      await setup.pass(DAY_MS + 3_600_000);
      const found = await setup.read(operation);
      expect(found).toMatchObject({ state: 'unknown', search: { balance: 'same', over: true } });
      const about = { kind: setup.kinds.of(found.request), reported: false, now: setup.clock.now };
      expect(operationCard(TEXTS.in('en'), found, about).html).toContain(
        'Most likely nothing was charged: your balance was unchanged at first. It has changed since',
      );
    },
  );

  test('makes the outcome likely beside an invoice, which costs nothing', async ({ setup }) => {
    const operation = await setup.lost();
    setup.clock.now += 1;
    await setup.executed({ request: INVOICE });
    expect(await matching(setup, operation)).toMatchObject({ state: 'likely' });
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
  test.for(['filled', 'failed'])(
    'is found in the logs of an account with events if its event is missing: %s',
    async (status, { setup }) => {
      setup.reported.mockResolvedValue(true);
      const operation = await setup.executed();
      const entry = logged(ORDER, START, { type: `order.${status}` });
      setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER + 1, START), entry]));
      await setup.pass(25_000);
      expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
      await setup.pass(15_000);
      expect(setup.show).toHaveBeenLastCalledWith(
        expect.objectContaining({ result: expect.objectContaining({ order: ORDER, status }) }),
      );
    },
  );

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

const ANSWER = { kind: 'accepted', value: { order: ORDER, status: 'pending', price: '2.32' } } as const;

/** Returns what the user was shown of one operation. */
const shownOf = (setup: OperationsSetup, { id }: { id: string }) =>
  setup.show.mock.calls.map(([operation]) => operation).filter((operation) => operation.id === id);

describe('evidence in the logs', () => {
  test('waits for another attempt that may own it, and is used once that is done', async ({ setup }) => {
    const unknown = await setup.lost();
    const going = await setup.underWay();
    setup.rental.webhookLogs.mockImplementation(async () => accepted([logged(ORDER, setup.clock.now)]));
    await setup.pass(6_000);
    expect(setup.rental.webhookLogs).toHaveBeenCalled();
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown' });
    going.answer(orderOf({ order_id: ORDER + 1 }));
    await going.attended;
    await setup.pass(30_000);
    expect(await setup.read(unknown)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await setup.read(going.operation)).toMatchObject({ state: 'done', result: { order: ORDER + 1 } });
  });

  test("belongs to the other attempt if that one's response names it", async ({ setup }) => {
    const unknown = await setup.lost();
    const going = await setup.underWay();
    setup.rental.webhookLogs.mockImplementation(async () => accepted([logged(ORDER, setup.clock.now)]));
    await setup.pass(6_000);
    going.answer(orderOf());
    await going.attended;
    await setup.pass(30_000);
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown' });
    expect(shownOf(setup, unknown).map(({ state }) => state)).not.toContain('done');
    expect(await setup.read(going.operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('does not wait for an attempt that it cannot match', async ({ setup }) => {
    const going = await setup.underWay();
    const other = await setup.lost({ request: { ...ENERGY, energy_amount: 131_000 } });
    const entry = { data: { energy_amount: 131_000 } };
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, setup.clock.now, entry)]));
    await setup.pass(6_000);
    expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER } });
    going.answer(orderOf());
    await going.attended;
  });
});

describe('a purchase whose order a late response takes', () => {
  /** Evidence settles `other` with an order that a later response assigns to `operation`. */
  async function openTaken(setup: OperationsSetup) {
    const other = await setup.lost();
    setup.clock.now += 1_000;
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    expect(shownOf(setup, other).at(-1)).toMatchObject({ state: 'done', receipt: { late: true } });
    return { other, operation };
  }

  test('becomes unknown again, is shown as such and is settled by its own order', async ({ setup }) => {
    const { other, operation } = await openTaken(setup);
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'filled' },
    });
    expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
    await setup.pass(6_000);
    const shown = shownOf(setup, other);
    const again = shown.slice(shown.findLastIndex(({ state }) => state === 'done') + 1);
    expect(again[0]).toMatchObject({ state: 'unknown', receipt: { late: true } });
    expect(again.at(-1)).toMatchObject({ state: 'unknown' });
    expect(await setup.isNotified(other)).toBe(true);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1, at: setup.clock.now });
    expect(await setup.read(other)).toMatchObject({
      state: 'done',
      result: { order: ORDER + 1 },
      receipt: { late: false },
    });
    expect(shownOf(setup, other).at(-1)).toMatchObject({ state: 'done', receipt: { late: true } });
  });

  test('becomes unknown also after a storage failure between the two writes', async ({ setup }) => {
    const { other, operation } = await openTaken(setup);
    let refused = 0;
    const own = setup.replica(
      failing(
        setup.storage,
        ({ method, key }) => method === 'replace' && key.endsWith(other.id) && refused++ === 0,
      ),
    );
    const settle = async () => own.settlement.settle(await setup.stored(operation), ANSWER);
    await expect(settle()).rejects.toThrow('the storage is away');
    await settle();
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
  });
});

const evidenceOf = ({ order, status }: OrderReport) =>
  ({ kind: 'strong', result: { order, status } }) as const;

test('late evidence does not bind another order to a settled operation', async ({ setup }) => {
  const operation = await setup.orphaned();
  await setup.pass(15_000);
  const asItWas = await setup.stored<SentOperation>(operation);
  await setup.operations.settlement.settle(asItWas, ANSWER);
  const found = { ...FILLED, order: ORDER + 1 };
  await setup.operations.settlement.conclude(asItWas, evidenceOf(found), false);
  await setup.operations.settlement.report(ACCOUNT, { ...found, status: 'failed' });
  expect(await setup.read(operation)).toMatchObject({ result: { order: ORDER, status: 'pending' } });
});

test('evidence that is bound during the response can settle another operation', async ({ setup }) => {
  const operation = await setup.orphaned();
  await setup.pass(15_000);
  const asItWas = await setup.stored<SentOperation>(operation);
  const { add } = setup.storage;
  const own = setup.replica({
    ...setup.storage,
    async add(key, value, lifetime) {
      const added = await add(key, value, lifetime);
      if (key.startsWith('order:')) await setup.operations.settlement.settle(asItWas, ANSWER);
      return added;
    },
  });
  const found = { ...FILLED, order: ORDER + 1 };
  expect(await own.settlement.conclude(asItWas, evidenceOf(found), false)).toBeUndefined();
  const other = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, { ...found, at: setup.clock.now });
  expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER + 1 } });
  expect(await setup.read(operation)).toMatchObject({ result: { order: ORDER, status: 'pending' } });
});

test('a repeated event settles an operation if the first one failed after binding', async ({ setup }) => {
  const operation = await setup.lost();
  const own = setup.replica(
    failing(setup.storage, ({ method, key }) => method === 'replace' && key.startsWith('operation:')),
  );
  await expect(own.settlement.report(ACCOUNT, FILLED)).rejects.toThrow('the storage is away');
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
});

const BANDWIDTH_REPORT = { ...FILLED, namespace: 'bandwidth', amount: 1_000 } as const;

/** Returns the log entry of a bandwidth order with number 7. */
const loggedBandwidth = (type: string) =>
  logged(ORDER, START, { type, data: { energy_amount: undefined, bandwidth_amount: 1_000 } });

describe('energy and bandwidth orders with the same number', () => {
  type Happen = (setup: OperationsSetup) => unknown;
  const reported =
    (report: OrderReport): Happen =>
    ({ operations }) =>
      operations.settlement.report(ACCOUNT, report);
  const inLogs =
    (...entries: WebhookLogEntry[]): Happen =>
    ({ rental }) =>
      rental.webhookLogs.mockResolvedValue(accepted(entries));

  test.for<[string, Happen, string[]]>([
    ['belong to their own operations according to the responses', () => {}, ['pending', 'pending']],
    ['change by an event of energy', reported({ ...FILLED, status: 'failed' }), ['failed', 'pending']],
    ['change by an event of bandwidth', reported(BANDWIDTH_REPORT), ['pending', 'filled']],
    [
      'are delivered by a log entry of bandwidth',
      inLogs(loggedBandwidth('order.filled')),
      ['pending', 'filled'],
    ],
  ])('%s', async ([_, happen, statuses], { setup }) => {
    setup.reported.mockResolvedValue(true);
    const both = [await setup.executed(), await setup.executed({ request: BANDWIDTH })];
    await happen(setup);
    await setup.pass(60_000);
    expect(await Promise.all(both.map(setup.read))).toMatchObject([
      { state: 'done', result: { order: ORDER, price: '2.32', status: statuses[0] } },
      { state: 'done', result: { order: ORDER, price: '9.80', status: statuses[1] } },
    ]);
  });

  const settled = { state: 'done', result: { status: 'filled' } };
  test.for<[string, Happen, object]>([
    ['settle by an event of energy', reported(FILLED), settled],
    ['do not settle by an event of bandwidth, which is not documented', reported(BANDWIDTH_REPORT), {}],
    ['do not settle by a log entry of bandwidth', inLogs(loggedBandwidth('order.filled')), {}],
    ['are distinguished in the logs', inLogs(loggedBandwidth('order.failed'), logged(ORDER, START)), settled],
    [
      'are distinguished in any order',
      inLogs(logged(ORDER, START), loggedBandwidth('order.failed')),
      settled,
    ],
  ])('%s after lost responses', async ([_, happen, energy], { setup }) => {
    const both = [await setup.lost(), await setup.lost({ request: BANDWIDTH })];
    await happen(setup);
    await setup.pass(30_000);
    const unknown = { state: 'unknown' };
    expect(await Promise.all(both.map(setup.read))).toMatchObject([{ ...unknown, ...energy }, unknown]);
  });

  test('keep their evidence when a response of the other kind has the same number', async ({ setup }) => {
    const energy = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { order: ORDER } });
    const bandwidth = await setup.executed({ request: BANDWIDTH });
    await setup.pass(20_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'done', result: { status: 'filled' } });
    expect(await setup.read(bandwidth)).toMatchObject({ state: 'done', result: { status: 'pending' } });
  });

  test('prove nothing about the other kind with the same amount and address', async ({ setup }) => {
    const energy = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, namespace: 'bandwidth' });
    const entry = { data: { energy_amount: undefined, bandwidth_amount: 65_000 } };
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START, entry)]));
    await setup.pass(10_000);
    expect(await setup.read(energy)).toMatchObject({ state: 'unknown' });
  });

  test('keep reports that precede the response separate', async ({ setup }) => {
    await setup.operations.settlement.report(ACCOUNT, BANDWIDTH_REPORT);
    expect(await setup.outcome()).toMatchObject({ result: { status: 'pending' } });
    expect(await setup.outcome({ request: BANDWIDTH })).toMatchObject({ result: { status: 'filled' } });
  });
});
