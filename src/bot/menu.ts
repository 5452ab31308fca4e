import type { Bot } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import type { Balances } from '../accounts/balances.ts';
import { LANGUAGES, type Texts, type Words } from '../i18n/texts.ts';
import { button, callbackData } from '../i18n/view.ts';
import type { Log } from '../platform/log.ts';
import { callWithRetry } from '../telegram/fetch.ts';
import { type BotDescription, setWebhook, type Webhook } from '../telegram/telegram.ts';
import type { BotContext } from './context.ts';
import type { Audience, Feature, MenuEntry } from './feature.ts';
import type { Payer, Quotes } from './quotes.ts';
import { commandList } from './router.ts';

type Entry = MenuEntry & { name: string };

/** Returns the features' menu entries for these audiences. `operators`: the user uses the operator's account. */
export function menuEntries(
  features: readonly Feature[],
  to: readonly Audience[],
  { operators }: { operators?: true | undefined } = {},
): Entry[] {
  return features
    .flatMap(({ name, menu = [] }) => [menu].flat().map((entry: MenuEntry) => ({ ...entry, name })))
    .filter((entry) => entry.for === 'anyone' || to.includes(entry.for))
    .filter(({ hiddenOnOperatorAccount }) => !(operators && hiddenOnOperatorAccount));
}

/** Returns the button of an entry. `data` replaces its default target. */
export function entryButton(
  words: Words,
  { name, button: key, style }: Entry,
  data = callbackData(name, 'open'),
): InlineKeyboardButton {
  return button(words, key, data, style);
}

/** Maximum time that a menu waits for its balance, in milliseconds. */
const BALANCE_TIMEOUT_MS = 1_000;
/** Timers may fire this much early, in milliseconds. */
const TIMER_TOLERANCE_MS = 50;
/**
 * Time after a timeout during which no menu waits for a balance, in milliseconds. Menus must open while the service
 * hangs.
 */
const NO_WAIT_AFTER_TIMEOUT_MS = 10_000;

/**
 * Creates the function that returns the balance for menus, at most a few seconds old, or `undefined` if it isn't
 * available quickly.
 */
export function createMenuBalance({
  quotes,
  balances,
}: {
  quotes: Pick<Quotes, 'balance'>;
  balances: Balances;
}): (payer: Payer) => Promise<string | undefined> {
  let noWaitUntil = 0;

  return async (payer) => {
    const began = performance.now();
    const known = balances.getRecent(payer.account);
    if (known !== undefined || began < noWaitUntil) return known;
    const balance = await quotes.balance(payer, BALANCE_TIMEOUT_MS);
    const ended = performance.now();
    if (balance !== undefined) balances.set(payer.account, balance);
    else if (ended - began >= BALANCE_TIMEOUT_MS - TIMER_TOLERANCE_MS)
      noWaitUntil = ended + NO_WAIT_AFTER_TIMEOUT_MS;
    return balance;
  };
}

/** Returns the bot's commands and descriptions, by language. */
export function botDescription(texts: Texts, features: readonly Feature[]): BotDescription {
  const perLanguage = <T>(make: (words: ReturnType<Texts['in']>) => T) =>
    Object.fromEntries(LANGUAGES.map((language) => [language, make(texts.in(language))]));
  return {
    commands: perLanguage((words) => commandList(words, features, { isAdmin: false })),
    shortDescriptions: perLanguage((words) => words.plain('bot-short-description')),
    descriptions: perLanguage((words) => words.plain('bot-description')),
  };
}

/** Reads the bot's own name, then sets the webhook unless updates are polled. Retries while Telegram is unreachable. */
export async function startBot(
  bot: Bot<BotContext>,
  { webhook, ...calling }: { webhook?: Webhook; log: Log; signal: AbortSignal },
): Promise<void> {
  bot.botInfo = await callWithRetry(() => bot.api.getMe(), calling);
  if (webhook) await setWebhook(bot.api, webhook, calling);
}
