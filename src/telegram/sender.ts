import { type Api, InputFile, InputMediaBuilder } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { type Fault, readFault } from './fault.ts';

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
 * - `later`: Telegram refuses it until `afterMs` have passed.
 * - `refused`: Telegram doesn't take this, now or later; something plainer may pass.
 * - `failed`: it was not sent: Telegram can't be reached, or answered that it failed.
 * - `unclear`: it was asked for, and no answer of Telegram's came back: it may have been sent. To edit again does no harm.
 */
export type Sent =
  | { kind: 'sent'; messageId: number }
  | { kind: 'unchanged' }
  | { kind: 'blocked' }
  | { kind: 'gone' }
  | { kind: 'later'; afterMs: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'unclear'; reason: string };

export interface Sender {
  /** `replyTo`: the message that it answers, if that is still there. */
  send(chat: number, content: Content, replyTo?: number): Promise<Sent>;
  /** Replaces text and buttons; without `keyboard` the buttons go. */
  edit(chat: number, messageId: number, content: Content): Promise<Sent>;
  sendPhoto(chat: number, content: PhotoContent): Promise<Sent>;
  /** Replaces the picture too, unless it is to stay as it is. */
  editPhoto(chat: number, messageId: number, content: PhotoContent, keepsPicture: boolean): Promise<Sent>;
}

const HTML = 'HTML' as const;

const GONE =
  /chat not found|message to edit not found|message can't be edited|MESSAGE_ID_INVALID|PEER_ID_INVALID|upgraded to a supergroup/;

/** Bad Request, and Request Entity Too Large: the same will never be taken. */
const FOR_GOOD = [400, 413];

/** Sends outside of updates. Never throws for what Telegram or the network can do, and repeats nothing. */
export function createSender({ api }: { api: Api }): Sender {
  return {
    send(chat, content, replyTo) {
      const reply = replyTo !== undefined && {
        reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
      };
      return settle(async () => {
        const sent = await api.sendMessage(chat, content.html, { ...present(content), ...reply });
        return sent.message_id;
      });
    },
    edit(chat, messageId, content) {
      return settle(async () => {
        await api.editMessageText(chat, messageId, content.html, present(content));
        return messageId;
      });
    },
    sendPhoto(chat, { html: caption, keyboard, photo }) {
      return settle(async () => {
        const options = { caption, parse_mode: HTML, ...markup(keyboard) };
        return (await api.sendPhoto(chat, new InputFile(photo, 'invoice.png'), options)).message_id;
      });
    },
    editPhoto(chat, messageId, { html: caption, keyboard, photo }, keepsPicture) {
      return settle(async () => {
        if (keepsPicture) {
          await api.editMessageCaption(chat, messageId, { caption, parse_mode: HTML, ...markup(keyboard) });
        } else {
          const media = InputMediaBuilder.photo(new InputFile(photo, 'invoice.png'), {
            caption,
            parse_mode: HTML,
          });
          await api.editMessageMedia(chat, messageId, media, markup(keyboard));
        }
        return messageId;
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
  if (fault.kind === 'unreached') return { kind: fault.written ? 'unclear' : 'failed', reason };
  if (fault.status === 429) return { kind: 'later', afterMs: fault.retryAfterMs ?? 1000 };
  if (fault.status === 403) return { kind: 'blocked' };
  if (reason.includes('message is not modified')) return { kind: 'unchanged' };
  if (GONE.test(reason)) return { kind: 'gone' };
  if (FOR_GOOD.includes(fault.status)) return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}
