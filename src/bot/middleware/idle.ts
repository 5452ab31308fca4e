import type { MiddlewareFn } from 'grammy';
import type { BotContext } from '../context.ts';
import type { Handler } from '../features/feature.ts';

/** What nothing above has understood: words get the menu, and an answer to a question that is over a word. */
export function idle({ openMenu }: { openMenu: Handler }): MiddlewareFn<BotContext> {
  return async (ctx) => {
    if (ctx.callbackQuery) ctx.toast = ctx.words.plain('toast-question-over');
    if (ctx.message === undefined) return;
    ctx.lead = ctx.words.html('menu-idle');
    await openMenu(ctx);
  };
}
