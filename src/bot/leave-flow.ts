import { CARD_BUTTONS } from '../operations/card.ts';
import type { PlacedCard } from '../operations/decisions.ts';
import { callbackData } from '../texts/callback-data.ts';
import type { BotContext } from './context.ts';
import { removeButtons } from './reply.ts';
import type { Router } from './router.ts';

/**
 * Leaves whatever asks for an answer: a flow, the question for a secret, a card that is answered in words. Where a flow
 * or a question was open, what is shown next says so. Answers whether one was.
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

/** Cancels a card whose question was left, as a tap on its *Cancel* does. Answers whether it could be cancelled. */
export async function cancelCard(
  ctx: BotContext,
  router: Pick<Router, 'tap'>,
  card: PlacedCard | undefined,
): Promise<boolean> {
  const cancel = card && router.tap(callbackData(CARD_BUTTONS, 'cancel', card.operation), ctx);
  if (card && (await cancel?.press(ctx, card.message)) !== undefined) return true;
  // Meant for a tap on the card itself.
  delete ctx.toast;
  return false;
}

/** {@link leaveFlow} for something else: a card that awaited its code would go on asking for what nobody takes any more. */
export async function leave(ctx: BotContext, router: Pick<Router, 'tap'>): Promise<void> {
  const { code } = ctx.session;
  leaveFlow(ctx);
  await cancelCard(ctx, router, code);
}
