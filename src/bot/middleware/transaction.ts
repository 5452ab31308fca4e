import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Middleware } from 'grammy';
import { createKeyedQueue } from '../../keyed-queue.ts';
import type { Log } from '../../log.ts';
import { orTimeout } from '../../or-timeout.ts';
import type { Begun, ChatChanges, ChatTransactions } from '../../storage/storage.ts';
import { isPassing } from '../../telegram/fault.ts';
import { forGrammy } from '../../telegram/for-grammy.ts';
import { chatOf } from '../../telegram/updates.ts';
import type { BotContext, UpdateTransaction } from '../context.ts';

/** In milliseconds. */
export interface UpdatePace {
  /** How long a chat is an update's own, unless it is freed before. */
  leaseMs: number;
  /** Shorter than the lease, so that a handler never outlives it unnoticed. */
  handlerMs: number;
}

export const UPDATES: UpdatePace = { leaseMs: 15_000, handlerMs: 8_000 };
const WAIT_FOR_CHAT_MS = 5_000;

/** The chat's state could not be loaded: nothing was done with the update. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun';
}

/** Somebody else is working on the chat: the update is to come again. */
export class ChatBusy extends Error {
  override readonly name = 'ChatBusy';
}

/** The handler took too long, or lost its lease: nothing it wanted was written. */
export class TransactionLost extends Error {
  override readonly name = 'TransactionLost';
}

/** Whether the commit took place isn't known: the update is to come again, which does no harm. */
export class CommitUnclear extends Error {
  override readonly name = 'CommitUnclear';
}

/** An update is a transaction of its chat (docs/architecture.md, the four ways): begin, handle, commit. */
export function transaction(deps: {
  chats: ChatTransactions;
  pace?: UpdatePace;
  /** Begins to read what the update may need, in one go with its beginning. */
  ahead?: (ctx: BotContext) => void;
  log: Log;
}): Middleware<BotContext> {
  const { chats, ahead, log } = deps;
  const { leaseMs, handlerMs } = deps.pace ?? UPDATES;
  const queue = createKeyedQueue<number>();

  async function begin(
    ctx: BotContext,
    chat: number,
    token: string,
  ): Promise<Exclude<Begun, { kind: 'busy' }>> {
    const until = performance.now() + WAIT_FOR_CHAT_MS;
    for (;;) {
      const beginning = chats.begin({ chat, update: ctx.update.update_id, token, leaseMs });
      // Behind it, so that it sees what whoever had the chat before has changed.
      ahead?.(ctx);
      const begun = await beginning.catch((cause: unknown) => {
        throw new NotBegun('the storage did not answer', { cause });
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
      const { tx, changes, after } = open(begun, cutOff.signal);
      ctx.tx = tx;
      callOnlyUntil(cutOff.signal, ctx);
      const handled = next();
      try {
        await orTimeout(handled, handlerMs, () => {
          const lost = new TransactionLost(`the handler took more than ${handlerMs} ms`);
          cutOff.abort(lost);
          throw lost;
        });
      } catch (error) {
        // One that was cut off may still be writing: nobody else works on the chat before it has ended, or its lease has.
        if (cutOff.signal.aborted)
          void handled.catch(() => undefined).then(() => free({ chat, token }, true));
        else await free({ chat, token }, !isPassing(error));
        throw error;
      }
      await commit({ chat, update, token, changes: changes() });
      for (const action of after) {
        await action().catch((err: unknown) => log.error({ chat, err }, 'after a commit'));
      }
    });
  };

  async function free({ chat, token }: { chat: number; token: string }, counted: boolean): Promise<void> {
    await chats
      .release({ chat, token, counted })
      .catch((err: unknown) => log.warn({ chat, err }, 'a chat stays taken'));
  }

  async function commit(request: Parameters<ChatTransactions['commit']>[0]): Promise<void> {
    const committed = await chats.commit(request).catch((cause: unknown) => {
      // Does nothing if the commit took place. The author of the update doesn't wait for it.
      void free(request, true);
      throw new CommitUnclear('the commit was not answered', { cause });
    });
    if (committed === 'lost') throw new TransactionLost('another took the chat');
    // Somebody decided about the operation meanwhile: the update comes again and finds that.
    if (committed === 'conflict') {
      await chats.release({ chat: request.chat, token: request.token });
      throw new TransactionLost('the claim was made elsewhere');
    }
  }
}

/**
 * What a handler does after it was cut off doesn't land: its commit is never made; calls of the Bot API fail, those under
 * way too; what it writes elsewhere asks `tx.signal` first. A write that was under way just then ends within the two
 * seconds that a storage has for its answer, and so before the lease, which isn't given to another until then.
 */
function callOnlyUntil(cutOff: AbortSignal, { api }: BotContext): void {
  api.config.use((call, method, payload) => {
    cutOff.throwIfAborted();
    return call(method, payload, forGrammy(cutOff));
  });
}

function open(begun: Extract<Begun, { kind: 'granted' }>, signal: AbortSignal) {
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
