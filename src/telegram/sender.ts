import { type Api, InputFile, InputMediaBuilder } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import type { ChatHolds } from './chat-holds.ts';
import { type Fault, readFault } from './fault.ts';
import { createLearnedPace } from './learned-pace.ts';

/** A text in Telegram's HTML (https://core.telegram.org/bots/api#html-style) and the buttons below it, by row. */
export interface Content {
  html: string;
  keyboard?: InlineKeyboardButton[][];
}

/** The same below a picture, a PNG. */
export interface PhotoContent extends Content {
  photo: Buffer;
}

/**
 * What became of a message.
 *
 * - `unchanged`: it says this already.
 * - `blocked`: this chat takes no messages from the bot.
 * - `gone`: there is no such chat, or no such message, or it can't be edited any more.
 * - `later`: Telegram refuses it for now, or isn't asked because it refused something in this chat. To be tried again
 *   after `afterMs`, which is at most the time that Telegram named.
 * - `refused`: Telegram doesn't take this, now or later; something plainer may pass.
 * - `away`: it was not sent: Telegram can't be reached.
 * - `failed`: it was not sent: Telegram answered that it failed.
 * - `unclear`: it was asked for, and no answer of Telegram's came back: it may have been sent. To edit again does no harm.
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
  /** `replyTo`: the message that it answers, if that is still there. */
  send(chat: number, content: Content, replyTo?: number): Promise<Sent>;
  /** Replaces text and buttons; without `keyboard` the buttons go. */
  edit(chat: number, messageId: number, content: Content): Promise<Sent>;
  sendPhoto(chat: number, content: PhotoContent): Promise<Sent>;
  /** Makes a call that changes nothing in the chat. Returns whether Telegram replies, also with a refusal. */
  isAnswered(chat: number): Promise<boolean>;
  /** Replaces the picture too, unless it is to stay as it is. */
  editPhoto(chat: number, messageId: number, content: PhotoContent, keepsPicture: boolean): Promise<Sent>;
}

const HTML = 'HTML' as const;

const GONE =
  /chat not found|message to edit not found|message can't be edited|MESSAGE_ID_INVALID|PEER_ID_INVALID|upgraded to a supergroup/;

/** Bad Request, and Request Entity Too Large: the same will never be taken. */
const FOR_GOOD = [400, 413];

/**
 * Sends outside of updates. Never throws for what Telegram or the network can do, repeats nothing and waits for nothing: a
 * chat whose 429 isn't over, and a message for which the learned pace has no room yet, are `later` without a call.
 *
 * @param api one that hands a 429 on at once (`fetchOnce`)
 */
export function createSender({ api, holds, now }: { api: Api; holds: ChatHolds; now: () => number }): Sender {
  const pace = createLearnedPace({ now });

  /** A new message: of those alone Telegram counts how many there are (https://core.telegram.org/bots/faq). */
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
