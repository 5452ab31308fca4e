import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Link } from '../accounts/links.ts';
import { createMenuBalance, guestButtons, linkOf, payerOf, revokedLinkNote } from '../bot/accounts.ts';
import { adminWarnings } from '../bot/admin-views.ts';
import type { BotContext } from '../bot/context.ts';
import { repeatQuestion } from '../bot/dialogue.ts';
import {
  type ButtonHandler,
  defineFeature,
  entryButton,
  isByAdmin,
  type MenuAudience,
  type MenuPlace,
  menuEntries,
  type Payer,
} from '../bot/feature.ts';
import { send, show, showText, showThenRefresh } from '../bot/reply.ts';
import { commandList } from '../bot/router.ts';
import {
  escapeHtml,
  formatCount,
  formatKeyTail,
  formatSpan,
  lines,
  paragraphs,
  type Variables,
  type Words,
} from '../i18n/texts.ts';
import type { OtherAccount } from '../rental-api/account-reader.ts';
import {
  BANDWIDTH_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  WITHDRAWAL_FEE_TRX,
} from '../rental-api/tron.ts';
import { linkButton } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { AT_OPEN_QUESTION, HELP_FEATURE, HELP_TOPICS, type HelpTopic } from '../views/help-buttons.ts';
import { button, inRows, numberButtons, type View, withMenuButton } from '../views/view.ts';

const NAME = 'menu';
/** Minimum age of a balance that is shown with its age, in milliseconds. */
const MIN_SHOWN_AGE_MS = 60_000;

export const menuFeature = defineFeature((deps) => {
  const { pollers, outbox, balances, features, accountUrl, operatorKey } = deps;
  const balanceOf = createMenuBalance(deps);
  /** Composed buttons by language, place and type of link, because every menu shows the same. */
  const linkedButtons = new Map<string, InlineKeyboardButton[]>();

  function buttonsAt(
    words: Words,
    place: MenuPlace,
    { isMerchant, usesOperatorAccount }: Link,
  ): InlineKeyboardButton[] {
    const key = [words.language, place, isMerchant === true, usesOperatorAccount === true].join();
    const known = linkedButtons.get(key);
    if (known) return known;
    const audience: MenuAudience[] = isMerchant ? ['linked', 'merchant'] : ['linked'];
    const composed = menuEntries(features(), audience, { usesOperatorAccount })
      .map(({ merchants, ...entry }) => ({ ...entry, move: isMerchant ? merchants : undefined }))
      .filter(({ move = 'first', ...entry }) => (move === 'first' ? entry.place : move) === place)
      .toSorted((one, other) => Number(other.move === 'first') - Number(one.move === 'first'))
      .map((entry) => entryButton(words, entry));
    linkedButtons.set(key, composed);
    return composed;
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

  function adminRow(ctx: BotContext): InlineKeyboardButton[][] {
    if (!isByAdmin(deps, ctx) || adminButtons(ctx.words).length === 0) return [];
    return [[button(ctx.words, 'button-admin', callbackData(NAME, 'admin'))]];
  }

  function guestMenu(words: Words): InlineKeyboardButton[][] {
    const ofStyle = (isPrimary: boolean) =>
      menuEntries(features(), ['guest'])
        .filter(({ style }) => (style === 'primary') === isPrimary)
        .map((entry) => entryButton(words, entry));
    return [...inRows(ofStyle(true), 1), ...guestButtons(words, accountUrl), ...inRows(ofStyle(false))];
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    if (link === undefined) {
      const welcome = words.html('menu-guest', { invoices: operatorKey ? 'yes' : 'no' });
      const html = paragraphs(await revokedLinkNote(deps, ctx), welcome);
      await show(ctx, { html, keyboard: [...guestMenu(words), ...adminRow(ctx)] });
      return;
    }
    const [first, ...others] = mainMenu(words, link);
    const keyboard = [...(first ? [[first]] : []), ...inRows(others), ...adminRow(ctx)];
    await showAccount(ctx, link, (account) => ({
      html: paragraphs(words.html('menu-title'), account),
      keyboard,
    }));
  }

  /**
   * Shows a view with the account and its last known balance, and edits it once the service has reported the current
   * one. Without a known balance, waits for the service for a moment.
   */
  async function showAccount(ctx: BotContext, link: Link, viewOf: (html: string) => View): Promise<void> {
    const { words, chatId } = ctx;
    const { account, tail, usesOperatorAccount } = link;
    if (chatId) ctx.tx.afterCommit(() => outbox.onUserActive(chatId));
    const accountLine = words.html('menu-account', { account: String(account), tail: formatKeyTail(tail) });
    const viewWith = (balance: string) => viewOf(lines(accountLine, balance));
    const viewNow = (balance: string | OtherAccount | undefined) => {
      if (typeof balance === 'object') {
        const view = viewWith(
          words.html('account-other', { whose: usesOperatorAccount ? 'operators' : 'own' }),
        );
        return usesOperatorAccount ? view : { ...view, keyboard: [[linkButton(words)], ...view.keyboard] };
      }
      return viewWith(
        balance === undefined
          ? words.html('operation-no-balance')
          : words.html('menu-balance-current', { balance }),
      );
    };

    const recent = balances.getRecent(account);
    const payer = recent === undefined ? await payerOf(deps, ctx) : undefined;
    if (payer === undefined) return void (await show(ctx, viewNow(recent)));
    const last = balances.getLast(account);
    const reading = readBalance(payer, last?.balance);
    if (last === undefined) return void (await show(ctx, viewNow(await reading)));
    const { balance, ageMs } = last;
    const shown =
      ageMs < MIN_SHOWN_AGE_MS
        ? viewNow(balance)
        : viewWith(words.html('menu-balance-last', { balance, age: formatSpan(words, ageMs) }));
    const refreshed = reading.then((read) => (read === undefined ? undefined : viewNow(read)));
    await showThenRefresh(ctx, shown, refreshed);
  }

  async function readBalance(payer: Payer, before: string | undefined) {
    const balance = await balanceOf(payer);
    const hasChanged = before !== undefined && typeof balance === 'string' && before !== balance;
    // The cause is found sooner if the account is polled now. If that fails, its next poll finds it.
    if (hasChanged) pollers.onUserActive(payer.account).catch(() => undefined);
    return balance;
  }

  const openSubmenu = (place: 'balance' | 'more') => async (ctx: BotContext) => {
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    if (link === undefined) return open(ctx);
    const title = words.html(`menu-${place}`);
    const rows = inRows(buttonsAt(words, place, link));
    if (place === 'more') await showText(ctx, title, ...rows);
    else
      await showAccount(ctx, link, (account) => withMenuButton(words, paragraphs(title, account), ...rows));
  };

  async function admin(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const html = paragraphs(words.html('menu-admin'), await adminWarnings(deps, words));
    await showText(ctx, html, ...inRows(adminButtons(words)));
  }

  return {
    name: NAME,
    isAvailable: (ctx, pressed) => pressed !== 'admin' || isByAdmin(deps, ctx),
    open,
    command: { name: 'start', text: 'command-start' },
    alias: { name: 'menu', text: 'command-menu' },
    buttons: { balance: openSubmenu('balance'), more: openSubmenu('more'), admin },
    buttonCommands: {
      balance: { button: 'balance', text: 'command-balance' },
      admin: { button: 'admin', text: 'command-admin', admins: true },
    },
  };
});

const TO_QUESTION = 'return';
const FEATURE_TOPIC = 'topic';

/** Shows frequent questions with answers, and all commands. An open question stays open. */
export const helpFeature = defineFeature((deps) => {
  const { supportUrl, features, operations } = deps;

  const featureTopics = () => features().flatMap(({ help = [] }) => help);

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const keys = [
      ...HELP_TOPICS.map((topic) => `help-question-${topic}` as const),
      ...featureTopics().map(({ question }) => question),
    ];
    const data = [
      ...HELP_TOPICS.map((topic) => callbackData(HELP_FEATURE, topic)),
      ...featureTopics().map(({ topic }) => callbackData(HELP_FEATURE, FEATURE_TOPIC, topic)),
    ];
    const questions = keys.map((key, at) => `${at + 1}. ${words.html(key)}`);
    const commands = button(words, 'button-help-commands', callbackData(HELP_FEATURE, 'commands'));
    const support = supportUrl ? [{ text: words.plain('button-support'), url: supportUrl }] : [];
    const html = paragraphs(words.html('help'), lines(words.html('help-questions'), ...questions));
    await showText(ctx, html, ...inRows(numberButtons(data), 5), [commands], support);
  }

  const back = (words: Words) => [button(words, 'button-back', callbackData(HELP_FEATURE, 'open'))];

  /** Returns the variables of the answers: limits of the service, and the daily limit without two-factor codes. */
  function facts({ language }: Words): Variables {
    const { trx } = operations.dailyCap;
    return {
      holder: formatCount(ENERGY_PER_TRANSFER, language),
      first: formatCount(ENERGY_PER_FIRST_TRANSFER, language),
      least: formatCount(BANDWIDTH_MIN, language),
      fee: WITHDRAWAL_FEE_TRX,
      cap: new BigNumber(trx).gt(0) ? trx : 'none',
    };
  }

  const answer =
    (topic: HelpTopic): ButtonHandler =>
    async (ctx, at) => {
      const { words } = ctx;
      const question = `<b>${words.html(`help-question-${topic}`)}</b>`;
      const html = paragraphs(question, words.html(`help-answer-${topic}`, facts(words)));
      const toQuestion = button(words, 'button-help-return', callbackData(HELP_FEATURE, TO_QUESTION));
      if (at === AT_OPEN_QUESTION) await send(ctx, { html, keyboard: [[toQuestion]] });
      else await showText(ctx, html, back(words));
    };

  const featureTopic: ButtonHandler = async (ctx, name) => {
    const { words } = ctx;
    const found = featureTopics().find(({ topic }) => topic === name);
    if (found === undefined) return open(ctx);
    const html = paragraphs(`<b>${words.html(found.question)}</b>`, words.html(found.answer));
    await showText(ctx, html, back(words));
  };

  async function toQuestion(ctx: BotContext): Promise<void> {
    if (!(await repeatQuestion(features(), ctx))) await open(ctx);
  }

  async function commands(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const list = commandList(words, features(), { isAdmin: isByAdmin(deps, ctx) });
    const listed = list.map(({ command, description }) => `/${command} · ${escapeHtml(description)}`);
    const html = paragraphs(lines(words.html('help-commands'), ...listed), words.html('help-quick'));
    await showText(ctx, html, back(words));
  }

  return {
    name: HELP_FEATURE,
    keepsFlow: true,
    menu: { button: 'button-help', place: 'more', for: 'anyone' },
    command: { name: 'help', text: 'command-help' },
    open,
    buttons: {
      ...Object.fromEntries(HELP_TOPICS.map((topic) => [topic, answer(topic)])),
      [FEATURE_TOPIC]: featureTopic,
      commands,
      [TO_QUESTION]: toQuestion,
    },
  };
});
