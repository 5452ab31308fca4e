import { describe, expect, test } from 'vitest';
import { FILLED, failing, OUTCOME_THEN_BALANCE, START, setUpOperations, USER } from './operations-setup.ts';
import { ACCOUNT, ORDER, orderOf, profileOf } from './rental-stand-in.ts';

describe('a report of an order with a known operation', () => {
  test('updates its card once', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    await setup.advance(operation);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(setup.shown()).toEqual([...OUTCOME_THEN_BALANCE, 'done']);
    expect(await setup.read(operation)).toMatchObject({
      result: { order: ORDER, status: 'filled', price: '2.32' },
      late: false,
    });
  });

  test('updates it regardless of the address, because only the order counts', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    await setup.advance(operation);
    await setup.operations.settlement.report(ACCOUNT, {
      order: ORDER,
      namespace: 'energy',
      status: 'failed',
    });
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'failed' } });
  });

  test('changes nothing if it is from another account with the same number', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    await setup.advance(operation);
    await setup.operations.settlement.report(ACCOUNT + 1, FILLED);
    expect(await setup.read(operation)).toMatchObject({ result: { status: 'pending' } });
  });
});

describe('closing', () => {
  test('ends an unknown outcome and notifies the user', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.close(operation);
    expect(setup.shown().at(-1)).toBe('closed');
    setup.rental.webhookLogs.mockClear();
    await setup.pass(60_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'closed', settledAt: START });
    expect(setup.rental.webhookLogs).not.toHaveBeenCalled();
  });

  test('ends a likely outcome', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    await setup.operations.settlement.close(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'closed' });
  });

  test("is possible only for the operation's user", async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.close({ user: USER + 1, id: operation.id });
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
  });

  test('does not change a draft, a claimed or a done operation', async () => {
    const setup = setUpOperations();
    const { close } = setup.operations.settlement;
    const operation = await setup.draft();
    for (const state of ['draft', 'claimed', 'done']) {
      if (state === 'claimed') await setup.confirm(operation);
      if (state === 'done') await setup.advance(operation);
      await close(operation);
      expect(await setup.read(operation)).toMatchObject({ state });
    }
  });

  test('is final: later reports change nothing', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.operations.settlement.close(operation);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await setup.read(operation)).toMatchObject({ state: 'closed' });
  });
});

describe('a late response', () => {
  const ANSWER = { kind: 'accepted', value: { order: ORDER, status: 'pending', price: '2.32' } } as const;

  test('settles an unknown outcome and sends a follow-up', async () => {
    const setup = setUpOperations();
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown' });
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', late: true, result: ANSWER.value });
  });

  test('settles an operation that its user has closed', async () => {
    const setup = setUpOperations();
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    await setup.operations.settlement.close(operation);
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', late: true });
  });

  test('takes its order from another operation, whose outcome becomes unknown again', async () => {
    const setup = setUpOperations();
    const other = await setup.lost();
    setup.clock.now += 1_000;
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER } });
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({
      state: 'done',
      result: { order: ORDER, status: 'filled' },
    });
    expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
    await setup.pass(6_000);
    const notified = setup.show.mock.calls.filter(([{ id }]) => id === other.id).map(([{ state }]) => state);
    expect(notified.slice(-2)).toContain('unknown');
  });

  test('reopens an operation that evidence settles while the order is being taken from it', async () => {
    const setup = setUpOperations();
    const other = await setup.lost();
    setup.clock.now += 1_000;
    const operation = await setup.orphaned();
    await setup.pass(15_000);
    let bound = () => {};
    const isBound = new Promise<void>((resolve) => (bound = resolve));
    let goOn = () => {};
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const { replace } = setup.storage;
    const slow = setup.replica({
      ...setup.storage,
      async replace(key, ...rest) {
        if (key === `operation:{${other.user}}:${other.id}`) {
          bound();
          await mayGoOn;
        }
        return replace(key, ...rest);
      },
    });
    const reporting = slow.settlement.report(ACCOUNT, { ...FILLED, at: setup.clock.now });
    await isBound;
    const answered = setup.replica({
      ...setup.storage,
      async replace(key, ...rest) {
        if (key.startsWith('order:')) {
          goOn();
          await reporting;
          expect(await setup.read(other)).toMatchObject({ state: 'done', result: { order: ORDER } });
        }
        return replace(key, ...rest);
      },
    });
    await answered.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: ORDER } });
    expect(await setup.read(other)).toMatchObject({ state: 'unknown' });
  });

  test('is applied once', async () => {
    const setup = setUpOperations();
    const operation = await setup.claimed();
    await setup.advance(operation);
    const before = await setup.read(operation);
    await setup.operations.settlement.settle(await setup.stored(operation), ANSWER);
    expect(await setup.read(operation)).toEqual(before);
  });
});

test("stores a reported event before it reads the order's owner, so that no response misses both", async () => {
  const setup = setUpOperations();
  const calls: string[] = [];
  const storage = failing(setup.storage, ({ method, key }) => {
    calls.push(`${method} ${key.split(':')[0]}`);
    return false;
  });
  await setup.replica(storage).settlement.report(ACCOUNT, FILLED);
  expect(calls).toContain('set order-report');
  expect(calls.indexOf('set order-report')).toBeLessThan(calls.lastIndexOf('get order'));
});

test('stores a report only in its operation if a response bound the order', async () => {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  await setup.advance(operation);
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ settledBy: 'reply', result: { status: 'filled' } });
  expect(await setup.storage.keys('order-report:')).toEqual([]);
});

test('keeps a report separately if evidence bound the order', async () => {
  const setup = setUpOperations();
  const operation = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
  expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { status: 'failed' } });
  expect(await setup.storage.keys('order-report:')).toHaveLength(1);
});

test('a response takes over an order that evidence bound to another operation, with its status', async () => {
  const setup = setUpOperations();
  const first = await setup.lost();
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(first)).toMatchObject({ state: 'done', result: { status: 'filled' } });
  // The response of another operation names the same order.
  const second = await setup.claimed();
  await setup.advance(second);
  expect(await setup.read(second)).toMatchObject({ result: { order: FILLED.order, status: 'filled' } });
  expect(await setup.read(first)).toMatchObject({ state: 'unknown' });
});

test('keeps a report of an order without an operation as possible evidence', async () => {
  const setup = setUpOperations();
  const operation = await setup.claimed();
  setup.rental.buyEnergy.mockImplementationOnce(async (_key, purchase) =>
    orderOf({ ...purchase, order_id: 99 }),
  );
  await setup.advance(operation);
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  expect(await setup.read(operation)).toMatchObject({ result: { order: 99, status: 'pending' } });
  expect(await setup.storage.keys('order-report:')).toHaveLength(1);
});
