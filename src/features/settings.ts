import { linkOf } from '../bot/accounts.ts';
import { ADDRESS_BUTTONS, addressBookOf, addressLabel } from '../bot/address-input.ts';
import type { BotContext } from '../bot/context.ts';
import { repeatQuestion } from '../bot/dialogue.ts';
import { changes, defineFeature, type FeatureDeps, MESSAGE_TTL_MS } from '../bot/feature.ts';
import { translateCard } from '../bot/operation-card.ts';
import { addHeader, showText, showToast } from '../bot/reply.ts';
import { LANGUAGES, type Language, lines, paragraphs } from '../i18n/texts.ts';
import { SELLING } from '../input/selling-text.ts';
import { INVOICE_BUTTONS } from '../invoices/card.ts';
import { linkButton } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, inRows } from '../views/view.ts';

const NAME = 'settings';
/** Value that a tap on the button for hours sets, by the current value. */
const NEXT_HOURS = { 1: 24, 24: 1 } as const;

interface SettingsDeps extends FeatureDeps {
  addressNotifications: { translate(user: number): Promise<unknown> };
}

export const settingsFeature = defineFeature((deps: SettingsDeps) => {
  const { texts, links, users, invoices, addressNotifications, features } = deps;

  /** Users without an account don't see the settings about selling. */
  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const { hours = 1 } = ctx.session;
    const [link, person, book] = await Promise.all([
      linkOf(deps, ctx),
      users.find(ctx.from.id),
      addressBookOf(deps, ctx),
    ]);
    const hasOptedOut = person?.hasOptedOut === true;
    const address = book.defaultAddress === undefined ? 'none' : addressLabel(book.defaultAddress, book);
    const html = paragraphs(
      lines(words.html('settings-card'), words.html('settings-default', { hours, address })),
      link && words.html('settings-selling'),
    );
    const setting = (name: string, value: string | number) => callbackData(NAME, name, value);
    const otherLanguages = LANGUAGES.filter((language) => language !== words.language).map((language) => ({
      text: words.plain(`language-${language}`),
      callback_data: setting('language', language),
    }));
    const hoursButton = {
      text: words.plain('button-settings-hours', { hours }),
      callback_data: setting('hours', NEXT_HOURS[hours]),
    };
    const selling = link?.isMerchant
      ? button(words, 'button-sells-not', setting('sell', 'no'))
      : button(words, 'button-sells', setting('sell', 'yes'));
    const news = hasOptedOut
      ? button(words, 'button-settings-news', setting('news', 'on'))
      : button(words, 'button-settings-news-not', setting('news', 'off'));
    await showText(
      ctx,
      html,
      ...inRows(otherLanguages),
      [hoursButton, button(words, 'button-settings-address', callbackData(ADDRESS_BUTTONS, 'default'))],
      link ? [selling] : [],
      [...(link ? [button(words, 'button-notifications', callbackData('notifications', 'open'))] : []), news],
      [button(words, 'button-privacy', callbackData('privacy', 'open'))],
    );
  }

  /** Offers seller mode. Shows sellers the settings, and users without an account what seller mode needs. */
  async function showSelling(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    if (link?.isMerchant) {
      addHeader(ctx, words.html('seller-mode-on'));
      return open(ctx);
    }
    const payee = words.html('invoice-payee');
    if (link === undefined) {
      ctx.session.asksToSell = true;
      await showText(ctx, paragraphs(words.html('seller-mode-guest'), payee), [linkButton(words)]);
      return;
    }
    await showText(
      ctx,
      paragraphs(words.html('settings-selling'), payee),
      [button(words, 'button-seller-mode', callbackData(NAME, 'sell', 'yes'), 'primary')],
      [button(words, 'button-invoice-new', callbackData('invoice', 'open'))],
    );
  }

  /** Offers to turn seller mode off, or says that it is off. */
  async function showSellingEnd(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const isMerchant = (await linkOf(deps, ctx))?.isMerchant === true;
    const off = button(words, 'button-seller-mode-off', callbackData(NAME, 'sell', 'no'), 'primary');
    const state = isMerchant ? 'on' : 'off';
    await showText(ctx, words.html('seller-mode-state', { state }), isMerchant ? [off] : []);
  }

  async function setLanguage(ctx: BotContext, language: Language): Promise<void> {
    ctx.session.language = language;
    ctx.words = texts.in(language);
    ctx.tx.signal.throwIfAborted();
    await Promise.all([links.setLanguage(ctx.from.id, language), users.setLanguage(ctx.from.id, language)]);
    await invoices.refreshCards(ctx.from.id);
    ctx.tx.afterCommit(() => addressNotifications.translate(ctx.from.id));
  }

  /** Switches to a language that the user named. The settings have the button back. An open question or card follows. */
  async function switchLanguage(ctx: BotContext, language: Language): Promise<void> {
    if (ctx.words.language !== language) await setLanguage(ctx, language);
    await open(ctx);
  }

  return {
    name: NAME,
    keepsFlow: true,
    menu: { button: 'button-settings', place: 'more', for: 'anyone' },
    command: { name: 'settings', text: 'command-settings' },
    textForm: SELLING,
    onCommandText: (ctx, text) => (SELLING.test(text) ? showSelling(ctx) : open(ctx)),
    words: ['language', 'change language', 'язык', 'сменить язык'],
    buttonWords: {
      english: ['english', 'in english', 'switch to english', 'speak english', 'английский', 'на английском'],
      russian: ['русский', 'на русском', 'по русски', 'russian', 'in russian', 'switch to russian'],
      'stop-selling': [
        ...['stop selling', 'not sell', 'leave seller mode', 'quit seller mode', 'exit seller mode'],
        ...['seller mode off', 'turn off seller mode', 'disable seller mode', 'no longer sell'],
        ...['want to sell any', 'stop being a seller', 'stop seller mode', 'перестать продавать'],
        ...['больше не продаю', 'не хочу продавать', 'не продавать', 'выйти из режима продавца'],
        ...['выключить режим продавца', 'выключи режим продавца', 'отключить режим продавца'],
        ...['прекратить продавать', 'закончить продавать', 'не буду продавать'],
      ],
      selling: [
        ...['seller mode', 'seller', 'i am a seller', 'merchant mode', 'i am a merchant'],
        ...[
          'sell energy',
          'i sell energy',
          'how to sell',
          'how do i sell',
          'how do i sell energy',
          'want to sell',
        ],
        ...['merchant', 'become a merchant', 'become a seller', 'accept payments', 'accept a payment'],
        ...['хочу продавать', 'хочу продавать энергию', 'стать продавцом', 'мерчант', 'принимать оплату'],
        ...['принимать оплаты', 'принимать платежи', 'режим продавца', 'продавец', 'я продавец'],
        ...['как продавать', 'как продавать энергию', 'я продаю', 'sell', 'selling', 'продавать'],
        ...['i want to sell energy to my customers', 'i want to sell energy to customers'],
      ],
      customers: [
        ...['invoice my customer', 'invoice my customers', 'invoice a customer', 'invoice customers'],
        ...['выставить счёт покупателю', 'выставить счет покупателю', 'выставить счёт клиенту'],
        ...['выставить счет клиенту', 'хочу выставить счёт', 'хочу выставить счет'],
        ...['invoice my client', 'invoice my clients', 'invoice a client', 'invoice clients'],
        ...['bill my customer', 'bill a customer', 'charge my customer', 'charge a customer'],
      ],
    },
    open,
    buttons: {
      selling: showSelling,
      'stop-selling': showSellingEnd,
      english: changes((ctx) => switchLanguage(ctx, 'en')),
      russian: changes((ctx) => switchLanguage(ctx, 'ru')),
      async customers(ctx) {
        const isSeller = (await linkOf(deps, ctx))?.isMerchant === true;
        const invoice = isSeller && features().find(({ name }) => name === INVOICE_BUTTONS);
        await (invoice ? invoice.open?.(ctx) : showSelling(ctx));
      },
      sell: changes(async (ctx, chosen) => {
        if ((await linkOf(deps, ctx)) === undefined) return showToast(ctx, 'toast-over');
        ctx.tx.signal.throwIfAborted();
        await links.setMerchant(ctx.from.id, chosen === 'yes');
        delete ctx.linked;
        const { words } = ctx;
        addHeader(
          ctx,
          chosen === 'yes' ? words.html('seller-mode-on') : words.html('seller-mode-state', { state: 'off' }),
        );
        await open(ctx);
      }),
      news: changes(async (ctx, chosen) => {
        await changeBroadcastOptOut(deps, ctx, chosen === 'off');
        await open(ctx);
      }),
      hours: changes(async (ctx, chosen) => {
        if (chosen === '24') ctx.session.hours = 24;
        else delete ctx.session.hours;
        await open(ctx);
      }),
      language: changes(async (ctx, chosen) => {
        const language = LANGUAGES.find((one) => one === chosen);
        if (language === undefined) return showToast(ctx, 'toast-over');
        await setLanguage(ctx, language);
        if (await repeatQuestion(features(), ctx)) return;
        await open(ctx);
        await translateCard(deps, ctx);
      }),
    },
  };
});

const ANNOUNCEMENTS = 'announcements';

/** Creates the buttons that opt out of broadcasts (`optOutRow`) and back in. */
export const announcementsFeature = defineFeature((deps) => {
  const optOutButton = (to: 'off' | 'on') =>
    changes(async (ctx) => {
      const { words } = ctx;
      await changeBroadcastOptOut(deps, ctx, to === 'off');
      const other = to === 'off' ? 'on' : 'off';
      const back = button(words, `button-announcements-${other}`, callbackData(ANNOUNCEMENTS, other));
      await showText(ctx, words.html(`announcements-${to}`), [back]);
    }, MESSAGE_TTL_MS);

  // A broadcast can arrive during any flow.
  return {
    name: ANNOUNCEMENTS,
    keepsFlow: true,
    buttons: { off: optOutButton('off'), on: optOutButton('on') },
  };
});

/** Stores whether the user wants broadcasts. Creates the record of an unknown user first. */
async function changeBroadcastOptOut({ users }: FeatureDeps, ctx: BotContext, hasOptedOut: boolean) {
  const { id } = ctx.from;
  ctx.tx.signal.throwIfAborted();
  if (await users.setBroadcastOptOut(id, hasOptedOut)) return;
  await users.recordActivity(id, ctx.words.language, undefined);
  await users.setBroadcastOptOut(id, hasOptedOut);
}
