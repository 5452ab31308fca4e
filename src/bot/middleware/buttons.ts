import type { Middleware } from 'grammy';
import { TAP } from '../../texts/taps.ts';
import { type Button, findButton } from '../callbacks.ts';
import type { BotContext } from '../context.ts';

/** Leaves whatever asks for an answer: a flow, the question for a key, a card that is answered in words. */
export function leave(ctx: BotContext): void {
  ctx.tx.conversation = undefined;
  delete ctx.session.awaitingKey;
  delete ctx.session.card;
}

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
