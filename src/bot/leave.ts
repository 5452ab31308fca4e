import type { BotContext } from './context.ts';
import { retire } from './screen.ts';

/** Leaves whatever asks for an answer: a flow, the question for a key, a card that is answered in words. */
export function leave(ctx: BotContext): void {
  const { question } = ctx.session;
  ctx.tx.conversation = undefined;
  delete ctx.session.awaitingKey;
  delete ctx.session.question;
  delete ctx.session.card;
  if (question !== undefined) ctx.tx.afterCommit(() => retire(ctx, question));
}
