import { expect, test } from 'vitest';
import { formatCsv } from '../../src/invoices/csv.ts';

const BOM = '\uFEFF';

test('ends rows as RFC 4180 requires and quotes cells only if necessary', () => {
  const rows = [
    ['a', 'b'],
    ['1,5', 'say "hi"'],
    ['two\nlines', ''],
  ];
  expect(formatCsv(rows)).toBe(`${BOM}a,b\r\n"1,5","say ""hi"""\r\n"two\nlines",\r\n`);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠1'])(
  'writes a cell that starts like a formula as text: %j',
  (text) => {
    const [cell = ''] = formatCsv([[text]])
      .slice(BOM.length)
      .split('\r\n');
    expect(formatCsv([[text]])).toMatch(new RegExp(`^${BOM}"?'`));
    expect(cell).not.toBe(text);
  },
);

test('quotes a cell with a semicolon, which some spreadsheets treat as a separator', () => {
  expect(formatCsv([['a;b', 'c']])).toBe(`${BOM}"a;b",c\r\n`);
});

test.each(['a;=1', 'a,=1', 'a;"=1"', 'a; =1', 'a\n=1', 'a;\t1', ';-1', 'a;b,@x', 'a;＝1'])(
  'starts no cell with a formula sign, whether commas or semicolons separate: %j',
  (text) => {
    const file = formatCsv([['before', text, 'after']]).slice(BOM.length);
    for (const separator of [/[,\r\n]/, /[;\r\n]/, /[,;\r\n]/])
      for (const cell of file.split(separator)) expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]|^"*[\t\r]/);
  },
);

test('keeps a formula sign inside a cell', () => {
  expect(formatCsv([['a=b', "it's", ' ']])).toBe(`${BOM}a=b,it's, \r\n`);
});
