import type { BotContext } from '../bot/context.ts';
import { createErasureWarnings, retainedDataLines } from '../bot/erase-user-views.ts';
import { changes, defineFeature, handlerOf, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import type { Session } from '../bot/session.ts';
import { button, callbackData, paragraphs, withMenuButton } from '../i18n/view.ts';
import { CARD_BUTTONS } from '../operations/card.ts';

const NAME = 'forget';

/**
 * Creates the feature *Forget me*. It shows what is deleted, what continues and what is retained, and has the deletion
 * done outside of the update.
 */
export const forgetFeature = defineFeature((deps) => {
  const { userErasure, links, isAdmin, features, now } = deps;
  const warnings = createErasureWarnings(deps);

  async function ask(ctx: BotContext): Promise<void> {
    const { words, from } = ctx;
    if (from === undefined) return;
    const html = paragraphs(
      words.html('forget-ask'),
      ...(await warnings(ctx, from.id)),
      words.html('forget-stays'),
      retainedDataLines(words, { isAdmin: isAdmin(from.id) }),
    );
    const yes = button(words, 'button-forget-yes', callbackData(NAME, 'yes', now().toString(36)), 'danger');
    const back = button(words, 'button-back', callbackData('privacy', 'open'));
    await show(ctx, withMenuButton(words, html, [yes], [back]));
  }

  /** Cancels the card that waits for *Confirm*, and shows that. */
  async function cancelDraft(ctx: BotContext): Promise<void> {
    const { draft } = ctx.session;
    const card = features().find(({ name }) => name === CARD_BUTTONS);
    if (draft) await handlerOf(card?.buttons?.cancel)?.(ctx, draft.operation, draft.message);
    // The toast is only for a tap on the card itself.
    delete ctx.toast;
  }

  return {
    name: NAME,
    command: { name: NAME, text: 'command-forget' },
    open: ask,
    buttons: {
      yes: changes(async (ctx, argument) => {
        const { words, from, update, session } = ctx;
        if (from === undefined) return;
        const asked = Number.parseInt(argument, 36);
        // The update is handled again, or a user who has returned taps an old button.
        if (await userErasure.hasStarted({ user: from.id, askedAt: asked })) {
          ctx.toast = words.plain('toast-question-over');
          return;
        }
        const linkedAt = await links.linkedAt(from.id);
        await cancelDraft(ctx);
        await show(ctx, { html: words.html('forget-begun'), keyboard: [] });
        for (const name of Object.keys(session)) delete session[name as keyof Session];
        ctx.tx.signal.throwIfAborted();
        // Last, because after this call the deletion is certain, whatever happens to this update.
        await userErasure.request({
          ...{ user: from.id, askedAt: asked, update: update.update_id, at: now(), language: words.language },
          ...(linkedAt !== undefined && { linkedAt }),
        });
      }, QUESTION_TTL_MS),
    },
  };
});
