import { createWorkQueue } from '../platform/async.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import { keyOf, retryOnConflict, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createDeliver, type DeliveryDeps } from './delivery.ts';
import type { FeatureNotification, NotificationContent } from './kinds.ts';
import { createOutboxStore } from './outbox-store.ts';

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
 * await notify(PRICE_FELL, { user: 501, id: 'fell:2025-06-01', data: { price: '0.31' } });
 */
export type Notify = <Data>(
  kind: FeatureNotification<Data>,
  notification: { user: number; id: string; data: Data; account?: number },
) => Promise<void>;

export type Outbox = ReturnType<typeof createOutbox>;

export interface OutboxDeps extends DeliveryDeps {
  storage: Pick<Storage, 'index' | 'delete'>;
  records: SignedRecords;
  leases: Leases;
}

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
      await store.requeueDue();
      for (const { chat, isMoney } of await store.dueChats(DUE_BATCH)) startDelivery(chat, isMoney);
    },

    /** Starts nothing more. Resolves when running deliveries have ended. */
    close: deliveries.close,
  };
}
