import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bot, BotError, GrammyError, type Middleware } from 'grammy';
import type { Update } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import { languageOf } from '../i18n/texts.ts';
import { containsKey } from '../input/secret-text.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import { createKeyedQueue, orTimeout } from '../platform/async.ts';
import { HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import { reportFailure } from '../platform/log.ts';
import { readJson } from '../platform/records.ts';
import type { Begun, ChatChanges, ChatTransactions } from '../platform/storage.ts';
import { isTemporary, retryAfterMsOf, toGrammySignal } from '../telegram/fetch.ts';
import { textOf } from '../telegram/message-content.ts';
import { chatOf, messageOf, type Received } from '../telegram/updates.ts';
import { readCallbackData } from '../views/callback-data.ts';
import type { BotContext, LaterChange, UpdateTimeouts, UpdateTransaction } from './context.ts';
import type { BotDeps } from './feature.ts';
import { CODE_INPUT, cancelCardsAfterCommit } from './operation-card.ts';
import { type Session, sessionSchema } from './session.ts';

/** Time after which a failing update is given up, in milliseconds. Telegram keeps a tap for 150 s. */
const GIVE_UP_AFTER_MS = 120_000;
/** Maximum delay of a retry, even if a 429 asks for more: later updates of the chat wait behind it. */
const MAX_RETRY_DELAY_MS = MINUTE_MS;
/** Time after which an update is given up even if its sender can't be notified, in milliseconds. */
const ABANDON_AFTER_MS = HOUR_MS;

/** Creates the receiver of updates. It handles failures outside of the error boundary: it replies or asks for a retry. */
export function createUpdateReceiver(
  bot: Bot<BotContext>,
  { texts, log, now }: Pick<BotDeps, 'texts' | 'log' | 'now'>,
) {
  /** Time of each update's first failure in this process, oldest first. */
  const failing = new Map<number, number>();

  /** Sends a text to the update's sender. Returns the failure if sending should be retried, otherwise `undefined`. */
  async function notifySender(update: Update, key: TextKey): Promise<Received | undefined> {
    const chat = chatOf(update);
    const from = update.message?.from ?? update.callback_query?.from;
    if (chat === undefined || from === undefined) return undefined;
    try {
      await bot.api.sendMessage(chat, texts.in(languageOf(from.language_code)).plain(key));
      return undefined;
    } catch (err) {
      log.warn({ chat, err }, 'the sender of a failed update was not notified');
      return isTemporary(err) ? failed(err) : undefined;
    }
  }

  function recordFailure({ update_id: id }: Update): number {
    const since = Math.min(failing.get(id) ?? now(), now());
    failing.set(id, since);
    for (const [other, began] of failing) {
      if (now() - began <= ABANDON_AFTER_MS) break;
      if (other !== id) failing.delete(other);
    }
    return now() - since;
  }

  async function handle(update: Update): Promise<Received> {
    // A webhook that is still set from the last run may deliver updates before the start is complete.
    if (!bot.isInited()) return { kind: 'busy' };
    try {
      await bot.handleUpdate(update);
      failing.delete(update.update_id);
      return { kind: 'done' };
    } catch (thrown) {
      const received = await handleFailure(update, thrown instanceof BotError ? thrown.error : thrown);
      if (received.kind === 'done') failing.delete(update.update_id);
      return received;
    }
  }

  async function handleFailure(update: Update, err: unknown): Promise<Received> {
    const ms = recordFailure(update);
    const retry: Received = err instanceof ChatBusy ? { kind: 'busy' } : failed(err);
    if (retry.kind === 'failed') log.warn({ err }, 'an update failed');
    if (!endsUpdate(update, err) && ms <= GIVE_UP_AFTER_MS) return retry;
    // The reply must stay true, so the update ends here and isn't handled later.
    const unsent = await notifySender(update, faultText(update));
    if (unsent !== undefined && ms <= ABANDON_AFTER_MS) return unsent;
    if (ms > GIVE_UP_AFTER_MS) log.warn({ ms }, 'an update was given up');
    return { kind: 'done' };
  }

  const inProgress = new Set<Promise<Received>>();
  return {
    receive(update: Update): Promise<Received> {
      const about = { update: update.update_id, chat: chatOf(update) };
      const received = log.withFields(about, () => handle(update)).finally(() => inProgress.delete(received));
      inProgress.add(received);
      return received;
    },
    async whenIdle(): Promise<void> {
      await Promise.allSettled(inProgress);
    },
  };
}

function failed(err: unknown): Received {
  const afterMs = Math.min(retryAfterMsOf(err), MAX_RETRY_DELAY_MS);
  return afterMs > 0 ? { kind: 'failed', afterMs } : { kind: 'failed' };
}

/** Returns whether a failure ends the update at once. Otherwise it is retried. */
function endsUpdate(update: Update, err: unknown): boolean {
  return err instanceof UpdateNotBegun || (err instanceof CommitUnclear && isConfirmation(update));
}

function faultText(update: Update): TextKey {
  // The claim may have been committed, also by an earlier delivery. The card will show it later.
  if (isConfirmation(update)) return 'fault-unclear';
  return update.message ? 'fault-message' : 'fault-tap';
}

function isConfirmation({ callback_query: tap }: Update): boolean {
  const { feature, button } = readCallbackData(tap?.data ?? '') ?? {};
  return feature === CARD_BUTTONS && button === 'confirm';
}

const DEFAULT_TIMEOUTS: UpdateTimeouts = { leaseMs: 15_000, handlerMs: 8_000 };
const MAX_ATTEMPTS = 3;
const WAIT_FOR_CHAT_MS = 5_000;
/** Upper bound of Telegram's update ids. Later changes get random ids from here to twice this number. */
const UPDATE_IDS = 2 ** 31;
/** Maximum duration of a refresh, in milliseconds. Later updates of the chat wait for it. */
const REFRESH_TIMEOUT_MS = 1_000;

/** Thrown if the chat's state couldn't be loaded. Nothing was done with the update. */
export class UpdateNotBegun extends Error {
  override readonly name = 'UpdateNotBegun';
}

/** Thrown if another update holds the lease of the chat. The update must be retried. */
export class ChatBusy extends Error {
  override readonly name = 'ChatBusy';
}

/** Thrown if the handler took too long, or if its lease or claim was lost. Nothing was committed. */
export class TransactionLost extends Error {
  override readonly name = 'TransactionLost';
}

/** Thrown if it isn't known whether the commit took place. The update must be retried, which is harmless. */
export class CommitUnclear extends Error {
  override readonly name = 'CommitUnclear';
}

/**
 * Creates the middleware that makes an update a transaction of its chat (docs/architecture.md, *Update*):
 * begin, handle, commit. `prefetch` starts to read what the update may need. `laterChanges` contains the changes in progress
 * that follow an update.
 */
export function transaction(
  { chats, updateTimeouts = DEFAULT_TIMEOUTS, log }: Pick<BotDeps, 'chats' | 'updateTimeouts' | 'log'>,
  prefetch?: (ctx: BotContext) => void,
  laterChanges: Set<Promise<void>> = new Set(),
): Middleware<BotContext> {
  const { leaseMs, handlerMs } = updateTimeouts;
  const queue = createKeyedQueue<number>();

  async function begin(request: { chat: number; update: number; token: string }, readAhead?: () => void) {
    const until = performance.now() + WAIT_FOR_CHAT_MS;
    for (;;) {
      const beginning = chats.begin({ ...request, leaseMs });
      // Started after `begin`, so that it sees the changes of the previous update.
      readAhead?.();
      const begun = await beginning.catch((cause: unknown) => {
        throw new UpdateNotBegun('the storage did not respond', { cause });
      });
      if (begun.kind !== 'busy') return begun;
      if (performance.now() > until) throw new ChatBusy();
      await delay(Math.min(10 + Math.random() * 90, begun.retryAfterMs + 1));
    }
  }

  /**
   * Runs a transaction of the chat: begin, handle, commit. Cuts off a handler that takes too long. Returns what the handler
   * returned, or `undefined` if nothing was committed.
   */
  async function inTransaction<Handled extends { changes: ChatChanges }>(
    about: { chat: number; update: number; cutOff: AbortController; readAhead?: () => void },
    handle: (begun: Granted) => Promise<Handled | undefined>,
  ): Promise<Handled | undefined> {
    const { chat, update, cutOff, readAhead } = about;
    const token = randomUUID();
    const begun = await begin({ chat, update, token }, readAhead);
    if (begun.kind === 'handled') return undefined;
    const handling = handle(begun);
    const handled = await orTimeout(handling, handlerMs, () => {
      const lost = new TransactionLost(`the handler took more than ${handlerMs} ms`);
      cutOff.abort(lost);
      throw lost;
    }).catch(async (error: unknown) => {
      // A handler that was cut off may still write. The chat stays leased until it or the lease ends.
      if (cutOff.signal.aborted)
        void handling.catch(() => undefined).then(() => releaseChat({ chat, token, counted: true }));
      else await releaseChat({ chat, token, counted: !isTemporary(error) });
      throw error;
    });
    if (handled === undefined) await releaseChat({ chat, token, counted: false });
    else await commit({ chat, update, token, changes: handled.changes });
    return handled;
  }

  return (ctx, next) => {
    const chat = chatOf(ctx.update);
    if (chat === undefined) return;
    return queue.run(chat, async () => {
      const { update_id: update } = ctx.update;
      const cutOff = new AbortController();
      blockCallsAfter(cutOff.signal, ctx);
      const readAhead = () => prefetch?.(ctx);
      const committed = await inTransaction({ chat, update, cutOff, readAhead }, async (begun) => {
        const { tx, changes, ...actions } = createTransaction(begun, cutOff.signal);
        ctx.tx = tx;
        await next();
        return { changes: changes(), ...actions };
      });
      if (committed === undefined) return;
      const { after, refreshes, later } = committed;
      for (const prepare of later) {
        const changing = changeLater({ chat, cutOff }, prepare)
          .catch((err: unknown) => log.warn({ err }, 'a change of a chat after an update failed'))
          .finally(() => laterChanges.delete(changing));
        laterChanges.add(changing);
      }
      const actions = after.map((action) =>
        action().catch((err: unknown) => reportFailure(log, { err }, 'an action after a commit failed')),
      );
      await Promise.all(actions);
      for (const prepared of refreshes) {
        void refresh(prepared, { chat, update, cutOff }).catch((err: unknown) =>
          log.info({ err }, 'a refresh after an update failed'),
        );
      }
    });
  };

  async function refresh(
    prepared: Promise<(() => Promise<unknown>) | undefined>,
    { chat, update, cutOff }: { chat: number; update: number; cutOff: AbortController },
  ): Promise<void> {
    const action = await prepared;
    if (action === undefined) return;
    await queue.run(chat, async () => {
      if (!(await chats.isLatest({ chat, update }))) return;
      await orTimeout(action(), REFRESH_TIMEOUT_MS, () =>
        cutOff.abort(new Error('the refresh took too long')),
      );
    });
  }

  async function changeLater(
    about: { chat: number; cutOff: AbortController },
    prepare: () => Promise<LaterChange | undefined>,
  ): Promise<void> {
    const change = await prepare();
    if (change === undefined) return;
    await queue.run(about.chat, async () => {
      const update = randomInt(UPDATE_IDS, 2 * UPDATE_IDS);
      const committed = await inTransaction({ ...about, update }, async (begun) => {
        const session = readSession(begun.session) ?? {};
        const changed = await change({ session, isAsked: begun.conversation !== undefined });
        return changed && { ...changed, changes: { session: sessionText(changed.session) ?? null } };
      });
      await committed?.afterCommit();
    });
  }

  async function releaseChat(request: Parameters<ChatTransactions['release']>[0]): Promise<void> {
    const { chat } = request;
    await chats
      .release(request)
      .catch((err: unknown) => log.warn({ chat, err }, 'a chat could not be released'));
  }

  async function commit(request: Parameters<ChatTransactions['commit']>[0]): Promise<void> {
    const { chat, token } = request;
    const committed = await chats.commit(request).catch((cause: unknown) => {
      // Does nothing if the commit took place. The author of the update doesn't wait for it.
      void releaseChat({ chat, token, counted: true });
      throw new CommitUnclear('the result of the commit is unknown', { cause });
    });
    if (committed === 'lost') throw new TransactionLost('the lease of the chat was lost');
    // Another update or process changed the operation. The retried update reads the change.
    if (committed === 'conflict') {
      await chats.release({ chat, token });
      throw new TransactionLost('the operation was decided on elsewhere');
    }
  }
}

/**
 * Prevents effects of a handler after it was cut off: its commit is never made, and Bot API calls fail,
 * including those in flight. Other writes check `tx.signal` first. A write in flight ends within the
 * storage's timeout of two seconds, before the lease expires.
 */
function blockCallsAfter(cutOff: AbortSignal, { api }: BotContext): void {
  api.config.use((call, method, payload, signal) => {
    cutOff.throwIfAborted();
    const either = signal ? AbortSignal.any([cutOff, signal as AbortSignal]) : cutOff;
    return call(method, payload, toGrammySignal(either));
  });
}

type Granted = Extract<Begun, { kind: 'granted' }>;

function createTransaction(begun: Granted, signal: AbortSignal) {
  const after: (() => Promise<unknown>)[] = [];
  const refreshes: Promise<(() => Promise<unknown>) | undefined>[] = [];
  const later: (() => Promise<LaterChange | undefined>)[] = [];
  let session: ChatChanges['session'];
  let claim: ChatChanges['claim'];
  const tx: UpdateTransaction = {
    attempt: begun.attempt,
    isLastAttempt: begun.attempt >= MAX_ATTEMPTS,
    signal,
    session: begun.session,
    conversation: begun.conversation,
    loadedConversation: begun.conversation,
    saveSession: (changed) => {
      session = changed ?? null;
    },
    claim: (made) => {
      if (claim !== undefined) throw new Error('an update claims one operation at most');
      claim = made;
    },
    afterCommit: (action) => {
      after.push(action);
    },
    refresh: (prepared) => {
      // Prevents an unhandled rejection if the update fails, because nothing waits for the refresh then.
      prepared.catch(() => undefined);
      refreshes.push(prepared);
    },
    changeLater: (prepare) => {
      later.push(prepare);
    },
    discard: () => {
      tx.conversation = begun.conversation;
      session = undefined;
      claim = undefined;
      after.length = 0;
      refreshes.length = 0;
      later.length = 0;
    },
  };
  const changes = (): ChatChanges => ({
    ...(session !== undefined && session !== (begun.session ?? null) && { session }),
    ...(tx.conversation !== begun.conversation && { conversation: tx.conversation ?? null }),
    ...(claim && { claim }),
  });
  return { tx, changes, after, refreshes, later };
}

/** Creates the middleware for the session and its language. It writes the session only if it has changed. */
export function session({ texts, log }: Pick<BotDeps, 'texts' | 'log'>): Middleware<BotContext> {
  return async (ctx, next) => {
    const stored = readSession(ctx.tx.session);
    const chatSession = stored ?? {};
    ctx.session = chatSession;
    ctx.words = texts.in(chatSession.language ?? languageOf(ctx.from.language_code));
    if (ctx.tx.session !== undefined && stored === undefined)
      log.warn('a session was invalid and is replaced');
    ctx.lastScreen = chatSession.screen;
    delete chatSession.screen;
    await next();
    const text = sessionText(chatSession);
    if (text !== ctx.tx.session) ctx.tx.saveSession(text);
  };
}

/**
 * Creates the error boundary. If a handler fails, nothing is committed, and the update is tried again. After
 * the third failure, the update, the open flow and the open card are dropped and the author is notified, so that no chat is
 * stuck. Temporary failures of Telegram don't count; {@link createUpdateReceiver} limits their retries.
 */
export function errorBoundary(
  deps: Pick<BotDeps, 'texts' | 'log' | 'card' | 'operations'>,
): Middleware<BotContext> {
  const { texts, log } = deps;

  async function drop(ctx: BotContext): Promise<void> {
    const { language, awaiting, codesUntil, code, draft } = readSession(ctx.tx.session) ?? {};
    ctx.tx.discard();
    ctx.tx.conversation = undefined;
    ctx.tx.saveSession(sessionText({ language, codesUntil }));
    const words = texts.in(language ?? languageOf(ctx.from.language_code));
    cancelCardsAfterCommit(deps, ctx, words, { code, draft });
    const html = words.html(droppedUpdateText(ctx, awaiting));
    const sending = ctx.reply(html, { parse_mode: 'HTML' });
    await sending.catch((err: unknown) => {
      if (isTemporary(err)) throw err;
      log.warn({ err }, 'the author of a dropped update was not notified');
    });
  }

  return async (ctx, next) => {
    const { attempt, isLastAttempt } = ctx.tx;
    if (attempt > MAX_ATTEMPTS) return drop(ctx);
    try {
      await next();
    } catch (err) {
      if (isTemporary(err)) throw err;
      // A user who has blocked the bot can't be reached by another attempt.
      if (err instanceof GrammyError && err.error_code === 403) {
        log.info({ err }, 'an update of a user who has blocked the bot is dropped');
        return ctx.tx.discard();
      }
      if (!isLastAttempt) throw err;
      reportFailure(log, { attempt, err }, 'an update failed for the last time and is dropped');
      await drop(ctx);
    }
  };
}

/** Returns the text for a dropped update. It warns if the message may contain a secret. */
function droppedUpdateText({ update }: BotContext, awaited: string | undefined): TextKey {
  const message = messageOf(update);
  if (message && awaited !== undefined) return awaited === CODE_INPUT ? 'code-exposed' : 'link-delete-failed';
  return containsKey(textOf(message)) ? 'secret-unasked-stays' : 'fault-dropped';
}

/** Parses a stored session without its invalid fields; `undefined` if the text is no session at all. */
export function readSession(text: string | undefined): Session | undefined {
  const session = readJson(sessionSchema, text);
  return session && Object.fromEntries(Object.entries(session).filter(([, value]) => value !== undefined));
}

function sessionText(session: Session): string | undefined {
  const text = JSON.stringify(session);
  return text === '{}' ? undefined : text;
}
