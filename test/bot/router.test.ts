import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { changes, createPrefetch, decides, type Feature } from '../../src/bot/feature.ts';
import { createButtonTokens, createRouter } from '../../src/bot/router.ts';
import { DAY_MS, MINUTE_MS } from '../../src/platform/clock.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { callbackData, readCallbackData } from '../../src/views/callback-data.ts';
import { CHAT } from './stand-in-bot.ts';

describe('the router', () => {
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
  const command = (name: string) => router.routeCommand(name, ctx)?.handle(ctx);

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
      ...['', ' menu:more', 'menu:more:A\n', `menu:more:${'A'.repeat(44)}`],
      ...'menu menu: :more menu:less other:open menu:constructor menu:toString __proto__:open'.split(' '),
      ...'menu:__proto__ MENU:more menu:more: menu:more:A:B menu:more:../x answer=more'.split(' '),
    ])('with invalid data is not routed: %j', (data) => {
      expect(tap(data)).toBeUndefined();
    });
  });

  test('readCallbackData parses what callbackData writes', () => {
    const data = callbackData('operation', 'confirm', 'ABCD1234');
    expect(readCallbackData(data)).toEqual({ feature: 'operation', button: 'confirm', argument: 'ABCD1234' });
    const open = { feature: 'menu', button: 'open', argument: '' };
    expect(readCallbackData(callbackData('menu', 'open'))).toEqual(open);
    expect(readCallbackData(callbackData('a', 'b', 0))).toMatchObject({ argument: '0' });
  });

  test('routes a command to its feature', async () => {
    expect(await command('start')).toBe('opened');
    expect(await command('menu')).toBe('opened');
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
    expect(partly.routeCommand('start', ctx)).toBeDefined();
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
});

describe('button tokens', () => {
  const handler = async () => {};
  const feature: Feature = {
    name: 'shop',
    buttons: {
      show: handler,
      buy: changes(handler, 10 * MINUTE_MS),
      subscribe: changes(handler, DAY_MS),
      confirm: decides(handler),
    },
  };

  function openTokens({ keys = [randomBytes(32)], storage }: { keys?: Buffer[]; storage?: Storage } = {}) {
    const clock = { now: Date.parse('2025-06-01T12:00:00Z') };
    const now = () => clock.now;
    const tokens = createButtonTokens(keys, {
      storage: storage ?? createMemoryStorage({ now }),
      features: () => [feature],
      now,
    });
    /** Returns the signed payload of a `sendMessage` call. */
    async function sent(payload: object) {
      const call = vi.fn(async (_method: string, _payload: object) => ({ ok: true as const, result: true }));
      await tokens.sign(call as never, 'sendMessage', payload as never);
      return call.mock.calls[0]?.[1] as { reply_markup: { inline_keyboard: { callback_data: string }[][] } };
    }
    const keyboard = (data: string) => ({ inline_keyboard: [[{ text: 'a button', callback_data: data }]] });
    return {
      ...{ clock, sent },
      async signed(data: string): Promise<string> {
        const { reply_markup: markup } = await sent({ chat_id: CHAT, reply_markup: keyboard(data) });
        return markup.inline_keyboard[0]?.[0]?.callback_data ?? '';
      },
      redeem: (data: string, update = 1) => tokens.redeem({ chat: CHAT, update, data }),
    };
  }

  test('signs buttons that change something and leaves the rest of the payload unchanged', async () => {
    const { sent } = openTokens();
    const site = { text: 'Site', url: 'https://example.com' };
    const copy = { text: 'Copy', copy_text: { text: 'x' } };
    const button = (data: string) => ({ text: data, callback_data: data });
    const others = ['shop:show:1', 'shop:confirm:1', 'answer=1', 'elsewhere:buy', 'shop:constructor', 'x'];
    const rows = [[site, copy], others.map(button)];
    const payload = { chat_id: CHAT, text: 'Hello', parse_mode: 'HTML' };
    expect(await sent(payload)).toEqual(payload);
    const changing = ['shop:buy', 'shop:buy:1', '+shop:buy:1'];
    const signed = changing.map((data) => {
      const pattern = new RegExp(`^${data.replace('+', '\\+')}~[\\w-]{20}$`);
      return { text: data, callback_data: expect.stringMatching(pattern) };
    });
    const withKeyboard = (last: object[]) => ({
      ...payload,
      reply_markup: { inline_keyboard: [...rows, last] },
    });
    expect(await sent(withKeyboard(changing.map(button)))).toEqual(withKeyboard(signed));
  });

  test('keeps the token of a button whose message is edited', async () => {
    const { signed } = openTokens();
    const data = await signed('shop:buy');
    expect(await signed(data)).toBe(data);
  });

  test('creates a new token each time a button is sent', async () => {
    const { signed, redeem } = openTokens();
    const [first, second] = [await signed('shop:buy'), await signed('shop:buy')];
    expect(second).not.toBe(first);
    const redeemed = [await redeem(first, 1), await redeem(first, 2), await redeem(second, 3)];
    expect(redeemed).toEqual([true, false, true]);
  });

  test('a repeated update may redeem its token again, another update may not', async () => {
    const { signed, redeem } = openTokens();
    const data = await signed('shop:buy');
    const redeemed = [await redeem(data, 7), await redeem(data, 7), await redeem(data, 8)];
    expect(redeemed).toEqual([true, true, false]);
  });

  test('a token expires after the lifetime of its button', async () => {
    const { clock, signed, redeem } = openTokens();
    const data = await signed('shop:buy');
    clock.now += 10 * MINUTE_MS - 1_000;
    expect(await redeem(data)).toBe(true);
    clock.now += 1_000;
    expect(await redeem(data)).toBe(false);
  });

  test('a used token with a lifetime of one day stays used until it expires', async () => {
    const { clock, signed, redeem } = openTokens();
    const data = await signed('shop:subscribe');
    expect(await redeem(data, 1)).toBe(true);
    for (const passedMs of [2 * 60 * MINUTE_MS, DAY_MS - 2 * 60 * MINUTE_MS - 1_000]) {
      clock.now += passedMs;
      expect(await redeem(data, 2)).toBe(false);
    }
  });

  test('a used token stays used on a replica whose clock is half an hour behind', async () => {
    const ahead = { ms: 0 };
    const storage = createMemoryStorage({ now: () => clock.now + ahead.ms });
    const { clock, signed, redeem } = openTokens({ storage });
    const data = await signed('shop:buy');
    expect(await redeem(data, 1)).toBe(true);
    ahead.ms = 30 * MINUTE_MS;
    expect(await redeem(data, 2)).toBe(false);
  });

  test('tokens of the previous SECRET_KEY are valid until that key is removed', async () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const data = await openTokens({ keys: [old] }).signed('shop:buy');
    expect(await openTokens({ keys: [fresh, old] }).redeem(data)).toBe(true);
    expect(await openTokens({ keys: [fresh] }).redeem(data)).toBe(false);
  });

  test('a button too long for a token is sent unsigned and counts as expired', async () => {
    const { signed, redeem } = openTokens();
    const [fits, tooLong] = [`shop:buy:${'x'.repeat(34)}`, `shop:buy:${'x'.repeat(35)}`];
    expect(await signed(fits)).toHaveLength(64);
    expect(await signed(tooLong)).toBe(tooLong);
    expect(await redeem(tooLong)).toBe(false);
  });

  test('a button that changes nothing or is protected by its card needs no token', async () => {
    const { redeem } = openTokens();
    for (const data of ['shop:show:1', 'shop:confirm:1', 'elsewhere:buy'])
      expect(await redeem(data)).toBe(true);
  });
});

describe('prefetched data', () => {
  /** Returns an empty context. */
  const update = () => ({}) as BotContext;

  test('reads once per update and argument', async () => {
    const read = vi.fn(async (_: BotContext, argument: string) => `of ${argument}`);
    const ahead = createPrefetch(read);
    const ctx = update();
    ahead.start(ctx, 'A');
    expect([await ahead.get(ctx, 'A'), await ahead.get(ctx, 'A')]).toEqual(['of A', 'of A']);
    expect(read).toHaveBeenCalledOnce();
  });

  test('reads again when the update is retried, and separately for another update', async () => {
    let times = 0;
    const ahead = createPrefetch(async () => ++times);
    const ctx = update();
    ahead.start(ctx, '');
    ahead.start(ctx, '');
    expect(await ahead.get(ctx, '')).toBe(2);
    expect(await ahead.get(update(), '')).toBe(3);
  });

  test('a failed read rejects only for its caller', async () => {
    const ahead = createPrefetch(async () => {
      throw new Error('the storage is away');
    });
    const ctx = update();
    ahead.start(ctx, '');
    await new Promise((resolve) => setImmediate(resolve));
    await expect(ahead.get(ctx, '')).rejects.toThrow('the storage is away');
  });
});
