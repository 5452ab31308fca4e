import type { InlineKeyboardButton } from 'grammy/types';
import type { Link } from '../accounts/links.ts';
import { guestButtons, linkedOf, payerOf, revokedLinkNote } from '../bot/accounts.ts';
import { createAdminWarnings } from '../bot/admin-views.ts';
import { isByAdmin } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { type Audience, defineFeature, type Place } from '../bot/feature.ts';
import { createMenuBalance, entryButton, menuEntries } from '../bot/menu.ts';
import { show } from '../bot/reply.ts';
import { formatKeyTail } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';

const NAME = 'menu';

/** Creates the menus, which show each user the available features. */
export const menuFeature = defineFeature((deps) => {
  const { links, pollers, outbox, quotes, balances, features, accountUrl, operatorKey } = deps;
  const balanceOf = createMenuBalance({ quotes, balances });
  const adminHead = createAdminWarnings(deps);
  const linkOf = async (ctx: BotContext) => linkedOf({ links }, ctx)?.find();

  function buttonsAt(
    words: Words,
    place: Place,
    { isMerchant: sells, operators }: Link,
  ): InlineKeyboardButton[] {
    const audience: Audience[] = sells ? ['linked', 'merchant'] : ['linked'];
    const found = menuEntries(features(), audience, { operators })
      .map(({ merchants, ...entry }) => ({ ...entry, move: sells ? merchants : undefined }))
      .filter(({ move = 'first', ...entry }) => (move === 'first' ? entry.place : move) === place);
    const [first, others] = [true, false].map((isFirst) =>
      found.filter(({ move }) => (move === 'first') === isFirst),
    );
    return [...(first ?? []), ...(others ?? [])].map((entry) => entryButton(words, entry));
  }

  function mainMenu(words: Words, link: Link): InlineKeyboardButton[] {
    const below = (['balance', 'more'] as const)
      .filter((place) => buttonsAt(words, place, link).length > 0)
      .map((place) => button(words, `button-${place}`, callbackData(NAME, place)));
    return [...buttonsAt(words, 'main', link), ...below];
  }

  const adminButtons = (words: Words) =>
    menuEntries(features(), ['admin'])
      .filter(({ place }) => place === 'admin')
      .map((entry) => entryButton(words, entry));

  /** Returns the row below an admin's menu. Empty for other users. */
  function adminRow(ctx: BotContext): InlineKeyboardButton[][] {
    if (!isByAdmin(deps, ctx) || adminButtons(ctx.words).length === 0) return [];
    return [[button(ctx.words, 'button-admin', callbackData(NAME, 'admin'))]];
  }

  /** Returns the buttons for a guest, all in one menu. */
  function guestMenu(words: Words): InlineKeyboardButton[][] {
    const [first = [], others = []] = [true, false].map((isFirst) =>
      menuEntries(features(), ['guest'])
        .filter(({ style }) => (style === 'primary') === isFirst)
        .map((entry) => entryButton(words, entry)),
    );
    return [...inRows(first, 1), ...guestButtons(words, accountUrl), ...inRows(others)];
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(ctx);
    if (link === undefined) {
      await show(ctx, {
        html: paragraphs(
          await revokedLinkNote(deps, ctx),
          words.html('menu-guest', { invoices: operatorKey ? 'yes' : 'no' }),
        ),
        keyboard: [...guestMenu(words), ...adminRow(ctx)],
      });
      return;
    }
    const [first, ...others] = mainMenu(words, link);
    const html = paragraphs(words.html('menu-title'), await head(ctx, link), words.html('menu-linked'));
    await show(ctx, { html, keyboard: [...(first ? [[first]] : []), ...inRows(others), ...adminRow(ctx)] });
  }

  /** Returns the account and its balance, if the service reports it quickly. */
  async function head(ctx: BotContext, { account, tail }: Link): Promise<string> {
    const before = balances.getLast(account);
    const payer = await payerOf({ links }, ctx);
    const balance = ctx.balance ?? (payer && (await balanceOf(payer)));
    ctx.tx.afterCommit(async () => {
      // The user sees a changed balance that no notification has explained.
      const isOther = before !== undefined && balance !== undefined && before !== balance;
      await Promise.all([
        isOther && pollers.onUserActive(account),
        ctx.chatId && outbox.onUserActive(ctx.chatId),
      ]);
    });
    return lines(
      ctx.words.html('menu-account', { account: String(account), tail: formatKeyTail(tail) }),
      balance === undefined
        ? ctx.words.html('operation-no-balance')
        : ctx.words.html('menu-has', { balance }),
    );
  }

  const below = (place: 'balance' | 'more') => async (ctx: BotContext) => {
    const { words } = ctx;
    const link = await linkOf(ctx);
    if (link === undefined) return open(ctx);
    const view: View = {
      html: paragraphs(words.html(`menu-${place}`), place === 'balance' && (await head(ctx, link))),
      keyboard: [...inRows(buttonsAt(words, place, link)), [menuButton(words)]],
    };
    await show(ctx, view);
  };

  async function admin(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    await show(ctx, {
      html: paragraphs(words.html('menu-admin'), await adminHead(words)),
      keyboard: [...inRows(adminButtons(words)), [menuButton(words)]],
    });
  }

  return {
    name: NAME,
    isAvailable: (ctx, pressed) => pressed !== 'admin' || isByAdmin(deps, ctx),
    open,
    command: { name: 'start', text: 'command-start' },
    alias: { name: 'menu', text: 'command-menu' },
    buttons: {
      balance: below('balance'),
      more: below('more'),
      admin,
    },
    buttonCommands: { admin: { button: 'admin', text: 'command-admin' } },
  };
});
