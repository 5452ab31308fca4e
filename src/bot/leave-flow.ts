import type { BotContext } from './context.ts';
import { removeButtons } from './reply.ts';

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
