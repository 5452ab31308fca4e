import { lookalike } from '../../accounts/address-book.ts';
import { linkInvitation } from '../../texts/cards/account.ts';
import { operationCard } from '../../texts/cards/operation.ts';
import { inFours } from '../../texts/formats.ts';
import type { BotContext } from '../context.ts';
import { retire, show } from '../screen.ts';
import { type BuyingDeps, type BuyState, payer } from './state.ts';

/** Ends the collecting: a draft of the operation and its card, which *Confirm* decides on. */
export async function showCard(deps: BuyingDeps, ctx: BotContext, state: BuyState): Promise<void> {
  const who = await payer(deps, ctx);
  const { address, amount, hours, estimate, balance } = state;
  if (who === undefined || address === undefined || amount === undefined || hours === undefined) {
    await show(ctx, linkInvitation(ctx.words));
    return;
  }
  const operation = await deps.drafts.draft({
    user: who.user,
    account: who.account,
    language: ctx.words.language,
    request: { kind: 'energy', address, energy_amount: amount, duration_hours: hours },
    estimate,
    balance,
  });
  const similar = lookalike(address, await deps.addressBook.known(who.user));
  const warning = similar && ctx.words.html('buy-lookalike', { known: inFours(similar) });
  const message = await show(ctx, operationCard(ctx.words, operation, { reported: false, warning }));
  await deps.drafts.placeCard(operation, message);
  const former = ctx.session.draft;
  const replaced = former && (await deps.drafts.supersede({ user: who.user, id: former.operation }));
  if (replaced && former.message !== message) await retire(ctx, former.message);
  ctx.session.draft = { operation: operation.id, message };
  ctx.session.card = ctx.session.draft;
  // What may be a trap is never offered by a button.
  if (similar === undefined) await deps.addressBook.remember(who.user, address);
}
