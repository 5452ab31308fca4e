import type { UserErasure } from '../../accounts/erase-user.ts';
import type { BotContext, LaterChange } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { currentCard } from '../../bot/operation-card.ts';
import { send } from '../../bot/reply.ts';
import { MAX_WRONG_CODES, type OperationRef, wrongCodesOf } from '../../operations/operation.ts';
import { isRecent, MINUTE_MS } from '../../platform/clock.ts';

export interface RepeatDeps extends FeatureDeps {
  userErasure: Pick<UserErasure, 'wasConfirmedSince'>;
}

/**
 * Returns the change that shows a card with the same request after the service refused the code of an operation. It is a
 * new operation, so it needs a new *Confirm* and a new code. Returns `undefined` after any other outcome, and after too many
 * wrong codes in a row.
 *
 * The card never replaces another card or question that the user has opened in the meantime, and isn't shown after *Unlink*
 * or *Forget me*. Without it, *Try again* stays on the receipt.
 */
export async function repeatAfterWrongCode(
  deps: RepeatDeps,
  ctx: BotContext,
  ref: OperationRef,
): Promise<LaterChange | undefined> {
  const { operations, card, links, userErasure, now } = deps;
  const refused = await operations.drafts.find(ref);
  const wrongCodes = refused === undefined ? 0 : wrongCodesOf(refused);
  if (refused?.state !== 'refused' || wrongCodes === 0 || wrongCodes >= MAX_WRONG_CODES) return undefined;
  // After a long time, the user no longer expects the card.
  const { claimedAt } = refused;
  if (!isRecent(claimedAt, MINUTE_MS, now())) return undefined;

  return async ({ session, isAsked }) => {
    // The request for the code has removed the card from the session.
    if (isAsked || session.awaiting !== undefined || session.draft !== undefined) return undefined;
    const { user, account, language, request, estimate, balance, warnings } = refused;
    // Checked under the chat's lease: the user may have unlinked or confirmed *Forget me* during the request.
    const [apiKey, isErased] = await Promise.all([
      links.apiKey(user, account),
      userErasure.wasConfirmedSince(user, claimedAt),
    ]);
    if (apiKey === undefined || isErased) return undefined;
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
