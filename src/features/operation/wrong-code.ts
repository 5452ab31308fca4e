import type { BotContext, LaterChange } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { currentCard } from '../../bot/operation-card.ts';
import { send } from '../../bot/reply.ts';
import { MAX_WRONG_CODES, type OperationRef, wrongCodesOf } from '../../operations/operation.ts';
import { isRecent, MINUTE_MS } from '../../platform/clock.ts';

/**
 * Returns the change that shows a card with the same request after the service refused the code of an operation. It is a
 * new operation, so it needs a new *Confirm* and a new code. Returns `undefined` after any other outcome, and after too many
 * wrong codes in a row.
 *
 * The card never replaces another card or question that the user has opened in the meantime. If it isn't shown, *Try
 * again* stays on the receipt.
 */
export async function repeatAfterWrongCode(
  deps: FeatureDeps,
  ctx: BotContext,
  ref: OperationRef,
): Promise<LaterChange | undefined> {
  const { operations, card, now } = deps;
  const refused = await operations.drafts.find(ref);
  const wrongCodes = refused === undefined ? 0 : wrongCodesOf(refused);
  if (refused?.state !== 'refused' || wrongCodes === 0 || wrongCodes >= MAX_WRONG_CODES) return undefined;
  // After a long time, the user no longer expects the card.
  if (!isRecent(refused.claimedAt, MINUTE_MS, now())) return undefined;

  return async ({ session, isAsked }) => {
    // The request for the code has removed the card from the session.
    if (isAsked || session.awaiting !== undefined || session.draft !== undefined) return undefined;
    const { user, account, language, request, estimate, balance, warnings } = refused;
    const { lookalike, voided } = warnings;
    const draft = await operations.drafts.draft({
      update: ctx.update.update_id,
      user,
      account,
      language,
      request,
      estimate,
      balance,
      lookalike,
      voided,
      wrongCodes,
    });
    const message = await send(ctx, await card(ctx.words, draft));
    return {
      session: { ...session, ...currentCard(deps, draft, message) },
      afterCommit: () => operations.settlement.markRepeated(ref),
    };
  };
}
