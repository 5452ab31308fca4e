import { describe, expect } from 'vitest';
import type { Operation, UncertainOperation } from '../../src/operations/operation.ts';
import { createOperationFigures, SETTLED } from '../../src/operations/queries.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { eventually } from '../support/eventually.ts';
import {
  ACTIVATION,
  BANDWIDTH,
  ENERGY,
  FILLED,
  type OperationsSetup,
  SMART_MODE,
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
  orderOf,
  profileOf,
  rejected,
  subscription,
} from './rental-stand-in.ts';

/** Makes purchases one second apart and returns their IDs, latest first. */
async function bought(
  { claimed, advance, clock }: OperationsSetup,
  count: number,
  more = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    clock.now += 1_000;
    const operation = await claimed(more);
    await advance(operation);
    ids.unshift(operation.id);
  }
  return ids;
}

const idsOf = ({ operations }: { operations: { id: string }[] }) => operations.map(({ id }) => id);

test('returns pages latest first, each after the last item of the previous one', async ({ setup }) => {
  const ids = await bought(setup, 12);
  const { history } = setup.operations;
  const first = await history.page(USER, { size: 5 });
  expect(idsOf(first)).toEqual(ids.slice(0, 5));
  const second = await history.page(USER, { size: 5, after: first.older });
  expect(idsOf(second)).toEqual(ids.slice(5, 10));
  const third = await history.page(USER, { size: 5, after: second.older });
  expect({ ids: idsOf(third), older: third.older }).toEqual({ ids: ids.slice(10), older: undefined });
});

test('new purchases do not move existing pages', async ({ setup }) => {
  const ids = await bought(setup, 7);
  const first = await setup.operations.history.page(USER, { size: 5 });
  await bought(setup, 3);
  expect(idsOf(await setup.operations.history.page(USER, { size: 5, after: first.older }))).toEqual(
    ids.slice(5),
  );
});

test('a full last page has no next page', async ({ setup }) => {
  await bought(setup, 5);
  expect(await setup.operations.history.page(USER, { size: 5 })).toMatchObject({ older: undefined });
});

test('returns operations of one kind among many others', async ({ setup }) => {
  const old = await bought(setup, 2, { request: ACTIVATION });
  await bought(setup, 45);
  const late = await bought(setup, 1, { request: ACTIVATION });
  await bought(setup, 3, { request: BANDWIDTH });
  const { history } = setup.operations;
  const first = await history.page(USER, { size: 2, kind: 'activation' });
  expect(idsOf(first)).toEqual([...late, old[0]]);
  const second = await history.page(USER, { size: 2, kind: 'activation', after: first.older });
  expect({ ids: idsOf(second), older: second.older }).toEqual({ ids: [old[1]], older: undefined });
});

test('excludes unconfirmed operations and those of other users', async ({ setup }) => {
  await setup.draft();
  await bought(setup, 1, { user: USER + 1 });
  expect(await setup.operations.history.page(USER, { size: 5 })).toMatchObject({
    operations: [],
    older: undefined,
  });
});

test('shows current outcomes, including unknown ones', async ({ setup }) => {
  const operation = await setup.lost();
  const { operations } = await setup.operations.history.page(USER, { size: 5 });
  expect(operations).toEqual([expect.objectContaining({ id: operation.id, state: 'unknown' })]);
});

test('removes members without a record when others are added', async ({ setup }) => {
  await bought(setup, 3);
  setup.clock.now = START + 91 * DAY_MS;
  const late = await bought(setup, 2);
  expect(await setup.storage.index.last(`operations-of-user:{${USER}}`, 10)).toEqual(late);
});

async function lastPricesAfter(price: string) {
  const setup = setUpOperations();
  setup.rental.buyEnergy.mockResolvedValue(orderOf({ price_trx: price }));
  await setup.executed();
  return setup.operations.lastPrices;
}

test('estimates energy exactly in proportion to the last price', async () => {
  const prices = await lastPricesAfter('2.32');
  const estimate = async (amount: number) => prices.estimate(ACCOUNT, 'energy', { amount, hours: 1 });
  expect(await estimate(130_000)).toEqual({ trx: '4.640000', at: START });
  expect(await estimate(131_000)).toEqual({ trx: '4.675692', at: START });
});

test('keeps separate prices per duration and account', async () => {
  const prices = await lastPricesAfter('2.32');
  expect(await prices.estimate(ACCOUNT, 'energy', { amount: 65_000, hours: 24 })).toBeUndefined();
  expect(await prices.estimate(ACCOUNT + 1, 'energy', { amount: 65_000, hours: 1 })).toBeUndefined();
});

test('stores no price of an operation with an unknown outcome', async ({ setup }) => {
  await setup.lost();
  expect(
    await setup.operations.lastPrices.estimate(ACCOUNT, 'energy', { amount: 65_000, hours: 1 }),
  ).toBeUndefined();
});

test('keeps separate prices per kind, and none for kinds priced by a formula', async ({ setup }) => {
  await setup.executed({ request: BANDWIDTH });
  await setup.executed({ request: ACTIVATION });
  const wanted = { amount: 1_000, hours: 24 };
  for (const kind of ['energy', 'bandwidth', 'activation']) {
    expect(await setup.operations.lastPrices.estimate(ACCOUNT, kind, wanted)).toBeUndefined();
  }
  setup.rental.buyEnergy.mockResolvedValue(orderOf({ duration_hours: 24, price_trx: '5.00' }));
  await setup.executed({ request: { ...ENERGY, duration_hours: 24 } });
  const { estimate } = setup.operations.lastPrices;
  expect(Number((await estimate(ACCOUNT, 'energy', { amount: 65_000, hours: 24 }))?.trx)).toBe(5);
  expect(await estimate(ACCOUNT, 'bandwidth', { amount: 65_000, hours: 24 })).toBeUndefined();
});

test('uses the price of the last order', async ({ setup }) => {
  for (const price of ['2.32', '4.00']) {
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ price_trx: price }));
    await setup.executed();
  }
  const wanted = { amount: 65_000, hours: 1 };
  const { trx } = (await setup.operations.lastPrices.estimate(ACCOUNT, 'energy', wanted)) ?? {};
  expect(Number(trx)).toBe(4);
});

const FIGURES = [...SETTLED, 'sun', 'estimatedSun', 'operatorSun', 'unpriced', 'unclear'] as const;

/** Returns the figures of a kind: today, within 7 days and within 30 days. */
async function counted(
  { operations, clock }: Pick<OperationsSetup, 'operations' | 'clock'>,
  kind = 'energy',
) {
  const periods = await Promise.all([1, 7, 30].map((days) => operations.figures.during(clock.now, days)));
  const all = FIGURES.map((figure) => [figure, periods.map((of) => of(kind, figure))] as const);
  return Object.fromEntries(all.filter(([, counts]) => counts.some((count) => count !== 0)));
}

const thrice = (count: number) => [count, count, count];
const ONE_DONE = { done: thrice(1), sun: thrice(2_320_000) };

describe('the figures of settled operations', () => {
  test('count each once by kind and outcome, with its exact price, however it settles', async ({ setup }) => {
    await setup.executed();
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(400, 'NO'));
    await setup.executed({ user: USER + 1 });
    setup.rental.buyBandwidth.mockResolvedValueOnce(OFFLINE);
    await setup.executed({ request: BANDWIDTH, user: USER + 2 });
    const closed = await setup.lost({ user: USER + 3 });
    expect(await counted(setup)).toEqual({ ...ONE_DONE, refused: thrice(1) });
    expect(await counted(setup, 'bandwidth')).toEqual({ refused: thrice(1) });
    await setup.operations.settlement.close(closed);
    await setup.operations.settlement.close(closed);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await counted(setup)).toEqual({ ...ONE_DONE, refused: thrice(1), closed: thrice(1) });
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: 8, price_trx: '0.1' }));
    await setup.executed({ user: USER + 4 });
    expect(await counted(setup)).toMatchObject({ done: thrice(2), sun: thrice(2_420_000) });
  });

  test.each([
    ['2.32', { estimatedSun: thrice(2_320_000) }],
    [undefined, { unpriced: thrice(1) }],
  ])('count evidence without a price at the price of its card: %s', async (estimate, charge) => {
    const setup = setUpOperations();
    await setup.lost({ estimate });
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await counted(setup)).toEqual({ done: thrice(1), ...charge });
  });

  test('count orders of which one came back, and what was paid from the operator account', async ({
    setup,
  }) => {
    const operation = await setup.read(await setup.executed());
    if (operation.state !== 'done') return expect.fail();
    const refund = { checks: 1, since: START, at: START, balance: 'either', over: false } as const;
    const paid = {
      ...operation,
      usesOperatorAccount: true,
      result: { ...operation.result, refund },
    } as const;
    const increments = createOperationFigures(setup).incrementsOf(undefined, paid);
    expect(Object.fromEntries(increments.map(({ counter, by }) => [counter, by]))).toEqual({
      'energy:done': 1,
      'energy:sun': 2_320_000,
      'energy:operatorSun': 2_320_000,
      'energy:unclear': 1,
    });
  });

  test("count an admin's decision apart from refusals, because nothing proves that there was no charge", async ({
    setup,
  }) => {
    const decision = { outcome: 'not-done', reason: 'not in the list', admin: USER } as const;
    const operation = await setup.lost();
    setup.clock.now += 8_000;
    await setup.operations.resolveManually(operation, decision);
    expect(await counted(setup)).toEqual({ decided: thrice(1) });
  });

  test('are those of the day of the settlement', async ({ setup }) => {
    for (const [days, done] of [
      [0, [1, 1, 1]],
      [1, [0, 1, 1]],
      [6, [0, 1, 1]],
      [7, [0, 0, 1]],
      [29, [0, 0, 1]],
      [30, undefined],
    ] as const) {
      setup.clock.now = START + days * DAY_MS;
      if (days === 0) await setup.executed();
      expect((await counted(setup)).done, String(days)).toEqual(done);
    }
  });

  test('take an order out of the turnover when it fails later, also after a day', async ({ setup }) => {
    await setup.executed();
    setup.clock.now += DAY_MS;
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, status: 'failed' });
    expect(await counted(setup)).toEqual({ failed: [0, 1, 1] });
  });

  test('count an outcome once if the reply to its write is lost and its process ends', async ({ setup }) => {
    let isWritten = false;
    const cut = setup.replica({
      ...setup.storage,
      async replace(...given) {
        const isReplaced = await setup.storage.replace(...given);
        if (!given[2].includes('"state":"done"')) return isReplaced;
        isWritten = true;
        return new Promise<never>(() => undefined);
      },
    });
    void setup.executeClaim(await setup.claimed(), cut);
    await eventually(() => expect(isWritten).toBe(true));
    await setup.pass(60_000);
    expect(await counted(setup)).toEqual(ONE_DONE);
  });

  test('count the operations of concurrent replicas, also if a record was lost between them', async ({
    setup,
  }) => {
    await Promise.all(
      [0, 1, 2].map(async (at) =>
        setup.executeClaim(await setup.claimed({ user: USER + at }), setup.replica()),
      ),
    );
    const { operation, attended, answer } = await setup.underWay();
    await setup.storage.delete(`operation:{${USER}}:${operation.id}`);
    answer(orderOf({ order_id: 9 }));
    await attended;
    expect(await counted(setup)).toMatchObject({ done: thrice(4) });
  });
});

test('counts operations in progress and with an uncertain outcome, but not settled ones', async ({
  setup,
}) => {
  const { pendingSummary } = setup.operations;
  expect(await pendingSummary()).toEqual({ inProgress: 0, uncertain: 0, isMore: false });
  await setup.draft();
  await setup.lost();
  await setup.lost({ user: 777 });
  await setup.executed();
  await setup.operations.settlement.close(await setup.lost());
  await setup.claimed();
  expect(await pendingSummary()).toEqual({ inProgress: 1, uncertain: 2, isMore: false });
});

test('counts unknown outcomes with the age of the oldest, and changes nothing', async ({ setup }) => {
  const { countUnknown, storage } = setup;
  expect(await countUnknown()).toEqual({ count: 0, notFound: 0, oldestMs: undefined });
  const { user, id } = await setup.lost();
  await setup.pass(6_000);
  const closed = await setup.lost({ user: USER + 1 });
  await setup.pass(6_000);
  const oldest = { user, id };
  expect(await countUnknown()).toEqual({ count: 2, notFound: 0, oldest, oldestMs: 12_000 });
  await storage.delete(`operation:{${closed.user}}:${closed.id}`);
  expect(await countUnknown()).toMatchObject({ count: 1 });
  expect(await storage.index.size('unresolved')).toBe(2);
  await setup.pass(2 * DAY_MS);
  expect(await countUnknown()).toMatchObject({ notFound: 2 });
});

test('reports that there are more operations than it counts', async ({ setup }) => {
  for (let count = 0; count < 201; count += 1) {
    await setup.storage.index.scheduleIn('operations:due', `9/${count}`, 1_000);
  }
  expect(await setup.operations.pendingSummary()).toMatchObject({ isMore: true });
});

test("returns the age of the longest overdue operation by the storage's clock", async () => {
  const { operations, claimed, clock } = setUpOperations();
  expect(await operations.overdueMs()).toBeUndefined();
  await claimed();
  clock.now += 13_000;
  expect(await operations.overdueMs()).toBe(10_000);
});

async function listed({ operations }: OperationsSetup) {
  const { operations: found, ...more } = await operations.unresolved.list();
  return { ids: found.map(({ id }) => id), ...more };
}

describe('the list of unresolved operations', () => {
  test('contains unknown outcomes of all users, oldest first, also after the search', async ({ setup }) => {
    const first = await setup.lost();
    await setup.pass(6_000);
    const second = await setup.lost({ user: USER + 1 });
    await setup.pass(6_000);
    expect(await listed(setup)).toEqual({ ids: [first.id, second.id], unreadable: 0, isMore: false });
    await setup.pass(2 * DAY_MS);
    expect((await listed(setup)).ids).toEqual([first.id, second.id]);
  });

  test('contains likely outcomes', async ({ setup }) => {
    const likely = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(likely)).toMatchObject({ state: 'likely' });
    expect((await listed(setup)).ids).toEqual([likely.id]);
  });

  test('contains claims that are not executed within a minute, and no successful ones', async ({ setup }) => {
    await setup.executed();
    const stuck = await setup.claimed({ user: USER + 1 });
    setup.rental.profile.mockRejectedValue(new Error('it hangs'));
    const own = setup.replica();
    await setup.storage.set(`heartbeat:{${stuck.user}}:${stuck.id}`, '');
    await setup.pass(50_000, own.reconciler);
    expect((await listed(setup)).ids).toEqual([]);
    await setup.pass(30_000, own.reconciler);
    expect((await listed(setup)).ids).toEqual([stuck.id]);
  });

  test('drops settled operations and removes them from the index', async () => {
    const ways: ((setup: OperationsSetup, ref: { user: number; id: string }) => Promise<unknown>)[] = [
      ({ operations }) => operations.settlement.report(ACCOUNT, FILLED),
      ({ operations }, ref) => operations.settlement.close(ref),
      ({ store }, ref) =>
        store.change(
          ref,
          (operation) => ({ ...operation, state: 'done', result: {}, settledAt: START }) as Operation,
        ),
      ({ storage }, { user, id }) => storage.delete(`operation:{${user}}:${id}`),
    ];
    for (const settle of ways) {
      const setup = setUpOperations();
      const operation = await setup.lost();
      await setup.pass(3_000);
      expect((await listed(setup)).ids).toEqual([operation.id]);
      await settle(setup, operation);
      expect((await listed(setup)).ids).toEqual([]);
      expect(await setup.storage.index.last('unresolved', 10)).toEqual([]);
    }
  });

  test('counts unreadable records and keeps them', async ({ setup }) => {
    const operation = await setup.lost();
    await setup.pass(3_000);
    await setup.storage.set(`operation:{${USER}}:${operation.id}`, 'unverified');
    expect(await listed(setup)).toEqual({ ids: [], unreadable: 1, isMore: false });
    expect(await listed(setup)).toMatchObject({ unreadable: 1 });
  });
});

describe('a manual search', () => {
  test('searches for evidence as usual and settles the operation', async ({ setup }) => {
    const operation = await setup.lost();
    setup.clock.now += DAY_MS + 60_000;
    await setup.pass(3_000);
    expect(await setup.read(operation)).toMatchObject({ search: { over: true } });
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    expect(await setup.operations.searchNow(operation)).toBe('searched');
    expect(await setup.read(operation)).toMatchObject({
      ...{ state: 'done', result: { order: 7, status: 'filled' } },
    });
    expect(setup.show.mock.lastCall?.[0]).toMatchObject({ state: 'done', receipt: { late: true } });
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('settles a likely outcome or records the check', async ({ setup }) => {
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    const { receipt, search } = await setup.read<UncertainOperation>(operation);
    expect(await setup.operations.searchNow(operation)).toBe('searched');
    expect(await setup.read(operation)).toMatchObject({
      ...{
        state: 'likely',
        receipt: { revision: receipt.revision },
        search: { count: (search?.count ?? 0) + 1, at: setup.clock.now },
      },
    });
    setup.clock.now += 5_000;
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    await setup.operations.searchNow(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: 7 } });
  });

  test('finds an attempt whose process died and searches for its evidence', async ({ setup }) => {
    const operation = await setup.orphaned();
    setup.clock.now += 60_000;
    await setup.operations.searchNow(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { count: 1 } });
  });

  test('runs at most once within five seconds and does not send a claim', async ({ setup }) => {
    const operation = await setup.lost();
    const twice = await Promise.all([
      setup.operations.searchNow(operation),
      setup.replica().searchNow(operation),
    ]);
    expect(twice.sort()).toEqual(['busy', 'searched']);
    expect(await setup.read(operation)).toMatchObject({ search: { count: 1 } });
    const confirmed = await setup.claimed({ user: USER + 1 });
    await setup.operations.searchNow(confirmed);
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('does not delay scheduled searches when it is repeated', async ({ setup }) => {
    const operation = await setup.lost();
    for (let asked = 0; asked < 12; asked += 1) {
      setup.clock.now += 5_000;
      await setup.operations.searchNow(operation);
    }
    await setup.pass(130_000);
    expect((await setup.read<UncertainOperation>(operation)).search?.count).toBeGreaterThan(12);
  });

  test('stores the inconclusive balance and list that it found', async ({ setup }) => {
    const bought = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('900.00'));
    await setup.pass(3_000);
    expect(await setup.read(bought)).toMatchObject({
      ...{
        attempt: { balanceBefore: '1000.00' },
        search: { balance: 'moved', seen: { left: '900.00', reports: [] } },
      },
    });
    setup.rental.subscriptions.mockResolvedValue(accepted([]));
    setup.rental.activateSmartMode.mockResolvedValueOnce(CUT);
    const started = await setup.executed({ user: USER + 1, request: SMART_MODE });
    const other = subscription({ id: 90, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' });
    setup.rental.subscriptions.mockResolvedValue(accepted([other]));
    await setup.pass(3_000);
    expect(await setup.read(started)).toMatchObject({
      ...{ state: 'unknown', search: { seen: { listed: [{ id: 90, status: 'active' }] } } },
    });
  });
});
