import type { Middleware } from 'grammy';
import type { CallbackQuery } from 'grammy/types';
import { callbackData } from '../../i18n/callback-data.ts';
import { LANGUAGES, type Texts } from '../../i18n/texts.ts';
import { shownText } from '../../i18n/view.ts';
import { CARD_BUTTONS } from '../../operations/card.ts';
import type { OperationKind } from '../../operations/kinds/kind.ts';
import type { Operation } from '../../operations/operation.ts';
import { addressAmongWords } from '../../rental-api/address.ts';
import { wayOf } from '../answers.ts';
import type { BotContext } from '../context.ts';
import type { FeatureDeps } from '../feature-deps.ts';
import { reopenCard } from '../open-card.ts';
import { edit } from '../reply.ts';
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

/**
 * Returns whether the tapped message, as Telegram has it, contains the operation's target and title: its address,
 * amount and duration. A manipulated record therefore can't be confirmed with a card that shows something else.
 */
export function cardSays(
  tap: CallbackQuery | undefined,
  { request }: Operation,
  { kind, texts }: { kind: OperationKind; texts: Texts },
): boolean {
  const message = tap?.message;
  const said = bare(message !== undefined && 'text' in message ? (message.text ?? '') : '');
  // The card may have been shown again in another language than its operation's.
  const titles = LANGUAGES.map((language) => kind.title(texts.in(language), request));
  return (
    said.includes(bare(kind.target(request))) && titles.some((title) => said.includes(bare(shownText(title))))
  );
}

/** Keeps only letters and digits: Telegram may return other spaces and signs than were sent. */
function bare(text: string): string {
  return ` ${text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/**
 * Creates the middleware that cancels the open card of a chat once this update has asked a newer question. Only one
 * thing in a chat waits for the user, so an old *Confirm* beside a newer question does nothing.
 */
export function cancelLeftCard({
  card,
  operations,
}: Pick<FeatureDeps, 'card' | 'operations'>): Middleware<BotContext> {
  const { drafts } = operations;
  return async (ctx, next) => {
    await next();
    const { from, session } = ctx;
    const { draft, awaiting } = session;
    const isAsked = ctx.tx.conversation !== undefined || awaiting !== undefined;
    if (from === undefined || draft === undefined || !isAsked) return;
    // From the commit on the session contains no card, so the card can't be confirmed any more.
    delete session.draft;
    delete session.card;
    ctx.tx.afterCommit(async () => {
      const cancelled = await drafts.cancelLeft({ user: from.id, id: draft.operation });
      if (cancelled) await edit(ctx, draft.message, await card(ctx.words, cancelled));
    });
  };
}
