import type { Middleware } from 'grammy';
import { callbackData } from '../../i18n/callback-data.ts';
import { CARD_BUTTONS } from '../../operations/card.ts';
import { addressAmongWords } from '../../rental-api/address.ts';
import { wayOf } from '../answers.ts';
import type { BotContext } from '../context.ts';
import type { FeatureDeps } from '../features/feature-deps.ts';
import { reopenCard } from '../open-card.ts';
import type { Router } from '../router.ts';

/**
 * Creates the middleware for text that the user types while the last card can still be decided on. *Back* and *Cancel*
 * are understood. Any other text shows the card again below it. Only a tap confirms.
 */
export function replyToCards({
  card,
  operations,
  router,
}: Pick<FeatureDeps, 'card' | 'operations'> & { router: Router }): Middleware<BotContext> {
  const { drafts } = operations;

  return async (ctx, next) => {
    const waiting = ctx.session.card;
    if (waiting === undefined || ctx.message === undefined || ctx.from === undefined) return next();
    const draft = await drafts.open({ user: ctx.from.id, id: waiting.operation });
    if (draft === undefined) {
      delete ctx.session.card;
      return next();
    }
    const text = ctx.message.text ?? ctx.message.caption ?? '';
    // Another address starts something else, and the card stays as it is.
    if (addressAmongWords(text) !== undefined) return next();
    const way = wayOf(text);
    if (way === 'back' || way === 'cancel') {
      await router.tap(callbackData(CARD_BUTTONS, way, draft.id), ctx)?.press(ctx, waiting.message);
      if (ctx.entering) await next();
      return;
    }
    const hint = ctx.words.html(way === 'confirm' ? 'operation-only-tap' : 'operation-decide');
    await reopenCard({ card, operations }, ctx, draft, { hint, old: waiting.message });
  };
}
