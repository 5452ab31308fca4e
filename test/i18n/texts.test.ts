import { describe, expect, test } from 'vitest';
import type { TextKey } from '../../src/i18n/keys.ts';
import { createTexts, escapeHtml, LANGUAGES, languageOf, type Variables } from '../../src/i18n/texts.ts';
import { localeTexts } from '../support/locales.ts';

const texts = createTexts();

/** Every text of every language, with the names of its variables. */
const ALL = LANGUAGES.flatMap((language) =>
  localeTexts(language).map(({ key, variables }) => ({ language, key: key as TextKey, names: variables })),
);

const filledWith = (names: string[], value: string): Variables =>
  Object.fromEntries(names.map((name) => [name, value]));

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
    ...[1, 21, 101].map((hours) => [hours, 'час'] as const),
    ...[2, 3, 4, 22, 24, 72].map((hours) => [hours, 'часа'] as const),
    ...[5, 11, 12, 14, 20, 25, 48, 111, 168].map((hours) => [hours, 'часов'] as const),
  ])('names %i hours in Russian as %s', (hours, noun) => {
    const words = texts.in('ru');
    const named = ALL.filter(({ language, names }) => language === 'ru' && names.includes('hours')).flatMap(
      ({ key, names }) => {
        const text = words.plain(key, { ...filledWith(names, 'x'), hours });
        return /\d+ час[а-я]*/.exec(text.replaceAll('\u00a0', ' '))?.[0] ?? [];
      },
    );
    expect(named.length).toBeGreaterThan(5);
    expect(new Set(named)).toEqual(new Set([`${hours} ${noun}`]));
  });

  test('is valid HTML for Telegram, without tags in buttons, toasts and commands', () => {
    for (const { language, key, names } of ALL) {
      const text = texts.in(language).html(key, filledWith(names, 'x'));
      const open: string[] = [];
      for (const [, end, tag = ''] of text.matchAll(/<(\/?)(\w+)>/g)) {
        expect(['b', 'i', 'code'], `${key} ${tag}`).toContain(tag);
        if (end === '') open.push(tag);
        else expect(open.pop(), key).toBe(tag);
      }
      expect(open, key).toEqual([]);
      if (/^(button|toast|command|fault|busy)-/.test(key)) expect(text, key).not.toContain('<');
    }
  });
});

test('differs between the languages, except for the languages’ names', () => {
  const [english, russian] = [texts.in('en'), texts.in('ru')];
  const same = ALL.filter(({ key, names }) => {
    const variables = filledWith(names, '1');
    const text = english.plain(key, variables);
    return /\p{L}/u.test(text) && text === russian.plain(key, variables);
  });
  expect([...new Set(same.map(({ key }) => key))]).toEqual(['language-en', 'language-ru']);
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
  const times = (count: number) => texts.in('en').plain('operation-searched', { count, balance: 'same' });
  expect(times(1)).toContain('Checked once');
  expect(times(2)).toContain('Checked 2 times');
});
