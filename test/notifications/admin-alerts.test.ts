import { expect, test, vi } from 'vitest';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { createAdminAlerts } from '../../src/notifications/admin-alerts.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';

const ADMIN = 900;
const TEN_MINUTES = 10 * 60_000;

/** Opens the notifications for admins, with an outbox that a test controls. */
function openNews() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const add = vi.fn<Outbox['add']>(async () => {});
  const replica = () =>
    createAdminAlerts({
      ...{ leases: createLeases({ storage }), outbox: { add }, admins: new Set([ADMIN, ADMIN + 1]), now },
    });
  const ids = () => new Set(add.mock.calls.map(([{ chat, kind, id }]) => `${chat}/${kind}/${id}`));
  return { tell: replica(), replica, add, clock, ids };
}

test('notifies each admin separately, without an account', async () => {
  const { tell, add } = openNews();
  await tell.continuityLost('lost');
  expect(add.mock.calls.map(([notice]) => notice)).toEqual(
    [ADMIN, ADMIN + 1].map((chat) => ({
      kind: 'system-alert',
      id: expect.any(String),
      chat,
      data: { key: 'data-lost' },
    })),
  );
});

test('notifies once in ten minutes of the exhausted guest limit, across replicas', async () => {
  const { tell, replica, clock, ids } = openNews();
  for (const one of [tell, replica(), replica()]) await one.guestLimitReached();
  expect(ids().size).toBe(2);
  clock.now += TEN_MINUTES;
  await tell.guestLimitReached();
  expect(ids().size).toBe(4);
});

test('repeats notifications under the same ids after one could not be stored', async () => {
  const { tell, add, clock, ids } = openNews();
  add.mockResolvedValueOnce().mockRejectedValueOnce(new Error('the storage is away'));
  await expect(tell.guestLimitReached()).rejects.toThrow('the storage is away');
  clock.now += 1_000;
  await tell.guestLimitReached();
  expect(add).toHaveBeenCalledTimes(4);
  expect(ids().size).toBe(2);
});

test('notifies again when data is lost again later', async () => {
  const { tell, clock, ids } = openNews();
  for (let times = 0; times < 2; times += 1) {
    await tell.continuityLost('lost');
    clock.now += TEN_MINUTES;
  }
  expect(ids().size).toBe(4);
});

test('notifies other admins once of each change of maintenance mode', async () => {
  const { tell, replica, add, ids } = openNews();
  for (const one of [tell, replica()]) await one.maintenanceChanged({ turn: 'on', admin: ADMIN, id: '7' });
  expect(add.mock.calls[0]?.[0]).toEqual({
    ...{ kind: 'system-alert', id: 'maintenance-on:7', chat: ADMIN + 1 },
    data: { key: 'maintenance-news-on', admin: ADMIN },
  });
  expect(ids().size).toBe(1);
  await tell.maintenanceChanged({ turn: 'off', admin: ADMIN, id: '8' });
  await tell.maintenanceChanged({ turn: 'on', admin: ADMIN + 1, id: '9' });
  expect(ids().size).toBe(3);
});

test('notifies once of each pause of a broadcast and of its end', async () => {
  const { tell, ids } = openNews();
  const counts = { sent: 5, blocked: 0, deactivated: 0, unreachable: 0, failed: 0, unknown: 0, skipped: 0 };
  const broadcast = { id: 'b1', total: 9, settled: 5, begunAt: 1, ...counts };
  const paused = { ...broadcast, state: 'paused', pause: { why: 'gone', at: 7 } } as Broadcast;
  await tell.broadcastChanged(paused);
  await tell.broadcastChanged(paused);
  expect(ids().size).toBe(2);
  await tell.broadcastChanged({ ...paused, pause: { why: 'gone', at: 8 } });
  expect(ids().size).toBe(4);
  await tell.broadcastChanged({ ...broadcast, state: 'done', settled: 7, endedAt: 9 } as Broadcast);
  expect(ids().size).toBe(6);
});

test('notifies every admin once that an outdated broadcast record was restored', async () => {
  const { tell, ids } = openNews();
  for (const endedAt of [7, 7, 8]) await tell.broadcastReplayed({ id: 'b1', total: 9, endedAt } as Broadcast);
  expect(ids().size).toBe(2);
  await tell.broadcastReplayed({ id: 'b2', total: 9 } as Broadcast);
  expect(ids().size).toBe(4);
});
