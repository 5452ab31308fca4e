import { isDeepStrictEqual } from 'node:util';
import type { InlineKeyboardButton } from 'grammy/types';
import type { AccountKeys } from '../accounts/account-keys.ts';
import type { Links } from '../accounts/links.ts';
import type { NotificationSettings, Users } from '../accounts/users.ts';
import {
  LANGUAGES,
  type Language,
  paragraphs,
  replyBelow,
  type Texts,
  type View,
  type Words,
  withoutTags,
} from '../i18n/texts.ts';
import { delayBefore, retryWrite } from '../platform/async.ts';
import type { Log } from '../platform/log.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { EventMetrics } from './event-metrics.ts';
import type { NotificationKind, NotificationKinds } from './kinds.ts';
import type { OutboxStore, PendingNotification } from './outbox-store.ts';

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
  return {
    view: kind.isQuestion && repeated.length === 0 ? view : withButtonsReplyingBelow(view),
    included,
    repeated: repeated.flatMap((group) => group.pending),
  };
}

/** Shortens a message that Telegram refused, and removes its formatting. */
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
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000] as const;
/** Delay before the service is queried again about a user's key, in milliseconds. */
const UNCERTAIN_RETRY_MS = 15_000;
/** Failed attempts before a notification is quarantined for ten minutes. It is given up after a day. */
const MAX_ATTEMPTS = 5;
const GIVE_UP_MS = 24 * 3_600_000;
const MAX_PENDING_READ = 50;
const MAX_UNCLEAR_READ = 3;

interface DeliveryLease {
  /** Returns whether this process still holds the lease, so that no other one sends to the chat. */
  isHeld(): boolean;
  /** A process crashed while delivering to this chat. The first notifications may have been sent. */
  wasInterrupted: boolean;
}

export interface DeliveryDeps {
  links: Pick<Links, 'find'>;
  users: Pick<Users, 'find'>;
  notificationSettings: Pick<NotificationSettings, 'get'>;
  accountKeys: Pick<AccountKeys, 'isValid'>;
  notificationKinds: NotificationKinds;
  sender: Pick<Sender, 'send' | 'canReach'>;
  texts: Texts;
  eventMetrics: Pick<EventMetrics, 'notificationSent'>;
  now: () => number;
  log: Log;
}

/**
 * Creates a function that sends the first notifications of a chat. It returns the delay until the next
 * delivery there, in milliseconds, or `undefined` if none is needed.
 */
export function createDeliver(deps: DeliveryDeps & { store: OutboxStore }) {
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
      const [link, { muted }] = await reading;
      const concernsAccount = pending.some(
        ({ notification }) => notification.account !== undefined && notification.account === link?.account,
      );
      const isKeyValid = concernsAccount && link ? await accountKeys.isValid(chat, link.account) : false;

      async function decide({ notification }: PendingNotification): Promise<'send' | 'drop' | 'uncertain'> {
        const kind = notificationKinds.find(notification.kind);
        const { account } = notification;
        if (kind === undefined || (kind.mutable && muted.includes(kind.mutable))) return 'drop';
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
      const sent = await sender.send(recipient.chat, composed.view);
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

  /** Sends one message with the first of these notifications. */
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
      isSent && !kind.neverGrouped && store.batching.set({ chat, kind: kind.name }, true),
      nextMs && store.paused.set({ chat }, { pauseMs: nextMs }),
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
      if (batching[at]) {
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
    const [resend, isBlocked, isPaused, pending, unclear] = await Promise.all([
      store.resends.get({ chat }),
      store.blocked.get({ chat }),
      store.paused.get({ chat }),
      store.pending(chat, MAX_PENDING_READ),
      store.unclear(chat, MAX_UNCLEAR_READ),
    ]);
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
