import type { Middleware } from 'grammy';
import type { Drafts } from '../../operations/drafts.ts';
import { wayOf } from '../answers.ts';
import type { Buttons } from '../callbacks.ts';
import type { BotContext } from '../context.ts';
import { retire } from '../screen.ts';

/** *Confirm*, *Back* and *Cancel* in words, for the card that was shown last and can still be decided on. */
export function answerCards({
  card,
  drafts,
}: {
  card: Buttons['card'];
  drafts: Pick<Drafts, 'isOpen'>;
}): Middleware<BotContext> {
  return async (ctx, next) => {
    const waiting = ctx.session.card;
    const text = ctx.message?.text;
    if (waiting === undefined || text === undefined || ctx.from === undefined) return next();
    if (!(await drafts.isOpen({ user: ctx.from.id, id: waiting.operation }))) {
      delete ctx.session.card;
      return next();
    }
    const way = wayOf(text);
    if (way === undefined) {
      const card = { message_id: waiting.message, allow_sending_without_reply: true };
      await ctx.reply(ctx.words.plain('problem-choice'), { reply_parameters: card });
      return;
    }
    if (way !== 'confirm') await retire(ctx, waiting.message);
    await card[way](ctx, waiting.operation, waiting.message);
    if (ctx.entering) await next();
  };
}
