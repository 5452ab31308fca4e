import { expect, test } from 'vitest';
import type { KindText } from '../../src/operations/kinds/kind.ts';
import { KINDS } from '../../src/operations/kinds/kinds.ts';
import { localeTexts } from '../support/locales.ts';
import { readSources } from '../support/source-file.ts';

/** Text keys that every kind of operation must define. */
const PARTS: Record<KindText, true> = {
  truth: true,
  going: true,
  done: true,
  refused: true,
  likely: true,
  again: true,
  anyway: true,
  filter: true,
};
const OF_KINDS = KINDS.flatMap(({ name }) => Object.keys(PARTS).map((part) => `${name}-${part}`));

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
  const unused = localeTexts('en')
    .map(({ key }) => key)
    .filter((key) => !isNamed(key) && !beginnings.some((part) => key.startsWith(part)))
    .filter((key) => !ends.some((end) => key.endsWith(end) && isNamed(key.slice(0, -end.length))));
  expect(unused).toEqual([]);
});

test('has all texts of every kind of operation', () => {
  const keys = localeTexts('en').map(({ key }) => key);
  expect(OF_KINDS.filter((key) => !keys.includes(key))).toEqual([]);
});
