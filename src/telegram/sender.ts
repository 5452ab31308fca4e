import { type Api, InputFile, InputMediaBuilder } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { type Fault, readFault } from './fetch.ts';

const SECOND_MS = 1_000;
/** Retention of times. Longer than a call takes. */
const TTL_MS = 15_000;

/** Remembers the times of recent events, in epoch milliseconds. */
function createRecentTimes() {
  const times: number[] = [];
  return {
    add(at: number): void {
      const first = times.findIndex((time) => at - time < TTL_MS);
      times.splice(0, first < 0 ? times.length : first);
      times.push(at);
    },
    /** Returns the number of events in the second up to `end`. */
    countUpTo: (end: number) => times.filter((at) => at <= end && end - at < SECOND_MS).length,
    /** Returns the time from which a second contains fewer than `limit` events, if none is added. */
    availableFrom(limit: number, now: number): number {
      const last = times[times.length - limit];
      return last === undefined ? now : Math.max(now, last + SECOND_MS);
    },
  };
}

/** Remembers chats for `ttlMs` after their last event. */
export function createRecentChats({ ttlMs, now }: { ttlMs: number; now: () => number }) {
  /** Times by chat, latest last. */
  const times = new Map<number, number>();
  const forget = () => {
    for (const [chat, at] of times) {
      if (now() - at < ttlMs) return;
      times.delete(chat);
    }
  };
  return {
    add(chat: number): void {
      forget();
      times.delete(chat);
      times.set(chat, now());
    },
    remove: (chat: number) => void times.delete(chat),
    /** Returns the time of the chat's last event in epoch milliseconds, or `undefined`. */
    timeOf(chat: number): number | undefined {
      forget();
      return times.get(chat);
    },
    count(): number {
      forget();
      return times.size;
    },
    clear: () => times.clear(),
  };
}

const MAX_RESERVATIONS = 10_000;
const RESERVATION_GRACE_MS = 30_000;

/** Stores the reserved times for the next messages to chats. A reservation ends if it is missed by half a minute. */
function createReservations({ now }: { now: () => number }) {
  const times = new Map<number, number>();
  const isExpired = (at: number) => now() - at > RESERVATION_GRACE_MS;
  return {
    /** Returns the reserved time of the chat in epoch milliseconds, or `undefined`. */
    timeOf(chat: number): number | undefined {
      const at = times.get(chat);
      return at === undefined || isExpired(at) ? undefined : at;
    },
    reserve: (chat: number, at: number) => void times.set(chat, at),
    release: (chat: number) => void times.delete(chat),
    /** Returns whether the maximum number of reservations is reached. */
    isFull(): boolean {
      if (times.size < MAX_RESERVATIONS) return false;
      for (const [chat, at] of times) if (isExpired(at)) times.delete(chat);
      return times.size >= MAX_RESERVATIONS;
    },
    clear: () => times.clear(),
  };
}

/** Time for which a delivered message explains a 429 of its chat, and in which 429s of several chats count together. */
const RECENT_MS = 5_000;
/** Time for which a chat with a 429, and no message since, is remembered. Well above the wait of a 429. */
const RATE_LIMITED_TTL_MS = 600_000;
/** Number of chats whose 429s don't yet prove the bot's overall limit. */
const MAX_UNRELATED_CHATS = 5;
/** The same number if a 429 of the overall limit was expected. Answers to taps aren't throttled here but count, too. */
const MAX_UNRELATED_CHATS_IF_EXPECTED = 1;

/**
 * Decides which limit a 429 means: a chat's (about 1 message per second) or the bot's (about 30 over all chats).
 *
 * The overall limit refuses any message, so it soon affects many chats, and their later messages succeed. A chat's own limit
 * affects the same few chats repeatedly. Therefore a 429 counts as the chat's own in two cases: the chat has just received a
 * message, or it returns another 429 after other chats received messages. Other 429s prove the overall limit only if more
 * than five chats return one within a few seconds. A few chats that never accept messages don't slow down others; many do so
 * only once.
 *
 * Messages sent before the proof belong to it. Later messages need a new proof.
 */
function createRateLimitClassifier({ now }: { now: () => number }) {
  const served = createRecentChats({ ttlMs: RECENT_MS, now });
  const rateLimited = createRecentChats({ ttlMs: RATE_LIMITED_TTL_MS, now });
  const witnesses = createRecentChats({ ttlMs: RECENT_MS, now });
  let lastServedAt = Number.NEGATIVE_INFINITY;
  let provenAt = Number.NEGATIVE_INFINITY;

  function isChatLimit(chat: number): boolean {
    const before = rateLimited.timeOf(chat) ?? Number.POSITIVE_INFINITY;
    rateLimited.add(chat);
    return served.timeOf(chat) !== undefined || before < lastServedAt;
  }

  return {
    onSent(chat: number): void {
      lastServedAt = now();
      served.add(chat);
      rateLimited.remove(chat);
    },
    /**
     * Returns whether the 429 of a message sent at `sentAt` is the bot's overall limit. `isExpected`: Telegram has just
     * accepted about as many messages as the known limit.
     */
    isBotLimit(chat: number, sentAt: number, isExpected: boolean): boolean {
      if (isChatLimit(chat)) return false;
      if (sentAt <= provenAt) return true;
      witnesses.add(chat);
      if (witnesses.count() <= (isExpected ? MAX_UNRELATED_CHATS_IF_EXPECTED : MAX_UNRELATED_CHATS))
        return false;
      witnesses.clear();
      provenAt = now();
      return true;
    },
  };
}

/** New limit as a share of the messages that Telegram accepted within a second. */
const BACKOFF_FACTOR = 0.9;
const MIN_PER_SECOND = 1;
/** Share of the limit that Telegram must have accepted for a 429 to be expected. */
const EXPECTED_USAGE = 0.75;
/** Relative rise of the limit per second, and its minimum in messages. A slower rise causes fewer 429s. */
const RISE_PER_SECOND = 0.01;
const MIN_RISE_PER_SECOND = 0.1;
/** Time in which the limit doubles if Telegram had accepted nothing. In this case the accepted rate is unknown. */
const DOUBLING_MS = 5_000;
/** Minimum rate at which the limit is removed. Well above the 30 per second of https://core.telegram.org/bots/faq. */
const UNLIMITED_PER_SECOND = 100;
/** Maximum time in advance for reservations. */
const MAX_AHEAD_MS = 60_000;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

interface Limit {
  /** Initial limit in messages per second. */
  initialPerSecond: number;
  /** Start of the limit, in epoch milliseconds. */
  since: number;
  /** Number of messages that Telegram accepted in the second before the 429. */
  accepted: number;
}

/**
 * Creates an adaptive rate limiter of new messages over all chats. Without a 429 there is no limit, because throttling in
 * advance is only slower (https://grammy.dev/advanced/flood). After a 429 the limit is slightly below the accepted rate. It
 * rises slowly without further 429s, until it is removed.
 */
export function createAdaptiveRateLimiter({ now }: { now: () => number }) {
  const sent = createRecentTimes();
  const refused = createRecentTimes();
  const classifier = createRateLimitClassifier({ now });
  const reservations = createReservations({ now });
  /** Next free times in epoch milliseconds: of first attempts, and of chats whose reserved time came but had no room. */
  const nextFreeAt = { first: 0, again: 0 };
  let limit: Limit | undefined;
  let turn = 0;

  /** Returns the expected limit at a time, in messages per second. */
  function rateAt(time: number, { initialPerSecond, since, accepted }: Limit): number {
    const past = Math.max(0, time - since);
    if (accepted === 0) return initialPerSecond * 2 ** (past / DOUBLING_MS);
    return (
      initialPerSecond + (Math.max(MIN_RISE_PER_SECOND, initialPerSecond * RISE_PER_SECOND) * past) / 1_000
    );
  }

  function removeIfHigh(): void {
    if (!limit || rateAt(now(), limit) < Math.max(UNLIMITED_PER_SECOND, 2 * limit.accepted)) return;
    limit = undefined;
    reservations.clear();
    Object.assign(nextFreeAt, { first: 0, again: 0 });
  }

  /** Returns the wait of a chat without a reservation. Spreads the waits of successive chats. */
  function waitWithoutReservation(): number {
    turn = (turn + GOLDEN_RATIO) % 1;
    return Math.ceil((MAX_AHEAD_MS * (1 + turn)) / 2);
  }

  function waitFor(chat: number, present: Limit): number {
    const time = now();
    const reserved = reservations.timeOf(chat);
    if (reserved !== undefined && reserved > time) return reserved - time;
    reservations.release(chat);
    // Other chats may have used their reserved times late and together.
    const roomAt = sent.availableFrom(Math.floor(rateAt(time, present)) + 1, time);
    if (reserved !== undefined && roomAt <= time) return 0;
    const queue = reserved === undefined ? 'first' : 'again';
    const at = Math.max(time, roomAt, nextFreeAt[queue]);
    if (at - time > MAX_AHEAD_MS || reservations.isFull()) return waitWithoutReservation();
    nextFreeAt[queue] = at + 1_000 / rateAt(at, present);
    if (at > time) reservations.reserve(chat, Math.ceil(at));
    return Math.ceil(at) - time;
  }

  return {
    /**
     * Returns the wait in milliseconds until a message to the chat is allowed. 0 counts the message as sent now. A waiting
     * chat gets a reserved time, so that not all chats retry at once.
     */
    acquire(chat: number): number {
      removeIfHigh();
      const ms = limit ? waitFor(chat, limit) : 0;
      if (ms === 0) sent.add(now());
      return ms;
    },
    /** Reports that Telegram accepted a message. */
    onSent: classifier.onSent,
    /** Reports a 429 of a message that was counted at `sentAt`. */
    onRateLimited(chat: number, sentAt: number): void {
      refused.add(sentAt);
      const accepted = Math.max(0, sent.countUpTo(sentAt) - refused.countUpTo(sentAt));
      const isExpected = limit !== undefined && accepted >= EXPECTED_USAGE * rateAt(sentAt, limit);
      if (!classifier.isBotLimit(chat, sentAt, isExpected)) return;
      const initialPerSecond = Math.max(MIN_PER_SECOND, BACKOFF_FACTOR * accepted);
      limit = { initialPerSecond, since: now(), accepted };
    },
  };
}

/** Methods that count for Telegram's limits (https://core.telegram.org/bots/faq). */
const NEW_MESSAGE = /^(send(?!ChatAction)|copyMessage|forwardMessage)/;

/** Counts all new messages that this process sends. */
export function createOutgoing({ now }: { now: () => number }) {
  const times = createRecentTimes();
  return {
    /** Clock of the counted calls, in epoch milliseconds. */
    now,
    availableFrom: times.availableFrom,
    /** Counts a Bot API call if its method sends a new message. */
    countCall(method: string): void {
      if (NEW_MESSAGE.test(method)) times.add(now());
    },
  };
}

export type Outgoing = ReturnType<typeof createOutgoing>;

const MAX_HOLDS = 10_000;
export const MAX_HOLD_CHECK_MS = 5_000;

/**
 * Stores the chats for which Telegram returned 429, until `retry_after` is over or a message to the chat succeeds. Kept in
 * memory: a new process, or another replica, gets its own 429 at its first call.
 */
export function createChatHolds({ now }: { now: () => number }) {
  /** Start and end of each hold, in epoch milliseconds. */
  const holds = new Map<number, { since: number; until: number }>();

  function makeRoom(): void {
    for (const [chat, { until }] of holds) if (until <= now()) holds.delete(chat);
    const [oldest] = holds.keys();
    if (holds.size >= MAX_HOLDS && oldest !== undefined) holds.delete(oldest);
  }

  return {
    /**
     * Returns in how many milliseconds to ask for the chat again, 0 if it isn't held. At most {@link MAX_HOLD_CHECK_MS}, so
     * that whatever waits for a held chat finds out soon that the hold has ended.
     */
    remainingMs(chat: number): number {
      const left = (holds.get(chat)?.until ?? 0) - now();
      return Math.min(Math.max(0, left), MAX_HOLD_CHECK_MS);
    },
    hold(chat: number, ms: number): void {
      if (!holds.has(chat) && holds.size >= MAX_HOLDS) makeRoom();
      const before = holds.get(chat)?.until ?? 0;
      holds.set(chat, { since: now(), until: Math.max(before, now() + ms) });
    },
    /** Ends the hold if Telegram took a message whose call began after it, at `begun` (epoch milliseconds). */
    onDelivered(chat: number, begun: number): void {
      const hold = holds.get(chat);
      if (hold && begun >= hold.since) holds.delete(chat);
    },
  };
}

export type ChatHolds = ReturnType<typeof createChatHolds>;

/** Text in Telegram's HTML (https://core.telegram.org/bots/api#html-style) and rows of buttons. */
export interface Content {
  html: string;
  keyboard?: InlineKeyboardButton[][];
}

/** Content below a PNG image. */
export interface PhotoContent extends Content {
  photo: Buffer;
}

/**
 * Result of sending or editing a message.
 *
 * - `unchanged`: the message already has this content.
 * - `blocked`: the chat accepts no messages from the bot.
 * - `gone`: the chat or message doesn't exist, or the message can't be edited any more.
 * - `later`: rate-limited by Telegram, or not sent because of a limit. To be retried after `afterMs`.
 * - `refused`: permanently refused. Simpler content may be accepted.
 * - `away`: not sent, because Telegram is unreachable.
 * - `failed`: not sent, because Telegram returned an error.
 * - `unclear`: the request was written but got no response. It may have been executed. Repeating an edit is safe.
 */
export type Sent =
  | { kind: 'sent'; messageId: number }
  | { kind: 'unchanged' }
  | { kind: 'blocked' }
  | { kind: 'gone' }
  | { kind: 'later'; afterMs: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'away'; reason: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'unclear'; reason: string };

const HTML = 'HTML' as const;

const GONE =
  /chat not found|message to edit not found|message can't be edited|MESSAGE_ID_INVALID|PEER_ID_INVALID|upgraded to a supergroup/;

/** Status codes of permanent refusals: Bad Request and Request Entity Too Large. */
const PERMANENT_REFUSALS = [400, 413];

/**
 * Sends messages outside of updates. Never throws errors of Telegram or the network. Makes one call without waiting. Returns
 * `later` without a call while the chat's 429 lasts or the learned pace has no room.
 *
 * @param api must return a 429 without waiting (`fetchOnce`)
 */
export function createSender({ api, holds, now }: { api: Api; holds: ChatHolds; now: () => number }) {
  const rateLimiter = createAdaptiveRateLimiter({ now });

  /** Sends a new message. Only new messages count for the pace (https://core.telegram.org/bots/faq). */
  async function sendNew(chat: number, call: () => Promise<{ message_id: number }>): Promise<Sent> {
    const afterMs = holds.remainingMs(chat) || rateLimiter.acquire(chat);
    if (afterMs > 0) return { kind: 'later', afterMs };
    const begun = now();
    const sent = await callTelegram(async () => (await call()).message_id);
    if (sent.kind === 'sent') rateLimiter.onSent(chat);
    if (sent.kind !== 'later') return sent;
    rateLimiter.onRateLimited(chat, begun);
    return holdChat(chat, sent.afterMs);
  }

  function holdChat(chat: number, ms: number): Sent {
    holds.hold(chat, ms);
    return { kind: 'later', afterMs: holds.remainingMs(chat) };
  }

  async function changeExisting(
    chat: number,
    messageId: number,
    call: () => Promise<unknown>,
  ): Promise<Sent> {
    const afterMs = holds.remainingMs(chat);
    if (afterMs > 0) return { kind: 'later', afterMs };
    const sent = await callTelegram(async () => {
      await call();
      return messageId;
    });
    return sent.kind === 'later' ? holdChat(chat, sent.afterMs) : sent;
  }

  return {
    /** Sends a message. `replyTo`: id of the message to reply to. Sends without a reply if it no longer exists. */
    send(chat: number, content: Content, replyTo?: number): Promise<Sent> {
      const reply = replyTo !== undefined && {
        reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
      };
      return sendNew(chat, () => api.sendMessage(chat, content.html, { ...textOptions(content), ...reply }));
    },
    /** Replaces text and buttons. Removes the buttons if `keyboard` is missing. */
    edit(chat: number, messageId: number, content: Content): Promise<Sent> {
      return changeExisting(chat, messageId, () =>
        api.editMessageText(chat, messageId, content.html, textOptions(content)),
      );
    },
    sendPhoto(chat: number, { html: caption, keyboard, photo }: PhotoContent): Promise<Sent> {
      const options = { caption, parse_mode: HTML, ...replyMarkup(keyboard) };
      return sendNew(chat, () => api.sendPhoto(chat, new InputFile(photo, 'invoice.png'), options));
    },
    /** Makes a call that changes nothing in the chat. Returns whether Telegram replies, also with a refusal. */
    async canReach(chat: number): Promise<boolean> {
      const sent = await changeExisting(chat, 0, () => api.getChat(chat));
      return !['later', 'away', 'failed', 'unclear'].includes(sent.kind);
    },
    /** Like `edit`, for a message with an image. Also replaces the image unless `keepsPhoto` is set. */
    editPhoto(chat: number, messageId: number, content: PhotoContent, keepsPhoto: boolean): Promise<Sent> {
      const { html: caption, keyboard, photo } = content;
      const below = { caption, parse_mode: HTML };
      return changeExisting(chat, messageId, () => {
        if (keepsPhoto)
          return api.editMessageCaption(chat, messageId, { ...below, ...replyMarkup(keyboard) });
        const media = InputMediaBuilder.photo(new InputFile(photo, 'invoice.png'), below);
        return api.editMessageMedia(chat, messageId, media, replyMarkup(keyboard));
      });
    },
  };
}

export type Sender = ReturnType<typeof createSender>;

function textOptions({ keyboard }: Content) {
  return { parse_mode: HTML, link_preview_options: { is_disabled: true }, ...replyMarkup(keyboard) };
}

function replyMarkup(keyboard: InlineKeyboardButton[][] | undefined) {
  return keyboard && { reply_markup: { inline_keyboard: keyboard } };
}

async function callTelegram(call: () => Promise<number>): Promise<Sent> {
  try {
    return { kind: 'sent', messageId: await call() };
  } catch (error) {
    return sentOf(readFault(error));
  }
}

function sentOf(fault: Fault): Sent {
  const { reason } = fault;
  if (fault.kind === 'unreached') return { kind: fault.written ? 'unclear' : 'away', reason };
  if (fault.status === 429) return { kind: 'later', afterMs: fault.retryAfterMs ?? 1000 };
  if (fault.status === 403) return { kind: 'blocked' };
  if (reason.includes('message is not modified')) return { kind: 'unchanged' };
  if (GONE.test(reason)) return { kind: 'gone' };
  if (PERMANENT_REFUSALS.includes(fault.status)) return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}

/**
 * Result of copying a message, with the kinds of `Sent` except:
 *
 * - `unwritable`: the bot can't write to the chat: the user has blocked the bot or deleted their account, or the chat is
 *   unreachable.
 * - `no-source`: the original message no longer exists.
 * - `no-bot`: Telegram doesn't accept the bot's token.
 */
export type Copied =
  | { kind: 'sent' }
  | { kind: 'unwritable'; why: 'blocked' | 'deactivated' | 'unreachable' }
  | { kind: 'no-source' }
  | { kind: 'no-bot'; reason: string }
  | { kind: 'later'; afterMs: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'away' }
  | { kind: 'failed'; reason: string }
  | { kind: 'unclear' };

const UNREACHABLE = /chat not found|PEER_ID_INVALID|user not found/;

/** @param deps.api must return a 429 without waiting (`fetchOnce`) */
export function createCopier(deps: {
  api: Pick<Api, 'copyMessage'>;
  holds: Pick<ChatHolds, 'onDelivered'>;
  now: () => number;
}) {
  const { api, holds, now } = deps;
  return {
    /**
     * Copies a message and adds these buttons, because a copy loses the original's buttons
     * (https://core.telegram.org/bots/api#copymessage). Makes one call without waiting. Never throws errors of Telegram or
     * the network.
     */
    async copy(
      to: number,
      { chat, message }: { chat: number; message: number },
      keyboard: InlineKeyboardButton[][],
    ): Promise<Copied> {
      const begun = now();
      try {
        await api.copyMessage(to, chat, message, { reply_markup: { inline_keyboard: keyboard } });
        // Unlike other methods, copyMessage doesn't return the chat.
        holds.onDelivered(to, begun);
        return { kind: 'sent' };
      } catch (error) {
        return copiedOf(readFault(error));
      }
    },
  };
}

export type Copier = ReturnType<typeof createCopier>;

function copiedOf(fault: Fault): Copied {
  if (fault.kind === 'unreached') return { kind: fault.written ? 'unclear' : 'away' };
  const { status, reason } = fault;
  if (status === 429) return { kind: 'later', afterMs: fault.retryAfterMs ?? 1_000 };
  if (status === 401 || status === 404) return { kind: 'no-bot', reason };
  if (status === 403) return { kind: 'unwritable', why: forbiddenReason(reason) };
  if (reason.includes('message to copy not found')) return { kind: 'no-source' };
  if (UNREACHABLE.test(reason)) return { kind: 'unwritable', why: 'unreachable' };
  if (PERMANENT_REFUSALS.includes(status)) return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}

function forbiddenReason(reason: string) {
  if (reason.includes('blocked')) return 'blocked';
  return reason.includes('deactivated') ? 'deactivated' : 'unreachable';
}
