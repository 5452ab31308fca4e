import { expect, test } from 'vitest';
import { htmlToPlainText } from '../../src/i18n/texts.ts';
import { displayWidth, leadingEmoji, renderTable } from '../../src/views/tables.ts';

/** Returns the lines of a table as they are shown. */
const linesOf = (...table: Parameters<typeof renderTable>) => {
  const html = renderTable(...table);
  expect(html).toMatch(/^<pre>[^<>]*<\/pre>$/);
  return htmlToPlainText(html).split('\n');
};

test.each([
  ['', 0],
  ['1 128,62', 8],
  ['−2.32', 5],
  ['Вывод', 5],
  ['✅', 2],
  ['⚠️', 2],
  ['👨‍👩‍👧', 2],
  ['é', 1],
  ['e\u0301', 1],
  ['\u200b', 0],
  ['能量', 4],
])('measures %j as %d characters', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('aligns columns and ends no line with blanks', () => {
  const rows = [
    ['1', '✅', 'Energy', '2.32'],
    ['10', '⚠️', 'Activation', '1,128.62'],
    ['2', '⏳', 'Invoice', ''],
  ];
  expect(linesOf(['right', 'left', 'left', 'right'], rows)).toEqual([
    ' 1  ✅  Energy          2.32',
    '10  ⚠️  Activation  1,128.62',
    ' 2  ⏳  Invoice',
  ]);
});

test('leaves out empty columns and missing cells', () => {
  expect(linesOf(['left', 'left', 'right'], [['a', '', '1'], ['b'], ['c', '', '22']])).toEqual([
    'a   1',
    'b',
    'c  22',
  ]);
});

test('narrows the gaps, then shortens the shrinking column, to 34 characters', () => {
  const name = 'a'.repeat(25);
  expect(linesOf(['shrinking', 'right'], [[name, '1,128.62']])).toEqual([`${name} 1,128.62`]);
  expect(linesOf(['shrinking', 'right'], [[`${name}bc`, '1,128.62']])).toEqual([
    `${'a'.repeat(24)}… 1,128.62`,
  ]);
});

test('keeps implausibly long values within 34 characters', () => {
  const long = '9'.repeat(60);
  for (const line of linesOf(
    ['right', 'shrinking', 'right'],
    [
      [long, '✅✅✅✅', long],
      ['1', '能量'.repeat(20), '2'],
    ],
  ))
    expect(displayWidth(line)).toBeLessThanOrEqual(34);
});

test('escapes cells and keeps each row on one line', () => {
  expect(renderTable(['left', 'right'], [['<b>&\n"', '1']])).toBe('<pre>&#60;b&#62;&#38; &#34;  1</pre>');
});

test('finds the emoji at the start of a text', () => {
  expect(['✅ Bought', '☑️ Closed', 'Review', '1 hour', ''].map(leadingEmoji)).toEqual([
    '✅',
    '☑️',
    '',
    '',
    '',
  ]);
});
