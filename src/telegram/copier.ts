import type { Api } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import type { ChatHolds } from './chat-holds.ts';
import { type Fault, readFault } from './fault.ts';

/**
 * What became of a copy.
 *
 * - `unwritable`: this chat takes nothing from the bot: it was blocked, its user has deleted their account, or it can't be
 *   reached otherwise.
 * - `no-source`: the message that was to be copied isn't there any more.
 * - `no-bot`: Telegram doesn't know the bot, by its token, any more.
 * - `later`: Telegram refuses it until `afterMs` have passed.
 * - `refused`: Telegram doesn't take this, now or later.
 * - `away`: it was not sent: Telegram can't be reached.
 * - `failed`: it was not sent: Telegram answered that it failed.
 * - `unclear`: it was asked for, and no answer of Telegram's came back: it may have been sent.
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
   * Copies a message, with these buttons below it: a copy has none of its own
   * (https://core.telegram.org/bots/api#copymessage). Repeats nothing and waits for nothing; never throws for what Telegram
   * or the network can do.
   */
  copy(
    to: number,
    from: { chat: number; message: number },
    keyboard: InlineKeyboardButton[][],
  ): Promise<Copied>;
}

const UNREACHABLE = /chat not found|PEER_ID_INVALID|user not found/;

/** @param api one that hands a 429 on at once (`fetchOnce`) */
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
