import type { AccountKeys } from '../accounts/account-keys.ts';
import type { Links } from '../accounts/links.ts';
import { isMuted, type NotificationSettings } from '../accounts/notification-settings.ts';
import type { Users } from '../accounts/users.ts';
import type { Language, Texts } from '../i18n/texts.ts';
import { createWorkQueue, delayBefore, retryWrite } from '../platform/async.ts';
import { DAY_MS, isRecent } from '../platform/clock.ts';
import type { GivenUp } from '../platform/given-up.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import { type Log, type LogFields, REPORT_DEFECT } from '../platform/log.ts';
import { keyOf, retryOnConflict, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { EventMetrics } from './event-metrics.ts';
import type {
  FeatureNotification,
  NotificationContent,
  NotificationKind,
  NotificationKinds,
  Unpaid,
} from './kinds.ts';
import {
  type Composed,
  compose,
  type Group,
  maxPerMessage,
  type Recipient,
  toPlain,
} from './outbox-message.ts';
import {
  BATCHING_MS,
  createOutboxStore,
  type OutboxStore,
  type PendingNotification,
  RETRY_DELAYS_MS,
} from './outbox-store.ts';

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
  admins: ReadonlySet<number>;
  texts: Texts;
  eventMetrics: Pick<EventMetrics, 'notificationSent'>;
  givenUp: Pick<GivenUp, 'note'>;
  /** Returns the kind of the operation that waits for a deposit in a chat, if any. */
  findUnpaid: (chat: number) => Promise<Unpaid | undefined>;
  now: () => number;
  log: Log;
}

/**
 * Creates a function that sends the first notifications of a chat. It returns the delay until the next
 * delivery there, in milliseconds, or `undefined` if none is needed.
 */
function createDeliver(deps: OutboxDeps & { store: OutboxStore }) {
  const { store, links, users, notificationSettings, accountKeys, notificationKinds } = deps;
  const { sender, admins, texts, eventMetrics, givenUp, findUnpaid, now, log } = deps;

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
      const concernsAccount = pending.some(({ notification }) => notification.account === link?.account);
      const isKeyValid = concernsAccount && link ? await accountKeys.isValid(chat, link.account) : false;

      async function decide(
        { notification }: PendingNotification,
        at: number,
      ): Promise<'send' | 'drop' | 'uncertain'> {
        const kind = notificationKinds.find(notification.kind);
        const { account } = notification;
        if (kind === undefined || (kind.mutable && isMuted(settings, kind.mutable))) return 'drop';
        if (kind.isForAdmins && !admins.has(chat)) return 'drop';
        if (account !== undefined && link?.account !== account) return 'drop';
        if (account !== undefined && isKeyValid === false) return 'drop';
        if (account !== undefined && isKeyValid === undefined && !kind.isWarning) return 'uncertain';
        // A newer version may have stored data that this version can't parse.
        const data = kind.data.safeParse(notification.data);
        if (!data.success || (await kind.isStillRelevant?.(data.data, { chat, account })) === false)
          return 'drop';
        const isReplaced = pending.slice(at + 1).some(({ notification: later }) => {
          const parsed = later.kind === kind.name ? kind.data.safeParse(later.data) : undefined;
          return parsed?.success === true && kind.isReplacedBy?.(data.data, parsed.data) === true;
        });
        return isReplaced ? 'drop' : 'send';
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

  async function quarantine(chat: number, { name, notification }: PendingNotification, cause: LogFields) {
    const isGivenUp = now() - notification.queuedAt > GIVE_UP_MS;
    log.error(
      { chat, notifications: [name], ...cause, advice: REPORT_DEFECT },
      isGivenUp ? 'a notification is given up' : "a notification can't be sent; it is retried later",
    );
    if (isGivenUp) await givenUp.note('notification');
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
          'a chat is blocked or gone: its notifications wait until the user returns',
        );
        await store.blocked.set({ chat }, true);
        await store.trim(chat);
        return undefined;
      case 'refused':
        log.error(
          { chat, notifications: namesOf(included), reason: sent.reason, advice: REPORT_DEFECT },
          'Telegram refused a notification',
        );
        await givenUp.note('notification');
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

  /** Passes the message of sent notifications to their kind. They count as delivered even if that fails. */
  async function passOnMessage(
    chat: number,
    kind: NotificationKind,
    sent: readonly PendingNotification[],
    message: number,
  ): Promise<void> {
    for (const { name, notification } of sent) {
      const passing = kind.onSent?.(
        kind.data.parse(notification.data),
        { chat, account: notification.account },
        message,
      );
      await passing?.catch((err) =>
        log.warn({ chat, notifications: [name], err }, "a notification's message could not be stored"),
      );
    }
  }

  async function sendGroup(state: ChatState, { kind, pending: sendable }: Group, language: Language) {
    const { chat, isHeld } = state;
    const pending = await excludeSentTwice(state, sendable, maxPerMessage(kind));
    if (pending.length === 0) return 0;
    const [unclear, unpaid] = await Promise.all([
      unclearToRepeat(state),
      kind.namesUnpaid && findUnpaid(chat),
    ]);
    const resent = pending
      .slice(0, maxPerMessage(kind))
      .filter(({ notification }) => notification.awaitsResend && !notification.isResent);
    // Marked right before sending, so that an earlier failure doesn't count as the second sending.
    await store.markResent(chat, resent);
    if (!isHeld()) throw new Error('lost the lease of the chat: another process may be sending there');
    const result = await send({ kind, pending }, { chat, language, unclear, unpaid });
    const nextMs = await recordResult(chat, result);
    if ('sent' in result && result.sent.kind === 'sent')
      await passOnMessage(chat, kind, result.included, result.sent.messageId);
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
      const wasInterrupted = await store.chatQueues.beginDelivery(chat);
      const nextMs = await deliver(chat, { isHeld, wasInterrupted });
      // If the lease has expired, the process that now holds it releases the chat.
      if (!isHeld()) return;
      const [next] = nextMs === undefined ? [] : await store.pending(chat, 1);
      if (next) await store.chatQueues.makeDueIn(chat, next.notification.isMoney, nextMs ?? 0);
      await store.chatQueues.endDelivery(chat);
      if (next && nextMs === 0) startDelivery(chat, next.notification.isMoney);
    });
    if (result === 'busy') await store.chatQueues.postpone(chat);
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
      await store.chatQueues.makeDueIn(chat, true, 0);
      startDelivery(chat, true);
    },

    /** Resumes sending to a user who had blocked the bot. Does nothing for others. */
    async onUserReturned(chat: number): Promise<void> {
      if ((await store.blocked.get({ chat })) === undefined) return;
      // Made due before, in case this process crashes, and again after, in case of a delivery in between.
      await store.chatQueues.makeDueIn(chat, true, 0);
      await store.blocked.delete({ chat });
      await store.chatQueues.makeDueIn(chat, true, 0);
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

    /** Returns how many notifications wait to be delivered to the chat, or may not have arrived. At most 100. */
    countPending: store.countPending,

    readBacklog: () => store.readBacklog(now()),

    /** Starts deliveries to all chats that are due. Called periodically. */
    async startDueDeliveries(): Promise<void> {
      // Usually there is nothing to do, and this takes one round trip.
      const [due, hasRequeued] = await Promise.all([store.chatQueues.due(DUE_BATCH), store.requeueDue()]);
      const all = hasRequeued ? await store.chatQueues.due(DUE_BATCH) : due;
      for (const { chat, isMoney } of all) startDelivery(chat, isMoney);
    },

    close: deliveries.close,
  };
}
