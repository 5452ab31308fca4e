import { describe, expect, test, vi } from 'vitest';
import { createAddressAnnouncements } from '../../src/accounts/address-announcements.ts';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import type { Words } from '../../src/i18n/texts.ts';
import { addressNotification } from '../../src/notifications/address-notification.ts';
import { createAdminAlerts } from '../../src/notifications/admin-alerts.ts';
import {
  createAddressNotifications,
  createNotifyHolders,
  createNotifyOfUnreadable,
  createNotifyWithdrawal,
} from '../../src/notifications/notifications.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import { createKinds, type Result } from '../../src/operations/kinds/kind.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { DAY_MS } from '../../src/platform/clock.ts';
import { createLeases } from '../../src/platform/leases.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { RecurringWork } from '../../src/platform/recurring-work.ts';
import type { Sender } from '../../src/telegram/sender.ts';
import { NUMBER, operationIn } from '../operations/cards.ts';
import { ENERGY, USER, WITHDRAWAL } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';

const ADMIN = 900;
const OTHER_ADMIN = 901;
const TEN_MINUTES = 10 * 60_000;
const HOUR = 3600_000;

/** Opens the notifications for admins, with an outbox that a test controls. */
function openAlerts() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const add = vi.fn<Outbox['add']>(async () => {});
  const admins = new Set([ADMIN, OTHER_ADMIN]);
  const replica = () =>
    createAdminAlerts({ leases: createLeases({ storage }), outbox: { add }, admins, now, log: silentLog() });
  /** Returns each notification once, as the outbox would send it. */
  const notified = () => [...new Set(add.mock.calls.map(([{ chat, kind, id }]) => `${chat}/${kind}/${id}`))];
  return { alerts: replica(), replica, add, clock, notified };
}

test('notifies each admin separately, without an account', async () => {
  const { alerts, add } = openAlerts();
  await alerts.continuityUnproved('an-epoch');
  expect(add.mock.calls.map(([notice]) => notice)).toEqual(
    [ADMIN, OTHER_ADMIN].map((chat) => ({
      kind: 'system-alert',
      id: expect.any(String),
      chat,
      data: { key: 'continuity-unproved' },
    })),
  );
});

test('notifies of each restart of Redis that may have lost data, once across replicas', async () => {
  const { alerts, replica, notified } = openAlerts();
  for (const epoch of ['first', 'second']) {
    for (const one of [alerts, replica()]) await one.continuityUnproved(epoch);
  }
  expect(notified()).toHaveLength(4);
});

test('notifies once in ten minutes of the exhausted guest limit, across replicas', async () => {
  const { alerts, replica, clock, notified } = openAlerts();
  for (const one of [alerts, replica(), replica()]) await one.guestLimitReached();
  expect(notified()).toHaveLength(2);
  clock.now += TEN_MINUTES;
  await alerts.guestLimitReached();
  expect(notified()).toHaveLength(4);
});

test('repeats notifications under the same ids after one could not be stored', async () => {
  const { alerts, add, clock, notified } = openAlerts();
  add.mockResolvedValueOnce().mockRejectedValueOnce(new Error('the storage is away'));
  await expect(alerts.guestLimitReached()).rejects.toThrow('the storage is away');
  clock.now += 1_000;
  await alerts.guestLimitReached();
  expect(add).toHaveBeenCalledTimes(4);
  expect(notified()).toHaveLength(2);
});

test('notifies other admins once of each change of maintenance mode', async () => {
  const { alerts, replica, add, notified } = openAlerts();
  for (const one of [alerts, replica()]) await one.maintenanceChanged({ turn: 'on', admin: ADMIN, id: '7' });
  expect(add.mock.calls[0]?.[0]).toEqual({
    ...{ kind: 'system-alert', id: 'maintenance-on:7', chat: OTHER_ADMIN },
    data: { key: 'maintenance-notice-on', admin: ADMIN },
  });
  expect(notified()).toHaveLength(1);
  await alerts.maintenanceChanged({ turn: 'off', admin: ADMIN, id: '8' });
  await alerts.maintenanceChanged({ turn: 'on', admin: OTHER_ADMIN, id: '9' });
  expect(notified()).toHaveLength(3);
});

test('notifies once of each pause of a broadcast and of its end', async () => {
  const { alerts, notified } = openAlerts();
  const counts = { sent: 5, blocked: 0, deactivated: 0, unreachable: 0, failed: 0, unknown: 0, skipped: 0 };
  const broadcast = { id: 'b1', total: 9, settled: 5, begunAt: 1, ...counts };
  const paused = { ...broadcast, state: 'paused', pause: { why: 'gone', at: 7 } } as Broadcast;
  await alerts.broadcastChanged(paused);
  await alerts.broadcastChanged(paused);
  expect(notified()).toHaveLength(2);
  await alerts.broadcastChanged({ ...paused, pause: { why: 'gone', at: 8 } });
  expect(notified()).toHaveLength(4);
  await alerts.broadcastChanged({ ...broadcast, state: 'done', settled: 7, endedAt: 9 } as Broadcast);
  expect(notified()).toHaveLength(6);
});

test('notifies every admin once that an outdated broadcast record was restored', async () => {
  const { alerts, notified } = openAlerts();
  for (const endedAt of [7, 7, 8])
    await alerts.broadcastReplayed({ id: 'b1', total: 9, endedAt } as Broadcast);
  expect(notified()).toHaveLength(2);
  await alerts.broadcastReplayed({ id: 'b2', total: 9 } as Broadcast);
  expect(notified()).toHaveLength(4);
});

test('notifies every admin once of each outcome of a purchase, with its price', async () => {
  const { alerts, add, notified } = openAlerts();
  const of = (state: Operation['state'], result: Result = {}) =>
    operationIn(state, { usesOperatorAccount: true, result });
  for (const state of ['draft', 'claimed', 'sent', 'cancelled', 'expired'] as const)
    await alerts.operatorAccountUsed(of(state));
  expect(add).not.toHaveBeenCalled();
  for (let times = 0; times < 2; times += 1) await alerts.operatorAccountUsed(of('unknown'));
  expect(notified()).toEqual(
    [ADMIN, OTHER_ADMIN].map((chat) => `${chat}/operator/used:${USER}:${NUMBER}:unknown`),
  );
  expect(add.mock.lastCall?.[0].data).toMatchObject({ outcome: 'unknown', isEstimate: true });
  const result = { order: 7, price: '2.40' };
  await alerts.operatorAccountUsed(of('done', result));
  expect(notified()).toHaveLength(4);
  expect(add.mock.lastCall?.[0].data).toEqual({
    ...{ what: 'used', by: USER, id: NUMBER, request: ENERGY, outcome: 'done', trx: '2.40' },
  });
  await alerts.operatorAccountUsed(of('done', { ...result, status: 'failed' }));
  expect(notified()).toHaveLength(6);
});

test('notifies once an hour of each user who sends the operator’s key', async () => {
  const { alerts, notified, clock } = openAlerts();
  for (const by of [501, 501, 502]) {
    await alerts.operatorKeySent(by);
    clock.now += HOUR / 4;
  }
  expect(notified()).toHaveLength(4);
  clock.now += HOUR;
  await alerts.operatorKeySent(501);
  expect(notified()).toHaveLength(6);
});

test('does not notify the admin who made the change', async () => {
  const { alerts, notified } = openAlerts();
  await alerts.operatorAccountChanged('cap:1', { what: 'cap', by: ADMIN, trx: '5.00' }, { except: ADMIN });
  expect(notified()).toEqual([`${OTHER_ADMIN}/operator/cap:1`]);
});

describe('unreadable records', () => {
  const notified = async (keys: readonly string[]) => {
    const add = vi.fn<Outbox['add']>(async () => {});
    await createNotifyOfUnreadable({ outbox: { add } })(keys);
    return add.mock.calls.map(([{ chat, data }]) => ({ chat, data }));
  };

  test('are reported to their users if they are operations, invoices and links', async () => {
    const keys = ['link:{502}', 'operation:{502}:AB12', 'operation:{503}:CD34', 'order:1001:energy:7'];
    expect(await notified(keys)).toEqual([
      { chat: 502, data: { what: 'link', id: '' } },
      { chat: 502, data: { what: 'operation', id: 'AB12' } },
      { chat: 503, data: { what: 'operation', id: 'CD34' } },
    ]);
  });

  test('are reported to no user if more than 100 are affected', async () => {
    expect(await notified(Array.from({ length: 101 }, (_, user) => `link:{${user}}`))).toEqual([]);
  });
});

const OTHER = USER + 1;
const THIRD = USER + 2;

/** Opens the notifications about announced addresses, with jobs and an outbox that a test controls. */
async function openAddressNotifications() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const addressAnnouncements = createAddressAnnouncements({ storage, records: signedRecords(storage), now });
  const every = vi.fn<RecurringWork['every']>();
  const add = vi.fn<Outbox['add']>(async () => {});
  const links = { holders: vi.fn(async () => [USER, OTHER]), find: vi.fn(async () => undefined) };
  const sender = { edit: vi.fn<Sender['edit']>(async () => ({ kind: 'gone' })) };
  const addressNotifications = createAddressNotifications({
    ...{ recurringWork: { every }, addressAnnouncements, links, outbox: { add }, sender, texts: TEXTS, now },
    kinds: createKinds(KINDS),
    notifyHolders: createNotifyHolders({ links, outbox: { add } }),
  });
  const draft = { user: USER, account: ACCOUNT, address: ADDRESS, trx: '5.00' };
  const announcement = await addressAnnouncements.draft(draft);
  if (announcement === undefined) throw new Error('too many addresses are waiting');
  await addressAnnouncements.add(announcement);
  return {
    ...{ clock, addressAnnouncements, addressNotifications, announcement, add, links, sender },
    runRecurring: async () => every.mock.calls[0]?.[2](),
    /** Returns each notification once, as the outbox would send it. */
    queued: () => [...new Map(add.mock.calls.map(([one]) => [`${one.chat}/${one.id}`, one])).values()],
  };
}

test('offers the card to its user once the address is usable', async () => {
  const { clock, announcement, runRecurring, add } = await openAddressNotifications();
  await runRecurring();
  expect(add).not.toHaveBeenCalled();
  clock.now += TEN_MINUTES;
  for (let times = 0; times < 2; times += 1) await runRecurring();
  expect(add.mock.calls).toMatchObject([
    [{ chat: USER, account: ACCOUNT, data: { what: 'offered', id: announcement.id, address: ADDRESS } }],
  ]);
});

test('says in its messages that a withdrawal was not confirmed in time', async () => {
  const { clock, addressAnnouncements, announcement, runRecurring, sender, queued } =
    await openAddressNotifications();
  const view = (words: Words) =>
    addressNotification(words, 'offered', { ...announcement, from: TEN_MINUTES });
  expect(view(TEXTS.in('en')).html).toContain('\n\nConfirm by <tg-time unix="86340"');
  clock.now += TEN_MINUTES;
  await runRecurring();
  await addressAnnouncements.addMessage(ACCOUNT, announcement.id, 7);
  clock.now = announcement.at + DAY_MS - 60_001;
  await runRecurring();
  expect(sender.edit).not.toHaveBeenCalled();
  clock.now += 1;
  for (let times = 0; times < 2; times += 1) await runRecurring();
  expect(sender.edit.mock.calls).toEqual([
    [
      USER,
      7,
      {
        html: expect.stringMatching(
          /^⌛ <b>Not confirmed in time.<\/b> Nothing was charged.\nWithdrawal of 5.00 TRX/,
        ),
        keyboard: [
          [
            expect.objectContaining({
              text: 'Withdraw again',
              callback_data: `+announced:again:${ADDRESS}`,
            }),
          ],
        ],
      },
    ],
  ]);
  expect((await addressAnnouncements.getStatus(announcement)).kind).toBe('new');
  expect(queued().map(({ chat, data }) => [chat, Reflect.get(data, 'what')])).toEqual([
    [USER, 'offered'],
    [USER, 'expired'],
  ]);
});

test.each([
  ['cancelled', 'Withdrawal from account 1001 cancelled.'],
  ['blocked', 'Address blocked for account 1001'],
] as const)(
  'shows the other holders that a withdrawal was %s, and forgets their messages',
  async (how, text) => {
    const { addressAnnouncements, addressNotifications, announcement, sender } =
      await openAddressNotifications();
    const { id } = announcement;
    for (const chat of [OTHER, THIRD])
      await addressAnnouncements.addNotice(ACCOUNT, id, { chat, message: 5 });
    const ended =
      how === 'cancelled'
        ? await addressAnnouncements.abandon(ACCOUNT, USER, id)
        : await addressAnnouncements.cancel(ACCOUNT, id, THIRD);
    // The tapped message shows it by itself.
    await addressNotifications.ended(ended ?? announcement, { chat: THIRD, message: 5 });
    expect(sender.edit.mock.calls).toEqual([
      [OTHER, 5, { html: expect.stringContaining(text), keyboard: [] }],
    ]);
    expect(await addressAnnouncements.find(ACCOUNT, id)).not.toHaveProperty('notices');
  },
);

test('shows a holder who has left the account nothing of its withdrawals any more', async () => {
  const { addressAnnouncements, addressNotifications, announcement, sender } =
    await openAddressNotifications();
  const { id } = announcement;
  for (const chat of [OTHER, THIRD]) await addressAnnouncements.addNotice(ACCOUNT, id, { chat, message: 5 });
  await addressAnnouncements.forgetNoticesOf({ user: THIRD, account: ACCOUNT });
  const ended = await addressAnnouncements.abandon(ACCOUNT, USER, id);
  await addressNotifications.ended(ended ?? announcement);
  expect(sender.edit.mock.calls.map(([chat]) => chat)).toEqual([OTHER]);
});

test('shows all holders that a withdrawal ended because its user was erased', async () => {
  const { addressAnnouncements, addressNotifications, announcement, sender } =
    await openAddressNotifications();
  await addressAnnouncements.addNotice(ACCOUNT, announcement.id, { chat: OTHER, message: 5 });
  await addressAnnouncements.addMessage(ACCOUNT, announcement.id, 7);
  await addressNotifications.eraseUser(USER, 'ru');
  expect(sender.edit.mock.calls).toEqual([
    [USER, 7, { html: expect.stringContaining('Не выведено: аккаунт 1001'), keyboard: [] }],
    [OTHER, 5, { html: expect.stringContaining('cancelled.</b> Nothing was charged.'), keyboard: [] }],
  ]);
});

test('ends the messages of an unconfirmed withdrawal after an interruption of more than a day', async () => {
  const { clock, addressAnnouncements, announcement, runRecurring, sender } =
    await openAddressNotifications();
  clock.now += TEN_MINUTES;
  await runRecurring();
  await addressAnnouncements.addMessage(ACCOUNT, announcement.id, 7);
  clock.now = announcement.at + 2 * DAY_MS;
  for (let times = 0; times < 2; times += 1) await runRecurring();
  expect(sender.edit.mock.calls).toEqual([
    [USER, 7, expect.objectContaining({ html: expect.stringContaining('Not confirmed in time.') })],
  ]);
});

test('says that a withdrawal was not confirmed if its hold and its day both passed unseen', async () => {
  const { clock, addressAnnouncements, announcement, runRecurring, sender, queued } =
    await openAddressNotifications();
  await addressAnnouncements.addMessage(ACCOUNT, announcement.id, 7);
  clock.now += DAY_MS + 60 * 60_000;
  for (let times = 0; times < 2; times += 1) await runRecurring();
  expect(queued().map(({ chat, data }) => [chat, Reflect.get(data, 'what')])).toEqual([[USER, 'expired']]);
  expect(sender.edit.mock.calls).toEqual([
    [USER, 7, expect.objectContaining({ html: expect.stringContaining('Not confirmed in time.') })],
  ]);
});

test('keeps the messages of a withdrawal that was about to be sent in time', async () => {
  const { clock, addressAnnouncements, announcement, runRecurring, sender } =
    await openAddressNotifications();
  await addressAnnouncements.addMessage(ACCOUNT, announcement.id, 7);
  clock.now += TEN_MINUTES;
  await runRecurring();
  await addressAnnouncements.reserve(announcement);
  clock.now = announcement.at + DAY_MS - 60_000;
  await runRecurring();
  expect(sender.edit).not.toHaveBeenCalled();
});

test('gives each notification its own id, which stays the same when it is repeated', async () => {
  const { clock, addressNotifications, announcement, runRecurring, queued } =
    await openAddressNotifications();
  for (let times = 0; times < 2; times += 1) {
    await addressNotifications.announced(announcement);
    await addressNotifications.blocked(announcement);
  }
  clock.now += TEN_MINUTES;
  await runRecurring();
  expect(queued().map(({ chat, data }) => [chat, Reflect.get(data, 'what')])).toEqual([
    [OTHER, 'announced'],
    [USER, 'blocked'],
    [USER, 'offered'],
  ]);
});

test('notifies the user that another holder removed the address', async () => {
  const { addressNotifications, announcement, queued } = await openAddressNotifications();
  await addressNotifications.blocked(announcement);
  expect(queued()).toMatchObject([{ chat: USER, account: ACCOUNT, data: { what: 'blocked' } }]);
});

test('ends the known messages of an announcement with the amount that was sent', async () => {
  const { addressAnnouncements, addressNotifications, announcement, sender, clock } =
    await openAddressNotifications();
  for (const message of [7, 9]) await addressAnnouncements.addMessage(ACCOUNT, announcement.id, message);
  const made = { user: USER, account: ACCOUNT, request: { kind: 'withdrawal', address: ADDRESS, trx: '7' } };
  const withdrawn = (cap?: string) =>
    addressNotifications.withdrawn({ ...made, request: { ...made.request, cap } } as never);
  await withdrawn('100');
  expect(sender.edit).not.toHaveBeenCalled();
  await addressAnnouncements.recordUse(announcement);
  const at = clock.now;
  clock.now += TEN_MINUTES;
  // A second withdrawal doesn't move the time of the first one.
  await addressAnnouncements.recordUse(announcement);
  for (const cap of [undefined, '100', '100']) await withdrawn(cap);
  const text = new RegExp(`Confirmed at <tg-time unix="${at / 1000}".*\nWithdrawal of 7.00 TRX`);
  const sent = { html: expect.stringMatching(text), keyboard: [] };
  expect(sender.edit.mock.calls).toEqual([
    [USER, 7, sent],
    [USER, 9, sent],
  ]);
});

describe('a withdrawal of a holder', () => {
  /** Opens the notifications for account holders, with an outbox that a test controls. */
  function openHolders(holders = [USER, OTHER, THIRD]) {
    const add = vi.fn<Outbox['add']>(async () => {});
    const find = vi.fn(async (_account: number) => holders);
    const notifyHolders = createNotifyHolders({ links: { holders: find }, outbox: { add } });
    return { tell: createNotifyWithdrawal({ kinds: createKinds(KINDS), notifyHolders }), add, find };
  }

  const withdrawn = operationIn('done', { request: WITHDRAWAL });

  test('is reported to the other holders with its amount and address', async () => {
    const { tell, add, find } = openHolders();
    await tell(withdrawn);
    expect(find).toHaveBeenCalledWith(ACCOUNT);
    expect(add.mock.calls.map(([notice]) => notice)).toEqual(
      [OTHER, THIRD].map((chat) => ({
        ...{ kind: 'holder-withdrawal', id: withdrawn.id, chat, account: ACCOUNT },
        data: { address: WITHDRAWAL.address, trx: WITHDRAWAL.trx },
      })),
    );
  });

  test('can be reported again if one notification could not be stored', async () => {
    const { tell, add } = openHolders();
    add.mockRejectedValueOnce(new Error('the storage is away'));
    await expect(tell(withdrawn)).rejects.toThrow('the storage is away');
    await tell(withdrawn);
    expect(new Set(add.mock.calls.map(([{ chat, id }]) => `${chat}/${id}`)).size).toBe(2);
  });
});
