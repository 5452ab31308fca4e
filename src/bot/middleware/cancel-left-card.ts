import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';
import type { FeatureDeps } from '../features/feature-deps.ts';
import { edit } from '../reply.ts';

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
