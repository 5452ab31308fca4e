import type { Middleware } from 'grammy';
import { readAnswer } from '../../i18n/callback-data.ts';
import type { ButtonTokens } from '../button-tokens.ts';
import type { BotContext } from '../context.ts';
import { leave } from '../leave-flow.ts';
import type { Router } from '../router.ts';

/**
 * Creates the middleware for taps outside of flows. It runs above the conversations, because an open one consumes what
 * it doesn't match. A tap on an outdated button gets a toast. A tap without the token that its button needs reaches no
 * handler and leaves an open flow as it is.
 */
export function pressButtons({
  router,
  buttonTokens,
}: {
  router: Pick<Router, 'tap'>;
  buttonTokens: Pick<ButtonTokens, 'redeem'>;
}): Middleware<BotContext> {
  return async (ctx, next) => {
    const tap = ctx.callbackQuery;
    if (tap === undefined || readAnswer(tap.data) !== undefined) return next();
    const routed = tap.data === undefined ? undefined : router.tap(tap.data, ctx);
    if (routed === undefined || tap.data === undefined || tap.message === undefined) {
      ctx.toast = ctx.words.plain('toast-over');
      return;
    }
    ctx.tx.signal.throwIfAborted();
    const tapped = { chat: tap.message.chat.id, update: ctx.update.update_id, data: tap.data };
    if (!(await buttonTokens.redeem(tapped))) {
      ctx.toast = ctx.words.plain('toast-button-expired');
      return;
    }
    if (!routed.feature.keepsFlow) await leave(ctx, router);
    await routed.press(ctx, tap.message.message_id);
    if (ctx.entering) await next();
  };
}
