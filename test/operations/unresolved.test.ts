import { describe, expect, test } from 'vitest';
import { FILLED, openRoom, type Room, SMART_MODE, START, USER } from './operations-setup.ts';
import { ACCOUNT, accepted, CUT, logged, profileOf, subscription } from './rental-stand-in.ts';

const DAY_MS = 24 * 3600_000;

async function listed({ operations }: Room) {
  const { operations: found, ...more } = await operations.unresolved.list();
  return { ids: found.map(({ id }) => id), ...more };
}

describe('the list of unresolved operations', () => {
  test('contains unknown outcomes of all users, oldest first, also after the search has ended', async () => {
    const room = openRoom();
    const first = await room.lost();
    await room.pass(6_000);
    const second = await room.lost({ user: USER + 1 });
    await room.pass(6_000);
    expect(await listed(room)).toEqual({ ids: [first.id, second.id], unreadable: 0, isMore: false });
    await room.pass(2 * DAY_MS);
    expect((await listed(room)).ids).toEqual([first.id, second.id]);
  });

  test('contains likely outcomes', async () => {
    const room = openRoom();
    const likely = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    expect(await room.read(likely)).toMatchObject({ state: 'likely' });
    expect((await listed(room)).ids).toEqual([likely.id]);
  });

  test('contains claims that are not executed within a minute, and no successful ones', async () => {
    const room = openRoom();
    await room.advance(await room.claimed());
    const stuck = await room.claimed({ user: USER + 1 });
    room.rental.profile.mockRejectedValue(new Error('it hangs'));
    const own = room.replica();
    await room.storage.set(`heartbeat:{${stuck.user}}:${stuck.id}`, '');
    await room.pass(50_000, own.reconciler);
    expect((await listed(room)).ids).toEqual([]);
    await room.pass(30_000, own.reconciler);
    expect((await listed(room)).ids).toEqual([stuck.id]);
  });

  test('drops settled operations and removes them from the index', async () => {
    const ways: ((room: Room, ref: { user: number; id: string }) => Promise<unknown>)[] = [
      ({ operations }) => operations.settlement.report(ACCOUNT, FILLED),
      ({ operations }, ref) => operations.settlement.close(ref),
      ({ store }, ref) => store.change(ref, (operation) => ({ ...operation, state: 'done' })),
      ({ storage }, { user, id }) => storage.delete(`operation:{${user}}:${id}`),
    ];
    for (const settle of ways) {
      const room = openRoom();
      const operation = await room.lost();
      await room.pass(3_000);
      expect((await listed(room)).ids).toEqual([operation.id]);
      await settle(room, operation);
      expect((await listed(room)).ids).toEqual([]);
      expect(await room.storage.index.last('unresolved', 10)).toEqual([]);
    }
  });

  test('counts unreadable records and keeps them', async () => {
    const room = openRoom();
    const operation = await room.lost();
    await room.pass(3_000);
    await room.storage.set(`operation:{${USER}}:${operation.id}`, 'not ours');
    expect(await listed(room)).toEqual({ ids: [], unreadable: 1, isMore: false });
    expect(await listed(room)).toMatchObject({ unreadable: 1 });
  });
});

describe('a manual search', () => {
  test('looks for traces as usual and settles the operation', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.clock.now += DAY_MS + 60_000;
    await room.pass(3_000);
    expect(await room.read(operation)).toMatchObject({ search: { over: true } });
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    expect(await room.operations.ask(operation)).toBe('asked');
    expect(await room.read(operation)).toMatchObject({
      ...{ state: 'done', result: { order: 7, status: 'filled' } },
    });
    expect(room.show.mock.lastCall?.[0]).toMatchObject({ state: 'done', late: true });
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('settles a likely outcome or records the check', async () => {
    const room = openRoom();
    const operation = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('997.68'));
    await room.pass(10_000);
    const { revision, search } = await room.read(operation);
    expect(await room.operations.ask(operation)).toBe('asked');
    expect(await room.read(operation)).toMatchObject({
      ...{ state: 'likely', revision, search: { count: (search?.count ?? 0) + 1, at: room.clock.now } },
    });
    room.clock.now += 5_000;
    room.rental.webhookLogs.mockResolvedValue(accepted([logged(7, START + 1_000)]));
    await room.operations.ask(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'done', result: { order: 7 } });
  });

  test('finds an attempt whose process died and searches for its traces', async () => {
    const room = openRoom();
    const operation = await room.orphaned();
    room.clock.now += 60_000;
    await room.operations.ask(operation);
    expect(await room.read(operation)).toMatchObject({ state: 'unknown', search: { count: 1 } });
  });

  test('runs at most once within five seconds and does not send a claim', async () => {
    const room = openRoom();
    const operation = await room.lost();
    const twice = await Promise.all([room.operations.ask(operation), room.replica().ask(operation)]);
    expect(twice.sort()).toEqual(['asked', 'busy']);
    expect(await room.read(operation)).toMatchObject({ search: { count: 1 } });
    const confirmed = await room.claimed({ user: USER + 1 });
    await room.operations.ask(confirmed);
    expect(room.rental.buyEnergy).toHaveBeenCalledOnce();
  });

  test('does not delay scheduled searches when it is repeated', async () => {
    const room = openRoom();
    const operation = await room.lost();
    for (let asked = 0; asked < 12; asked += 1) {
      room.clock.now += 5_000;
      await room.operations.ask(operation);
    }
    await room.pass(130_000);
    expect((await room.read(operation)).search?.count).toBeGreaterThan(12);
  });

  test('stores the inconclusive balance and list that it found', async () => {
    const room = openRoom();
    const bought = await room.lost();
    room.rental.profile.mockResolvedValue(profileOf('900.00'));
    await room.pass(3_000);
    expect(await room.read(bought)).toMatchObject({
      ...{ balanceBefore: '1000.00', search: { balance: 'moved', seen: { left: '900.00', reports: [] } } },
    });
    room.rental.subscriptions.mockResolvedValue(accepted([]));
    room.rental.activateSmartMode.mockResolvedValueOnce(CUT);
    const started = await room.claimed({ user: USER + 1, request: SMART_MODE });
    await room.advance(started);
    const other = subscription({ id: 90, address: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4' });
    room.rental.subscriptions.mockResolvedValue(accepted([other]));
    await room.pass(3_000);
    expect(await room.read(started)).toMatchObject({
      ...{ state: 'unknown', search: { seen: { listed: [{ id: 90, status: 'active' }] } } },
    });
  });
});
