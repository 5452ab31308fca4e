import { readFileSync } from 'node:fs';
import { FluentResource } from '@fluent/bundle';
import { expect, test } from 'vitest';

const KEYS = keysOf('en');

/** The names of a language's texts, and below each the variables that it fills in. */
function textsOf(language: string): Map<string, string[]> {
  const source = readFileSync(new URL(`../../locales/${language}.ftl`, import.meta.url), 'utf8');
  return new Map(
    new FluentResource(source).body.map((message) => [
      message.id,
      [...new Set(JSON.stringify(message).match(/"type":"var","name":"\w+"/g) ?? [])].sort(),
    ]),
  );
}

function keysOf(language: string): string[] {
  return [...textsOf(language).keys()].sort();
}

test('the union of text keys is the one that the English texts define (renew it with vitest -u)', async () => {
  const union = KEYS.map((key) => `  | '${key}'`).join('\n');
  await expect(`export type TextKey =\n${union};\n`).toMatchFileSnapshot('../../src/texts/keys.ts');
});

test('Russian has the same texts with the same variables', () => {
  expect(Object.fromEntries(textsOf('ru'))).toEqual(Object.fromEntries(textsOf('en')));
});
