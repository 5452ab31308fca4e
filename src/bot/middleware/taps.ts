import { GrammyError, type Middleware } from 'grammy';
import type { BotContext } from '../context.ts';

/** Answers every tap, so that its button stops waiting; with words only where a handler left some. */
export const answerTaps: Middleware<BotContext> = async (ctx, next) => {
  await next();
  if (ctx.callbackQuery === undefined) return;
  try {
    await ctx.answerCallbackQuery(ctx.toast === undefined ? {} : { text: ctx.toast });
  } catch (error) {
    // Telegram forgets a tap after some seconds; the work it asked for is done all the same.
    if (!(error instanceof GrammyError)) throw error;
  }
};
