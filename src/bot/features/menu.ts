import type { InlineKeyboardButton } from 'grammy/types';
import type { Link } from '../../accounts/links.ts';
import { callbackData } from '../../texts/callback-data.ts';
import { keyTail } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { button, inRows, lines, menuButton, paragraphs, type View } from '../../texts/view.ts';
import type { BotContext } from '../context.ts';
import { createMenuBalance } from '../menu-balance.ts';
import { show } from '../reply.ts';
import { guestButtons, linkedOf, payerOf } from '../with-account.ts';
import type { CreateFeature, Feature, Place } from './feature.ts';

const NAME = 'menu';

/** The menus: what the other features have to show, to whom it is for. */
export const createMenu: CreateFeature = ({ links, quotes, balances, features, accountUrl, operatorKey }) => {
  const balanceOf = createMenuBalance({ quotes, balances });
  const linkOf = async (ctx: BotContext) => linkedOf({ links }, ctx)?.find();

  function buttonsAt(words: Words, places: readonly Place[]): InlineKeyboardButton[] {
    return shown(features(), 'linked')
      .filter(({ menu }) => menu && places.includes(menu.place))
      .flatMap((feature) => menuEntry(words, feature));
  }

  function mainMenu(words: Words): InlineKeyboardButton[] {
    const below = (['balance', 'more'] as const)
      .filter((place) => buttonsAt(words, [place]).length > 0)
      .map((place) => button(words, `button-${place}`, callbackData(NAME, place)));
    return [...buttonsAt(words, ['main']), ...below];
  }

  /** Few enough for one menu. */
  function guestMenu(words: Words): InlineKeyboardButton[][] {
    const [first, others] = [true, false].map((isFirst) =>
      shown(features(), 'guest')
        .filter(({ menu }) => (menu?.style === 'primary') === isFirst)
        .flatMap((feature) => menuEntry(words, feature)),
    );
    return [...inRows(first ?? [], 1), ...guestButtons(words, accountUrl), ...inRows(others ?? [])];
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(ctx);
    if (link === undefined) {
      await show(ctx, {
        html: words.html('menu-guest', { invoices: operatorKey ? 'yes' : 'no' }),
        keyboard: guestMenu(words),
      });
      return;
    }
    const [first, ...others] = mainMenu(words);
    const html = paragraphs(words.html('menu-title'), await head(ctx, link), words.html('menu-linked'));
    await show(ctx, { html, keyboard: [...(first ? [[first]] : []), ...inRows(others)] });
  }

  /** Whose menu it is: account and balance, as far as the service tells at once. */
  async function head(ctx: BotContext, { account, tail }: Link): Promise<string> {
    const payer = await payerOf({ links }, ctx);
    const balance = ctx.balance ?? (payer && (await balanceOf(payer)));
    return lines(
      ctx.words.html('menu-account', { account: String(account), tail: keyTail(tail) }),
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
      keyboard: [...inRows(buttonsAt(words, [place])), [menuButton(words)]],
    };
    await show(ctx, view);
  };

  return {
    name: NAME,
    open,
    command: { name: 'start', text: 'command-start' },
    buttons: { balance: below('balance'), more: below('more') },
  };
};

function shown(features: readonly Feature[], to: 'guest' | 'linked'): Feature[] {
  return features.filter(({ menu }) => menu && (menu.for === 'anyone' || menu.for === to));
}

function menuEntry(words: Words, { name, menu }: Feature): InlineKeyboardButton[] {
  return menu ? [button(words, menu.button, callbackData(name, 'open'), menu.style)] : [];
}
