import { limit } from '@grammyjs/ratelimiter';
import { type Api, GrammyError, type Middleware } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { languageOf, type Texts, type Words } from '../../i18n/texts.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext } from '../context.ts';
import { holdsKey } from '../secrets.ts';

const WINDOW_MS = 5_000;
const UPDATES = 40;

/** Creates the middleware that drops a user's updates above a rate limit, before the storage is used. */
export function floodGuard({ drop }: FloodAnswers): Middleware<BotContext> {
  const within = limit<BotContext, never>({
    timeFrame: WINDOW_MS,
    limit: UPDATES,
    keyGenerator: (ctx) => ctx.from?.id.toString(),
    onLimitExceeded: () => undefined,
  });
  return async (ctx, next) => {
    let passed = false;
    await within(ctx, () => {
      passed = true;
      return next();
    });
    if (!passed) drop(ctx.update);
  };
}

/** Replies to updates that are dropped because their chat has sent too many. */
export interface FloodAnswers {
  /**
   * Answers taps, and deletes messages that look like a key. Tells a chat at most once in five seconds that messages
   * were skipped. Uses no storage and returns at once.
   */
  drop(update: Update): void;
}
/** Maximum number of concurrent calls about floods. The other calls to Telegram use the same connections. */
const CONCURRENCY = 10;
/** Maximum number of queued calls. Calls beyond it are dropped. */
const WAITING = 1_000;

export function createFloodAnswers(deps: {
  api: Api;
  texts: Texts;
  log: Log;
  now: () => number;
}): FloodAnswers {
  const { api, texts, log, now } = deps;
  const waiting: (() => Promise<unknown>)[] = [];
  /** Time of the last reply by chat, oldest first. */
  const told = new Map<number, number>();
  let underWay = 0;

  function pump(): void {
    const call = underWay < CONCURRENCY ? waiting.shift() : undefined;
    if (call === undefined) return;
    underWay += 1;
    call()
      .catch((err: unknown) => log.info({ err }, 'a reply to a flood was not sent'))
      .finally(() => {
        underWay -= 1;
        pump();
      });
  }

  function later(call: () => Promise<unknown>): void {
    if (waiting.length < WAITING) waiting.push(call);
    pump();
  }

  /** Queues a call before all others. */
  function sooner(call: () => Promise<unknown>): void {
    waiting.unshift(call);
    waiting.splice(WAITING);
    pump();
  }

  function isToldFirst(chat: number): boolean {
    for (const [other, at] of told) {
      if (now() - at < WINDOW_MS) break;
      told.delete(other);
    }
    if (told.has(chat)) return false;
    told.set(chat, now());
    return true;
  }

  async function deleteKey({ chat, message_id }: Message, words: Words): Promise<void> {
    try {
      await api.deleteMessage(chat.id, message_id);
    } catch (err) {
      if (err instanceof GrammyError && err.description.includes('message to delete not found')) return;
      log.warn({ chat: chat.id, err }, 'a message that looks like a key was not deleted');
      await api.sendMessage(chat.id, words.html('secret-unasked-stays'), { parse_mode: 'HTML' });
    }
  }

  return {
    drop(update) {
      const { callback_query: tap } = update;
      const message = messageOf(update);
      const words = texts.in(languageOf((message ?? tap)?.from?.language_code));
      const text = words.plain('busy-flood');
      if (tap) later(() => api.answerCallbackQuery(tap.id, { text }));
      if (message?.chat.type !== 'private') return;
      if (holdsKey(message.text ?? message.caption ?? '')) sooner(() => deleteKey(message, words));
      if (!isToldFirst(message.chat.id)) return;
      log.warn({ chat: message.chat.id }, 'updates of a chat are dropped: rate limit');
      later(() => api.sendMessage(message.chat.id, text));
    },
  };
}
