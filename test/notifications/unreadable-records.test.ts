import { expect, test, vi } from 'vitest';
import type { AdminAlerts } from '../../src/notifications/admin-alerts.ts';
import { createUnreadableRecords } from '../../src/notifications/admin-alerts.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';

function openReports() {
  const add = vi.fn<Outbox['add']>(async () => {});
  const recordsUnreadable = vi.fn<AdminAlerts['recordsUnreadable']>(async () => []);
  const records = createUnreadableRecords({ outbox: { add }, adminAlerts: { recordsUnreadable } });
  return { records, add, recordsUnreadable };
}

test('notifies users of their unreadable operations, invoices and links, and admins of all kinds', async () => {
  const { records, add, recordsUnreadable } = openReports();
  for (const key of ['operation:{502}:AB12', 'operation:{503}:CD34', 'link:{502}', 'order:1001:energy:7'])
    records.add(key);
  await records.report();
  expect(add.mock.calls.map(([{ chat, data }]) => ({ chat, data }))).toEqual([
    { chat: 502, data: { what: 'link', id: '' } },
    { chat: 502, data: { what: 'operation', id: 'AB12' } },
    { chat: 503, data: { what: 'operation', id: 'CD34' } },
  ]);
  expect(recordsUnreadable.mock.calls).toEqual([
    [{ id: expect.any(String), detail: 'link ×1, operation ×2, order ×1', areUsersNotified: true }],
  ]);
});

test('notifies only admins if more than 200 users are affected', async () => {
  const { records, add, recordsUnreadable } = openReports();
  for (let user = 1; user <= 201; user += 1) records.add(`link:{${user}}`);
  await records.report();
  expect(add).not.toHaveBeenCalled();
  expect(recordsUnreadable.mock.calls[0]?.[0]).toMatchObject({
    detail: 'link ×201',
    areUsersNotified: false,
  });
});

test('reports a record once, and again if the report failed', async () => {
  const { records, recordsUnreadable } = openReports();
  records.add('link:{502}');
  recordsUnreadable.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(records.report()).rejects.toThrow('the storage is away');
  await records.report();
  await records.report();
  expect(recordsUnreadable).toHaveBeenCalledTimes(2);
});

test('names a record that is added during a report in the next report', async () => {
  const { records, recordsUnreadable } = openReports();
  records.add('link:{502}');
  recordsUnreadable.mockImplementationOnce(async () => {
    records.add('invoice:{503}:CD34');
    return [];
  });
  await records.report();
  await records.report();
  expect(recordsUnreadable.mock.calls.map(([{ detail }]) => detail)).toEqual(['link ×1', 'invoice ×1']);
});
