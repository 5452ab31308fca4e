import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import type { AccountKeys } from '../accounts/account-keys.ts';
import type { Links } from '../accounts/links.ts';
import { isMuted, type NotificationSettings, type Users } from '../accounts/users.ts';
import { LANGUAGES, type Language, paragraphs, type Texts, type Words, withoutTags } from '../i18n/texts.ts';
import { createWorkQueue, delayBefore, retryWrite } from '../platform/async.ts';
import { DAY_MS, isRecent } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import {
  defineRecord,
  keyOf,
  prefixOf,
  retryOnConflict,
  type SignedRecords,
  type StoredData,
} from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import { replyBelow } from '../views/callback-data.ts';
import type { View } from '../views/view.ts';
import type { EventMetrics } from './event-metrics.ts';
import type {
  FeatureNotification,
  NotificationContent,
  NotificationKind,
  NotificationKinds,
} from './kinds.ts';

const storedNotificationSchema = z.object({
  kind: z.string(),
  id: z.string(),
  isMoney: z.boolean(),
  account: z.number().optional(),
  data: z.unknown(),
  /** Epoch milliseconds. Determines the notification's position in the chat. */
  queuedAt: z.number(),
  failedAttempts: z.number(),
  /** Sending got no response, so the notification may have been delivered. */
  isUnclear: z.boolean().optional(),
  /** To be sent a second time, after an unclear delivery. */
  awaitsResend: z.boolean().optional(),
  /** Sent a second time, after a crash or an unclear delivery. No timer sends it a third time. */
  isResent: z.boolean().optional(),
  /** May have been delivered before. The message says so. */
  mayBeDuplicate: z.boolean().optional(),
});
type StoredNotification = z.infer<typeof storedNotificationSchema>;

/** Covers the time in which the cause of a notification can be reported again. */
const NOTIFICATION_TTL_MS = 31 * DAY_MS;
const LIFETIME = { ttlMs: NOTIFICATION_TTL_MS };

/** Signed, because users read them. */
const NOTIFICATIONS = defineRecord({
  keys: 'notification:{chat}:name',
  content: 'Notification, later a mark that it was delivered',
  schema: z.union([storedNotificationSchema, z.literal('delivered')]),
  ttlMs: NOTIFICATION_TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-others', ofAdmins: true },
});

const PENDING = {
  keys: 'notifications-of-chat:{chat}',
  content: 'Pending notifications of a chat, in sending order',
  expiry: '31 days since the latest one',
} as const satisfies StoredData;

const UNCLEAR = {
  keys: 'unclear-notifications:{chat}',
  content: 'Notifications of a chat with an unclear delivery',
  expiry: '31 days since the latest one',
} as const satisfies StoredData;

/** Time after a message in which notifications of the same kind are collected for the next one, in milliseconds. */
const BATCHING_MS = 3_000;
const BATCHING = defineRecord({
  keys: 'notifications-batching:{chat}:kind',
  content: 'Notifications of this kind were just sent',
  schema: z.object({ at: z.number() }),
  ttlMs: BATCHING_MS,
  signed: false,
});

const PAUSED = defineRecord({
  keys: 'notifications-paused:{chat}',
  content: 'No message is sent to this chat for now',
  schema: z.object({ at: z.number(), pauseMs: z.number() }),
  ttlMs: ({ pauseMs }) => pauseMs,
  expiry: 'a second to a minute; five seconds while a 429 of the chat lasts',
  signed: false,
});

/** Request to send unclear notifications of a chat again: those that were sent once, or all. */
const RESEND = defineRecord({
  keys: 'notifications-resend:{chat}',
  content:
    'Unclear notifications of the chat are to be sent again: notifications that were sent once, or all of them after the user has opened the menu',
  schema: z.enum(['once', 'all']),
  ttlMs: NOTIFICATION_TTL_MS,
  expiry: 'until they are sent, 31 days at most',
  signed: false,
});
type Resend = 'once' | 'all';

const BLOCKED = defineRecord({
  keys: 'notifications-blocked:{chat}',
  content: 'The user has blocked the bot',
  schema: z.literal(true),
  ttlMs: NOTIFICATION_TTL_MS,
  signed: false,
});

/** Time until a chat is due again if the process that delivers to it crashes, in milliseconds. */
const DELIVERY_LEASE_MS = 15_000;
/** Delay before retrying a chat whose lease another process holds, in milliseconds. */
const BUSY_RETRY_MS = 1_000;
const QUARANTINE_MS = 10 * 60_000;
const UNCLEAR_MS = 15_000;
/** Retry delays after failed attempts, in milliseconds. The last one is also the longest delay until a chat is due again. */
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000] as const;

const defineChatQueue = (keys: string, content: string, longestMs: number) =>
  defineDueQueue({
    keys,
    ref: { chat: 'number' },
    longestMs,
    content,
    expiry: 'none: a single key; delivered ones are removed',
  });
const LONGEST_RETRY_MS = Math.max(...RETRY_DELAYS_MS);
const MONEY_CHATS = defineChatQueue(
  'outbox:money',
  'Chats with pending notifications about money',
  LONGEST_RETRY_MS,
);
const OTHER_CHATS = defineChatQueue(
  'outbox:other',
  'Chats with other pending notifications',
  LONGEST_RETRY_MS,
);
const CHATS_IN_DELIVERY = defineChatQueue(
  'outbox:in-delivery',
  'Chats in progress, to find them after a crash',
  DELIVERY_LEASE_MS,
);
const UNCLEAR_CHATS = defineDueQueue({
  ref: { chat: 'number' },
  longestMs: UNCLEAR_MS,
  keys: 'outbox:unclear',
  content: "Chats with notifications that Telegram didn't acknowledge, by the time of the second attempt",
  expiry: 'none: due ones are removed',
});
const QUARANTINED = defineDueQueue({
  ref: { chat: 'number', name: 'string' },
  longestMs: QUARANTINE_MS,
  keys: 'outbox:quarantined',
  content: 'Notifications that are paused for ten minutes',
  expiry: 'none: a single key; delivered ones are removed',
});

export const OUTBOX_DATA: readonly StoredData[] = [
  ...[NOTIFICATIONS, PENDING, UNCLEAR, BATCHING, PAUSED, RESEND, BLOCKED],
  ...[MONEY_CHATS, OTHER_CHATS, CHATS_IN_DELIVERY, UNCLEAR_CHATS, QUARANTINED],
];

/** Score offset of notifications after those about money. Larger than any time in epoch milliseconds. */
const AFTER_MONEY = 1e14;
/** Maximum notifications retained for a user who has blocked the bot. */
const MAX_PENDING = 200;
const MAX_COUNTED = 100;
const MAX_AGES_READ = 10;

export interface PendingNotification {
  name: string;
  notification: StoredNotification;
}

/** Pending notifications: number of chats (at most 100), whether there are more, age of the oldest found. */
export interface OutboxBacklog {
  chats: number;
  isMore: boolean;
  oldestMs: number | undefined;
}

/** Stored notifications, shared by all replicas. A chat with pending ones is in a due queue. */
export type OutboxStore = ReturnType<typeof createOutboxStore>;

export function createOutboxStore(deps: Pick<OutboxDeps, 'storage' | 'records'>) {
  const { storage, records } = deps;
  const { index } = storage;
  const notifications = records.store(NOTIFICATIONS);
  const resends = records.store(RESEND);
  const [moneyChats, otherChats, chatsInDelivery, unclearChats] = [
    createDueQueue(MONEY_CHATS, deps),
    createDueQueue(OTHER_CHATS, deps),
    createDueQueue(CHATS_IN_DELIVERY, deps),
    createDueQueue(UNCLEAR_CHATS, deps),
  ];
  const chatQueues = [moneyChats, otherChats, chatsInDelivery];
  const quarantined = createDueQueue(QUARANTINED, deps);
  const pendingOf = (chat: number) => keyOf(PENDING.keys, { chat });
  const unclearOf = (chat: number) => keyOf(UNCLEAR.keys, { chat });

  const makeDueIn = (chat: number, isMoney: boolean, ms: number) =>
    (isMoney ? moneyChats : otherChats).scheduleNoLaterThan({ chat }, ms);

  async function read(chat: number, limit: number, isUnclear: boolean): Promise<PendingNotification[]> {
    const list = isUnclear ? unclearOf(chat) : pendingOf(chat);
    const names = await index.upTo(list, Number.MAX_VALUE, limit);
    const stored = await Promise.all(names.map((name) => notifications.get({ chat, name })));
    const pending = names.flatMap((name, at) => {
      const notification = stored[at];
      if (notification === undefined || notification === 'delivered') return [];
      return (notification.isUnclear ?? false) === isUnclear ? [{ name, notification }] : [];
    });
    // Removes entries that were delivered, can't be verified, or are now in the other list.
    const present = new Set(pending.map(({ name }) => name));
    await index.remove(list, ...names.filter((name) => !present.has(name)));
    return pending;
  }

  /** Lists a notification, then makes the chat due, so that a concurrent delivery finds it. */
  async function enqueue(chat: number, name: string, { queuedAt, isMoney }: StoredNotification) {
    await index.put(pendingOf(chat), name, queuedAt + (isMoney ? 0 : AFTER_MONEY), LIFETIME);
    await makeDueIn(chat, isMoney, 0);
  }

  async function markDelivered(chat: number, names: readonly string[]): Promise<void> {
    // Recorded before it leaves the list, so that a crash in between loses nothing.
    await Promise.all(names.map((name) => notifications.set({ chat, name }, 'delivered')));
    await index.remove(pendingOf(chat), ...names);
  }

  const pending = (chat: number, limit: number) => read(chat, limit, false);

  /** Restarts the delay until the second sending of unclear notifications. */
  const postponeUnclear = (chat: number) => unclearChats.scheduleNoLaterThan({ chat }, UNCLEAR_MS);

  /** Requests that the holder of the chat's lease resends unclear notifications. `all` includes `once`. */
  async function requestResend(chat: number, which: Resend): Promise<void> {
    if (which === 'all') await resends.set({ chat }, which);
    else await resends.add({ chat }, which);
  }

  return {
    /** Stores a notification and makes its chat due, unless it was or may have been delivered. */
    async add(chat: number, notification: StoredNotification): Promise<void> {
      const ref = { chat, name: nameOf(notification) };
      const isAdded = await notifications.add(ref, notification);
      const stored = isAdded ? notification : await notifications.get(ref);
      if (isDeliveredOrUnclear(stored)) return;
      // A record that fails verification is treated as missing and overwritten.
      if (stored === undefined) await notifications.set(ref, notification);
      await enqueue(chat, ref.name, stored ?? notification);
    },

    /** Returns the first pending notifications in sending order: those about money first. */
    pending,

    /** Returns notifications that may have been delivered. The caller must hold the chat's lease. */
    unclear: (chat: number, limit: number) => read(chat, limit, true),

    /** May still return true right after the last unclear notification was resolved. */
    hasUnclear: async (chat: number) => (await index.upTo(unclearOf(chat), Number.MAX_VALUE, 1)).length > 0,

    markDelivered,

    /** Marks notifications as unclear. Schedules a second sending of those that were sent once. */
    async markUnclear(chat: number, unclear: readonly PendingNotification[]): Promise<void> {
      // Scheduled first, so that a crash in between loses nothing.
      if (unclear.some(({ notification }) => wasSentOnce(notification))) await postponeUnclear(chat);
      for (const { name, notification } of unclear) {
        await index.put(unclearOf(chat), name, notification.queuedAt, LIFETIME);
        await notifications.set({ chat, name }, { ...notification, isUnclear: true });
        await index.remove(pendingOf(chat), name);
      }
    },

    /** Moves unclear notifications back as possible duplicates. The caller must hold the chat's lease. */
    async requeueUnclear(chat: number, which: Resend): Promise<void> {
      const unclear = await read(chat, MAX_PENDING, true);
      const chosen = unclear.filter(({ notification }) => which === 'all' || wasSentOnce(notification));
      for (const { name, notification } of chosen) {
        const { isUnclear: _, isResent: __, ...rest } = notification;
        const requeued = { ...rest, mayBeDuplicate: true, awaitsResend: which === 'once' };
        // Listed before its record changes. After a crash in between, the second sending is requested again.
        await enqueue(chat, name, requeued);
        await notifications.set({ chat, name }, requeued);
        await index.remove(unclearOf(chat), name);
      }
    },

    postponeUnclear,

    async recordFailure(chat: number, { name, notification }: PendingNotification): Promise<void> {
      const failedAttempts = notification.failedAttempts + 1;
      await notifications.set({ chat, name }, { ...notification, failedAttempts });
    },

    /** Marks notifications right before their second sending. */
    async markResent(chat: number, resent: readonly PendingNotification[]): Promise<void> {
      await Promise.all(
        resent.map(({ name, notification }) =>
          notifications.set({ chat, name }, { ...notification, isResent: true }),
        ),
      );
    },

    /** Removes a notification for ten minutes, so that it doesn't block the chat. */
    async quarantine(chat: number, name: string): Promise<void> {
      await quarantined.scheduleIn({ chat, name }, QUARANTINE_MS);
      await index.remove(pendingOf(chat), name);
    },

    /**
     * Restores due quarantined notifications, again every ten minutes until they are delivered. Also makes
     * chats due whose unclear notifications are to be sent again. Returns whether there were any.
     */
    async requeueDue(): Promise<boolean> {
      const [unclear, restorable] = await Promise.all([
        unclearChats.due(MAX_PENDING),
        quarantined.due(MAX_PENDING),
      ]);
      for (const { chat } of unclear) {
        await requestResend(chat, 'once');
        await makeDueIn(chat, true, 0);
        await unclearChats.remove({ chat });
      }
      for (const ref of restorable) {
        const notification = await notifications.get(ref);
        if (notification === undefined || isDeliveredOrUnclear(notification)) {
          await quarantined.remove(ref);
          continue;
        }
        await enqueue(ref.chat, ref.name, notification);
        await quarantined.scheduleIn(ref, QUARANTINE_MS);
      }
      return unclear.length + restorable.length > 0;
    },

    /** Removes the oldest notifications of a blocked chat if too many are pending; those about money last. */
    async trim(chat: number): Promise<void> {
      const [all = [], aboutMoney = []] = await Promise.all(
        [Number.MAX_VALUE, AFTER_MONEY].map((max) => index.upTo(pendingOf(chat), max, 2 * MAX_PENDING)),
      );
      const oldestFirst = [...all.slice(aboutMoney.length), ...aboutMoney];
      await markDelivered(chat, oldestFirst.slice(0, Math.max(0, all.length - MAX_PENDING)));
    },

    /** Erases a chat's notifications among `keys`. The caller must hold the chat's lease. */
    async erase(chat: number, keys: readonly string[]): Promise<void> {
      const prefix = `${prefixOf(NOTIFICATIONS)}{${chat}}:`;
      const stored = keys.filter((key) => key.startsWith(prefix));
      const refs = stored.map((key) => ({ chat, name: key.slice(prefix.length) }));
      await Promise.all(chatQueues.map((queue) => queue.remove({ chat })));
      await index.remove(QUARANTINED.keys, ...refs.map(quarantined.memberOf));
      await unclearChats.remove({ chat });
      await Promise.all([...stored, pendingOf(chat), unclearOf(chat)].map((key) => storage.delete(key)));
    },

    /** Measures the backlog at `now` (epoch milliseconds) with a bounded number of reads. */
    async readBacklog(now: number): Promise<OutboxBacklog> {
      const [quarantine, queues] = await Promise.all([
        quarantined.scheduled(MAX_COUNTED + 1),
        Promise.all(chatQueues.map((queue) => queue.scheduled(MAX_COUNTED + 1))),
      ]);
      const chatsOf = (refs: readonly { chat: number }[]) => new Set(refs.map(({ chat }) => chat));
      const chats = chatsOf([...queues.flat(), ...quarantine]);
      const longestDue = chatsOf(queues.flatMap((queue) => queue.slice(0, MAX_AGES_READ)));
      const oldest = await Promise.all([
        ...[...longestDue].map(async (chat) => (await pending(chat, 1))[0]?.notification),
        ...quarantine.slice(0, MAX_AGES_READ).map((ref) => notifications.get(ref)),
      ]);
      const ages = oldest.flatMap((notification) =>
        notification === undefined || notification === 'delivered' ? [] : [now - notification.queuedAt],
      );
      return {
        chats: Math.min(chats.size, MAX_COUNTED),
        isMore: chats.size > MAX_COUNTED,
        oldestMs: ages.length > 0 ? Math.max(0, ...ages) : undefined,
      };
    },

    requestResend,

    resends,
    /** While it is recent, no message is sent to the chat, also for notifications that are added later. */
    paused: records.store(PAUSED),
    /** While it is recent, notifications of this kind are collected for one message. */
    batching: records.store(BATCHING),
    blocked: records.store(BLOCKED),

    makeDueIn,

    /**
     * Marks the chat as being delivered to. Returns whether it already was: a process crashed during a
     * delivery. The caller must hold the chat's lease.
     */
    beginDelivery: (chat: number) =>
      chatsInDelivery.moveFrom([MONEY_CHATS, OTHER_CHATS], { chat }, DELIVERY_LEASE_MS),

    /** Removes the mark of `beginDelivery`. Notifications added since have made the chat due again. */
    endDelivery: (chat: number) => chatsInDelivery.remove({ chat }),

    async postpone(chat: number): Promise<void> {
      await otherChats.moveFrom([MONEY_CHATS], { chat }, BUSY_RETRY_MS);
    },

    /** Returns due chats: first those with an interrupted delivery or notifications about money. */
    async dueChats(limit: number): Promise<{ chat: number; isMoney: boolean }[]> {
      const [urgent, others] = await Promise.all([
        Promise.all([chatsInDelivery.due(limit), moneyChats.due(limit)]),
        otherChats.due(limit),
      ]);
      const chats = [
        ...urgent.flat().map(({ chat }) => ({ chat, isMoney: true })),
        ...others.map(({ chat }) => ({ chat, isMoney: false })),
      ];
      return chats.slice(0, limit);
    },
  };
}

/** Returns a name, unique in the chat. Unusual ones are hashed: ids contain text from the service. */
function nameOf({ kind, account, id }: StoredNotification): string {
  const name = `${kind}:${account ?? ''}:${id}`;
  return /^[\w.:,#-]{1,120}$/.test(name) ? name : createHash('sha256').update(name).digest('base64url');
}

function wasSentOnce({ mayBeDuplicate, isResent }: StoredNotification): boolean {
  return mayBeDuplicate !== true && isResent !== true;
}

/** Returns whether a notification was or may have been delivered. Adding it again then changes nothing. */
function isDeliveredOrUnclear(
  stored: StoredNotification | 'delivered' | undefined,
): stored is 'delivered' | (StoredNotification & { isUnclear: true }) {
  return stored === 'delivered' || stored?.isUnclear === true;
}

/** Maximum notifications and characters in a message. Telegram's limit is 4,096 characters. */
const MAX_PER_MESSAGE = 10;
const MAX_LENGTH = 3_000;
/** Length of the plain version of a message that Telegram refused. */
const PLAIN_LENGTH = 300;

interface Group {
  kind: NotificationKind;
  pending: readonly PendingNotification[];
}

/** Composed message. `repeated`: notifications below the others that may already have been delivered. */
interface Composed {
  view: View;
  replyTo: number | undefined;
  included: readonly PendingNotification[];
  repeated: readonly PendingNotification[];
}

/** Recipient of a message. `unclear`: notifications to repeat in it, one in each group. */
interface Recipient {
  chat: number;
  language: Language;
  unclear: readonly Group[];
}

function maxPerMessage({ neverGrouped }: NotificationKind): number {
  return neverGrouped ? 1 : MAX_PER_MESSAGE;
}

/** Composes a message from as many notifications of a kind as fit, with unclear ones repeated below them. */
function compose(texts: Texts, { kind, pending }: Group, { chat, language, unclear }: Recipient): Composed {
  const render = (words: Words, group: Group) =>
    group.kind.view(
      words,
      group.pending.map(({ notification }) => group.kind.data.parse(notification.data)),
      { chat, account: group.pending[0]?.notification.account },
    );
  const words = texts.in(language);
  const included = takeFitting(pending.slice(0, maxPerMessage(kind)), MAX_LENGTH, 1, (one) =>
    lengthOf([render(words, { kind, pending: [one] })]),
  );
  const languages = kind.inAllLanguages ? LANGUAGES : [language];
  const views = languages.map((each) => render(texts.in(each), { kind, pending: included }));
  const repeatable = unclear.map((group) => ({ ...group, view: render(words, group) }));
  const repeated = takeFitting(repeatable, MAX_LENGTH - lengthOf(views), 0, ({ view }) => lengthOf([view]));
  const html = paragraphs(
    included.some(({ notification }) => notification.mayBeDuplicate) && words.html('notice-unclear'),
    ...views.map((view) => view.html),
    repeated.length > 0 && words.html('notice-unclear'),
    ...repeated.map(({ view }) => view.html),
  );
  // Only kinds that are never grouped keep their buttons when they are repeated.
  const withButtons = repeated.filter((group) => group.kind.neverGrouped).map(({ view }) => view);
  const view = { html, keyboard: mergeKeyboards([...withButtons, ...views.slice(0, 1)]) };
  const [single, ...others] = included;
  return {
    replyTo:
      single && others.length === 0 ? kind.replyTo?.(kind.data.parse(single.notification.data)) : undefined,
    view: kind.isQuestion && repeated.length === 0 ? view : withButtonsReplyingBelow(view),
    included,
    repeated: repeated.flatMap((group) => group.pending),
  };
}

function toPlain({ keyboard, html }: View): View {
  const short = [...withoutTags(html)].slice(0, PLAIN_LENGTH).join('');
  return { keyboard, html: short.replace(/&#?\w*$/, '') };
}

/** Marks the buttons so that a tap leaves the message unchanged. */
function withButtonsReplyingBelow({ keyboard, ...view }: View): View {
  const mark = (button: InlineKeyboardButton) =>
    'callback_data' in button ? { ...button, callback_data: replyBelow(button.callback_data) } : button;
  return { ...view, keyboard: keyboard.map((row) => row.map(mark)) };
}

/** Returns as many of the first items as fit into `maxLength`, but at least `minCount`. */
function takeFitting<T>(
  items: readonly T[],
  maxLength: number,
  minCount: number,
  lengthOfItem: (item: T) => number,
): T[] {
  let length = 0;
  const end = items.findIndex((item, at) => {
    length += lengthOfItem(item);
    return at >= minCount && length > maxLength;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** Returns the number of characters as Telegram counts them. */
function lengthOf(views: readonly View[]): number {
  return views.reduce((sum, { html }) => sum + withoutTags(html).replace(/&#?\w+;/g, '.').length, 0);
}

/** Returns the keyboard rows of all views without duplicates, such as repeated menu buttons. */
function mergeKeyboards(views: readonly View[]): View['keyboard'] {
  const rows = views.flatMap(({ keyboard }) => keyboard);
  return rows.filter((row, at) => rows.findIndex((earlier) => isDeepStrictEqual(earlier, row)) === at);
}

/** Sent message with Telegram's result, or the error thrown while composing the first notification. */
type SendResult = (Composed & { sent: Sent }) | { included: readonly PendingNotification[]; err: unknown };

/** Delay between two messages in a chat, in milliseconds. Telegram allows one a second, and short bursts. */
const NEXT_MESSAGE_MS = 1_000;
/** Retry delay while Telegram is unreachable, in milliseconds. Doesn't count as a failed attempt. */
const UNREACHABLE_RETRY_MS = 5_000;
/** Delay before the service is queried again about a user's key, in milliseconds. */
const UNCERTAIN_RETRY_MS = 15_000;
/** Failed attempts before a notification is quarantined for ten minutes. It is given up after a day. */
const MAX_ATTEMPTS = 5;
const GIVE_UP_MS = DAY_MS;
const MAX_PENDING_READ = 50;
const MAX_UNCLEAR_READ = 3;

interface DeliveryLease {
  isHeld(): boolean;
  /** A process crashed while delivering to this chat. The first notifications may have been sent. */
  wasInterrupted: boolean;
}

export interface OutboxDeps {
  storage: Pick<Storage, 'index' | 'delete'>;
  records: SignedRecords;
  leases: Leases;
  links: Pick<Links, 'find'>;
  users: Pick<Users, 'find'>;
  notificationSettings: Pick<NotificationSettings, 'get'>;
  accountKeys: Pick<AccountKeys, 'isValid'>;
  notificationKinds: NotificationKinds;
  sender: Pick<Sender, 'sendInBulk' | 'canReach'>;
  texts: Texts;
  eventMetrics: Pick<EventMetrics, 'notificationSent'>;
  now: () => number;
  log: Log;
}

/**
 * Creates a function that sends the first notifications of a chat. It returns the delay until the next
 * delivery there, in milliseconds, or `undefined` if none is needed.
 */
function createDeliver(deps: OutboxDeps & { store: OutboxStore }) {
  const { store, links, users, notificationSettings, accountKeys, notificationKinds } = deps;
  const { sender, texts, eventMetrics, now, log } = deps;

  /**
   * Starts reading the user's link and settings. The returned function drops notifications that the chat may
   * no longer receive. `isUncertain`: some wait because the service doesn't say whether the user's key is
   * valid.
   */
  function startRecipientCheck(chat: number) {
    const reading = Promise.all([links.find(chat), notificationSettings.get(chat)]);
    // Avoids an unhandled rejection. The returned function still rejects.
    reading.catch(() => undefined);

    return async (pending: readonly PendingNotification[]) => {
      const [link, settings] = await reading;
      const concernsAccount = pending.some(
        ({ notification }) => notification.account !== undefined && notification.account === link?.account,
      );
      const isKeyValid = concernsAccount && link ? await accountKeys.isValid(chat, link.account) : false;

      async function decide({ notification }: PendingNotification): Promise<'send' | 'drop' | 'uncertain'> {
        const kind = notificationKinds.find(notification.kind);
        const { account } = notification;
        if (kind === undefined || (kind.mutable && isMuted(settings, kind.mutable))) return 'drop';
        if (account !== undefined && link?.account !== account) return 'drop';
        if (account !== undefined && isKeyValid === false) return 'drop';
        if (account !== undefined && isKeyValid === undefined && !kind.isWarning) return 'uncertain';
        // A newer version may have stored data that this version can't parse.
        const data = kind.data.safeParse(notification.data);
        if (!data.success || (await kind.isStillRelevant?.(data.data, { chat, account })) === false)
          return 'drop';
        return 'send';
      }

      const decisions = await Promise.all(pending.map(decide));
      const language: Language = link?.language ?? (await users.find(chat))?.language ?? 'en';
      await store.markDelivered(chat, namesOf(pending.filter((_, at) => decisions[at] === 'drop')));
      return {
        language,
        send: pending.filter((_, at) => decisions[at] === 'send'),
        isUncertain: decisions.includes('uncertain'),
      };
    };
  }

  interface ChatState extends DeliveryLease {
    chat: number;
    checkRecipient: ReturnType<typeof startRecipientCheck>;
    pending: readonly PendingNotification[];
    unclear: readonly PendingNotification[];
  }

  /** Sends a message. If that fails, tries the first notification alone, then in plain text. */
  async function send(group: Group, recipient: Recipient): Promise<SendResult> {
    const first = { ...group, pending: group.pending.slice(0, 1) };
    const composeFirst = () => compose(texts, first, { ...recipient, unclear: [] });
    const composePlain = () => ({ ...composeFirst(), view: toPlain(composeFirst().view) });
    let result: SendResult = { included: first.pending, err: undefined };
    for (const composeMessage of [() => compose(texts, group, recipient), composeFirst, composePlain]) {
      let composed: Composed;
      try {
        composed = composeMessage();
      } catch (err) {
        result = { included: first.pending, err };
        continue;
      }
      // Telegram would refuse the same text again.
      if ('view' in result && result.view.html === composed.view.html) continue;
      const sent = await sender.sendInBulk(recipient.chat, composed.view, composed.replyTo);
      result = { ...composed, sent };
      if (sent.kind !== 'refused') return result;
    }
    return result;
  }

  const writeWithRetry = (chat: number, write: () => Promise<void>) =>
    retryWrite(write, { log, about: { chat } });

  async function quarantine(chat: number, { name, notification }: PendingNotification, reason: object) {
    const isGivenUp = now() - notification.queuedAt > GIVE_UP_MS;
    log.error(
      { chat, notification: name, ...reason },
      isGivenUp ? 'a notification is given up' : 'a notification is quarantined',
    );
    await (isGivenUp ? store.markDelivered(chat, [name]) : store.quarantine(chat, name));
  }

  async function recordFailures(chat: number, failed: readonly PendingNotification[], reason: string) {
    const retried: number[] = [];
    for (const one of failed) {
      await store.recordFailure(chat, one);
      const { failedAttempts } = one.notification;
      if (failedAttempts + 1 >= MAX_ATTEMPTS) await quarantine(chat, one, { reason });
      else retried.push(failedAttempts);
    }
    return retried.length === 0 ? NEXT_MESSAGE_MS : delayBefore(Math.max(...retried), RETRY_DELAYS_MS);
  }

  /** Stores the result. Returns the delay until the next message; `undefined` if the chat is unreachable. */
  async function recordResult(chat: number, result: SendResult): Promise<number | undefined> {
    const { included } = result;
    if ('err' in result) {
      for (const one of included) await quarantine(chat, one, { err: result.err });
      return 0;
    }
    const { sent, repeated } = result;
    switch (sent.kind) {
      case 'sent':
      case 'unchanged':
        await writeWithRetry(chat, () => store.markDelivered(chat, namesOf([...included, ...repeated])));
        for (const { notification } of included) eventMetrics.notificationSent(now() - notification.queuedAt);
        return NEXT_MESSAGE_MS;
      case 'unclear': {
        log.warn({ chat, notifications: namesOf(included) }, 'a notification may not have been delivered');
        // The repeating message got no response either, but may have delivered these notifications.
        const repeatedAgain = repeated.map(({ name, notification }) => ({
          name,
          notification: { ...notification, mayBeDuplicate: true },
        }));
        await writeWithRetry(chat, () => store.markUnclear(chat, [...included, ...repeatedAgain]));
        return NEXT_MESSAGE_MS;
      }
      case 'blocked':
      case 'gone':
        log.info(
          { chat, reason: sent.kind },
          'chat is blocked or gone: notifications wait until the user returns',
        );
        await store.blocked.set({ chat }, true);
        await store.trim(chat);
        return undefined;
      case 'refused':
        log.error(
          { chat, notifications: namesOf(included), reason: sent.reason },
          'Telegram refused a notification',
        );
        await store.markDelivered(chat, namesOf(included));
        return 0;
      case 'later':
        return sent.afterMs;
      case 'away':
        return UNREACHABLE_RETRY_MS;
      case 'failed':
        return recordFailures(chat, included, sent.reason);
    }
  }

  /** Returns the unclear notifications to repeat, after dropping those no longer allowed. */
  async function unclearToRepeat({ checkRecipient, unclear }: ChatState): Promise<Group[]> {
    if (unclear.length === 0) return [];
    const checked = await checkRecipient(unclear);
    return checked.send.flatMap((one) => {
      const kind = notificationKinds.find(one.notification.kind);
      return kind === undefined ? [] : [{ kind, pending: [one] }];
    });
  }

  /**
   * Excludes notifications that were sent twice, and marks them as unclear. After a crash, the first ones may
   * have been sent already; those that were sent once are sent again.
   */
  async function excludeSentTwice(
    { chat, wasInterrupted }: ChatState,
    pending: readonly PendingNotification[],
    maxCount: number,
  ): Promise<readonly PendingNotification[]> {
    if (!wasInterrupted) return pending;
    const first = pending.slice(0, maxCount);
    const sentTwice = first.filter(({ notification }) => notification.isResent);
    const sentOnce = first.filter(({ notification }) => !notification.isResent);
    if (sentTwice.length > 0)
      log.warn({ chat, notifications: namesOf(sentTwice) }, 'a notification may not have been delivered');
    await Promise.all([store.markUnclear(chat, sentTwice), store.markResent(chat, sentOnce)]);
    return sentOnce;
  }

  async function sendGroup(state: ChatState, { kind, pending: sendable }: Group, language: Language) {
    const { chat, isHeld } = state;
    const pending = await excludeSentTwice(state, sendable, maxPerMessage(kind));
    if (pending.length === 0) return 0;
    const unclear = await unclearToRepeat(state);
    const resent = pending
      .slice(0, maxPerMessage(kind))
      .filter(({ notification }) => notification.awaitsResend && !notification.isResent);
    // Marked right before sending, so that an earlier failure doesn't count as the second sending.
    await store.markResent(chat, resent);
    if (!isHeld()) throw new Error('lost the lease of the chat: another process may be sending there');
    const result = await send({ kind, pending }, { chat, language, unclear });
    const nextMs = await recordResult(chat, result);
    const isSent = 'sent' in result && (result.sent.kind === 'sent' || result.sent.kind === 'unchanged');
    await Promise.all([
      isSent && !kind.neverGrouped && store.batching.set({ chat, kind: kind.name }, { at: now() }),
      nextMs && store.paused.set({ chat }, { at: now(), pauseMs: nextMs }),
    ]);
    return isSent && result.included.length === state.pending.length ? undefined : nextMs;
  }

  /** Sends the first group that may be sent now, without kinds being batched or unverifiable accounts. */
  async function sendFirstGroup(state: ChatState): Promise<number | undefined> {
    const { chat, checkRecipient, pending } = state;
    const groups = groupByKindAndAccount(pending);
    const batching = await Promise.all(groups.map(({ kind }) => store.batching.get({ chat, kind })));
    let nextMs = groups.length > 0 ? 0 : undefined;
    let isServiceUnavailable = false;
    for (const [at, { kind: name, account, group }] of groups.entries()) {
      if (isServiceUnavailable && account !== undefined) continue;
      const batched = batching[at];
      if (batched && isRecent(batched.at, BATCHING_MS, now())) {
        nextMs = NEXT_MESSAGE_MS;
        continue;
      }
      const checked = await checkRecipient(group);
      const kind = notificationKinds.find(name);
      if (kind && checked.send.length > 0)
        return sendGroup(state, { kind, pending: checked.send }, checked.language);
      if (checked.isUncertain) {
        isServiceUnavailable = true;
        nextMs ||= UNCERTAIN_RETRY_MS;
      }
    }
    return nextMs;
  }

  return async function deliver(chat: number, lease: DeliveryLease): Promise<number | undefined> {
    const checkRecipient = startRecipientCheck(chat);
    const [resend, isBlocked, pause, pending, unclear] = await Promise.all([
      store.resends.get({ chat }),
      store.blocked.get({ chat }),
      store.paused.get({ chat }),
      store.pending(chat, MAX_PENDING_READ),
      store.unclear(chat, MAX_UNCLEAR_READ),
    ]);
    const isPaused = pause !== undefined && isRecent(pause.at, pause.pauseMs, now());
    if (resend) {
      // Unclear notifications are resent automatically only once, so this waits until Telegram is reachable.
      const isReady = resend === 'all' || isBlocked || (!isPaused && (await sender.canReach(chat)));
      await (isReady ? store.requeueUnclear(chat, resend) : store.postponeUnclear(chat));
      await store.resends.delete({ chat });
      return deliver(chat, lease);
    }
    if (isBlocked) {
      await store.trim(chat);
      return undefined;
    }
    return isPaused ? NEXT_MESSAGE_MS : sendFirstGroup({ ...lease, chat, checkRecipient, pending, unclear });
  };
}

function groupByKindAndAccount(pending: readonly PendingNotification[]) {
  const groups = new Map<
    string,
    { kind: string; account: number | undefined; group: PendingNotification[] }
  >();
  for (const one of pending) {
    const { kind, account } = one.notification;
    const name = `${kind}/${account ?? ''}`;
    const { group } = groups.get(name) ?? { group: [] };
    groups.set(name, { kind, account, group: [...group, one] });
  }
  return [...groups.values()];
}

function namesOf(pending: readonly PendingNotification[]): string[] {
  return pending.map(({ name }) => name);
}

export const DELIVERY_LEASE = defineLease({
  keys: 'delivering:{chat}',
  content: 'Lease of the process that sends to the chat',
  retained: { own: 'kept-under-way' },
});

/** Minimum difference between timestamps. Still representable above the store's score offset. */
const MIN_TIMESTAMP_STEP_MS = 1 / 32;
const DUE_BATCH = 200;
const DELIVERY_CONCURRENCY = 32;
const MAX_WAITING_DELIVERIES = 5_000;

/** Notification for a private chat, whose ID is its user's. `account`: sent only while the user holds it. */
export type NewNotification = NotificationContent & { chat: number; account?: number };

/**
 * Queues a notification of a kind that a feature lists, and resolves once it is stored. `account`: sent only
 * while the user holds it. Does nothing if the user has had the same kind, account and id in the last 31
 * days.
 * @example
 * await notify(PACKAGES_CHANGED, { user: 501, id: '10:2025-06-01', data: { size: 10, price: '21.50' } });
 */
export type Notify = <Data>(
  kind: FeatureNotification<Data>,
  notification: { user: number; id: string; data: Data; account?: number },
) => Promise<void>;

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * Creates the queue of notifications until they are sent: in order within each chat, those about money first,
 * at Telegram's pace. Each is sent once. A second sending follows if the process crashes before it stores the
 * result, or 15 seconds after a sending without a response. If that gets no response either, the chat's next
 * message repeats it, or it is sent when the user opens the menu. Call `startDueDeliveries` about every
 * second.
 * @example
 * const data = { balance: '1.20', threshold: '5.00' };
 * await outbox.add({ kind: 'low-balance', id: 'balance:7', chat: 501, account: 1001, data });
 */
export function createOutbox(deps: OutboxDeps) {
  const { notificationKinds, leases, now, log } = deps;
  const store = createOutboxStore(deps);
  const deliver = createDeliver({ ...deps, store });

  let latest = 0;
  /** Returns strictly increasing times, so that notifications of the same millisecond keep their order. */
  function nextTimestamp(): number {
    latest = Math.max(now(), latest + MIN_TIMESTAMP_STEP_MS);
    return latest;
  }

  const leaseKeyOf = (chat: number) => keyOf(DELIVERY_LEASE.keys, { chat });

  async function deliverTo(chat: number): Promise<void> {
    const result = await leases.withLease(leaseKeyOf(chat), async (isHeld) => {
      // If this process crashes, the chat becomes due again.
      const wasInterrupted = await store.beginDelivery(chat);
      const nextMs = await deliver(chat, { isHeld, wasInterrupted });
      // If the lease has expired, the process that now holds it releases the chat.
      if (!isHeld()) return;
      const [next] = nextMs === undefined ? [] : await store.pending(chat, 1);
      if (next) await store.makeDueIn(chat, next.notification.isMoney, nextMs ?? 0);
      await store.endDelivery(chat);
      if (next && nextMs === 0) startDelivery(chat, next.notification.isMoney);
    });
    if (result === 'busy') await store.postpone(chat);
  }

  const deliveries = createWorkQueue({
    work: (name) => deliverTo(Number(name)),
    concurrency: DELIVERY_CONCURRENCY,
    maxWaiting: MAX_WAITING_DELIVERIES,
    failureMessage: 'delivery to a chat failed; it will be retried',
    log,
  });

  const startDelivery = (chat: number, isMoney: boolean) =>
    deliveries.enqueue(String(chat), isMoney ? 'urgent' : undefined);

  async function addOfAnyKind(
    kind: string,
    { chat, id, account, data }: Pick<NewNotification, 'chat' | 'id' | 'account'> & { data: unknown },
  ): Promise<void> {
    const isMoney = notificationKinds.find(kind)?.isMoney === true;
    const notification = { kind, id, isMoney, data, queuedAt: nextTimestamp(), failedAttempts: 0 };
    await store.add(chat, account === undefined ? notification : { ...notification, account });
    startDelivery(chat, isMoney);
  }

  const notify: Notify = async (kind, { user: chat, ...notification }) => {
    if (notificationKinds.find(kind.name) !== kind)
      throw new RangeError(`no feature lists the notification kind ${kind.name}`);
    await addOfAnyKind(kind.name, { ...notification, chat });
  };

  return {
    /** Resolves once it is stored. Does nothing if the chat has had the same kind, account and id. */
    add: ({ kind, ...notification }: NewNotification): Promise<void> => addOfAnyKind(kind, notification),
    notify,

    /** Resends unclear notifications as possible duplicates, because the user is active in the chat. */
    async onUserActive(chat: number): Promise<void> {
      if (!(await store.hasUnclear(chat))) return;
      await store.requestResend(chat, 'all');
      await store.makeDueIn(chat, true, 0);
      startDelivery(chat, true);
    },

    /** Resumes sending to a user who had blocked the bot. Does nothing for others. */
    async onUserReturned(chat: number): Promise<void> {
      if ((await store.blocked.get({ chat })) === undefined) return;
      // Made due before, in case this process crashes, and again after, in case of a delivery in between.
      await store.makeDueIn(chat, true, 0);
      await store.blocked.delete({ chat });
      await store.makeDueIn(chat, true, 0);
      startDelivery(chat, true);
    },

    /** Erases all notifications of a user who is being erased. `keys`: all keys with the chat's tag. */
    async eraseChat(chat: number, keys: readonly string[]): Promise<void> {
      // Waits for the lease: a delivery in progress would still store its result.
      await retryOnConflict(async () => {
        const result = await leases.withLease(leaseKeyOf(chat), () => store.erase(chat, keys));
        return result === 'done' || undefined;
      });
    },

    readBacklog: () => store.readBacklog(now()),

    /** Starts deliveries to all chats that are due. Called periodically. */
    async startDueDeliveries(): Promise<void> {
      // Usually there is nothing to do, and this takes one round trip.
      const [due, hasRequeued] = await Promise.all([store.dueChats(DUE_BATCH), store.requeueDue()]);
      const all = hasRequeued ? await store.dueChats(DUE_BATCH) : due;
      for (const { chat, isMoney } of all) startDelivery(chat, isMoney);
    },

    /** Starts nothing more. Resolves when running deliveries have ended. */
    close: deliveries.close,
  };
}
