import { type Api, InputFile, InputMediaBuilder } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { type Fault, readFault } from './fetch.ts';
import { createLearnedPace } from './rate-limiter.ts';

/**
 * Chats for which Telegram returned 429, until `retry_after` is over or a message to the chat succeeds. Kept in memory: a
 * new process, or another replica, gets its own 429 at its first call.
 */
export interface ChatHolds {
  /**
   * Returns in how many milliseconds to ask for the chat again, 0 if it isn't held. At most {@link MAX_WAIT_MS}, so
   * that whatever waits for a held chat finds out soon that the hold has ended.
   */
  wait(chat: number): number;
  hold(chat: number, ms: number): void;
  /** Ends the hold if Telegram took a message whose call began after it, at `begun` (epoch milliseconds). */
  delivered(chat: number, begun: number): void;
}

interface Hold {
  /** Epoch milliseconds. */
  since: number;
  until: number;
}

const MAX_HOLDS = 10_000;
export const MAX_WAIT_MS = 5_000;

export function createChatHolds({ now }: { now: () => number }): ChatHolds {
  const holds = new Map<number, Hold>();

  function makeRoom(): void {
    for (const [chat, { until }] of holds) if (until <= now()) holds.delete(chat);
    const [oldest] = holds.keys();
    if (holds.size >= MAX_HOLDS && oldest !== undefined) holds.delete(oldest);
  }

  return {
    wait(chat) {
      const left = (holds.get(chat)?.until ?? 0) - now();
      return Math.min(Math.max(0, left), MAX_WAIT_MS);
    },
    hold(chat, ms) {
      if (!holds.has(chat) && holds.size >= MAX_HOLDS) makeRoom();
      const before = holds.get(chat)?.until ?? 0;
      holds.set(chat, { since: now(), until: Math.max(before, now() + ms) });
    },
    delivered(chat, begun) {
      const hold = holds.get(chat);
      if (hold && begun >= hold.since) holds.delete(chat);
    },
  };
}

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

export interface Sender {
  /** Sends a message. `replyTo`: id of the message to reply to. Sends without a reply if it no longer exists. */
  send(chat: number, content: Content, replyTo?: number): Promise<Sent>;
  /** Replaces text and buttons. Removes the buttons if `keyboard` is missing. */
  edit(chat: number, messageId: number, content: Content): Promise<Sent>;
  sendPhoto(chat: number, content: PhotoContent): Promise<Sent>;
  /** Makes a call that changes nothing in the chat. Returns whether Telegram replies, also with a refusal. */
  isAnswered(chat: number): Promise<boolean>;
  /** Like `edit`, for a message with an image. Also replaces the image unless `keepsPicture` is set. */
  editPhoto(chat: number, messageId: number, content: PhotoContent, keepsPicture: boolean): Promise<Sent>;
}

const HTML = 'HTML' as const;

const GONE =
  /chat not found|message to edit not found|message can't be edited|MESSAGE_ID_INVALID|PEER_ID_INVALID|upgraded to a supergroup/;

/** Status codes of permanent refusals: Bad Request and Request Entity Too Large. */
const FOR_GOOD = [400, 413];

/**
 * Sends messages outside of updates. Never throws errors of Telegram or the network. Makes one call without waiting. Returns
 * `later` without a call while the chat's 429 lasts or the learned pace has no room.
 *
 * @param api must return a 429 without waiting (`fetchOnce`)
 */
export function createSender({ api, holds, now }: { api: Api; holds: ChatHolds; now: () => number }): Sender {
  const pace = createLearnedPace({ now });

  /** Sends a new message. Only new messages count for the pace (https://core.telegram.org/bots/faq). */
  async function post(chat: number, call: () => Promise<{ message_id: number }>): Promise<Sent> {
    const afterMs = holds.wait(chat) || pace.take(chat);
    if (afterMs > 0) return { kind: 'later', afterMs };
    const begun = now();
    const sent = await settle(async () => (await call()).message_id);
    if (sent.kind === 'sent') pace.sent(chat);
    if (sent.kind !== 'later') return sent;
    pace.refused(chat, begun);
    return held(chat, sent.afterMs);
  }

  function held(chat: number, ms: number): Sent {
    holds.hold(chat, ms);
    return { kind: 'later', afterMs: holds.wait(chat) };
  }

  async function change(chat: number, messageId: number, call: () => Promise<unknown>): Promise<Sent> {
    const afterMs = holds.wait(chat);
    if (afterMs > 0) return { kind: 'later', afterMs };
    const sent = await settle(async () => {
      await call();
      return messageId;
    });
    return sent.kind === 'later' ? held(chat, sent.afterMs) : sent;
  }

  return {
    send(chat, content, replyTo) {
      const reply = replyTo !== undefined && {
        reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
      };
      return post(chat, () => api.sendMessage(chat, content.html, { ...present(content), ...reply }));
    },
    edit(chat, messageId, content) {
      return change(chat, messageId, () =>
        api.editMessageText(chat, messageId, content.html, present(content)),
      );
    },
    sendPhoto(chat, { html: caption, keyboard, photo }) {
      const options = { caption, parse_mode: HTML, ...markup(keyboard) };
      return post(chat, () => api.sendPhoto(chat, new InputFile(photo, 'invoice.png'), options));
    },
    async isAnswered(chat) {
      const sent = await change(chat, 0, () => api.getChat(chat));
      return !['later', 'away', 'failed', 'unclear'].includes(sent.kind);
    },
    editPhoto(chat, messageId, { html: caption, keyboard, photo }, keepsPicture) {
      const below = { caption, parse_mode: HTML };
      return change(chat, messageId, () => {
        if (keepsPicture) return api.editMessageCaption(chat, messageId, { ...below, ...markup(keyboard) });
        const media = InputMediaBuilder.photo(new InputFile(photo, 'invoice.png'), below);
        return api.editMessageMedia(chat, messageId, media, markup(keyboard));
      });
    },
  };
}

function present({ keyboard }: Content) {
  return { parse_mode: HTML, link_preview_options: { is_disabled: true }, ...markup(keyboard) };
}

function markup(keyboard: InlineKeyboardButton[][] | undefined) {
  return keyboard && { reply_markup: { inline_keyboard: keyboard } };
}

async function settle(call: () => Promise<number>): Promise<Sent> {
  try {
    return { kind: 'sent', messageId: await call() };
  } catch (error) {
    return classify(readFault(error));
  }
}

function classify(fault: Fault): Sent {
  const { reason } = fault;
  if (fault.kind === 'unreached') return { kind: fault.written ? 'unclear' : 'away', reason };
  if (fault.status === 429) return { kind: 'later', afterMs: fault.retryAfterMs ?? 1000 };
  if (fault.status === 403) return { kind: 'blocked' };
  if (reason.includes('message is not modified')) return { kind: 'unchanged' };
  if (GONE.test(reason)) return { kind: 'gone' };
  if (FOR_GOOD.includes(fault.status)) return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}
