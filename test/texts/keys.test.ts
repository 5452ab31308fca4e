import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type LocaleText, localeTexts } from '../support/locales.ts';

const [english, russian] = [localeTexts('en'), localeTexts('ru')];

/** The texts that every language has, by file: one that a language lacks is no key, and what names it doesn't compile. */
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

test('the text keys are those that every language defines (npm run texts renews them)', async () => {
  await expect(allKeys()).toMatchFileSnapshot(`${FOLDER}.ts`);
  for (const [file, texts] of everywhere) {
    await expect(keysOf(file, texts)).toMatchFileSnapshot(`${FOLDER}/${file}.ts`);
  }
  // Those that are new are written only after this.
  const written = readdirSync(new URL('../../src/texts/keys/', import.meta.url));
  const left = written.filter((name) => !everywhere.has(name.replace(/\.ts$/, '')));
  expect(left, 'whose texts are gone: delete them').toEqual([]);
});

test('Russian has the same texts as English, in the same files, with the same variables', () => {
  const sorted = (texts: typeof english) => texts.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  expect(sorted(russian)).toEqual(sorted(english));
});

test('no text is there twice', () => {
  const keys = english.map(({ key }) => key);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});
