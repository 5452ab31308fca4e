import { movedCard } from '../operations/card.ts';
import type { Operation } from '../operations/operation.ts';
import { paragraphs } from '../texts/view.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature.ts';
import { edit, send } from './reply.ts';

type Deps = Pick<FeatureDeps, 'card' | 'operations'>;

/**
 * Shows a new draft's card. Which message it is stands in the session, written with the commit. Where its update comes
 * once more, that message stays the card; on another replica there is a second one, of the same draft, and the later one
 * alone can be confirmed.
 */
export async function openCard(deps: Deps, ctx: BotContext, draft: Operation): Promise<void> {
  const view = await deps.card(ctx.words, draft);
  const isThere = draft.card !== undefined && (await edit(ctx, draft.card, view));
  const message = draft.card !== undefined && isThere ? draft.card : await send(ctx, view);
  deps.operations.drafts.placeCard(draft, message);
  takePlace(deps, ctx, { operation: draft.id, message });
}

/** Shows a draft's card once more, at the end of the chat, with a `hint`: from there on it is decided on there alone. */
export async function reopenCard(
  { card, operations }: Deps,
  ctx: BotContext,
  draft: Operation,
  { hint, old }: { hint: string; old: number },
): Promise<void> {
  const { kinds } = operations;
  const view = await card(ctx.words, draft);
  const message = await send(ctx, { ...view, html: paragraphs(view.html, hint) });
  const moved = movedCard(ctx.words, draft, kinds.of(draft.request));
  // It adorns: only the newer one can be confirmed, and the older one says so also when it is tapped.
  ctx.tx.afterCommit(() => edit(ctx, old, moved));
  takePlace({ card, operations }, ctx, { operation: draft.id, message });
}

/** The session names the one card that can be decided on ({@link Drafts.confirm}); the draft before is told so. */
function takePlace(
  { card, operations }: Deps,
  ctx: BotContext,
  placed: { operation: string; message: number },
): void {
  const former = ctx.session.draft;
  ctx.session.draft = placed;
  ctx.session.card = placed;
  const user = ctx.from?.id;
  if (former === undefined || user === undefined || former.operation === placed.operation) return;
  // It adorns: the older card can't be confirmed any more, and says so also when it is tapped.
  ctx.tx.afterCommit(async () => {
    const replaced = await operations.drafts.supersede({ user, id: former.operation });
    if (replaced) await edit(ctx, former.message, await card(ctx.words, replaced));
  });
}
