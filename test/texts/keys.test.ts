import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type LocaleText, localeTexts } from '../support/locales.ts';

const [english, russian] = [localeTexts('en'), localeTexts('ru')];

/**
 * Texts that exist in every language, by file. A text that a language lacks has no key, so using it doesn't compile.
 */
const everywhere = byFile(english.filter(({ key }) => russian.some((text) => text.key === key)));
const FOLDER = '../../src/texts/keys';

function byFile(texts: LocaleText[]): Map<string, LocaleText[]> {
  const files = new Map<string, LocaleText[]>();
  for (const text of texts) {
    const file = text.file.replace(/\.ftl$/, '');
    files.set(file, [...(files.get(file) ?? []), text]);
  }
  return files;
}

function typeOf(file: string): string {
  const words = file.split('-').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Texts`;
}

function keysOf(file: string, texts: { key: string }[]): string {
  const keys = texts.map(({ key }) => `  ${key.includes('-') ? `'${key}'` : key}: string;`);
  return `/** The texts of locales/…/${file}.ftl. Made by \`npm run texts\`. */
export interface ${typeOf(file)} {
${keys.join('\n')}
}
`;
}

function allKeys(): string {
  const files = [...everywhere.keys()].sort();
  return [
    ...files.map((file) => `import type { ${typeOf(file)} } from './keys/${file}.ts';`),
    '',
    '/** Every text that all languages have. Made by `npm run texts`. */',
    'export interface TextKeys',
    `  extends ${files.map(typeOf).join(',\n    ')} {}`,
    '',
    'export type TextKey = keyof TextKeys;',
    '',
  ].join('\n');
}

test('generates a key for every text that all languages define (update with npm run texts)', async () => {
  await expect(allKeys()).toMatchFileSnapshot(`${FOLDER}.ts`);
  for (const [file, texts] of everywhere) {
    await expect(keysOf(file, texts)).toMatchFileSnapshot(`${FOLDER}/${file}.ts`);
  }
  // Lists existing files only. New snapshot files are written after this test.
  const written = readdirSync(new URL('../../src/texts/keys/', import.meta.url));
  const left = written.filter((name) => !everywhere.has(name.replace(/\.ts$/, '')));
  expect(left, 'whose texts are gone: delete them').toEqual([]);
});

test('has the same texts, files and variables in Russian and English', () => {
  const sorted = (texts: typeof english) => texts.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  expect(sorted(russian)).toEqual(sorted(english));
});

test('has no duplicate text keys', () => {
  const keys = english.map(({ key }) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
