import type { Api } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { type Fault, readFault } from './fetch.ts';
import type { ChatHolds } from './sender.ts';

/**
 * Result of copying a message.
 *
 * - `unwritable`: the bot can't write to the chat: the user has blocked the bot or deleted their account, or the chat is
 *   unreachable.
 * - `no-source`: the original message no longer exists.
 * - `no-bot`: Telegram doesn't accept the bot's token.
 * - `later`: rate-limited for `afterMs`.
 * - `refused`: permanently refused.
 * - `away`: not sent, because Telegram is unreachable.
 * - `failed`: not sent, because Telegram returned an error.
 * - `unclear`: the request was written but got no response. The message may have been sent.
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

export interface Copier {
  /**
   * Copies a message and adds these buttons, because a copy loses the original's buttons
   * (https://core.telegram.org/bots/api#copymessage). Makes one call without waiting. Never throws errors of Telegram or the
   * network.
   */
  copy(
    to: number,
    from: { chat: number; message: number },
    keyboard: InlineKeyboardButton[][],
  ): Promise<Copied>;
}

const UNREACHABLE = /chat not found|PEER_ID_INVALID|user not found/;

/** @param api must return a 429 without waiting (`fetchOnce`) */
export function createCopier(deps: {
  api: Pick<Api, 'copyMessage'>;
  holds: Pick<ChatHolds, 'delivered'>;
  now: () => number;
}): Copier {
  const { api, holds, now } = deps;
  return {
    async copy(to, { chat, message }, keyboard) {
      const begun = now();
      try {
        await api.copyMessage(to, chat, message, { reply_markup: { inline_keyboard: keyboard } });
        // Unlike other methods, copyMessage doesn't return the chat.
        holds.delivered(to, begun);
        return { kind: 'sent' };
      } catch (error) {
        return classify(readFault(error));
      }
    },
  };
}

function classify(fault: Fault): Copied {
  if (fault.kind === 'unreached') return { kind: fault.written ? 'unclear' : 'away' };
  const { status, reason } = fault;
  if (status === 429) return { kind: 'later', afterMs: fault.retryAfterMs ?? 1_000 };
  if (status === 401 || status === 404) return { kind: 'no-bot', reason };
  if (status === 403) return { kind: 'unwritable', why: whyForbidden(reason) };
  if (reason.includes('message to copy not found')) return { kind: 'no-source' };
  if (UNREACHABLE.test(reason)) return { kind: 'unwritable', why: 'unreachable' };
  if (status === 400 || status === 413) return { kind: 'refused', reason };
  return { kind: 'failed', reason };
}

function whyForbidden(reason: string) {
  if (reason.includes('blocked')) return 'blocked';
  return reason.includes('deactivated') ? 'deactivated' : 'unreachable';
}
