import type { Middleware } from 'grammy';
import { readAnswer } from '../../texts/callback-data.ts';
import type { BotContext } from '../context.ts';
import { leave } from '../leave-flow.ts';
import type { Router } from '../router.ts';

/**
 * Taps outside of flows. Stands above the conversations, since an open one swallows what it doesn't match. A tap that
 * means nothing any more is answered in a word.
 */
export function pressButtons({ router }: { router: Pick<Router, 'tap'> }): Middleware<BotContext> {
  return async (ctx, next) => {
    const tap = ctx.callbackQuery;
    if (tap === undefined || readAnswer(tap.data) !== undefined) return next();
    const routed = tap.data === undefined ? undefined : router.tap(tap.data, ctx);
    if (routed === undefined || tap.message === undefined) {
      ctx.toast = ctx.words.plain('toast-over');
      return;
    }
    if (!routed.feature.keepsFlow) await leave(ctx, router);
    await routed.press(ctx, tap.message.message_id);
    if (ctx.entering) await next();
  };
}
