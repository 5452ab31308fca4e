import {
  ADDRESS_WAIT_MS,
  type AddressAnnouncement,
  type AddressAnnouncements,
  blockedUntil,
  confirmableUntil,
  isOver,
} from '../accounts/address-announcements.ts';
import type { Links } from '../accounts/links.ts';
import type { Language, Texts, Words } from '../i18n/texts.ts';
import type { Kinds } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import type { Show } from '../operations/receipt.ts';
import { createMessageAttempts } from '../platform/attempts.ts';
import { kindOf, type StoredData } from '../platform/records.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import { type Storage, tagOf } from '../platform/storage.ts';
import type { Sender } from '../telegram/sender.ts';
import type { View } from '../views/view.ts';
import { type AddressNotificationKind, announcementView, endedAnnouncement } from './address-notification.ts';
import { ADMIN_ALERT_DATA, createAdminAlerts, createUnstoredAlerts } from './admin-alerts.ts';
import { createEventMetrics, EVENT_METRICS, type EventObserver } from './event-metrics.ts';
import {
  createNotificationKinds,
  type FeatureNotification,
  type NotificationContent,
  type NotificationKindDeps,
} from './kinds.ts';
import {
  createInvoiceMessages,
  createIsUnlinked,
  createOperationMessages,
  type InvoiceMessagesDeps,
  type OperationMessagesDeps,
} from './messages.ts';
import { createOutbox, DELIVERY_LEASE, type Outbox, type OutboxDeps } from './outbox.ts';
import { OUTBOX_DATA } from './outbox-store.ts';
import { createRentalReminders, REMINDERS, type RentalRemindersDeps } from './rental-reminders.ts';

export const NOTIFICATION_DATA: readonly StoredData[] = [
  ...OUTBOX_DATA,
  DELIVERY_LEASE,
  ...ADMIN_ALERT_DATA,
  EVENT_METRICS,
  REMINDERS,
];

/** Interval at which due deliveries are started, in milliseconds. New notifications start at once regardless. */
const DELIVERIES_INTERVAL_MS = 1_000;

export type Notifications = ReturnType<typeof createNotifications>;

/**
 * Creates everything that speaks to users without an update: the outbox with all notification kinds, what adds to it,
 * and the messages that show operations and invoices. Call before recurring work starts.
 *
 * @example
 * const { adminAlerts, outbox } = createNotifications(deps);
 * await adminAlerts.guestLimitReached();
 */
export function createNotifications(
  deps: Omit<OutboxDeps, 'notificationKinds' | 'eventMetrics'> &
    Omit<AddressNotificationDeps, 'outbox' | 'notifyHolders'> &
    NotificationKindDeps &
    Omit<RentalRemindersDeps, 'outbox'> &
    Omit<OperationMessagesDeps, 'rentalReminders' | 'isUnlinked' | 'heldBy'> &
    Omit<InvoiceMessagesDeps, 'attempts' | 'outbox' | 'links'> & {
      storage: Storage;
      links: Pick<Links, 'find' | 'holders' | 'canOfferSellerMode' | 'canFollow'>;
      invoiceLinks: InvoiceMessagesDeps['links'];
      featureKinds: readonly FeatureNotification[];
      eventObserver?: EventObserver | undefined;
    },
) {
  const { recurringWork, runIntervalMs } = deps;
  const eventMetrics = createEventMetrics(deps);
  const notificationKinds = createNotificationKinds(deps);
  const outbox = createOutbox({ ...deps, notificationKinds, eventMetrics });
  const adminAlerts = createAdminAlerts({ ...deps, outbox });
  const notifyHolders = createNotifyHolders({ ...deps, outbox });
  const rentalReminders = createRentalReminders({ ...deps, outbox });
  const isUnlinked = createIsUnlinked(deps);
  const addressNotifications = createAddressNotifications({ ...deps, outbox, notifyHolders });
  const { heldBy } = addressNotifications;
  const showOperation = createOperationMessages({ ...deps, rentalReminders, isUnlinked, heldBy });
  const attempts = createMessageAttempts(deps);
  recurringWork.every('outbox', runIntervalMs ?? DELIVERIES_INTERVAL_MS, outbox.startDueDeliveries);
  return {
    outbox,
    alertUnstored: createUnstoredAlerts({ ...deps, notificationKinds }),
    readOutboxBacklog: outbox.readBacklog,
    notify: outbox.notify,
    notifyHolders,
    notifyWithdrawal: createNotifyWithdrawal({ ...deps, notifyHolders }),
    /** Notifies the other holders of the account that its service alerts are off. */
    notifyReportsOff: (account: number, by: number, update: number) =>
      notifyHolders(
        account,
        { kind: 'webhook-status', id: `off:${update}`, data: { why: 'off' } },
        { except: [by] },
      ),
    addressNotifications,
    rentalReminders,
    isUnlinked,
    adminAlerts,
    notifyOfUnreadable: createNotifyOfUnreadable({ outbox }),
    eventMetrics,
    /**
     * Shows an operation to its user. Admins are notified of the operator account's use before it counts as shown. If
     * this fails, it is retried with the next attempt to show it.
     */
    async showOperation(...shown: Parameters<Show>): ReturnType<Show> {
      await adminAlerts.operatorAccountUsed(shown[0]);
      return showOperation(...shown);
    },
    showInvoice: createInvoiceMessages({ ...deps, attempts, outbox, links: deps.invoiceLinks }),
    /** Erases a user's notifications and reminders. `keys`: all keys of the user. */
    async eraseUser(user: number, keys: readonly string[]): Promise<void> {
      await rentalReminders.eraseUser(keys);
      await outbox.eraseChat(user, keys);
    },
    async close() {
      await outbox.close();
      await eventMetrics.close();
    },
  };
}

/** Notifies all holders of an account but those in `except`, once for each kind and `id`. */
export type NotifyHolders = (
  account: number,
  notification: NotificationContent,
  options?: { except: readonly number[] },
) => Promise<unknown>;

export function createNotifyHolders(deps: {
  links: Pick<Links, 'holders'>;
  outbox: Pick<Outbox, 'add'>;
}): NotifyHolders {
  return async (account, notification, options) => {
    const holders = (await deps.links.holders(account)).filter((user) => !options?.except.includes(user));
    await Promise.all(holders.map((chat) => deps.outbox.add({ ...notification, chat, account })));
  };
}

/** Maximum number of users to notify of unreadable records. If more are affected, none is: then something else is wrong. */
const MAX_NOTIFIED_USERS = 100;
/** Kinds of records whose loss affects their user, by the first part of their keys. */
const KINDS_AFFECTING_USERS = ['operation', 'invoice', 'link'] as const;

/** Creates a function that notifies users of their records that can't be read, once for each of them. */
export function createNotifyOfUnreadable({ outbox }: { outbox: Pick<Outbox, 'add'> }) {
  return async (keys: readonly string[]): Promise<void> => {
    const notifications = keys.flatMap((key) => {
      const what = KINDS_AFFECTING_USERS.find((kind) => kind === kindOf(key));
      const chat = Number(tagOf(key));
      return what && Number.isSafeInteger(chat)
        ? [{ chat, data: { what, id: key.split(':')[2] ?? '' } }]
        : [];
    });
    if (new Set(notifications.map(({ chat }) => chat)).size > MAX_NOTIFIED_USERS) return;
    for (const { chat, data } of notifications)
      await outbox.add({ kind: 'unreadable-record', id: `${data.what}:${data.id}`, chat, data });
  };
}

/** Creates a function that notifies the other holders of an account of a withdrawal by one of them. */
export function createNotifyWithdrawal(deps: { kinds: Kinds; notifyHolders: NotifyHolders }) {
  return async ({ user, id, account, request }: Operation): Promise<void> => {
    const address = deps.kinds.of(request).target(request);
    const data = { address, trx: String('trx' in request ? request.trx : '') };
    await deps.notifyHolders(account, { kind: 'holder-withdrawal', id, data }, { except: [user] });
  };
}

const DUE_OFFERS_JOB = 'address-announcements';
const DUE_OFFERS_INTERVAL_MS = 10_000;
const BATCH = 100;

interface AddressNotificationDeps {
  recurringWork: Pick<RecurringWork, 'every'>;
  addressAnnouncements: Pick<
    AddressAnnouncements,
    | 'abandon'
    | 'addMessage'
    | 'due'
    | 'dequeue'
    | 'eraseUser'
    | 'findCurrent'
    | 'forgetMessages'
    | 'ofUser'
    | 'scheduleEnd'
    | 'waitingFrom'
  >;
  kinds: Pick<Kinds, 'of'>;
  links: Pick<Links, 'find' | 'holders'>;
  outbox: Pick<Outbox, 'add'>;
  notifyHolders: NotifyHolders;
  sender: Pick<Sender, 'edit'>;
  texts: Texts;
  now: () => number;
  /** Replaces the interval at which ended waiting periods are read, in milliseconds. */
  runIntervalMs?: number | undefined;
}

export type AddressNotifications = ReturnType<typeof createAddressNotifications>;

/**
 * Creates notifications about withdrawal addresses of accounts without 2FA. After the waiting period, the
 * user who announced the address is offered the withdrawal card. Call before recurring work starts.
 */
export function createAddressNotifications(deps: AddressNotificationDeps) {
  const { recurringWork, addressAnnouncements, kinds, links, outbox, notifyHolders } = deps;
  const { sender, texts, now, runIntervalMs } = deps;

  const notificationOf = (what: AddressNotificationKind, announcement: AddressAnnouncement) => {
    const { id, address, trx, at, reservedAt, usedAt, wasBlocked } = announcement;
    return {
      kind: 'address',
      // An unused address can be announced again, which needs a new notification.
      id: `${what}:${id}:${at}`,
      data: {
        what,
        id,
        address,
        trx,
        from: what === 'blocked' ? blockedUntil(announcement) : at + ADDRESS_WAIT_MS,
        ...(reservedAt === undefined && usedAt === undefined && { isUnsent: true }),
        ...(wasBlocked && { wasBlocked }),
      },
    } as const;
  };

  function notifyAnnouncer(
    what: 'blocked' | 'expired' | 'offered',
    announcement: AddressAnnouncement,
  ): Promise<void> {
    const { user: chat, account } = announcement;
    return outbox.add({ ...notificationOf(what, announcement), chat, account });
  }

  /** Shows in the announcement's messages, of all holders but for the message `except`, how it ended. */
  async function ended(
    announcement: AddressAnnouncement,
    except?: { chat: number; message: number },
  ): Promise<void> {
    const { user, messages = [], notices = [] } = announcement;
    const shown = [...messages.map((message) => ({ chat: user, message })), ...notices];
    if (shown.length === 0) return;
    await Promise.all(
      shown
        .filter(({ chat, message }) => chat !== except?.chat || message !== except.message)
        .map(async ({ chat, message }) => {
          const words = texts.in((await links.find(chat))?.language ?? 'en');
          await sender.edit(chat, message, endedAnnouncement(words, announcement, chat));
        }),
    );
    await addressAnnouncements.forgetMessages(announcement);
  }

  /** Ends a withdrawal that wasn't confirmed in time. */
  async function expire(announcement: AddressAnnouncement): Promise<void> {
    const { account, user, id } = announcement;
    // After a longer interruption, the announcement's lifetime has ended, too.
    const expired = (await addressAnnouncements.abandon(account, user, id)) ?? {
      ...announcement,
      abandonedAt: now(),
    };
    if (expired.abandonedAt !== undefined) {
      await notifyAnnouncer('expired', expired);
      await ended(expired);
    }
    await addressAnnouncements.dequeue(announcement);
  }

  /** Shows in the messages of a withdrawal that its user has left the account. `editOwn` edits those of the user. */
  async function left(
    words: Words,
    announcement: AddressAnnouncement,
    editOwn = (message: number, view: View): Promise<unknown> =>
      sender.edit(announcement.user, message, view),
  ): Promise<void> {
    const { account, address, trx, messages = [] } = announcement;
    const html = words.html('address-unlinked', { account: String(account), address, trx });
    for (const message of messages) await editOwn(message, { html, keyboard: [] });
    await ended({ ...announcement, messages: [] });
  }

  recurringWork.every(DUE_OFFERS_JOB, runIntervalMs ?? DUE_OFFERS_INTERVAL_MS, async () => {
    for (;;) {
      const due = await addressAnnouncements.due(BATCH);
      await Promise.all(
        due.map(async (announcement) => {
          if (isOver(announcement)) return addressAnnouncements.dequeue(announcement);
          if (now() >= confirmableUntil(announcement)) return expire(announcement);
          await notifyAnnouncer('offered', announcement);
          return addressAnnouncements.scheduleEnd(announcement);
        }),
      );
      if (due.length < BATCH) return;
    }
  });

  return {
    /** Notifies the other holders of the account that a user wants to withdraw to a new address. */
    announced: (announcement: AddressAnnouncement) =>
      notifyHolders(announcement.account, notificationOf('announced', announcement), {
        except: [announcement.user],
      }),
    /**
     * Notifies the other holders, once a month at most, that a user has linked the account, and the user of the withdrawals
     * that they have announced, which the user can block. Safe to repeat.
     */
    async linked({ user: chat, account }: { user: number; account: number }): Promise<void> {
      const notification = { kind: 'holder-linked', id: String(chat), data: {} } as const;
      await notifyHolders(account, notification, { except: [chat] });
      for (const waiting of await addressAnnouncements.waitingFrom(account))
        if (waiting.user !== chat)
          await outbox.add({ ...notificationOf('announced', waiting), chat, account });
    },
    /** Notifies the user who announced an address that another holder has removed it. */
    blocked: (announcement: AddressAnnouncement) => notifyAnnouncer('blocked', announcement),
    ended,
    /**
     * Returns the announcement of a cancelled card's withdrawal if it can still be confirmed. `message`: message that shows
     * the card, and later how the withdrawal ended.
     */
    async heldBy({ state, user, account, request }: Operation, message?: number) {
      const kind = kinds.of(request);
      if (state !== 'cancelled' || kind.withdrawalAmount === undefined) return undefined;
      const held = await addressAnnouncements.findCurrent({ user, account, address: kind.target(request) });
      if (held === undefined || isOver(held) || now() >= confirmableUntil(held)) return undefined;
      if (message !== undefined) await addressAnnouncements.addMessage(account, held.id, message);
      return held;
    },
    left,
    /** Erases the user's announcements. Shows the user, in this language, and the other holders that the waiting ones ended. */
    async eraseUser(user: number, language: Language): Promise<void> {
      for (const { account, id } of (await addressAnnouncements.ofUser(user)).filter((one) => !isOver(one))) {
        const abandoned = await addressAnnouncements.abandon(account, user, id);
        if (abandoned?.abandonedAt !== undefined) await left(texts.in(language), abandoned);
      }
      await addressAnnouncements.eraseUser(user);
    },
    /** Shows the latest message of each announced withdrawal in the language that its user has just chosen. */
    async translate(user: number): Promise<void> {
      const link = await links.find(user);
      const announcements = await addressAnnouncements.ofUser(user);
      const open = announcements.filter((one) => one.account === link?.account && !isOver(one));
      for (const announcement of open) {
        const message = announcement.messages?.at(-1);
        const kind = now() < announcement.at + ADDRESS_WAIT_MS ? 'hold' : 'offered';
        const words = texts.in(link?.language ?? 'en');
        if (message !== undefined)
          await sender.edit(user, message, await announcementView(deps, words, kind, announcement));
      }
    },
    /** Ends the announcement that a withdrawal needed, once the withdrawal was or may have been sent. */
    async withdrawn({ user, account, request }: Operation): Promise<void> {
      const kind = kinds.of(request);
      if (kind.withdrawalAmount === undefined || kind.needsCode?.(request)) return;
      const announcement = await addressAnnouncements.findCurrent({
        user,
        account,
        address: kind.target(request),
      });
      if (announcement?.firstUsedAt === undefined) return;
      // The user may have withdrawn another amount than announced.
      const trx = String('trx' in request ? request.trx : announcement.trx);
      await ended({ ...announcement, trx });
    },
  };
}
