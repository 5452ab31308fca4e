import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';
import { send } from '../reply.ts';

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
