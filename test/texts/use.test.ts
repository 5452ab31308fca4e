import { readFileSync } from 'node:fs';
import { FluentResource } from '@fluent/bundle';
import { expect, test } from 'vitest';
import { readSources } from '../support/source-file.ts';

/** What src names: whole keys, and the beginnings of those that it puts together, like `refusal-${reason}`. */
function named(): { keys: Set<string>; beginnings: string[] } {
  const code = readSources('src', /\.ts$/)
    .filter(({ path }) => path !== 'src/texts/keys.ts' && !path.startsWith('src/sandbox/'))
    .map(({ text }) => text)
    .join('\n');
  return {
    keys: new Set([...code.matchAll(/'([a-z][\w-]*)'/g)].map(([, key = '']) => key)),
    beginnings: [...code.matchAll(/`([a-z][a-z-]*-)\$\{/g)].map(([, beginning = '']) => beginning),
  };
}

test('every text is used', () => {
  const { keys, beginnings } = named();
  const source = readFileSync(new URL('../../locales/en.ftl', import.meta.url), 'utf8');
  const texts = new FluentResource(source).body.map(({ id }) => id);
  const unused = texts.filter((key) => !keys.has(key) && !beginnings.some((part) => key.startsWith(part)));
  expect(unused).toEqual([]);
});
