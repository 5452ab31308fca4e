import { createHash } from 'node:crypto';
import { limit } from '@grammyjs/ratelimiter';
import { type Api, GrammyError, type Middleware } from 'grammy';
import type { BotCommand, Message, Update, UserFromGetMe } from 'grammy/types';
import { languageOf, paragraphs, type Words } from '../i18n/texts.ts';
import { containsKey, containsOperatorKey, parseOneTimeCode } from '../input/secret-text.ts';
import { startPayload } from '../input/start-link.ts';
import { createTaskQueue } from '../platform/async.ts';
import { isRecent } from '../platform/clock.ts';
import { ANSWER_TIMEOUT_MS, callWithRetry, isTemporary } from '../telegram/fetch.ts';
import { isServiceMessage, textOf } from '../telegram/message-content.ts';
import { setChatCommands } from '../telegram/telegram.ts';
import { messageOf } from '../telegram/updates.ts';
import { linkOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import { type BotDeps, createPrefetch, isByAdmin } from './feature.ts';
import { addHeader, send } from './reply.ts';
import { menuCommands, type Router } from './router.ts';
import { deleteMessage } from './secrets.ts';

const WINDOW_MS = 5_000;
const MAX_UPDATES = 40;

/** Creates the middleware that drops a user's updates above a rate limit, before the storage is used. */
export function floodGuard(drop: (update: Update) => void): Middleware<BotContext> {
  return limit<BotContext, never>({
    timeFrame: WINDOW_MS,
    limit: MAX_UPDATES,
    keyGenerator: (ctx) => ctx.from?.id.toString(),
    onLimitExceeded: (ctx) => drop(ctx.update),
    // Calls `onLimitExceeded` for each update above the limit.
    alwaysReply: true,
  });
}

/** Maximum concurrent calls about floods. Other calls to Telegram use the same connections. */
const FLOOD_CONCURRENCY = 10;

/**
 * Creates the function for updates dropped by the rate limit. It answers taps, deletes messages that look
 * like a key, and tells a chat at most once in five seconds that messages were skipped. It uses no storage
 * and returns at once.
 */
export function createFloodReplies(
  api: Api,
  { texts, log, now }: Pick<BotDeps, 'texts' | 'log' | 'now'>,
): (update: Update) => void {
  const enqueue = createTaskQueue(FLOOD_CONCURRENCY, (err) =>
    log.info({ err }, 'a reply to a flood was not sent'),
  );
  const lastReplyAt = new Map<number, number>();

  function mayReplyAgain(chat: number): boolean {
    for (const [other, at] of lastReplyAt) {
      if (isRecent(at, WINDOW_MS, now())) break;
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

  return (update) => {
    if (isServiceMessage(update)) return;
    const { callback_query: tap } = update;
    const message = messageOf(update);
    const words = texts.in(languageOf((message ?? tap)?.from?.language_code));
    const text = words.plain('busy-flood');
    if (tap) enqueue(() => api.answerCallbackQuery(tap.id, { text }));
    if (message?.chat.type !== 'private') return;
    if (containsKey(textOf(message))) enqueue(() => deleteKey(message, words), 'urgent');
    if (!mayReplyAgain(message.chat.id)) return;
    log.warn({ chat: message.chat.id }, 'updates of a chat are dropped: rate limit');
    enqueue(() => api.sendMessage(message.chat.id, text));
  };
}

/**
 * Restricts the bot to private chats: in a group, all members can read and answer. There, the bot deletes and replies to
 * nothing that isn't addressed to it. All admins are notified of the operator's key in any message.
 */
export function privateOnly(
  deps: Pick<BotDeps, 'texts' | 'operator' | 'log'> & {
    adminAlerts: Pick<BotDeps['adminAlerts'], 'operatorKeySent'>;
  },
): Middleware<BotContext> {
  const { texts, operator, adminAlerts, log } = deps;

  return async (ctx, next) => {
    if (ctx.chat?.type === 'private') return ctx.from && next();
    if (ctx.callbackQuery) {
      // The bot sends no buttons there, but every tap needs an answer.
      const answered = ctx.answerCallbackQuery();
      await answered.catch((err: unknown) => log.info({ err }, 'a tap in a group was not answered'));
      return;
    }
    const message = messageOf(ctx.update);
    if (message === undefined) return;
    await reportOperatorKey(message);
    if (!isAddressed(message, ctx.me) || (await rejectSecret(ctx, message))) return;
    if (ctx.message === undefined || !isCommand(ctx.message, ctx.me)) return;
    const words = texts.in(languageOf(ctx.from?.language_code));
    const button = {
      text: words.plain('button-open-bot'),
      url: `https://t.me/${ctx.me.username}?start=group`,
    };
    const sending = ctx.reply(words.plain('group-only'), { reply_markup: { inline_keyboard: [[button]] } });
    // In some groups a bot may not write.
    await sending.catch((err: unknown) => log.info({ err }, 'the reply to a group was not sent'));
  };

  /**
   * Handles a key or code that a user types in a group. Deletes it if possible and warns the author,
   * preferably in private. Returns whether the message contained one.
   */
  async function rejectSecret(ctx: BotContext, message: Message): Promise<boolean> {
    const text = textOf(message);
    const what = containsOperatorKey(operator, text) ? 'key' : secretKindOf(text, ctx.me.username);
    if (what === undefined) return false;
    const words = texts.in(languageOf(message.from?.language_code));
    const isDeleted = await ctx.deleteMessage().then(
      () => true,
      () => false,
    );
    const html = words.html('group-secret', { what, deleted: isDeleted ? 'yes' : 'no' });
    const isAnonymous = message.sender_chat !== undefined || message.from?.id === ANONYMOUS_GROUP_ADMIN;
    const author = isAnonymous ? undefined : message.from?.id;
    const warning =
      author !== undefined &&
      (await ctx.api.sendMessage(author, html, { parse_mode: 'HTML' }).catch(() => undefined));
    // An author without a private chat can be warned only here, where members have already seen everything.
    const groupWarning = warning ? undefined : ctx.reply(html, { parse_mode: 'HTML' });
    await groupWarning?.catch((err: unknown) =>
      log.warn({ err }, 'the author of a secret in a group was not warned'),
    );
    return true;
  }

  async function reportOperatorKey(message: Message): Promise<void> {
    if (message.from === undefined || !containsOperatorKey(operator, textOf(message))) return;
    try {
      await adminAlerts.operatorKeySent(message.from.id);
    } catch (err) {
      const advice = 'Replace RENTAL_API_KEY at the service: a user has sent it to a chat.';
      log.error({ user: message.from.id, err, advice }, "the admins were not notified of the operator's key");
    }
  }
}

/** Returns whether a group's message begins with a command for the bot, mentions it, or replies to its message. */
function isAddressed(message: Message, me: UserFromGetMe): boolean {
  const { reply_to_message: original, entities = [], caption_entities = [] } = message;
  // In a topic, each message is a reply to the message about the topic's creation.
  const isReply = original?.from?.id === me.id && original.forum_topic_created === undefined;
  const isMention = new RegExp(`@${me.username}(?!\\w)`, 'i').test(textOf(message));
  const isNamed = [...entities, ...caption_entities].some(
    (one) => one.type === 'text_mention' && one.user.id === me.id,
  );
  return isReply || isMention || isNamed || isCommand(message, me);
}

function isCommand(message: Message, { username }: UserFromGetMe): boolean {
  const [command, addressee = username] = /^\/\w+(?:@(\w+))?/.exec(textOf(message)) ?? [];
  return command !== undefined && addressee.toLowerCase() === username.toLowerCase();
}

/** Telegram's id of authors who write in the name of a group or channel. The bot can't write to it. */
const ANONYMOUS_GROUP_ADMIN = 1_087_968_824;

function secretKindOf(text: string, username: string): 'key' | 'code' | undefined {
  if (startPayload(text) !== undefined) return undefined;
  if (containsKey(text)) return 'key';
  // Removes the command or the bot's name, which precede a message to the bot in a group.
  const ownText = text.replace(/^\/\w+(@\w+)?\s+/, '').replaceAll(new RegExp(`@${username}\\b`, 'gi'), ' ');
  return parseOneTimeCode(ownText) === undefined ? undefined : 'code';
}

type SuspendedRouter = Pick<Router, 'isForSuspended' | 'isTapForSuspended' | 'suspendedMenu' | 'asideOf'>;

/** Creates the middleware that depends on the user's record, which each update reads once. */
export function createUserMiddleware(deps: BotDeps) {
  const { users, operations, isAdmin, supportUrl, onReturn, log } = deps;
  const storedUser = createPrefetch(async ({ from }) => users.find(from.id));
  const undelivered = createPrefetch(async ({ from }) => operations.undelivered(from.id));
  const commandLists = new Map<string, { commands: BotCommand[]; hash: string }>();

  async function recordUser(ctx: BotContext, user: number): Promise<void> {
    if (ctx.myChatMember?.new_chat_member.status === 'kicked') return users.setUnreachable(user, 'blocked');
    const person = await storedUser.get(ctx, '');
    await users.recordActivity(user, ctx.words.language, person, ctx.from.username);
    if (person?.unreachable) await onReturn(user);
  }

  /** Returns `undefined` for a user without a list, who sees Telegram's default commands. */
  function commandListFor(ctx: BotContext) {
    const isAdmin = isByAdmin(deps, ctx);
    if (!isAdmin && ctx.session.language === undefined) return undefined;
    const key = `${ctx.words.language} ${isAdmin}`;
    const cached = commandLists.get(key);
    if (cached) return cached;
    const commands = menuCommands(ctx.words, deps.features(), { isAdmin });
    const hash = createHash('sha256').update(JSON.stringify(commands)).digest('base64url').slice(0, 8);
    const list = { commands, hash };
    commandLists.set(key, list);
    return list;
  }

  type CommandList = ReturnType<typeof commandListFor>;
  async function setCommandList({ api }: BotContext, user: number, list: CommandList): Promise<void> {
    const isSet = await setChatCommands(api, { chat: user, commands: list?.commands }, { log });
    if (isSet) await users.setListedCommands(user, list?.hash);
  }

  return {
    prefetch(ctx: BotContext): void {
      if (mayHaveReturned(ctx)) undelivered.start(ctx, '');
      storedUser.start(ctx, '');
    },

    /** Stores every user from the first update on, and which users have blocked the bot. */
    async track(ctx, next) {
      const { id } = ctx.from;
      // Runs beside the other middleware. After a failure, the user's next update tries again.
      const recording = recordUser(ctx, id).catch((err: unknown) =>
        log.warn({ user: id, err }, 'a user was not recorded'),
      );
      await next();
      await recording;
    },

    /**
     * Creates the middleware that rejects banned users, except admins. They can still read help, pause or end Smart Mode, get
     * a copy of their data, unlink and be forgotten, and each such answer begins with the ban and has no buttons that they
     * can't use. Operations confirmed before continue with notifications.
     */
    rejectBanned:
      (router: SuspendedRouter): Middleware<BotContext> =>
      async (ctx, next) => {
        // If the record can't be read, the user isn't rejected.
        const person = await storedUser.get(ctx, '').catch(() => undefined);
        if (!person?.isBanned || isAdmin(person.user)) return next();
        ctx.isUsable = router.isTapForSuspended;
        const header = ctx.words.html('banned-still', { support: supportUrl ?? 'none' });
        if (router.isForSuspended(ctx)) {
          addHeader(ctx, header);
          return next();
        }
        if (ctx.callbackQuery) {
          ctx.toast = ctx.words.plain('toast-banned');
          return;
        }
        const message = messageOf(ctx.update);
        if (message === undefined) return;
        const { words, session } = ctx;
        // A question for an API key or a one-time code may be open.
        const isAsked = session.awaiting !== undefined || (session.codesUntil ?? 0) > deps.now();
        const isSecret = containsKey(textOf(message)) || isAsked;
        const aside = isSecret ? undefined : await router.asideOf(message, ctx);
        if (aside?.kind === 'feature') {
          addHeader(ctx, header);
          return aside.open(ctx);
        }
        const isDeleted = !isSecret || (await deleteMessage(ctx));
        const html = paragraphs(
          !isDeleted && words.html('secret-unasked-stays'),
          words.html('banned'),
          supportUrl && words.html('operation-support', { url: supportUrl }),
        );
        const link = await linkOf(deps, ctx).catch(() => undefined);
        await send(ctx, { html, keyboard: router.suspendedMenu(words, link) });
      },

    /** Notifies returning users who had blocked the bot about their operations, before anything else. */
    async notifyUndelivered(ctx, next) {
      if (mayHaveReturned(ctx)) await operations.notifyUndelivered(await undelivered.get(ctx, ''));
      await next();
    },

    /**
     * Sets the commands listed in a user's chat, for admins and users who have chosen a language. They are
     * set again when their stored hash is outdated.
     */
    async setCommands(ctx, next) {
      await next();
      const { from, message, callbackQuery } = ctx;
      if ((message ?? callbackQuery) === undefined) return;
      const list = commandListFor(ctx);
      // If the record can't be read, the commands are set again.
      const person = await storedUser.get(ctx, '').catch(() => undefined);
      if (list?.hash === person?.listedCommands) return;
      ctx.tx.afterCommit(async () => {
        // The call isn't awaited, so that the next update of the chat doesn't wait for it.
        void setCommandList(ctx, from.id, list).catch((err: unknown) =>
          log.info({ user: from.id, err }, 'the list of commands of a chat was not recorded'),
        );
      });
    },
  } satisfies Record<string, Middleware<BotContext> | ((router: SuspendedRouter) => Middleware<BotContext>)>;
}

function mayHaveReturned({ myChatMember, message }: BotContext): boolean {
  const hasUnblocked = myChatMember?.new_chat_member.status === 'member';
  return hasUnblocked || textOf(message).startsWith('/start');
}

/** Maximum concurrent answers: half of the connections, so that hanging ones don't keep messages from being sent. */
const ANSWER_CONCURRENCY = 25;

/**
 * Creates the middleware that answers every tap, with `ctx.toast` if set: while the first view is sent, or after a handler
 * without a view. Nothing waits for the answer. If it fails, the tap's effects remain, and a toast is sent again.
 */
export function answerTaps({ log }: Pick<BotDeps, 'log'>): Middleware<BotContext> {
  const enqueue = createTaskQueue(ANSWER_CONCURRENCY, (err) =>
    log.warn({ err }, 'the toast for a tap was not sent'),
  );

  async function answer(ctx: BotContext, text: string | undefined, until: number): Promise<void> {
    if (performance.now() > until) return;
    const content = text === undefined ? {} : { text };
    try {
      await ctx.answerCallbackQuery(content);
    } catch (err) {
      log.info({ err }, 'a tap was not answered');
      if (text === undefined || !isTemporary(err)) return;
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      await callWithRetry((aborted) => ctx.answerCallbackQuery(content, aborted), { log, signal });
    }
  }

  return async (ctx, next) => {
    let isAnswered = ctx.callbackQuery === undefined;
    ctx.answerTap = () => {
      if (isAnswered) return;
      isAnswered = true;
      const { toast } = ctx;
      const until = performance.now() + ANSWER_TIMEOUT_MS;
      enqueue(() => answer(ctx, toast, until));
    };
    await next();
    ctx.answerTap();
  };
}

/** Handles edited messages. An edit doesn't change an answer, so the bot asks for a new message. */
export const replyToEdits: Middleware<BotContext> = async (ctx, next) => {
  if (ctx.editedMessage === undefined) return next();
  const isAsked = ctx.tx.conversation !== undefined || ctx.session.awaiting !== undefined;
  // A live location changes by itself.
  if (!isAsked || textOf(ctx.editedMessage) === '') return;
  await send(ctx, { html: ctx.words.html('edit-unread'), keyboard: [] });
};

/** Maximum number of characters searched: twice the length of a message. */
const MAX_SEARCHED_LENGTH = 8_192;

/** Returns the text or the caption of a message, and the targets of its links. */
export function textAndLinksOf(message: Message): string {
  const { entities = [], caption_entities = [] } = message;
  const links = [...entities, ...caption_entities].flatMap((one) =>
    one.type === 'text_link' ? one.url : [],
  );
  return [textOf(message), ...links].join('\n').slice(0, MAX_SEARCHED_LENGTH);
}
