import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';
import { send } from '../reply.ts';

/** What was said is said: who corrects an answer by changing their message hears that it must be written anew. */
export function answerEdits(): Middleware<BotContext> {
  return async (ctx, next) => {
    if (ctx.editedMessage === undefined) return next();
    const isAsked = ctx.tx.conversation !== undefined || ctx.session.awaiting !== undefined;
    // A place that is shared live changes by itself.
    if (!isAsked || ctx.editedMessage.text === undefined) return;
    await send(ctx, { html: ctx.words.html('edit-unread'), keyboard: [] });
  };
}
