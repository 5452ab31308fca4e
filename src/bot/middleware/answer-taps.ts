import type { Middleware } from 'grammy';
import type { Log } from '../../log.ts';
import type { BotContext } from '../context.ts';

/**
 * Answers every tap, so that its button stops waiting; with words only where a handler left some. The answer adorns:
 * when it fails, what the tap asked for is done all the same.
 */
export function answerTaps({ log }: { log: Log }): Middleware<BotContext> {
  return async (ctx, next) => {
    await next();
    if (ctx.callbackQuery === undefined) return;
    const answered = ctx.answerCallbackQuery(ctx.toast === undefined ? {} : { text: ctx.toast });
    await answered.catch((err: unknown) => log.info({ err }, 'a tap was not answered'));
  };
}
