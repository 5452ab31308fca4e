import { expect, test, vi } from 'vitest';
import { findButton } from '../../src/bot/callbacks.ts';

const menu = vi.fn();
const confirm = vi.fn();
const buttons = new Map([
  ['menu', menu],
  ['confirm:', confirm],
]);

test('a button is found by its whole data, or by its name with what follows as argument', () => {
  expect(findButton(buttons, 'menu')).toEqual({ press: menu, argument: '' });
  expect(findButton(buttons, 'confirm:ABCD1234')).toEqual({ press: confirm, argument: 'ABCD1234' });
});

test.each([
  '',
  'menu:',
  'menu:x',
  'confirm',
  'confirm:A:B',
  'confirm:../x',
  `confirm:${'A'.repeat(33)}`,
  'CONFIRM:A',
  'confirm:A\n',
])('made-up data finds none: %j', (data) => {
  expect(findButton(buttons, data)).toBeUndefined();
});
