import type { Link } from '../../accounts/links.ts';
import type { Profile } from '../../rental/resources/profile.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { keyTail } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { button, notice, paragraphs, type View } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { show } from '../reply.ts';
import { leftAccount } from '../reports-outcome.ts';
import { screen } from '../screen.ts';
import { linkedOf } from '../with-account.ts';
import type { CreateFeature } from './feature.ts';

const NAME = 'account';

/** The linked account: what it is, and unlinking it. */
export const createAccount: CreateFeature = (deps) => {
  const { links, hooks, noticeSettings, hookUrl, leaveAccount } = deps;
  const linkOf = async (ctx: BotContext) => linkedOf(deps, ctx)?.find();

  async function view(words: Words, profile: Profile, { tail }: Link): Promise<View> {
    const reports = (await hooks.isActive(profile.id)) ? 'on' : hookUrl ? 'off' : 'none';
    const html = words.html('account-card', {
      account: String(profile.id),
      email: profile.email,
      balance: profile.balance_trx,
      tail: keyTail(tail),
      totp: profile.totp_enabled ? 'on' : 'off',
      reports,
      address: profile.chain_address,
    });
    const switchReports = {
      on: [[button(words, 'button-reports-off', callbackData('reports', 'off', NAME))]],
      off: [[button(words, 'button-reports-on', callbackData('reports', 'open'))]],
      none: [],
    }[reports];
    const unlink = [button(words, 'button-unlink', callbackData(NAME, 'unlink'))];
    return notice(words, html, ...switchReports, unlink);
  }

  async function ask(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(ctx);
    if (link === undefined) {
      await show(ctx, notice(words, words.html('unlink-none')));
      return;
    }
    const html = paragraphs(
      words.html('unlink-ask', { tail: keyTail(link.tail) }),
      (await hooks.isActive(link.account)) && words.html('unlink-reports'),
    );
    const yes = [button(words, 'button-unlink-yes', callbackData(NAME, 'unlink-yes'), 'danger')];
    const back = [button(words, 'button-back', callbackData(NAME, 'open'))];
    await show(ctx, { html, keyboard: [yes, back] });
  }

  async function unlink(ctx: BotContext): Promise<void> {
    const { from, words } = ctx;
    const linked = await linkedOf(deps, ctx)?.open();
    if (from === undefined || linked === undefined) {
      await show(ctx, notice(words, words.html('unlinked')));
      return;
    }
    const { account } = linked.link;
    ctx.tx.signal.throwIfAborted();
    // First, since an update that comes again finds no link any more.
    await noticeSettings.forget(from.id);
    const left = await leaveAccount({ user: from.id, account, apiKey: linked.apiKey }, () => {
      ctx.tx.signal.throwIfAborted();
      return links.unlink(from.id);
    });
    ctx.linked = undefined;
    await show(ctx, notice(words, paragraphs(words.html('unlinked'), leftAccount(words, account, left))));
  }

  return screen(deps, {
    name: NAME,
    menu: { button: 'button-account', place: 'more', for: 'linked' },
    command: { name: 'account', text: 'command-account' },
    buttons: { unlink: ask, 'unlink-yes': unlink },
    read: (rental, apiKey) => rental.profile(apiKey),
    view,
  });
};
