import type { Middleware } from 'grammy';
import { CARD_BUTTONS, movedCard } from '../../operations/card.ts';
import type { Operation } from '../../operations/operation.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { paragraphs } from '../../texts/view.ts';
import { wayOf } from '../answers.ts';
import type { BotContext } from '../context.ts';
import type { FeatureDeps } from '../features/feature.ts';
import { edit, send } from '../reply.ts';
import type { Router } from '../router.ts';

/**
 * Words at the card that was shown last and can still be decided on: *Back* and *Cancel* are understood; any others bring
 * the card again, below them. Only a tap confirms.
 */
export function replyToCards({
  card,
  operations,
  router,
}: Pick<FeatureDeps, 'card' | 'operations'> & { router: Router }): Middleware<BotContext> {
  const { drafts, kinds } = operations;

  /** The draft moves to a new message, and the old one says so. */
  async function bringAgain(ctx: BotContext, draft: Operation, isConfirmation: boolean): Promise<void> {
    const view = await card(ctx.words, draft);
    const hint = ctx.words.html(isConfirmation ? 'operation-only-tap' : 'operation-decide');
    const message = await send(ctx, { ...view, html: paragraphs(view.html, hint) });
    if (!(await drafts.placeCard(draft, message))) return;
    const { card: old } = draft;
    if (old !== undefined) {
      const moved = movedCard(ctx.words, draft, kinds.of(draft.request));
      // It adorns: only the newer one can be confirmed, and the older one says so also when it is tapped.
      ctx.tx.afterCommit(() => edit(ctx, old, moved));
    }
    ctx.session.card = { operation: draft.id, message };
    ctx.session.draft = ctx.session.card;
  }

  return async (ctx, next) => {
    const waiting = ctx.session.card;
    if (waiting === undefined || ctx.message === undefined || ctx.from === undefined) return next();
    const draft = await drafts.open({ user: ctx.from.id, id: waiting.operation });
    if (draft === undefined) {
      delete ctx.session.card;
      return next();
    }
    const way = wayOf(ctx.message.text ?? '');
    if (way === 'back' || way === 'cancel') {
      await router.tap(callbackData(CARD_BUTTONS, way, draft.id))?.press(ctx, waiting.message);
      if (ctx.entering) await next();
      return;
    }
    await bringAgain(ctx, draft, way === 'confirm');
  };
}
