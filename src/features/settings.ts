import type { Book } from '../accounts/address-book.ts';
import type { Link } from '../accounts/links.ts';
import { linkedOf } from '../bot/accounts.ts';
import { ADDRESS_BUTTONS, addressBookOf, addressLabel } from '../bot/address-views.ts';
import type { BotContext } from '../bot/context.ts';
import { endFlow, repeatQuestion } from '../bot/conversations.ts';
import { changes, defineFeature } from '../bot/feature.ts';
import { changeBroadcastOptOut } from '../bot/middleware/users.ts';
import { show } from '../bot/reply.ts';
import { LANGUAGES } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { ENERGY_DURATIONS } from '../rental-api/amounts.ts';

const NAME = 'settings';

/**
 * Creates the feature with the settings: language, defaults, order of the menu and broadcasts. It also links to
 * unlinking and privacy.
 */
export const settingsFeature = defineFeature((deps) => {
  const { texts, links, users, addressBook, openMenu, features } = deps;
  const linkOf = async (ctx: BotContext) => linkedOf({ links }, ctx)?.find();

  async function open(ctx: BotContext): Promise<void> {
    const [link, person, book] = await Promise.all([
      linkOf(ctx),
      ctx.from && users.find(ctx.from.id),
      addressBookOf({ addressBook }, ctx),
    ]);
    await show(ctx, settings(ctx, { link, isQuiet: person?.hasOptedOut === true, book }));
  }

  return {
    name: NAME,
    keepsFlow: true,
    menu: { button: 'button-settings', place: 'more', for: 'anyone' },
    command: { name: 'settings', text: 'command-settings' },
    open,
    buttons: {
      sell: changes(async (ctx, chosen) => {
        if (ctx.from === undefined || (await linkOf(ctx)) === undefined) {
          ctx.toast = ctx.words.plain('toast-over');
          return;
        }
        ctx.tx.signal.throwIfAborted();
        await links.setMerchant(ctx.from.id, chosen === 'yes');
        delete ctx.linked;
        await open(ctx);
      }),
      news: changes(async (ctx, chosen) => {
        await changeBroadcastOptOut({ users }, ctx, chosen === 'off');
        await open(ctx);
      }),
      hours: changes(async (ctx, chosen) => {
        const hours = ENERGY_DURATIONS.find((one) => String(one) === chosen);
        if (hours === undefined) delete ctx.session.hours;
        else ctx.session.hours = hours;
        await open(ctx);
      }),
      language: changes(async (ctx, chosen) => {
        const language = LANGUAGES.find((one) => one === chosen);
        if (language === undefined || ctx.from === undefined) {
          ctx.toast = ctx.words.plain('toast-over');
          return;
        }
        ctx.session.language = language;
        ctx.words = texts.in(language);
        ctx.tx.signal.throwIfAborted();
        await links.setLanguage(ctx.from.id, language);
        if (repeatQuestion(features(), ctx)) return;
        endFlow(ctx);
        await openMenu(ctx);
      }),
    },
  };
});

/** Value that a tap on the button for hours sets, by the current value. */
const NEXT_HOURS = { ask: 1, 1: 24, 24: 'ask' } as const;

/** Returns the settings. A user without an account doesn't see those about selling. */
function settings(
  { words, session }: BotContext,
  { link, isQuiet, book }: { link: Link | undefined; isQuiet: boolean; book: Book },
): View {
  const { hours = 'ask' } = session;
  const { defaultAddress: preferred } = book;
  const own = preferred === undefined ? 'none' : addressLabel(preferred, book);
  const others = LANGUAGES.filter((language) => language !== words.language).map((language) => ({
    text: words.plain(`language-${language}`),
    callback_data: callbackData(NAME, 'language', language),
  }));
  const byDefault = [
    {
      text: words.plain('button-settings-hours', { hours }),
      callback_data: callbackData(NAME, 'hours', NEXT_HOURS[hours]),
    },
    button(words, 'button-settings-address', callbackData(ADDRESS_BUTTONS, 'open')),
  ];
  const [key, next] = link?.isMerchant
    ? (['button-sells-not', 'no'] as const)
    : (['button-sells', 'yes'] as const);
  const selling = link ? [[button(words, key, callbackData(NAME, 'sell', next))]] : [];
  const [newsKey, nextNews] = isQuiet
    ? (['button-settings-news', 'on'] as const)
    : (['button-settings-news-not', 'off'] as const);
  const news = [button(words, newsKey, callbackData(NAME, 'news', nextNews))];
  const html = paragraphs(
    lines(words.html('settings-card'), words.html('settings-default', { hours, address: own })),
    link && words.html('settings-selling', { sells: link.isMerchant ? 'yes' : 'no' }),
    words.html('settings-news', { news: isQuiet ? 'off' : 'on' }),
  );
  const leaving = [
    ...(link ? [button(words, 'button-unlink', callbackData('account', 'unlink'))] : []),
    button(words, 'button-privacy', callbackData('privacy', 'open')),
  ];
  return withMenuButton(words, html, ...inRows(others), byDefault, ...selling, news, leaving);
}
