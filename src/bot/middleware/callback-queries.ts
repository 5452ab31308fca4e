import type { Middleware } from 'grammy';
import type { Log } from '../../platform/log.ts';
import { callWithRetry, isPassing } from '../../telegram/fetch.ts';
import type { BotContext } from '../context.ts';
import { send } from '../reply.ts';

/** Time for which the answer to a tap is retried, in milliseconds. Users don't wait longer at a button. */
const PATIENCE_MS = 5_000;

/**
 * Creates the middleware that answers every tap, so that its button stops waiting. The answer has a text only if a
 * handler has set one. If it fails, the effects of the tap remain. A text that may be lost is sent again after the
 * commit.
 */
export function answerTaps({ log }: { log: Log }): Middleware<BotContext> {
  return async (ctx, next) => {
    await next();
    if (ctx.callbackQuery === undefined) return;
    const { toast: text } = ctx;
    const answer = () => ctx.answerCallbackQuery(text === undefined ? {} : { text });
    await answer().catch((err: unknown) => {
      log.info({ err }, 'a tap was not answered');
      if (text === undefined || !isPassing(err)) return;
      const again = () => callWithRetry(answer, { log, patienceMs: PATIENCE_MS });
      ctx.tx.afterCommit(async () => {
        // Not awaited: the next update of the chat doesn't wait for it.
        void again().catch((err: unknown) => log.warn({ err }, 'the text for a tap was not sent'));
      });
    });
  };
}

/**
 * Creates the middleware that handles edited messages. An edit doesn't change an answer, so the user is asked to send a
 * new message.
 */
export function answerEdits(): Middleware<BotContext> {
  return async (ctx, next) => {
    if (ctx.editedMessage === undefined) return next();
    const isAsked = ctx.tx.conversation !== undefined || ctx.session.awaiting !== undefined;
    // A live location changes by itself.
    if (!isAsked || ctx.editedMessage.text === undefined) return;
    await send(ctx, { html: ctx.words.html('edit-unread'), keyboard: [] });
  };
}
