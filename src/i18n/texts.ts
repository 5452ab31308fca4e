import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FluentBundle, type FluentFunction, FluentResource } from '@fluent/bundle';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import type { TextKey } from './keys.ts';

export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

export type Variables = Record<string, string | number>;

export interface Words {
  readonly language: Language;
  /** Returns a text in Telegram's HTML. Escapes the variables. */
  html(key: TextKey, variables?: Variables): string;
  /** Returns a text as plain text, for buttons and toasts. */
  plain(key: TextKey, variables?: Variables): string;
  /** Returns the URL of an explorer page; `undefined` without an explorer, or if `id` isn't valid on the chain. */
  explorerUrl(kind: ExplorerPage, id: string): string | undefined;
}

/** Kind of explorer page, as in the page's URL. */
type ExplorerPage = 'address' | 'transaction';

const CHAIN_IDS: Readonly<Record<ExplorerPage, RegExp>> = {
  address: /^T[0-9A-Za-z]{33}$/,
  transaction: /^[0-9a-f]{64}$/i,
};

export interface Texts {
  in(language: Language): Words;
}

/** Folder with one subfolder per language and one file per feature. */
export const LOCALES = fileURLToPath(new URL('../../locales', import.meta.url));

/**
 * Creates the texts from folders laid out like {@link LOCALES}. `explorerUrl`: template of the explorer's pages, with
 * `{kind}` and `{id}`. Without it, nothing links to an explorer.
 */
export function createTexts({
  directories = [LOCALES],
  explorerUrl,
}: {
  directories?: string[] | undefined;
  explorerUrl?: string | undefined;
} = {}): Texts {
  const ids = new Set<string>();
  const bundles = LANGUAGES.map((language) => {
    const source = directories.flatMap((directory) => readAll(join(directory, language))).join('\n');
    // Isolation marks around variables would be copied together with an address.
    const bundle = new FluentBundle(language, {
      useIsolating: false,
      functions: functionsOf(language),
      transform: (part) => bindNumbers(part, language),
    });
    const resource = new FluentResource(source);
    for (const { id } of resource.body) ids.add(id);
    const faults = bundle.addResource(resource, { allowOverrides: true });
    if (faults.length > 0) throw new AggregateError(faults, `the texts in ${language} can not be read`);
    return bundle;
  });
  const [english] = bundles;
  // Other languages fall back to English. A term has its own namespace.
  const isComplete = [...ids].every((id) => id.startsWith('-') || english?.hasMessage(id));
  if (ids.size === 0 || !isComplete) throw textsMissing(join(directories[0] ?? LOCALES, 'en'));
  const words = new Map(
    LANGUAGES.map((language, at) => [language, wordsOf(language, [bundles[at], english], explorerUrl)]),
  );
  return { in: (language) => words.get(language) ?? wordsOf('en', [english], explorerUrl) };
}

export const NO_BREAK = '\u00a0';
/** Space after a number or variable and before a unit. The Russian `с` is also a word, which a space follows. */
const BEFORE_UNIT = {
  en: /(^(?:<\/\w+>)*|\d) (?=(?:TRX|USDT|energy|bandwidth|%|h|min|s|d|(?:hour|minute|second|day)s?)(?!\p{L}))/gu,
  ru: /(^(?:<\/\w+>)*|\d) (?=(?:TRX|USDT|bandwidth|ч|мин|дн|%|\$)(?!\p{L})|с(?![\p{L} ]))/gu,
} as const;
/** Space between groups of three digits. */
const IN_NUMBER = /(?<=\d) (?=\d{3}(?!\d))/g;

/**
 * Replaces the spaces in a number and the one before its unit by no-break spaces. `part`: text between two variables.
 */
function bindNumbers(part: string, language: Language): string {
  return part.replace(IN_NUMBER, NO_BREAK).replace(BEFORE_UNIT[language], `$1${NO_BREAK}`);
}

/** Returns the functions that texts can call: `{ AMOUNT($trx) }` formats an amount with {@link formatAmount}. */
function functionsOf(language: Language): Record<string, FluentFunction> {
  return {
    AMOUNT: ([amount = '']) => (typeof amount === 'string' ? formatAmount(amount, language) : amount),
  };
}

function readAll(directory: string): string[] {
  try {
    const files = readdirSync(directory).filter((name) => name.endsWith('.ftl'));
    return files.map((name) => readFileSync(join(directory, name), 'utf8'));
  } catch (error) {
    throw textsMissing(directory, { cause: error });
  }
}

function textsMissing(directory: string, options?: ErrorOptions): Error {
  return new Error(
    `Texts are missing in ${directory}. Install the folder locales/ of this version.`,
    options,
  );
}

/** Returns the initial language of a user from Telegram's `language_code` (IETF tag). */
export function languageOf(tag: string | undefined): Language {
  const primary = tag?.split('-')[0];
  return LANGUAGES.find((language) => language === primary) ?? 'en';
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Looks up each text in the first bundle that contains it. */
function wordsOf(
  language: Language,
  bundles: (FluentBundle | undefined)[],
  explorer: string | undefined,
): Words {
  function text(key: TextKey, variables: Variables): string {
    for (const bundle of bundles) {
      const pattern = bundle?.getMessage(key)?.value;
      if (pattern) return bundle?.formatPattern(pattern, variables) ?? '';
    }
    return `{${key}}`;
  }
  return {
    language,
    html: (key, variables = {}) => text(key, escaped(variables)),
    plain: (key, variables = {}) => text(key, variables),
    explorerUrl: (kind, id) =>
      CHAIN_IDS[kind].test(id) ? explorer?.replaceAll('{kind}', kind).replaceAll('{id}', id) : undefined,
  };
}

function escaped(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).map(([name, of]) => [name, typeof of === 'string' ? escapeHtml(of) : of]),
  );
}

/** Formats an address in groups of four for visual comparison. Not for copying. */
export function groupInFours(address: string): string {
  return address.replace(/.{4}(?=.)/g, '$& ');
}

/** Shortens an address. Only for lists, not for decisions. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-6)}`;
}

function formattersOf(language: Language, dates: string, date: Intl.DateTimeFormatOptions) {
  const moment = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  return {
    count: new Intl.NumberFormat(language),
    shortened: new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 }),
    moment: new Intl.DateTimeFormat(dates, { ...moment, timeZone: 'UTC' }),
    day: new Intl.DateTimeFormat(dates, { day: 'numeric', month: 'long', timeZone: 'UTC' }),
    date: new Intl.DateTimeFormat(dates, { ...date, timeZone: 'UTC' }),
    axisDay: new Intl.DateTimeFormat(dates, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    either: new Intl.ListFormat(language, { type: 'disjunction' }),
    both: new Intl.ListFormat(language, { type: 'conjunction' }),
  };
}

/** Cached, because creating a formatter costs a hundred times as much as using it. */
const FORMATTERS = {
  en: formattersOf('en', 'en-GB', { day: 'numeric', month: 'short' }),
  ru: formattersOf('ru', 'ru-RU', { day: '2-digit', month: '2-digit' }),
};

const formattersIn = (language: string) => (language === 'ru' ? FORMATTERS.ru : FORMATTERS.en);

/** Formats a count in groups of three: `131,000`, or `131 000` in Russian. */
export function formatCount(count: number, language: string): string {
  return formattersIn(language).count.format(count);
}

/** Thousands separator and decimal mark of each language. */
const AMOUNT_MARKS = { en: [',', '.'], ru: ['\u00a0', ','] } as const;
const AMOUNT_DECIMALS = { min: 2, max: 6 };

/**
 * Formats a decimal amount for reading: `1,128.62`, or `1 128,62` in Russian. Shows at least two decimals and cuts after
 * the sixth. Returns any other text unchanged.
 */
export function formatAmount(amount: string, language: string): string {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === undefined) return amount;
  const [separator, mark] = language === 'ru' ? AMOUNT_MARKS.ru : AMOUNT_MARKS.en;
  const { min, max } = AMOUNT_DECIMALS;
  const decimals = fraction.slice(0, max).replace(/0+$/, '').padEnd(min, '0');
  return `${sign && '−'}${whole.replace(/\B(?=(?:\d{3})+$)/g, separator)}${mark}${decimals}`;
}

/** First amount that {@link formatShortAmount} shortens. */
const SHORTENED_FROM = 10_000;

/** Formats an amount for a picture: like {@link formatAmount}, but large ones as `12.3K`, or `12,3 тыс.` in Russian. */
export function formatShortAmount(amount: string, language: string): string {
  return Number(amount) < SHORTENED_FROM
    ? formatAmount(amount, language)
    : formattersIn(language).shortened.format(Number(amount));
}

/** Formats epoch milliseconds for lists: `12 Nov, 09:30 UTC`. */
export function formatMoment(at: number, language: string): string {
  return `${formatListTime(at, language)} UTC`;
}

/** Formats epoch milliseconds as `12 Nov, 09:30` in UTC. For lists whose heading states the zone. */
export function formatListTime(at: number, language: string): string {
  return formattersIn(language).moment.format(at);
}

/** Formats epoch milliseconds as a time of day: `09:30 UTC`. */
export function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}

/** Formats epoch milliseconds as a time of day with seconds: `09:30:05 UTC`. */
export function formatTimeWithSeconds(at: number): string {
  return `${formatZonelessTime(at)} UTC`;
}

/** Formats epoch milliseconds as `09:30:05` in UTC. Only for lists whose heading states the zone. */
export function formatZonelessTime(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/**
 * Returns the variables of a text with a time in epoch milliseconds: `unix` for clients of Telegram, which show the time in
 * the zone of their user, and `at` for all others, which is the time as `format` shows it.
 */
export function momentVariables(at: number, format: (at: number) => string): { unix: string; at: string } {
  return { unix: String(Math.floor(at / 1000)), at: format(at) };
}

/** Returns the variables of a text with a time in seconds, rounded up. */
export function timeVariables(at: number): { unix: string; at: string } {
  return momentVariables(Math.ceil(at / 1000) * 1000, formatTimeWithSeconds);
}

/** Returns the variables of a text with a period in seconds, which `timeVariables` begins. */
export function periodVariables(from: number, until: number) {
  const end = momentVariables(Math.floor(until / 1000) * 1000, formatTimeWithSeconds);
  return { ...timeVariables(from), endUnix: end.unix, end: end.at };
}

/** Returns the variables of a text with the end of a rental. `at` contains the day unless the rental is shorter than one. */
export function rentalEndVariables(at: number, { hours, language }: { hours: number; language: string }) {
  const isSameDay = hours < 24;
  const format = isSameDay ? formatTime : (moment: number) => formatMoment(moment, language);
  return { ...momentVariables(at, format), format: isSameDay ? 't' : 'Dt' };
}

/** Formats epoch milliseconds as a day in UTC: `12 November`. */
export function formatDay(at: number, language: string): string {
  return formattersIn(language).day.format(at);
}

/** Formats epoch milliseconds as a day in UTC for tables: `2 Nov`, or `02.11` in Russian. */
export function formatShortDay(at: number, language: string): string {
  return formattersIn(language).date.format(at);
}

/** Formats epoch milliseconds as a day in UTC for charts: `2 Nov`, or `2 нояб.` in Russian. */
export function formatAxisDay(at: number, language: string): string {
  return formattersIn(language).axisDay.format(at);
}

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;

/** Returns a duration in the largest unit of which it has at least two: `90 s`, `2 min`, `3 d`. */
export function formatSpan(words: Words, ms: number): string {
  const [unit, of] = UNITS.find(([, length]) => ms >= 2 * length) ?? (['s', SECOND_MS] as const);
  return words.plain('state-span', { unit, count: String(Math.max(0, Math.floor(ms / of))) });
}

/** Returns when to try again: `in 90 s`, `in 5 min`, or `later` for an hour and more, which is probably an error. */
export function formatWait(words: Words, seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  const [unit, count] = minutes <= 2 ? ['s', Math.ceil(seconds)] : [minutes < 60 ? 'min' : 'later', minutes];
  return words.plain('wait-until', { unit, count });
}

/** Joins alternatives: `TRX or USDT`. */
export function formatAlternatives(names: readonly string[], language: string): string {
  return formattersIn(language).either.format(names);
}

/** Joins the items of a list: `TRX and USDT`. */
export function formatConjunction(names: readonly string[], language: string): string {
  return formattersIn(language).both.format(names);
}

/** Formats the tail by which an owner recognizes a key. The operator's key has none, and is never shown. */
export function formatKeyTail(tail: string): string {
  return tail === '' ? 'operators' : `…${tail}`;
}

/** Joins non-empty paragraphs with an empty line between them. */
export function paragraphs(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n\n');
}

export function lines(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n');
}

/** Returns the plain text that Telegram shows for HTML of `words.html`. */
export function htmlToPlainText(html: string): string {
  return withoutTags(html).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** Removes all tags. The result is valid HTML without formatting. */
export function withoutTags(html: string): string {
  return html.replace(/<[^<>]*>/g, '');
}
