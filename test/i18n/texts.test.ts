import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { textKeysSource } from '../../scripts/text-keys.ts';
import type { TextKey } from '../../src/i18n/keys.ts';
import {
  createTexts,
  escapeHtml,
  formatAmount,
  formatCount,
  formatKeyTail,
  groupInFours,
  LANGUAGES,
  languageOf,
  shortenAddress,
  timeVariables,
  type Variables,
  withoutTags,
} from '../../src/i18n/texts.ts';
import type { KindText } from '../../src/operations/kinds/kind.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { type LocaleText, localeTexts } from '../support/locales.ts';
import { readSources } from '../support/source-file.ts';
import { temporaryFile } from '../support/temporary-file.ts';

const texts = createTexts();

/** Every text of every language, with the names of its variables. */
const ALL = LANGUAGES.flatMap((language) =>
  localeTexts(language).map(({ key, variables }) => ({ language, key: key as TextKey, names: variables })),
);

const filledWith = (names: string[], value: string): Variables =>
  Object.fromEntries(names.map((name) => [name, value]));

test.each([
  ['folder', (locales: string) => rmSync(join(locales, 'en'), { recursive: true })],
  ['file', (locales: string) => rmSync(join(locales, 'en', 'menu.ftl'))],
])('are refused with the missing folder if a %s is missing', (_, remove) => {
  const locales = temporaryFile('locales');
  cpSync(join(import.meta.dirname, '../../locales'), locales, { recursive: true });
  remove(locales);
  expect(() => createTexts({ directories: [locales] })).toThrow(
    `Texts are missing in ${join(locales, 'en')}.`,
  );
});

describe('every text', () => {
  test('inserts its variables without control characters', () => {
    for (const { language, key, names } of ALL) {
      const text = texts.in(language).plain(key, filledWith(names, 'FILLED'));
      expect(text, key).not.toBe('');
      expect(text, key).not.toMatch(/[\u2066-\u2069\u200e\u200f]|\{\s*\$|\{[A-Z$]/);
    }
  });

  test('escapes its variables for HTML, and nothing else', () => {
    const bad = '<b>&"\'';
    for (const { language, key, names } of ALL) {
      const words = texts.in(language);
      const html = words.html(key, filledWith(names, bad));
      expect(html, key).not.toContain(bad);
      const marked = words.plain(key, filledWith(names, bad)).includes(bad);
      expect(html.includes('&#60;b&#62;&#38;&#34;'), key).toBe(marked);
    }
    expect(texts.in('en').html('energy-done')).toContain('<b>Bought</b>');
  });

  test.each([
    ...[1, 21, 101].map((attempts) => [attempts, 'попытка'] as const),
    ...[2, 3, 4, 22, 24, 72].map((attempts) => [attempts, 'попытки'] as const),
    ...[5, 11, 12, 14, 20, 25, 48, 111, 168].map((attempts) => [attempts, 'попыток'] as const),
  ])('names %i attempts in Russian as %s', (attempts, noun) => {
    const text = texts.in('ru').plain('webhook-log-attempts', { attempts });
    expect(text).toBe(`${attempts} ${noun}`);
  });

  test('is valid HTML for Telegram, without tags in buttons, toasts and commands', () => {
    for (const { language, key, names } of ALL) {
      const text = texts.in(language).html(key, filledWith(names, 'x'));
      const open: string[] = [];
      for (const [, end, tag = ''] of text.matchAll(/<(\/?)([\w-]+)[^<>]*>/g)) {
        expect(['b', 'i', 'code', 'a', 'tg-time'], `${key} ${tag}`).toContain(tag);
        if (end === '') open.push(tag);
        else expect(open.pop(), key).toBe(tag);
      }
      expect(open, key).toEqual([]);
      if (/^(button|toast|command|fault|busy)-/.test(key)) expect(text, key).not.toContain('<');
    }
  });
});

test('keeps toasts within 60 characters, so that phones show all of them', () => {
  const toasts = ALL.filter(({ key }) => key.startsWith('toast-'));
  const long = toasts.filter(({ language, key, names }) => {
    return texts.in(language).plain(key, filledWith(names, '12.34')).length > 60;
  });
  expect(long.map(({ language, key }) => `${language} ${key}`)).toEqual([]);
});

test('differs between the languages, except for names of languages and features', () => {
  const [english, russian] = [texts.in('en'), texts.in('ru')];
  const same = ALL.filter(({ key, names }) => {
    const variables = filledWith(names, '1');
    const text = english.plain(key, variables);
    return /\p{L}/u.test(withoutTags(text)) && text === russian.plain(key, variables);
  });
  const names = [
    'bandwidth-filter',
    'bandwidth-short',
    'button-smart-mode',
    'language-en',
    'language-ru',
    'smart-mode-filter',
  ];
  expect([...new Set(same.map(({ key }) => key))].sort()).toEqual(names);
});

test.each([
  ['ru', 'ru'],
  ['ru-RU', 'ru'],
  ['en-GB', 'en'],
  ['de', 'en'],
  ['rus', 'en'],
  [undefined, 'en'],
])('chooses the language for %s: %s', (tag, language) => {
  expect(languageOf(tag)).toBe(language);
});

test('escapes HTML with numeric entities', () => {
  expect(escapeHtml(`a & b < c > d "e" 'f'`)).toBe(`a &#38; b &#60; c &#62; d &#34;e&#34; 'f'`);
});

test('uses the plural form of the language', () => {
  const attempted = (attempts: number) => texts.in('en').plain('webhook-log-attempts', { attempts });
  expect(attempted(1)).toBe('1 attempt');
  expect(attempted(2)).toBe('2 attempts');
});

const inEnglish = localeTexts('en');

test('the generated text keys are up to date', () => {
  const written = readFileSync(new URL('../../src/i18n/keys.ts', import.meta.url), 'utf8');
  expect(written === textKeysSource(), 'src/i18n/keys.ts is stale: run `npm run texts`').toBe(true);
});

test.each(LANGUAGES)('has the texts, files and variables of all other languages in %s', (language) => {
  const lineOf = ({ file, key, variables }: LocaleText) =>
    [`${file}: ${key}`, ...variables.map((name) => `$${name}`)].join(' ');
  const there = new Set(localeTexts(language).map(lineOf));
  const lacking = LANGUAGES.flatMap((other) => localeTexts(other).map(lineOf)).filter(
    (line) => !there.has(line),
  );
  expect(lacking, `write these texts, with these variables, in locales/${language}`).toEqual([]);
});

test('has no duplicate text keys', () => {
  const keys = inEnglish.map(({ key }) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

/** Text keys that every kind of operation must define. */
const PARTS = ['truth', 'going', 'done', 'refused', 'likely', 'again', 'anyway', 'filter'] as const;
expectTypeOf<(typeof PARTS)[number]>().toEqualTypeOf<KindText>();
const OF_KINDS = KINDS.flatMap(({ name }) => PARTS.map((part) => `${name}-${part}`));

/** Returns the text keys that src contains: whole keys, and templates like `refusal-${reason}` or `${key}-priced`. */
function named(): { keys: Set<string>; beginnings: string[]; ends: string[] } {
  const code = readSources('src', /\.ts$/)
    .filter(({ path }) => !/^src\/(i18n\/keys\.ts|sandbox\/)/.test(path))
    .map(({ text }) => text)
    .join('\n');
  return {
    keys: new Set([...code.matchAll(/'([a-z][\w-]*)'/g)].map(([, key = '']) => key)),
    beginnings: [...code.matchAll(/`([a-z][a-z-]*-)\$\{/g)].map(([, beginning = '']) => beginning),
    ends: [...code.matchAll(/`\$\{key\}(-[a-z-]+)`/g)].map(([, end = '']) => end),
  };
}

test('uses every text', () => {
  const { keys, beginnings, ends } = named();
  const isNamed = (key: string) => keys.has(key) || OF_KINDS.includes(key);
  const unused = inEnglish
    .map(({ key }) => key)
    .filter((key) => !isNamed(key) && !beginnings.some((part) => key.startsWith(part)))
    .filter((key) => !ends.some((end) => key.endsWith(end) && isNamed(key.slice(0, -end.length))));
  expect(unused, 'use these texts, or remove them from all languages').toEqual([]);
});

test('has all texts of every kind of operation', () => {
  const keys = inEnglish.map(({ key }) => key);
  expect(OF_KINDS.filter((key) => !keys.includes(key))).toEqual([]);
});

const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

test('formats addresses in groups of four or shortened to both ends, and the tail of a key', () => {
  expect(groupInFours(ADDRESS)).toBe('TR7N Hqje KQxG TCi8 q8ZY 4pL8 otSz gjLj 6t');
  expect(groupInFours('TR7NHqje')).toBe('TR7N Hqje');
  expect(shortenAddress(ADDRESS)).toBe('TR7NHq…gjLj6t');
  expect(formatKeyTail('abcd')).toBe('…abcd');
});

test('keeps a number and its unit on one line', () => {
  const en = texts.in('en');
  expect(en.html('operation-price', { price: '2.32' })).toMatch(/2\.32\u00a0TRX/);
  expect(en.plain('prices-hours', { hours: 24 })).toBe('24\u00a0h');
  const order = en.html('page-energy', { amount: 65_000, hours: 1 });
  expect(order).toBe('65,000\u00a0energy for 1\u00a0h');
  const ru = texts.in('ru');
  expect(ru.html('operation-saving', { is: 'ahead', trx: '4.18', percent: '64' })).toMatch(
    /4,18\u00a0TRX.*64\u00a0%/,
  );
  expect(ru.plain('prices-hours', { hours: 24 })).toBe('24\u00a0ч');
  expect(ru.html('operation-price', { price: '2.32' })).toMatch(/2,32\u00a0TRX/);
  expect(ru.html('operation-price', { price: '2.32' })).not.toContain(' TRX');
});

test('groups digits as the language does', () => {
  const counts = [0, 999, 65_000, 5_000_000].map((count) => formatCount(count, 'en'));
  expect(counts).toEqual(['0', '999', '65,000', '5,000,000']);
  expect(formatCount(5_000_000, 'ru')).toBe('5\u00a0000\u00a0000');
});

test.each([
  ['0', '0.00', '0,00'],
  ['2.3', '2.30', '2,30'],
  ['1128.62', '1,128.62', '1 128,62'],
  ['999.9999', '999.9999', '999,9999'],
  ['2.500000', '2.50', '2,50'],
  ['2.31920100', '2.319201', '2,319201'],
  ['0.12345678', '0.123456', '0,123456'],
  ['-1234567', '−1,234,567.00', '−1 234 567,00'],
  ['9'.repeat(20), '99,999,999,999,999,999,999.00', '99 999 999 999 999 999 999,00'],
])('formats the amount %s as %s, or %s in Russian', (amount, english, russian) => {
  expect(formatAmount(amount, 'en')).toBe(english);
  expect(formatAmount(amount, 'ru')).toBe(russian.replaceAll(' ', '\u00a0'));
});

test.each(['', '?', 'none', '1e3', '1,5', '.5', '5.', ' 5', '1 TRX', '<b>', 'Infinity'])(
  'leaves %j, which is no decimal number, unchanged',
  (text) => {
    for (const language of LANGUAGES) expect(formatAmount(text, language)).toBe(text);
  },
);

test('rounds a time in seconds up, in UTC too', () => {
  expect(timeVariables(Date.UTC(2025, 5, 1, 12) + 1)).toEqual({ unix: '1748779201', at: '12:00:01 UTC' });
});
