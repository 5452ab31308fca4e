import { limit } from '@grammyjs/ratelimiter';
import { type Api, GrammyError, type Middleware } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { languageOf, type Texts, type Words } from '../../i18n/texts.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../telegram/update-queue.ts';
import type { BotContext } from '../context.ts';
import { containsKey, parseOneTimeCode } from '../secrets.ts';
import { startPayload } from './routing.ts';

const WINDOW_MS = 5_000;
const MAX_UPDATES = 40;

/** Creates the middleware that drops a user's updates above a rate limit, before the storage is used. */
export function floodGuard({ drop }: FloodReplies): Middleware<BotContext> {
  const rateLimit = limit<BotContext, never>({
    timeFrame: WINDOW_MS,
    limit: MAX_UPDATES,
    keyGenerator: (ctx) => ctx.from?.id.toString(),
    onLimitExceeded: () => undefined,
  });
  return async (ctx, next) => {
    let passed = false;
    await rateLimit(ctx, () => {
      passed = true;
      return next();
    });
    if (!passed) drop(ctx.update);
  };
}

/** Replies to updates that are dropped because their chat has sent too many. */
export interface FloodReplies {
  /**
   * Answers taps, and deletes messages that look like a key. Tells a chat at most once in five seconds that messages
   * were skipped. Uses no storage and returns at once.
   */
  drop(update: Update): void;
}
/** Maximum number of concurrent calls about floods. The other calls to Telegram use the same connections. */
const CONCURRENCY = 10;
/** Maximum number of queued calls. Calls beyond it are dropped. */
const MAX_QUEUED = 1_000;

export function createFloodReplies(deps: {
  api: Api;
  texts: Texts;
  log: Log;
  now: () => number;
}): FloodReplies {
  const { api, texts, log, now } = deps;
  const waiting: (() => Promise<unknown>)[] = [];
  /** Time of the last reply by chat, oldest first. */
  const lastReplyAt = new Map<number, number>();
  let running = 0;

  function startNext(): void {
    const call = running < CONCURRENCY ? waiting.shift() : undefined;
    if (call === undefined) return;
    running += 1;
    call()
      .catch((err: unknown) => log.info({ err }, 'a reply to a flood was not sent'))
      .finally(() => {
        running -= 1;
        startNext();
      });
  }

  function enqueue(call: () => Promise<unknown>): void {
    if (waiting.length < MAX_QUEUED) waiting.push(call);
    startNext();
  }

  /** Queues a call before all others. */
  function enqueueFirst(call: () => Promise<unknown>): void {
    waiting.unshift(call);
    waiting.splice(MAX_QUEUED);
    startNext();
  }

  function mayReplyAgain(chat: number): boolean {
    for (const [other, at] of lastReplyAt) {
      if (now() - at < WINDOW_MS) break;
      lastReplyAt.delete(other);
    }
    if (lastReplyAt.has(chat)) return false;
    lastReplyAt.set(chat, now());
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
      if (tap) enqueue(() => api.answerCallbackQuery(tap.id, { text }));
      if (message?.chat.type !== 'private') return;
      if (containsKey(message.text ?? message.caption ?? '')) enqueueFirst(() => deleteKey(message, words));
      if (!mayReplyAgain(message.chat.id)) return;
      log.warn({ chat: message.chat.id }, 'updates of a chat are dropped: rate limit');
      enqueue(() => api.sendMessage(message.chat.id, text));
    },
  };
}

/**
 * Creates the middleware that restricts the bot to private chats. In a group all members can read and answer, so the
 * bot only links to the private chat there.
 */
export function privateOnly({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  const secretInGroup = createGroupSecretHandler({ texts, log });
  return async (ctx, next) => {
    if (ctx.chat?.type === 'private') return next();
    if (ctx.callbackQuery) {
      // The bot sends no buttons there, but every tap needs an answer.
      const answered = ctx.answerCallbackQuery();
      await answered.catch((err: unknown) => log.info({ err }, 'a tap in a group was not answered'));
      return;
    }
    if (ctx.chat && (await secretInGroup(ctx))) return;
    const [, addressee = ctx.me.username] = /^\/\w+(?:@(\w+))?/.exec(ctx.message?.text ?? '') ?? [
      undefined,
      '',
    ];
    if (addressee.toLowerCase() !== ctx.me.username.toLowerCase()) return;
    const words = texts.in(languageOf(ctx.from?.language_code));
    const button = {
      text: words.plain('button-open-bot'),
      url: `https://t.me/${ctx.me.username}?start=group`,
    };
    const sending = ctx.reply(words.plain('group-only'), { reply_markup: { inline_keyboard: [[button]] } });
    // In some groups a bot may not write.
    await sending.catch((err: unknown) => log.info({ err }, 'the reply to a group was not sent'));
  };
}

/** Telegram's id of authors who write in the name of a group or as a channel. The bot can't write to it. */
const ANONYMOUS_GROUP_ADMIN = 1_087_968_824;

/**
 * Creates the handler of keys and codes that a user types in a group, where all members can read them. It never accepts
 * them, deletes the message if the bot may, and warns the author, if possible in the private chat. Returns whether the
 * message contained one.
 */
function createGroupSecretHandler({ texts, log }: { texts: Texts; log: Log }) {
  return async (ctx: BotContext): Promise<boolean> => {
    const message = messageOf(ctx.update);
    const what = secretKindOf(message?.text ?? message?.caption ?? '', ctx.me.username);
    if (message === undefined || what === undefined) return false;
    const words = texts.in(languageOf(message.from?.language_code));
    const isDeleted = await ctx.deleteMessage().then(
      () => true,
      () => false,
    );
    const html = words.html('group-secret', { what, deleted: isDeleted ? 'yes' : 'no' });
    const author =
      message.sender_chat || message.from?.id === ANONYMOUS_GROUP_ADMIN ? undefined : message.from?.id;
    const warning =
      author !== undefined &&
      (await ctx.api.sendMessage(author, html, { parse_mode: 'HTML' }).catch(() => undefined));
    // An author without a private chat can be warned only here. The warning contains nothing that the members haven't
    // seen.
    const groupWarning = warning ? undefined : ctx.reply(html, { parse_mode: 'HTML' });
    await groupWarning?.catch((err: unknown) =>
      log.warn({ err }, 'the author of a secret in a group was not warned'),
    );
    return true;
  };
}

function secretKindOf(text: string, username: string): 'key' | 'code' | undefined {
  // Links to invoices are meant to be shared.
  if (startPayload(text) !== undefined) return undefined;
  if (containsKey(text)) return 'key';
  // Removes the command or the bot's name, which precede a message to the bot in a group.
  const ownText = text.replace(/^\/\w+(@\w+)?\s+/, '').replaceAll(new RegExp(`@${username}\\b`, 'gi'), ' ');
  return parseOneTimeCode(ownText) === undefined ? undefined : 'code';
}
