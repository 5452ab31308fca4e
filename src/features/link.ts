import { linkedOf } from '../bot/accounts.ts';
import { isByAdmin } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { endFlow } from '../bot/conversations.ts';
import { defineFeature } from '../bot/feature.ts';
import { openInvoicesWarning } from '../bot/invoice-cards.ts';
import { createLinkChanges, createLinkOperator } from '../bot/link-account.ts';
import { isInMaintenance } from '../bot/maintenance.ts';
import { send, show } from '../bot/reply.ts';
import { containsOperatorKey } from '../bot/secrets.ts';
import type { TextKey } from '../i18n/keys.ts';
import { questionHelpButton } from '../i18n/shared-views.ts';
import { button, callbackData, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Rental } from '../rental-api/client.ts';
import { isUnexpectedReply } from '../rental-api/http.ts';

const NAME = 'link';
/** Time limits in milliseconds. Together they fit into the time of a handler. */
const WITHIN_MS = 4_000;
const LEAVE_WITHIN_MS = 1_500;
const OPERATOR_WITHIN_MS = 500;
const KEY = /^[\x21-\x7e]{4,256}$/;

/** Creates the feature that links an account. The API key is received like every secret, never through a flow. */
export const linkFeature = defineFeature((deps) => {
  const { links, pollers, keyAttempts, rental, operations, operator, operatorKey, adminAlerts, openMenu } =
    deps;
  const linkOperator = createLinkOperator(deps);
  const linkChanges = createLinkChanges(deps);

  function linkQuestion(ctx: BotContext, html: string): View {
    const { words } = ctx;
    const operators = operatorKey !== undefined && isByAdmin(deps, ctx);
    const own = button(words, 'button-operator-link-own', callbackData('operator', 'link'));
    const cancel = button(words, 'button-cancel', callbackData(NAME, 'cancel'));
    return { html, keyboard: [...(operators ? [[own]] : []), [cancel, questionHelpButton(words, 'key')]] };
  }

  async function ask(ctx: BotContext): Promise<void> {
    if (await isPaused(ctx)) return;
    if (await isInMaintenance(deps, ctx)) {
      await show(ctx, withMenuButton(ctx.words, ctx.words.html('maintenance')));
      return;
    }
    const html = paragraphs(ctx.words.html('link-ask'), await atStake(ctx));
    const question = await show(ctx, linkQuestion(ctx, html));
    ctx.session.awaiting = NAME;
    ctx.session.question = question;
  }

  /** Returns what would be lost if another account replaced the linked one, or `false`. */
  async function atStake(ctx: BotContext): Promise<string | false> {
    const link = await linkedOf(deps, ctx)?.find();
    if (link === undefined || ctx.from === undefined) return false;
    const followed = await deps.invoices.linkChanges.trackedInvoices({
      user: ctx.from.id,
      account: link.account,
    });
    return openInvoicesWarning(ctx.words, followed, { about: 'replace', now: deps.now() });
  }

  /** Says what was wrong and asks again. */
  async function askAgain(ctx: BotContext, problem: TextKey): Promise<void> {
    answered(ctx);
    ctx.session.question = await send(ctx, linkQuestion(ctx, ctx.words.html(problem)));
    ctx.session.awaiting = NAME;
  }

  /**
   * Returns whether the user must wait because too many keys were refused, and says so. This prevents guessing keys.
   */
  async function isPaused(ctx: BotContext): Promise<boolean> {
    const pause = ctx.from === undefined ? 0 : await keyAttempts.waitMs(ctx.from.id);
    if (pause === 0) return false;
    answered(ctx);
    const html = ctx.words.html('link-paused', { minutes: Math.ceil(pause / 60_000) });
    await show(ctx, withMenuButton(ctx.words, html));
    return true;
  }

  async function linked(ctx: BotContext, user: number, apiKey: string): Promise<void> {
    if (await isPaused(ctx)) return;
    const profile = await orTimeout(rental.profile(apiKey), WITHIN_MS);
    if (profile?.kind !== 'accepted') {
      const problem = problemOf(profile);
      if (problem === 'link-refused') await keyAttempts.recordRefusal(user);
      return askAgain(ctx, problem);
    }
    const { id, balance_trx: balance, totp_enabled: hasCodes } = profile.value;
    // Another key of the operator's account. If that isn't known yet, the link becomes invalid once it is known.
    if (await orTimeout(operator.owns(id), OPERATOR_WITHIN_MS)) return ofOperators(ctx, user);
    const before = await linkedOf(deps, ctx)?.find();
    const left = await linkChanges.replaceLink(ctx, { user, account: id, withinMs: LEAVE_WITHIN_MS }, () =>
      links.link(user, id, apiKey, ctx.words.language),
    );
    await pollers.addAccount(id, { user, relinked: before?.account === id ? before : undefined });
    ctx.linked = undefined;
    ctx.balance = balance;
    answered(ctx);
    ctx.headerHtml = paragraphs(
      ctx.words.html('link-done'),
      left,
      !hasCodes &&
        Number(operations.dailyCap.trx) > 0 &&
        ctx.words.html('link-without-codes', { cap: operations.dailyCap.trx }),
    );
    await openMenu(ctx);
  }

  /** Handles a key of the operator's account. Admins get that account without the key, other users can't have it. */
  async function ofOperators(ctx: BotContext, user: number): Promise<void> {
    if (await isPaused(ctx)) return;
    if (isByAdmin(deps, ctx)) {
      answered(ctx);
      return linkOperator(ctx);
    }
    ctx.tx.signal.throwIfAborted();
    await adminAlerts.operatorKeySent(user);
    await keyAttempts.recordRefusal(user);
    return askAgain(ctx, 'link-not-here');
  }

  return {
    name: NAME,
    open: ask,
    buttons: { cancel: openMenu },
    secretInput: {
      acceptsKeys: true,
      async handle(ctx, secret) {
        if (ctx.from === undefined) return;
        const apiKey = secret?.trim();
        if (apiKey === undefined) return askAgain(ctx, 'link-not-text');
        if (containsOperatorKey(operator, apiKey)) return ofOperators(ctx, ctx.from.id);
        if (!KEY.test(apiKey)) return askAgain(ctx, 'link-not-a-key');
        if (await isInMaintenance(deps, ctx)) return askAgain(ctx, 'maintenance-link');
        return linked(ctx, ctx.from.id, apiKey);
      },
      repeatQuestion: ask,
      explain: (ctx) => askAgain(ctx, 'link-question'),
      exposedText: 'link-delete-failed',
    },
  };
});

/** Ends the question: removes its buttons, and no longer treats the next message as a key. */
function answered(ctx: BotContext): void {
  endFlow(ctx);
  delete ctx.headerHtml;
}

function problemOf(outcome: Awaited<ReturnType<Rental['profile']>> | undefined): TextKey {
  const refused = outcome?.kind === 'rejected' && outcome.status !== 429;
  if (refused || (outcome?.kind === 'not-sent' && outcome.reason === 'invalid')) return 'link-refused';
  return isUnexpectedReply(outcome) ? 'link-unexpected' : 'link-unreachable';
}
