import type { BotContext } from '../bot/context.ts';
import { copyOfUserData, erasureWarnings, retainedDataLines } from '../bot/erase-user-views.ts';
import { changes, defineFeature, handlerOf, QUESTION_TTL_MS } from '../bot/feature.ts';
import { sendFile, show, showText, showToast } from '../bot/reply.ts';
import type { Session } from '../bot/session.ts';
import { lines, paragraphs } from '../i18n/texts.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { callbackData } from '../views/callback-data.ts';
import { button } from '../views/view.ts';

const NAME = 'privacy';

/** Shows what is stored about the user, and sends a copy. Telegram's terms require this of every bot. */
export const privacyFeature = defineFeature((deps) => {
  const { supportUrl, privacyLines, now } = deps;

  return {
    name: NAME,
    command: { name: 'privacy', text: 'command-privacy' },
    async open(ctx) {
      const { words } = ctx;
      const html = paragraphs(
        words.html('privacy', {
          details: words.plain('button-privacy-details'),
          button: words.plain('button-forget'),
        }),
        supportUrl && words.html('operation-support', { url: supportUrl }),
      );
      const details = button(words, 'button-privacy-details', callbackData(NAME, 'details'));
      const copy = button(words, 'button-privacy-copy', callbackData(NAME, 'copy'));
      const forget = button(words, 'button-forget', callbackData(FORGET, 'open'));
      await showText(ctx, html, [details, copy], [forget]);
    },
    buttons: {
      async details(ctx) {
        const { words } = ctx;
        const html = paragraphs(
          words.html('privacy-details'),
          lines(...privacyLines.map((text) => words.html(text))),
          words.html('privacy-elsewhere'),
        );
        await showText(ctx, html, [button(words, 'button-back', callbackData(NAME, 'open'))]);
      },
      async copy(ctx) {
        const { words, from } = ctx;
        if (from === undefined) return;
        const made = await copyOfUserData(deps, ctx, from.id);
        if ('waitMs' in made)
          return showToast(ctx, 'toast-privacy-wait', { minutes: Math.ceil(made.waitMs / MINUTE_MS) });
        const file = { name: `kept-${new Date(now()).toISOString().slice(0, 10)}.json`, text: made.text };
        if (!(await sendFile(ctx, file, words.html('privacy-file')))) showToast(ctx, 'toast-file-slow');
      },
    },
  };
});

const FORGET = 'forget';

/** *Forget me*: shows what is deleted and, on request, what is retained. The deletion runs outside of the update. */
export const forgetFeature = defineFeature((deps) => {
  const { userErasure, links, isAdmin, features, now } = deps;

  async function ask(ctx: BotContext): Promise<void> {
    const { words, from } = ctx;
    if (from === undefined) return;
    const html = paragraphs(
      words.html('forget-ask'),
      ...(await erasureWarnings(deps, ctx, from.id)),
      words.html('forget-kept', { stays: words.plain('button-forget-stays') }),
    );
    const stays = button(words, 'button-forget-stays', callbackData(FORGET, 'stays'));
    const yes = button(words, 'button-forget-yes', callbackData(FORGET, 'yes', now().toString(36)), 'danger');
    const back = button(words, 'button-back', callbackData('privacy', 'open'));
    await showText(ctx, html, [yes], [stays], [back]);
  }

  async function listRetainedData(ctx: BotContext): Promise<void> {
    const { words, from } = ctx;
    if (from === undefined) return;
    const html = paragraphs(
      words.html('forget-stays'),
      retainedDataLines(words, { isAdmin: isAdmin(from.id) }),
    );
    await showText(ctx, html, [button(words, 'button-back', callbackData(FORGET, 'open'))]);
  }

  async function cancelDraft(ctx: BotContext): Promise<void> {
    const { draft } = ctx.session;
    const card = features().find(({ name }) => name === CARD_BUTTONS);
    if (draft) await handlerOf(card?.buttons?.cancel)?.(ctx, draft.operation, draft.message);
    // The toast is only for a tap on the card itself.
    delete ctx.toast;
  }

  return {
    name: FORGET,
    command: { name: FORGET, text: 'command-forget' },
    open: ask,
    buttons: {
      stays: listRetainedData,
      yes: changes(async (ctx, argument) => {
        const { words, from, update, session } = ctx;
        if (from === undefined) return;
        const asked = Number.parseInt(argument, 36);
        // The update is handled again, or a user who has returned taps an old button.
        if (await userErasure.hasStarted({ user: from.id, askedAt: asked })) {
          showToast(ctx, 'toast-question-over');
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
