import { expect, test, vi } from 'vitest';
import { createAdminAlerts } from '../../src/notifications/admin-alerts.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { setUpOperations, USER } from '../operations/operations-setup.ts';

const ADMINS = new Set([USER, USER + 2]);
const HOUR = 3600_000;

function openAlerts() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const add = vi.fn<Outbox['add']>(async () => {});
  const leases = createLeases({ storage: createMemoryStorage({ now }) });
  const adminAlerts = createAdminAlerts({ leases, outbox: { add }, admins: ADMINS, now });
  const notified = () => [...new Set(add.mock.calls.map(([{ chat, kind, id }]) => `${chat}/${kind}/${id}`))];
  return { adminAlerts, use: adminAlerts.operatorAccountUsed, add, notified, clock };
}

const draft = () => setUpOperations().draft({ operators: true });
const at = (operation: Operation, change: Partial<Operation>): Operation => ({ ...operation, ...change });

test('notifies every admin once of each outcome of a purchase, with its price', async () => {
  const { use, add, notified } = openAlerts();
  const operation = await draft();
  for (const state of ['draft', 'claimed', 'sent', 'cancelled', 'expired'] as const)
    await use(at(operation, { state }));
  expect(add).not.toHaveBeenCalled();
  for (let times = 0; times < 2; times += 1) await use(at(operation, { state: 'unknown' }));
  expect(notified()).toEqual(
    [...ADMINS].map((chat) => `${chat}/operator/used:${USER}:${operation.id}:unknown`),
  );
  const result = { order: 7, price: '2.40' };
  await use(at(operation, { state: 'done', result }));
  expect(notified()).toHaveLength(4);
  const { id, request } = operation;
  expect(add.mock.lastCall?.[0].data).toEqual({
    ...{ what: 'used', by: USER, id, request, outcome: 'done', trx: '2.40' },
  });
  await use(at(operation, { state: 'done', result: { ...result, status: 'failed' } }));
  expect(notified()).toHaveLength(6);
});

test('does not notify of purchases from the user’s own account', async () => {
  const { use, add } = openAlerts();
  await use({ ...(await setUpOperations().draft()), state: 'done' });
  expect(add).not.toHaveBeenCalled();
});

test('notifies once an hour of each user who sends the operator’s key', async () => {
  const { adminAlerts, notified, clock } = openAlerts();
  for (const by of [900, 900, 901]) {
    await adminAlerts.operatorKeySent(by);
    clock.now += HOUR / 4;
  }
  expect(notified()).toHaveLength(4);
  clock.now += HOUR;
  await adminAlerts.operatorKeySent(900);
  expect(notified()).toHaveLength(6);
});

test('does not notify the admin who made the change', async () => {
  const { adminAlerts, notified } = openAlerts();
  await adminAlerts.operatorAccountChanged('cap:1', { what: 'cap', by: USER, trx: '5.00' }, { except: USER });
  expect(notified()).toEqual([`${USER + 2}/operator/cap:1`]);
});
