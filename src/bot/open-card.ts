import { movedCard } from '../operations/card.ts';
import type { PlacedCard } from '../operations/decisions.ts';
import type { Operation } from '../operations/operation.ts';
import type { Stored } from '../operations/store.ts';
import { paragraphs } from '../texts/view.ts';
import { awaitNoCode } from './await-code.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { edit, send } from './reply.ts';

interface FormerCard {
  stored: Stored;
  message: number;
}

type Deps = Pick<FeatureDeps, 'card' | 'operations'>;

/**
 * Shows a new draft's card. Which message it is stands in the session, written with the commit. Where its update comes
 * once more, that message stays the card; on another replica there is a second one, of the same draft, and the later one
 * alone can be confirmed.
 */
export async function openCard(
  deps: Deps,
  ctx: BotContext,
  draft: Operation,
  former: FormerCard | undefined,
): Promise<void> {
  const card = await deps.card(ctx.words, draft);
  // A card begins with how it stands: what was left or taken for it is said below.
  const view = { ...card, html: paragraphs(card.html, takeLead(ctx)) };
  const isThere = draft.card !== undefined && (await edit(ctx, draft.card, view));
  const message = draft.card !== undefined && isThere ? draft.card : await send(ctx, view);
  deps.operations.drafts.placeCard(draft, message);
  takePlace(deps, ctx, { operation: draft.id, message }, former);
}

function takeLead(ctx: BotContext): string | undefined {
  const { lead } = ctx;
  delete ctx.lead;
  return lead;
}

/** The card whose place the next one takes: read while that is made. */
export async function formerCard(
  { operations }: Pick<Deps, 'operations'>,
  { session, from }: BotContext,
): Promise<FormerCard | undefined> {
  if (session.draft === undefined || from === undefined) return undefined;
  const { operation: id, message } = session.draft;
  const stored = await operations.drafts.read({ user: from.id, id });
  return stored && { stored, message };
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
  // A card begins with how it stands, so what was left for it is said below, too.
  const message = await send(ctx, { ...view, html: paragraphs(view.html, hint, takeLead(ctx)) });
  const moved = movedCard(ctx.words, draft, kinds.of(draft.request));
  // It adorns: only the newer one can be confirmed, and the older one says so also when it is tapped.
  ctx.tx.afterCommit(() => edit(ctx, old, moved));
  takePlace(
    { card, operations },
    ctx,
    { operation: draft.id, message },
    await formerCard({ operations }, ctx),
  );
}

/** The session names the one card that can be decided on ({@link Drafts.confirm}); the draft before is told so. */
function takePlace(
  { card, operations }: Deps,
  ctx: BotContext,
  placed: PlacedCard,
  former: FormerCard | undefined,
): void {
  // A newer card: what is typed from here on is meant for it.
  awaitNoCode(ctx);
  ctx.session.draft = placed;
  ctx.session.card = placed;
  if (former === undefined || former.stored.operation.id === placed.operation) return;
  // It adorns: the older card can't be confirmed any more, and says so also when it is tapped.
  ctx.tx.afterCommit(async () => {
    const replaced = await operations.drafts.supersede(former.stored);
    if (replaced) await edit(ctx, former.message, await card(ctx.words, replaced));
  });
}
