import { describe, expect, test } from 'vitest';
import { FILLED, START, setUpOperations } from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, logged, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

const OTHER_ADDRESS = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';

describe('a report of a matching order', () => {
  test('settles an unknown outcome and sends a follow-up', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'filled' },
      settledAt: START,
    });
    expect(setup.show).toHaveBeenLastCalledWith(expect.objectContaining({ state: 'done', late: true }));
  });

  test('settles it from the webhook logs if its event is missing', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(setup.shown().at(-1)).toBe('done');
  });

  test('settles a likely outcome', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'likely' });
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
  });

  test('settles a failed order too', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'failed' } });
  });

  test('settles only one operation', async () => {
    const setup = setUpOperations();
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

  test('settles one operation when two find it at once', async () => {
    const setup = setUpOperations();
    const [first, second] = [await setup.lost(), await setup.lost()];
    const found = { kind: 'strong', result: { order: ORDER, status: 'filled' } } as const;
    const { conclude } = setup.operations.settlement;
    const known = [await setup.stored(first), await setup.stored(second)];
    await Promise.all(known.map((stored) => conclude(stored, found, false)));
    const states = [await setup.read(first), await setup.read(second)].map(({ state }) => state);
    expect(states.sort()).toEqual(['done', 'unknown']);
  });

  test('does not settle another operation if its own one has a response', async () => {
    const setup = setUpOperations();
    const unknown = await setup.lost();
    const done = await setup.claimed();
    await setup.advance(done);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(ORDER, START)]));
    await setup.pass(60_000);
    expect(await setup.read(unknown)).toMatchObject({ state: 'unknown', search: { balance: 'same' } });
    expect(await setup.read(done)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  });

  test('settles its operation after a lost response if it arrived during the request', async () => {
    const setup = setUpOperations();
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

  test('does not settle an operation sent after it if it has no time', async () => {
    const setup = setUpOperations();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: undefined });
    setup.clock.now += 60_000;
    const operation = await setup.lost();
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('settles nothing if its record was forged', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    const key = `order-report:${ACCOUNT}:energy:${FILLED.order}`;
    await setup.storage.set(key, JSON.stringify(FILLED));
    await setup.storage.index.put(`reports-of-account:${ACCOUNT}`, `energy:${FILLED.order}`, setup.clock.now);
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('finds the latest operation of an account with hundreds of earlier attempts', async () => {
    const setup = setUpOperations();
    for (let n = 0; n < 600; n++) {
      await setup.storage.index.put(`sent-of-account:${ACCOUNT}`, `999/${n}`, START - 600 + n);
    }
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: FILLED.order } });
  });

  test('does not settle another operation while its own one waits for the response', async () => {
    const setup = setUpOperations();
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
  const reports: [string, object][] = [
    ['another address', { address: OTHER_ADDRESS }],
    ['another amount', { amount: 131_000 }],
    ['no address', { address: undefined }],
    ['a time before the request', { at: START - 30_001 }],
  ];
  test.each(reports)('with %s', async (_, other) => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, ...other });
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('from another account', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.report(ACCOUNT + 1, FILLED);
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

test('a report within the clock tolerance matches', async () => {
  const setup = setUpOperations();
  const operation = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: START - 30_000 });
  expect(await setup.read(operation)).toMatchObject({ state: 'done' });
});
