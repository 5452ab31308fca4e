import { expect, test } from 'vitest';
import { parseHtml, renderHtml } from '../../../src/sandbox/telegram/html.ts';

/** Length in characters. Parsing in quadratic time would take minutes. */
const LONG = 250_000;
const nested = (tag: string) => {
  const times = LONG / (2 * tag.length + 5);
  return `${`<${tag}>`.repeat(times)}x${`</${tag}>`.repeat(times)}`;
};

test.each([
  ['formats', '<b>x</b>'.repeat(LONG / 8)],
  ['formats in formats', nested('b')],
  ['code in code', nested('code')],
  ['links in links', nested('a')],
  ['code with a language', '<pre><code class="language-x">x</code></pre>'.repeat(LONG / 44)],
  ['quotations', '<blockquote>x</blockquote>'.repeat(LONG / 26)],
  ['references', '&amp;'.repeat(LONG / 5)],
  ['incomplete references', '&'.repeat(LONG)],
  ['attributes', `<b ${'a="" '.repeat(LONG / 5)}>x</b>`],
])('parses and shows 250 kB of %s', (_what, html) => {
  expect(renderHtml(parseHtml(html))).not.toBe('');
});

test.each([
  ['incomplete tags', '<'.repeat(LONG)],
  ['spaces in a tag', `<b${' '.repeat(LONG)}`],
  ['an unterminated value', `<b a="${"'".repeat(LONG)}`],
  ['unclosed tags', '<b>'.repeat(LONG / 3)],
  ['ends', `${'<b>x</b>'.repeat(LONG / 8)}</b>`],
])('rejects 250 kB of %s', (_what, html) => {
  expect(() => parseHtml(html)).toThrow("can't parse entities");
});
