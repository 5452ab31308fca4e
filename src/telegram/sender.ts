import { type Api, InputFile, InputMediaBuilder } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import type { BulkLimit } from './bulk-limit.ts';
import { type Fault, readFault } from './fetch.ts';

const MAX_HOLDS = 10_000;
const MAX_HOLD_CHECK_MS = 5_000;

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
 * Result of sending, editing or deleting a message.
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
  | { kind: 'unchanged' | 'blocked' | 'gone' }
  | { kind: 'later'; afterMs: number }
  | { kind: 'refused' | 'away' | 'failed' | 'unclear'; reason: string };

const HTML = 'HTML' as const;

const GONE =
  /chat not found|message to edit not found|message can't be edited|MESSAGE_ID_INVALID|PEER_ID_INVALID|upgraded to a supergroup/;

/** Status codes of permanent refusals: Bad Request and Request Entity Too Large. */
const PERMANENT_REFUSALS = [400, 413];

/**
 * Sends messages outside of updates. Never throws errors of Telegram or the network. Makes one call. Returns `later` without
 * a call while the chat's 429 lasts.
 *
 * @param deps.api must return a 429 without waiting (`notificationClient`)
 */
export function createSender(deps: {
  api: Api;
  holds: ChatHolds;
  bulkLimit: Pick<BulkLimit, 'acquireSoon' | 'countReply' | 'onRateLimited'>;
}) {
  const { api, holds, bulkLimit } = deps;

  /** Sends a new message. Only new messages count for Telegram's overall limit (https://core.telegram.org/bots/faq). */
  async function sendNew(chat: number, call: () => Promise<{ message_id: number }>): Promise<Sent> {
    const afterMs = holds.remainingMs(chat);
    if (afterMs > 0) return { kind: 'later', afterMs };
    const sent = await callTelegram(async () => (await call()).message_id);
    if (sent.kind !== 'later') return sent;
    await bulkLimit.onRateLimited(chat, sent.afterMs);
    return holdChat(chat, sent.afterMs);
  }

  function sendReply(chat: number, call: () => Promise<{ message_id: number }>): Promise<Sent> {
    bulkLimit.countReply();
    return sendNew(chat, call);
  }

  function sendText(chat: number, content: Content, replyTo: number | undefined) {
    const reply = replyTo !== undefined && {
      reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
    };
    return api.sendMessage(chat, content.html, { ...textOptions(content), ...reply });
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
    /**
     * Sends a message that its user waits for. `replyTo`: id of the message to reply to. Sends without a reply if it no
     * longer exists.
     */
    send: (chat: number, content: Content, replyTo?: number): Promise<Sent> =>
      sendReply(chat, () => sendText(chat, content, replyTo)),
    /** Like `send`, for a message that no user waits for. Waits up to two seconds for the limit of messages in bulk. */
    async sendInBulk(chat: number, content: Content, replyTo?: number): Promise<Sent> {
      const afterMs = holds.remainingMs(chat) || (await bulkLimit.acquireSoon());
      if (afterMs > 0) return { kind: 'later', afterMs };
      return sendNew(chat, () => sendText(chat, content, replyTo));
    },
    /** Replaces text and buttons. Removes the buttons if `keyboard` is missing. */
    edit(chat: number, messageId: number, content: Content): Promise<Sent> {
      return changeExisting(chat, messageId, () =>
        api.editMessageText(chat, messageId, content.html, textOptions(content)),
      );
    },
    /** Deletes a message. Repeating it is safe. */
    delete: (chat: number, messageId: number): Promise<Sent> =>
      changeExisting(chat, messageId, () => api.deleteMessage(chat, messageId)),
    sendPhoto(chat: number, { html: caption, keyboard, photo }: PhotoContent): Promise<Sent> {
      const options = { caption, parse_mode: HTML, ...replyMarkup(keyboard) };
      return sendReply(chat, () => api.sendPhoto(chat, new InputFile(photo, 'invoice.png'), options));
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
  | { kind: 'sent' | 'no-source' | 'away' | 'unclear' }
  | { kind: 'unwritable'; why: 'blocked' | 'deactivated' | 'unreachable' }
  | { kind: 'later'; afterMs: number }
  | { kind: 'no-bot' | 'refused' | 'failed'; reason: string };

const UNREACHABLE = /chat not found|PEER_ID_INVALID|user not found/;

/** @param deps.api must return a 429 without waiting (`notificationClient`) */
export function createCopier(deps: {
  api: Pick<Api, 'copyMessage'>;
  holds: Pick<ChatHolds, 'onDelivered'>;
  bulkLimit: Pick<BulkLimit, 'onRateLimited'>;
  now: () => number;
}) {
  const { api, holds, bulkLimit, now } = deps;
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
        const copied = copiedOf(readFault(error));
        if (copied.kind === 'later') await bulkLimit.onRateLimited(to, copied.afterMs);
        return copied;
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
