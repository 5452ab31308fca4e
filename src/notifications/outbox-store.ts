import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { defineRecord, keyOf, prefixOf, type SignedRecords, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

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
export const BATCHING_MS = 3_000;
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
const QUARANTINE_MS = 10 * MINUTE_MS;
const UNCLEAR_MS = 15_000;
/** Retry delays after failed attempts, in milliseconds. The last one is also the longest delay until a chat is due again. */
export const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, MINUTE_MS] as const;

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

/** Creates the queues of chats with pending notifications. A chat is in one or more of them. */
function createChatQueues(deps: { storage: Pick<Storage, 'index'> }) {
  const money = createDueQueue(MONEY_CHATS, deps);
  const other = createDueQueue(OTHER_CHATS, deps);
  const inDelivery = createDueQueue(CHATS_IN_DELIVERY, deps);
  const all = [money, other, inDelivery];

  return {
    makeDueIn: (chat: number, isMoney: boolean, ms: number) =>
      (isMoney ? money : other).scheduleNoLaterThan({ chat }, ms),

    /**
     * Marks the chat as being delivered to. Returns whether it already was: a process crashed during a
     * delivery. The caller must hold the chat's lease.
     */
    beginDelivery: (chat: number) =>
      inDelivery.moveFrom([MONEY_CHATS, OTHER_CHATS], { chat }, DELIVERY_LEASE_MS),

    /** Removes the mark of `beginDelivery`. Notifications added since have made the chat due again. */
    endDelivery: (chat: number) => inDelivery.remove({ chat }),

    async postpone(chat: number): Promise<void> {
      await other.moveFrom([MONEY_CHATS], { chat }, BUSY_RETRY_MS);
    },

    async remove(chat: number): Promise<void> {
      await Promise.all(all.map((queue) => queue.remove({ chat })));
    },

    /** Returns due chats: first those with an interrupted delivery or notifications about money. */
    async due(limit: number): Promise<{ chat: number; isMoney: boolean }[]> {
      const [urgent, others] = await Promise.all([
        Promise.all([inDelivery.due(limit), money.due(limit)]),
        other.due(limit),
      ]);
      const chats = [
        ...urgent.flat().map(({ chat }) => ({ chat, isMoney: true })),
        ...others.map(({ chat }) => ({ chat, isMoney: false })),
      ];
      return chats.slice(0, limit);
    },

    /** Returns at most `limit` chats of each queue, due or not. */
    scheduled: (limit: number) => Promise.all(all.map((queue) => queue.scheduled(limit))),
  };
}

/** Stored notifications, shared by all replicas. A chat with pending ones is in a due queue. */
export type OutboxStore = ReturnType<typeof createOutboxStore>;

export function createOutboxStore(deps: {
  storage: Pick<Storage, 'index' | 'delete'>;
  records: SignedRecords;
}) {
  const { storage, records } = deps;
  const { index } = storage;
  const notifications = records.store(NOTIFICATIONS);
  const resends = records.store(RESEND);
  const chatQueues = createChatQueues(deps);
  const { makeDueIn } = chatQueues;
  const unclearChats = createDueQueue(UNCLEAR_CHATS, deps);
  const quarantined = createDueQueue(QUARANTINED, deps);
  const pendingOf = (chat: number) => keyOf(PENDING.keys, { chat });
  const unclearOf = (chat: number) => keyOf(UNCLEAR.keys, { chat });

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

    /** Counts the listed notifications of a chat, at most 50 of each list. Includes ones that were delivered just now. */
    async countPending(chat: number): Promise<number> {
      const lists = [pendingOf(chat), unclearOf(chat)];
      const names = await Promise.all(
        lists.map((list) => index.upTo(list, Number.MAX_VALUE, MAX_COUNTED / 2)),
      );
      return names.flat().length;
    },

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
      await chatQueues.remove(chat);
      await index.remove(QUARANTINED.keys, ...refs.map(quarantined.memberOf));
      await unclearChats.remove({ chat });
      await Promise.all([...stored, pendingOf(chat), unclearOf(chat)].map((key) => storage.delete(key)));
    },

    /** Measures the backlog at `now` (epoch milliseconds) with a bounded number of reads. */
    async readBacklog(now: number): Promise<OutboxBacklog> {
      const [quarantine, queues] = await Promise.all([
        quarantined.scheduled(MAX_COUNTED + 1),
        chatQueues.scheduled(MAX_COUNTED + 1),
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

    chatQueues,
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
