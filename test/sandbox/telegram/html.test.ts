import { expect, test } from 'vitest';
import { parseHtml } from '../../../src/sandbox/telegram/html.ts';
import { renderHtml } from '../../../src/sandbox/telegram/html-render.ts';

const MEGABYTE = 1_000_000;
const nested = (tag: string) => {
  const times = MEGABYTE / (2 * tag.length + 5);
  return `${`<${tag}>`.repeat(times)}x${`</${tag}>`.repeat(times)}`;
};

test.each([
  ['formats', '<b>x</b>'.repeat(MEGABYTE / 8)],
  ['formats in formats', nested('b')],
  ['code in code', nested('code')],
  ['links in links', nested('a')],
  ['code with a language', '<pre><code class="language-x">x</code></pre>'.repeat(MEGABYTE / 44)],
  ['quotations', '<blockquote>x</blockquote>'.repeat(MEGABYTE / 26)],
  ['references', '&amp;'.repeat(MEGABYTE / 5)],
  ['what is almost a reference', '&'.repeat(MEGABYTE)],
  ['attributes', `<b ${'a="" '.repeat(MEGABYTE / 5)}>x</b>`],
])('a megabyte of %s is read, and shown', (_what, html) => {
  expect(renderHtml(parseHtml(html))).not.toBe('');
});

test.each([
  ['tags that begin', '<'.repeat(MEGABYTE)],
  ['blanks in a tag', `<b${' '.repeat(MEGABYTE)}`],
  ['a value that does not end', `<b a="${"'".repeat(MEGABYTE)}`],
  ['tags that do not end', '<b>'.repeat(MEGABYTE / 3)],
  ['ends', `${'<b>x</b>'.repeat(MEGABYTE / 8)}</b>`],
])('a megabyte of %s is refused', (_what, html) => {
  expect(() => parseHtml(html)).toThrow("can't parse entities");
});
