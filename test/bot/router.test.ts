import { describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { changes, type Feature } from '../../src/bot/feature.ts';
import { createRouter } from '../../src/bot/router.ts';
import { callbackData, readCallbackData } from '../../src/i18n/view.ts';

const open = vi.fn(async () => 'opened');
const more = vi.fn(async () => 'more');
const ctx = {} as BotContext;

const menu: Feature = {
  name: 'menu',
  open,
  command: { name: 'start', text: 'command-start' },
  alias: { name: 'menu', text: 'command-menu' },
  buttons: { more },
};
const closed: Feature = { name: 'operation', buttons: { confirm: more } };
const router = createRouter([menu, closed]);
const tap = (data: string) => router.routeTap(data, ctx);
const command = (name: string) => router.routeCommand(name, ctx);

describe('a tap', () => {
  test('is routed to its feature and button, with argument and message id', async () => {
    const routed = tap(callbackData('menu', 'more', 'ABCD1234'));
    expect(routed?.feature).toBe(menu);
    expect(await routed?.press(ctx, 40)).toBe('more');
    expect(more).toHaveBeenLastCalledWith(ctx, 'ABCD1234', 40);
    await tap('menu:more')?.press(ctx, 41);
    expect(more).toHaveBeenLastCalledWith(ctx, '', 41);
  });

  test('starts the read-ahead of its button, if there is one', () => {
    const begin = vi.fn();
    const reading = createRouter([{ ...menu, prefetch: { more: begin } }, closed]);
    reading.routeTap(callbackData('menu', 'more', 'ABCD1234'), ctx)?.prefetch(ctx);
    for (const data of ['menu:open', 'operation:confirm']) reading.routeTap(data, ctx)?.prefetch(ctx);
    expect(begin.mock.calls).toEqual([[ctx, 'ABCD1234']]);
  });

  test('can open only a feature that has `open`', async () => {
    expect(await tap('menu:open')?.press(ctx, 40)).toBe('opened');
    expect(tap('operation:open')).toBeUndefined();
  });

  test.each([
    '',
    'menu',
    'menu:',
    ':more',
    'menu:less',
    'other:open',
    'menu:constructor',
    'menu:toString',
    '__proto__:open',
    'menu:__proto__',
    'MENU:more',
    'menu:more:',
    'menu:more:A:B',
    'menu:more:../x',
    `menu:more:${'A'.repeat(41)}`,
    'menu:more:A\n',
    ' menu:more',
    'answer=more',
  ])('with invalid data is not routed: %j', (data) => {
    expect(tap(data)).toBeUndefined();
  });
});

test('readCallbackData parses what callbackData writes', () => {
  const data = callbackData('operation', 'confirm', 'ABCD1234');
  expect(readCallbackData(data)).toEqual({ feature: 'operation', button: 'confirm', argument: 'ABCD1234' });
  expect(readCallbackData(callbackData('menu', 'open'))).toEqual({
    feature: 'menu',
    button: 'open',
    argument: '',
  });
  expect(readCallbackData(callbackData('a', 'b', 0))).toMatchObject({ argument: '0' });
});

test('routes a command to its feature', () => {
  expect(command('start')).toBe(open);
  expect(command('menu')).toBe(open);
  expect(command('main')).toBeUndefined();
  expect(command('constructor')).toBeUndefined();
});

test('hides unavailable buttons and commands per user and button', () => {
  const other = {} as BotContext;
  const isThere = vi.fn((by: BotContext, button: string) => by === ctx || button === 'less');
  const partly = createRouter([{ ...menu, isAvailable: isThere, buttons: { more, less: more } }]);
  for (const data of ['menu:open', 'menu:more']) {
    expect(partly.routeTap(data, ctx)).toBeDefined();
    expect(partly.routeTap(data, other)).toBeUndefined();
  }
  expect(partly.routeTap('menu:less', other)).toBeDefined();
  expect(partly.routeCommand('start', ctx)).toBe(open);
  expect(partly.routeCommand('start', other)).toBeUndefined();
});

test('returns the secret input of a feature, if it has one', () => {
  const input = { handle: open, explain: open, exposedText: 'code-exposed' as const };
  expect(createRouter([{ name: 'link', secretInput: input }]).secretInput('link')).toBe(input);
  expect(router.secretInput('menu')).toBeUndefined();
  expect(router.secretInput('other')).toBeUndefined();
});

test('rejects a command for a button that changes something', () => {
  const buttonCommands = { more: { button: 'more', text: 'command-menu' } } as const;
  expect(() => createRouter([{ ...menu, buttonCommands }])).not.toThrow();
  expect(() => createRouter([{ ...menu, buttonCommands, buttons: { more: changes(more) } }])).toThrow(
    new RangeError('/more would change something at once: menu:more'),
  );
});

test('rejects two features with the same name or command', () => {
  expect(() => createRouter([menu, { name: 'menu' }])).toThrow(
    new RangeError('two features are called menu'),
  );
  expect(() => createRouter([menu, { ...menu, name: 'other' }])).toThrow(RangeError);
  const other = { ...menu, name: 'other', command: { name: 'other', text: 'command-menu' as const } };
  expect(() => createRouter([menu, other])).toThrow(new RangeError('two features are called menu'));
  expect(() =>
    createRouter([menu, { ...other, alias: { name: 'another', text: 'command-menu' } }]),
  ).not.toThrow();
});
