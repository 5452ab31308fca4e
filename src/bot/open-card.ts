import { paragraphs } from '../i18n/view.ts';
import { movedCard } from '../operations/card.ts';
import type { PlacedCard } from '../operations/confirm.ts';
import type { Operation } from '../operations/operation.ts';
import type { Stored } from '../operations/store.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { edit, send } from './reply.ts';

interface FormerCard {
  stored: Stored;
  message: number;
}

type Deps = Pick<FeatureDeps, 'card' | 'operations'>;

/**
 * Shows the card of a new draft. The commit stores the id of its message in the session. If the update is handled
 * again, that message remains the card. On another replica a second message of the same draft is sent, and only the
 * later one can be confirmed.
 */
export async function openCard(
  deps: Deps,
  ctx: BotContext,
  draft: Operation,
  former: FormerCard | undefined,
): Promise<void> {
  const card = await deps.card(ctx.words, draft);
  // A card begins with its status, so the lead comes below it.
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

/** Returns the card that the next one replaces. Read while the next one is created. */
export async function formerCard(
  { operations }: Pick<Deps, 'operations'>,
  { session, from }: BotContext,
): Promise<FormerCard | undefined> {
  if (session.draft === undefined || from === undefined) return undefined;
  const { operation: id, message } = session.draft;
  const stored = await operations.drafts.read({ user: from.id, id });
  return stored && { stored, message };
}

/**
 * Sends a draft's card again at the end of the chat, with a `hint`. From then on only the new message can be confirmed.
 */
export async function reopenCard(
  { card, operations }: Deps,
  ctx: BotContext,
  draft: Operation,
  { hint, old }: { hint: string; old: number },
): Promise<void> {
  const { kinds } = operations;
  const view = await card(ctx.words, draft);
  // A card begins with its status, so the lead comes below it.
  const message = await send(ctx, { ...view, html: paragraphs(view.html, hint, takeLead(ctx)) });
  const moved = movedCard(ctx.words, draft, kinds.of(draft.request));
  // Cosmetic: only the newer card can be confirmed, and a tap on the older one also says so.
  ctx.tx.afterCommit(() => edit(ctx, old, moved));
  takePlace(
    { card, operations },
    ctx,
    { operation: draft.id, message },
    await formerCard({ operations }, ctx),
  );
}

/**
 * Stores in the session the only card that can be decided on ({@link Drafts.confirm}), and marks the previous draft as
 * replaced.
 */
function takePlace(
  { card, operations }: Deps,
  ctx: BotContext,
  placed: PlacedCard,
  former: FormerCard | undefined,
): void {
  // Text that the user types from now on is meant for the newer card.
  awaitNoCode(ctx);
  ctx.session.draft = placed;
  ctx.session.card = placed;
  if (former === undefined || former.stored.operation.id === placed.operation) return;
  // Cosmetic: the older card can't be confirmed any more, and a tap on it also says so.
  ctx.tx.afterCommit(async () => {
    const replaced = await operations.drafts.supersede(former.stored);
    if (replaced) await edit(ctx, former.message, await card(ctx.words, replaced));
  });
}

/** Name of the feature that accepts one-time codes. */
export const CODE_INPUT = 'code';

/** Time during which a message with only a number is treated as a one-time code and deleted, in milliseconds. */
const CODES_MS = 5 * 60_000;

/** Expects the operation's one-time code in the next message. Updates the card after the commit. */
export function awaitCode(
  { card, now }: Pick<FeatureDeps, 'card' | 'now'>,
  ctx: BotContext,
  operation: Operation,
  message: number,
): void {
  ctx.session.awaiting = CODE_INPUT;
  ctx.session.code = { operation: operation.id, message, until: operation.expiresAt };
  mayBeCodes({ now }, ctx);
  ctx.tx.afterCommit(async () => edit(ctx, message, await card(ctx.words, operation)));
}

/** Stops expecting a one-time code. With `of`, only if the code is for that operation. */
export function awaitNoCode({ session }: BotContext, of?: Pick<Operation, 'id'>): void {
  if (session.code === undefined || (of && session.code.operation !== of.id)) return;
  delete session.awaiting;
  delete session.code;
}

export function mayBeCodes({ now }: Pick<FeatureDeps, 'now'>, { session }: BotContext): void {
  session.codesUntil = now() + CODES_MS;
}
