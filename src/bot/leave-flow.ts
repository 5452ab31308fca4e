import { callbackData } from '../i18n/callback-data.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import type { PlacedCard } from '../operations/confirm.ts';
import type { BotContext } from './context.ts';
import { removeButtons } from './reply.ts';
import type { Router } from './router.ts';

/**
 * Leaves everything that waits for an answer: a flow, the request for a secret, a card with typed answers. If a flow or
 * a request for a secret was open, the next view says so, and the function returns `true`.
 */
export function leaveFlow(ctx: BotContext): boolean {
  const { question, awaiting } = ctx.session;
  const inFlow = ctx.tx.conversation !== undefined;
  ctx.tx.conversation = undefined;
  const { code } = ctx.session;
  delete ctx.session.awaiting;
  delete ctx.session.code;
  delete ctx.session.question;
  delete ctx.session.card;
  const tapped = ctx.callbackQuery?.message?.message_id;
  if (question !== undefined && question !== tapped) {
    ctx.tx.afterCommit(() => removeButtons(ctx, question));
  }
  if (inFlow) ctx.lead = ctx.words.html('left-flow');
  else if (awaiting !== undefined)
    ctx.lead = ctx.words.html(code === undefined ? 'left-secret' : 'left-code');
  return inFlow || awaiting !== undefined;
}

/** Cancels a card whose question was left, like a tap on its *Cancel*. Returns whether it could be cancelled. */
export async function cancelCard(
  ctx: BotContext,
  router: Pick<Router, 'tap'>,
  card: PlacedCard | undefined,
): Promise<boolean> {
  const cancel = card && router.tap(callbackData(CARD_BUTTONS, 'cancel', card.operation), ctx);
  if (card && (await cancel?.press(ctx, card.message)) !== undefined) return true;
  // The toast is only for a tap on the card itself.
  delete ctx.toast;
  return false;
}

/**
 * Calls {@link leaveFlow} and cancels a card that waits for a one-time code. Otherwise that card would keep asking for
 * a code that is no longer accepted.
 */
export async function leave(ctx: BotContext, router: Pick<Router, 'tap'>): Promise<void> {
  const { code } = ctx.session;
  leaveFlow(ctx);
  await cancelCard(ctx, router, code);
}
