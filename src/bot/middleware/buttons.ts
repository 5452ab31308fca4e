import type { Middleware } from 'grammy';
import { TAP } from '../../texts/taps.ts';
import { type Button, findButton } from '../callbacks.ts';
import type { BotContext } from '../context.ts';
import { leave } from '../leave.ts';

/**
 * Taps outside of flows. Stands above the conversations, since an open one swallows what it doesn't match.
 * Data that no button has gets no answer but the end of the button's waiting.
 */
export function pressButtons(
  buttons: Map<string, Button>,
  keepOpen: ReadonlySet<Button>,
): Middleware<BotContext> {
  return async (ctx, next) => {
    const tap = ctx.callbackQuery;
    if (tap?.data === undefined || tap.data.startsWith(TAP.answer(''))) return next();
    const found = findButton(buttons, tap.data);
    if (found === undefined || tap.message === undefined) return;
    if (!keepOpen.has(found.press)) leave(ctx);
    await found.press(ctx, found.argument, tap.message.message_id);
    if (ctx.entering) await next();
  };
}
