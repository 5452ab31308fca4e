import type { Link } from '../accounts/links.ts';
import { linkedOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { changes, defineFeature, QUESTION_TTL_MS } from '../bot/feature.ts';
import { openInvoicesWarning } from '../bot/invoice-cards.ts';
import { createLinkChanges } from '../bot/link-account.ts';
import { show } from '../bot/reply.ts';
import { OPERATORS_REPORTS, OWN_REPORTS } from '../bot/report-views.ts';
import { screen } from '../bot/screen.ts';
import { formatKeyTail } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import type { Profile } from '../rental-api/schemas.ts';

const NAME = 'account';
/** Shown in place of a field that the service leaves empty. */
const MISSING = '–';

/** Creates the feature that shows the linked account and unlinks it. */
export const accountFeature = defineFeature((deps) => {
  const { links, webhookSubscriptions, notificationSettings, invoices, hookUrl, now } = deps;
  const linkChanges = createLinkChanges(deps);
  const linkOf = async (ctx: BotContext) => linkedOf(deps, ctx)?.find();

  async function view(words: Words, profile: Profile, { tail, operators }: Link): Promise<View> {
    const whose = operators ? OPERATORS_REPORTS : OWN_REPORTS;
    const reports = (await webhookSubscriptions.isActive(profile.id)) ? 'on' : hookUrl ? 'off' : 'none';
    const html = words.html('account-card', {
      account: String(profile.id),
      email: profile.email ?? MISSING,
      balance: profile.balance_trx,
      tail: formatKeyTail(tail),
      totp: profile.totp_enabled ? 'on' : 'off',
      reports,
      address: profile.chain_address ?? MISSING,
    });
    const switchReports = {
      on: [[button(words, 'button-reports-off', callbackData('reports', whose.confirmOffButton, NAME))]],
      off: [[button(words, 'button-reports-on', callbackData('reports', whose.confirmOnButton))]],
      none: [],
    }[reports];
    const unlink = [button(words, 'button-unlink', callbackData(NAME, 'unlink'))];
    return withMenuButton(words, html, ...switchReports, unlink);
  }

  async function ask(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(ctx);
    if (link === undefined || ctx.from === undefined) {
      await show(ctx, withMenuButton(words, words.html('unlink-none')));
      return;
    }
    const followed = await invoices.linkChanges.trackedInvoices({ user: ctx.from.id, account: link.account });
    const html = paragraphs(
      words.html('unlink-ask', { tail: formatKeyTail(link.tail) }),
      openInvoicesWarning(words, followed, { about: 'unlink', now: now() }),
      !link.operators && (await webhookSubscriptions.isActive(link.account)) && words.html('unlink-reports'),
    );
    const yes = [button(words, 'button-unlink-yes', callbackData(NAME, 'unlink-yes'), 'danger')];
    const back = [button(words, 'button-back', callbackData(NAME, 'open'))];
    await show(ctx, { html, keyboard: [yes, back] });
  }

  async function unlink(ctx: BotContext): Promise<void> {
    const { from, words } = ctx;
    const linked = await linkedOf(deps, ctx)?.open();
    if (from === undefined || linked === undefined) {
      await show(ctx, withMenuButton(words, words.html('unlinked')));
      return;
    }
    ctx.tx.signal.throwIfAborted();
    // Before unlinking, because an update that is handled again finds no link.
    await notificationSettings.delete(from.id);
    const left = await linkChanges.endLink(ctx, { user: from.id, ...linked }, () => links.unlink(from.id));
    ctx.linked = undefined;
    const done = words.html(linked.link.operators ? 'unlinked-operators' : 'unlinked');
    await show(ctx, withMenuButton(words, paragraphs(done, left)));
  }

  return screen(deps, {
    name: NAME,
    menu: { button: 'button-account', place: 'more', for: 'linked' },
    command: { name: 'account', text: 'command-account' },
    buttons: { unlink: ask, 'unlink-yes': changes(unlink, QUESTION_TTL_MS) },
    read: (rental, apiKey) => rental.profile(apiKey),
    view,
  });
});
