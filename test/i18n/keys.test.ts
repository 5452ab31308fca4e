import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { textKeysSource } from '../../scripts/text-keys.ts';
import { localeTexts } from '../support/locales.ts';

const [english, russian] = [localeTexts('en'), localeTexts('ru')];

test('the generated text keys are up to date (update with npm run texts)', () => {
  const written = readFileSync(new URL('../../src/i18n/keys.ts', import.meta.url), 'utf8');
  expect(written).toBe(textKeysSource());
  expect(written.match(/\| '[\w-]+'/g)).toHaveLength(english.length);
});

test('has the same texts, files and variables in Russian and English', () => {
  const sorted = (texts: typeof english) => texts.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  expect(sorted(russian)).toEqual(sorted(english));
});

test('has no duplicate text keys', () => {
  const keys = english.map(({ key }) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
