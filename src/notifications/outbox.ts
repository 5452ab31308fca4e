import { defineLease, type Leases } from '../platform/leases.ts';
import { retryOnConflict, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf } from '../platform/stored-data.ts';
import { createWorkQueue } from '../platform/work-queue.ts';
import { createDeliver, type DeliveryDeps } from './delivery.ts';
import type { FeatureNotification, NotificationContent } from './kinds.ts';
import { createDueChats, createOutboxStore, type OutboxBacklog } from './outbox-store.ts';

/** Lease of the process that sends to a chat. */
export const DELIVERY_LEASE = defineLease({
  keys: 'delivering:{chat}',
  content: 'Lease of the process that sends to the chat',
  retained: { own: 'kept-under-way' },
});

/**
 * Minimum difference between two timestamps, in milliseconds. Also representable above the score offset of
 * notifications that aren't about money.
 */
const MIN_TIMESTAMP_STEP_MS = 1 / 32;
/** Maximum number of due chats that are read at once. */
const DUE_BATCH = 200;
const DELIVERY_CONCURRENCY = 32;
const MAX_WAITING_DELIVERIES = 5_000;

/** Notification for a private chat, whose ID is its user's. `account`: sent only while the user holds it. */
export type NewNotification = NotificationContent & { chat: number; account?: number };

/** Notification of any kind, for a private chat. */
interface Addressed {
  chat: number;
  kind: string;
  id: string;
  account?: number;
  data: unknown;
}

/**
 * Queues a notification of a kind that a feature lists. `account`: sent only while the user holds it. Resolves once it
 * is stored. Does nothing if the user has had one with the same kind, account and id in the last 31 days.
 *
 * @example
 * await notify(PRICE_FELL, { user: 501, id: 'fell:2025-06-01', data: { price: '0.31' } });
 */
export type Notify = <Data>(
  kind: FeatureNotification<Data>,
  notification: { user: number; id: string; data: Data; account?: number },
) => Promise<void>;

/**
 * Queue of notifications until they are sent: in order within each chat, those about money first, at Telegram's pace.
 * Each notification is sent once. A second sending follows if a process crashes before it stores the result, or 15
 * seconds after a sending without a response. If the second one gets no response either, the next message of the chat
 * repeats it, or it is sent when the user opens the menu.
 *
 * @example
 * const data = { balance: '1.20', threshold: '5.00' };
 * await outbox.add({ kind: 'low-balance', id: 'balance:7', chat: 501, account: 1001, data });
 */
export interface Outbox {
  /**
   * Resolves once the notification is stored. Does nothing if the chat has had one with the same kind, account and id.
   */
  add(notification: NewNotification): Promise<void>;
  notify: Notify;
  /**
   * Sends unclear notifications again because the user is active in the chat. The messages say that they may be
   * repeated.
   */
  onUserActive(chat: number): Promise<void>;
  /** Resumes sending to a user who had blocked the bot. Does nothing for others. */
  onUserReturned(chat: number): Promise<void>;
  /** Erases all notifications of a user who is being erased. `keys`: all keys with the chat's tag. */
  eraseChat(chat: number, keys: readonly string[]): Promise<void>;
  /** Measures the pending notifications with a bounded number of reads. */
  readBacklog(): Promise<OutboxBacklog>;
  /** Starts deliveries to all chats that are due. Called periodically. */
  startDueDeliveries(): Promise<void>;
  /** Starts nothing more. Resolves when running deliveries have ended. */
  close(): Promise<void>;
}

/** Creates the outbox. Call `startDueDeliveries` about every second. */
export function createOutbox(
  deps: Omit<DeliveryDeps, 'store'> & {
    storage: Pick<Storage, 'index' | 'delete'>;
    records: SignedRecords;
    leases: Leases;
  },
): Outbox {
  const { storage, records, notificationKinds, leases, now, log } = deps;
  const dueChats = createDueChats({ storage });
  const store = createOutboxStore({ storage, records, dueChats });
  const deliver = createDeliver({ ...deps, store });

  let latest = 0;
  /**
   * Returns the current time, strictly increasing. Preserves the order of notifications that are added within one
   * millisecond.
   */
  function nextTimestamp(): number {
    latest = Math.max(now(), latest + MIN_TIMESTAMP_STEP_MS);
    return latest;
  }

  const leaseKeyOf = (chat: number) => keyOf(DELIVERY_LEASE.keys, { chat });

  async function deliverTo(chat: number): Promise<void> {
    const result = await leases.withLease(leaseKeyOf(chat), async (isHeld) => {
      // If this process crashes, the chat becomes due again.
      const wasInterrupted = await dueChats.beginDelivery(chat);
      const nextMs = await deliver(chat, { isHeld, wasInterrupted });
      // If the lease has expired, the process that now holds it releases the chat.
      if (!isHeld()) return;
      if (nextMs === undefined) await dueChats.endDelivery(chat);
      else await continueDeliveryIn(chat, nextMs);
    });
    if (result === 'busy') await dueChats.postpone(chat);
  }

  async function continueDeliveryIn(chat: number, ms: number): Promise<void> {
    const [next] = await store.pending(chat, 1);
    if (next === undefined) return dueChats.endDelivery(chat);
    const { isMoney } = next.notification;
    await dueChats.continueDeliveryIn(chat, isMoney, ms);
    if (ms === 0) startDelivery(chat, isMoney);
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

  async function add({ chat, kind, id, account, data }: Addressed): Promise<void> {
    const isMoney = notificationKinds.find(kind)?.isMoney === true;
    const notification = { kind, id, isMoney, data, queuedAt: nextTimestamp(), failedAttempts: 0 };
    await store.add(chat, account === undefined ? notification : { ...notification, account });
    startDelivery(chat, isMoney);
  }

  return {
    add,
    async notify(kind, { user, ...notification }) {
      if (notificationKinds.find(kind.name) !== kind)
        throw new RangeError(`no feature lists the notification kind ${kind.name}`);
      await add({ ...notification, chat: user, kind: kind.name });
    },
    async onUserActive(chat) {
      if (!(await store.hasUnclear(chat))) return;
      await store.requestResend(chat, 'all');
      await dueChats.add(chat, true);
      startDelivery(chat, true);
    },
    async onUserReturned(chat) {
      if (!(await store.isBlocked(chat))) return;
      // Made due before, in case this process crashes in between. Made due again after, in case another process
      // delivered to the chat in between, while it still counted as blocked.
      await dueChats.add(chat, true);
      await store.unblock(chat);
      await dueChats.add(chat, true);
      startDelivery(chat, true);
    },
    async eraseChat(chat, keys) {
      const erase = async () => {
        await dueChats.remove(chat);
        await store.erase(chat, keys);
      };
      // Waits for the lease: a delivery in progress would still store its result.
      await retryOnConflict(
        async () => (await leases.withLease(leaseKeyOf(chat), erase)) === 'done' || undefined,
      );
    },
    readBacklog: () => store.readBacklog(now()),
    async startDueDeliveries() {
      await store.requeueDue();
      for (const { chat, isMoney } of await dueChats.due(DUE_BATCH)) startDelivery(chat, isMoney);
    },
    close: deliveries.close,
  };
}
