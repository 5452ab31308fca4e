import { describe, expect, test } from 'vitest';
import {
  FILLED,
  type OperationsSetup,
  SMART_MODE,
  START,
  setUpOperations,
  USER,
} from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, logged, profileOf, subscription } from './rental-stand-in.ts';

const DAY_MS = 24 * 3600_000;

async function listed({ operations }: OperationsSetup) {
  const { operations: found, ...more } = await operations.unresolved.list();
  return { ids: found.map(({ id }) => id), ...more };
}

describe('the list of unresolved operations', () => {
  test('contains unknown outcomes of all users, oldest first, also after the search has ended', async () => {
    const setup = setUpOperations();
    const first = await setup.lost();
    await setup.pass(6_000);
    const second = await setup.lost({ user: USER + 1 });
    await setup.pass(6_000);
    expect(await listed(setup)).toEqual({ ids: [first.id, second.id], unreadable: 0, isMore: false });
    await setup.pass(2 * DAY_MS);
    expect((await listed(setup)).ids).toEqual([first.id, second.id]);
  });

  test('contains likely outcomes', async () => {
    const setup = setUpOperations();
    const likely = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    expect(await setup.read(likely)).toMatchObject({ state: 'likely' });
    expect((await listed(setup)).ids).toEqual([likely.id]);
  });

  test('contains claims that are not executed within a minute, and no successful ones', async () => {
    const setup = setUpOperations();
    await setup.advance(await setup.claimed());
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
      ({ store }, ref) => store.change(ref, (operation) => ({ ...operation, state: 'done' })),
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

  test('counts unreadable records and keeps them', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    await setup.pass(3_000);
    await setup.storage.set(`operation:{${USER}}:${operation.id}`, 'unverified');
    expect(await listed(setup)).toEqual({ ids: [], unreadable: 1, isMore: false });
    expect(await listed(setup)).toMatchObject({ unreadable: 1 });
  });
});

describe('a manual search', () => {
  test('looks for traces as usual and settles the operation', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.clock.now += DAY_MS + 60_000;
    await setup.pass(3_000);
    expect(await setup.read(operation)).toMatchObject({ search: { over: true } });
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    expect(await setup.operations.searchNow(operation)).toBe('searched');
    expect(await setup.read(operation)).toMatchObject({
      ...{ state: 'done', result: { order: 7, status: 'filled' } },
    });
    expect(setup.show.mock.lastCall?.[0]).toMatchObject({ state: 'done', late: true });
    expect(setup.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('settles a likely outcome or records the check', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10_000);
    const { revision, search } = await setup.read(operation);
    expect(await setup.operations.searchNow(operation)).toBe('searched');
    expect(await setup.read(operation)).toMatchObject({
      ...{ state: 'likely', revision, search: { count: (search?.count ?? 0) + 1, at: setup.clock.now } },
    });
    setup.clock.now += 5_000;
    setup.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    await setup.operations.searchNow(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'done', result: { order: 7 } });
  });

  test('finds an attempt whose process died and searches for its traces', async () => {
    const setup = setUpOperations();
    const operation = await setup.orphaned();
    setup.clock.now += 60_000;
    await setup.operations.searchNow(operation);
    expect(await setup.read(operation)).toMatchObject({ state: 'unknown', search: { count: 1 } });
  });

  test('runs at most once within five seconds and does not send a claim', async () => {
    const setup = setUpOperations();
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

  test('does not delay scheduled searches when it is repeated', async () => {
    const setup = setUpOperations();
    const operation = await setup.lost();
    for (let asked = 0; asked < 12; asked += 1) {
      setup.clock.now += 5_000;
      await setup.operations.searchNow(operation);
    }
    await setup.pass(130_000);
    expect((await setup.read(operation)).search?.count).toBeGreaterThan(12);
  });

  test('stores the inconclusive balance and list that it found', async () => {
    const setup = setUpOperations();
    const bought = await setup.lost();
    setup.rental.profile.mockResolvedValue(profileOf('900.00'));
    await setup.pass(3_000);
    expect(await setup.read(bought)).toMatchObject({
      ...{ balanceBefore: '1000.00', search: { balance: 'moved', seen: { left: '900.00', reports: [] } } },
    });
    setup.rental.subscriptions.mockResolvedValue(accepted([]));
    setup.rental.activateSmartMode.mockResolvedValueOnce(CUT);
    const started = await setup.claimed({ user: USER + 1, request: SMART_MODE });
    await setup.advance(started);
    const other = subscription({ id: 90, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' });
    setup.rental.subscriptions.mockResolvedValue(accepted([other]));
    await setup.pass(3_000);
    expect(await setup.read(started)).toMatchObject({
      ...{ state: 'unknown', search: { seen: { listed: [{ id: 90, status: 'active' }] } } },
    });
  });
});
