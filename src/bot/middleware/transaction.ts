import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Middleware } from 'grammy';
import { languageOf, type Texts } from '../../i18n/texts.ts';
import type { Log } from '../../platform/log.ts';
import { orTimeout } from '../../platform/retry.ts';
import type { Begun, ChatChanges, ChatTransactions } from '../../platform/storage.ts';
import { createKeyedQueue } from '../../platform/work-queue.ts';
import { isTemporary, toGrammySignal } from '../../telegram/fetch.ts';
import { chatOf } from '../../telegram/update-queue.ts';
import type { BotContext, UpdateTransaction } from '../context.ts';
import { isSession, readSession, sessionText } from '../session.ts';

/** Time limits of an update, in milliseconds. */
export interface UpdatePace {
  /** Lease of the chat for one update, unless it is released before. */
  leaseMs: number;
  /** Time limit of a handler. Shorter than the lease, so that a handler never outlives the lease unnoticed. */
  handlerMs: number;
}

const DEFAULT_PACE: UpdatePace = { leaseMs: 15_000, handlerMs: 8_000 };
/** Maximum number of attempts at an update before it is dropped. */
export const MAX_ATTEMPTS = 3;
const WAIT_FOR_CHAT_MS = 5_000;

/** Thrown if the chat's state couldn't be loaded. Nothing was done with the update. */
export class UpdateNotBegun extends Error {
  override readonly name = 'NotBegun';
}

/** Thrown if another update holds the lease of the chat. The update must be retried. */
export class ChatBusy extends Error {
  override readonly name = 'ChatBusy';
}

/**
 * Thrown if the handler took too long, if its lease was lost, or if the operation was decided on elsewhere. Nothing was
 * committed.
 */
export class TransactionLost extends Error {
  override readonly name = 'TransactionLost';
}

/** Thrown if it isn't known whether the commit took place. The update must be retried, which is harmless. */
export class CommitUnclear extends Error {
  override readonly name = 'CommitUnclear';
}

/**
 * Creates the middleware that makes an update a transaction of its chat (docs/architecture.md, the four ways): begin,
 * handle, commit.
 */
export function transaction(deps: {
  chats: ChatTransactions;
  pace?: UpdatePace;
  /** Starts to read what the update may need, together with the transaction. */
  prefetch?: (ctx: BotContext) => void;
  log: Log;
}): Middleware<BotContext> {
  const { chats, prefetch, log } = deps;
  const { leaseMs, handlerMs } = deps.pace ?? DEFAULT_PACE;
  const queue = createKeyedQueue<number>();

  async function begin(
    ctx: BotContext,
    chat: number,
    token: string,
  ): Promise<Exclude<Begun, { kind: 'busy' }>> {
    const until = performance.now() + WAIT_FOR_CHAT_MS;
    for (;;) {
      const beginning = chats.begin({ chat, update: ctx.update.update_id, token, leaseMs });
      // Started after `begin`, so that it sees the changes of the previous update.
      prefetch?.(ctx);
      const begun = await beginning.catch((cause: unknown) => {
        throw new UpdateNotBegun('the storage did not respond', { cause });
      });
      if (begun.kind !== 'busy') return begun;
      if (performance.now() > until) throw new ChatBusy();
      await delay(Math.min(10 + Math.random() * 90, begun.retryAfterMs + 1));
    }
  }

  return (ctx, next) => {
    const chat = chatOf(ctx.update);
    if (chat === undefined) return;
    return queue.run(chat, async () => {
      const { update_id: update } = ctx.update;
      const token = randomUUID();
      const begun = await begin(ctx, chat, token);
      if (begun.kind === 'handled') return;
      const cutOff = new AbortController();
      const { tx, changes, after } = createTransaction(begun, cutOff.signal);
      ctx.tx = tx;
      blockCallsAfter(cutOff.signal, ctx);
      const handled = next();
      try {
        await orTimeout(handled, handlerMs, () => {
          const lost = new TransactionLost(`the handler took more than ${handlerMs} ms`);
          cutOff.abort(lost);
          throw lost;
        });
      } catch (error) {
        // A handler that was cut off may still be writing. The chat stays leased until the handler ends or the lease
        // expires.
        if (cutOff.signal.aborted)
          void handled.catch(() => undefined).then(() => releaseChat({ chat, token }, true));
        else await releaseChat({ chat, token }, !isTemporary(error));
        throw error;
      }
      await commit({ chat, update, token, changes: changes() });
      for (const action of after) {
        await action().catch((err: unknown) => log.error({ chat, err }, 'an action after a commit failed'));
      }
    });
  };

  async function releaseChat(
    { chat, token }: { chat: number; token: string },
    counted: boolean,
  ): Promise<void> {
    await chats
      .release({ chat, token, counted })
      .catch((err: unknown) => log.warn({ chat, err }, 'a chat stays taken'));
  }

  async function commit(request: Parameters<ChatTransactions['commit']>[0]): Promise<void> {
    const committed = await chats.commit(request).catch((cause: unknown) => {
      // Does nothing if the commit took place. The author of the update doesn't wait for it.
      void releaseChat(request, true);
      throw new CommitUnclear('the result of the commit is unknown', { cause });
    });
    if (committed === 'lost') throw new TransactionLost('the lease of the chat was lost');
    // The operation was decided on in the meantime. The update is retried and finds that.
    if (committed === 'conflict') {
      await chats.release({ chat: request.chat, token: request.token });
      throw new TransactionLost('the operation was decided on elsewhere');
    }
  }
}

/**
 * Prevents effects of a handler after it was cut off. Its commit is never made, and Bot API calls fail, including those
 * in flight. Writes elsewhere check `tx.signal` first. A write that is in flight at that moment ends within the
 * storage's timeout of two seconds, and therefore before the lease expires.
 */
function blockCallsAfter(cutOff: AbortSignal, { api }: BotContext): void {
  api.config.use((call, method, payload) => {
    cutOff.throwIfAborted();
    return call(method, payload, toGrammySignal(cutOff));
  });
}

function createTransaction(begun: Extract<Begun, { kind: 'granted' }>, signal: AbortSignal) {
  const after: (() => Promise<unknown>)[] = [];
  let session: ChatChanges['session'];
  let claim: ChatChanges['claim'];
  const tx: UpdateTransaction = {
    attempt: begun.attempt,
    signal,
    session: begun.session,
    conversation: begun.conversation,
    loadedConversation: begun.conversation,
    saveSession: (changed) => {
      session = changed ?? null;
    },
    claim: (made) => {
      claim = made;
    },
    afterCommit: (action) => {
      after.push(action);
    },
    discard: () => {
      tx.conversation = begun.conversation;
      session = undefined;
      claim = undefined;
      after.length = 0;
    },
  };
  const changes = (): ChatChanges => ({
    ...(session !== undefined && session !== (begun.session ?? null) && { session }),
    ...(tx.conversation !== begun.conversation && { conversation: tx.conversation ?? null }),
    ...(claim && { claim }),
  });
  return { tx, changes, after };
}

/**
 * Creates the middleware that reads the session of the chat and its language. The session is written only if it has
 * changed or couldn't be read.
 */
export function session({ texts, log }: { texts: Texts; log: Log }): Middleware<BotContext> {
  return async (ctx, next) => {
    const chatSession = readSession(ctx.tx.session);
    ctx.session = chatSession;
    ctx.words = texts.in(chatSession.language ?? languageOf(ctx.from?.language_code));
    if (ctx.tx.session !== undefined && !isSession(ctx.tx.session)) {
      log.error({ chat: ctx.chatId }, 'a session was invalid and is replaced');
    }
    await next();
    const text = sessionText(chatSession);
    if (text !== ctx.tx.session) ctx.tx.saveSession(text);
  };
}
