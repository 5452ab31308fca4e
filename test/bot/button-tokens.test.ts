import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createButtonTokens } from '../../src/bot/button-tokens.ts';
import { changes, decides, type Feature } from '../../src/bot/feature.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { CHAT } from './stand-in-bot.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
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
  const tokens = createButtonTokens({
    ...{ keys, storage: storage ?? createMemoryStorage({ now }), now },
    features: () => [feature],
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
  const [site, copy] = [
    { text: 'Site', url: 'https://example.com' },
    { text: 'Copy', copy_text: { text: 'x' } },
  ];
  const button = (data: string) => ({ text: data, callback_data: data });
  const others = ['shop:show:1', 'shop:confirm:1', 'answer=1', 'elsewhere:buy', 'shop:constructor', 'x'];
  const rows = [[site, copy], others.map(button)];
  const payload = { chat_id: CHAT, text: 'Hello', parse_mode: 'HTML' };
  expect(await sent(payload)).toEqual(payload);
  const changing = ['shop:buy', 'shop:buy:1', '+shop:buy:1'];
  const keyboard = [...rows, changing.map(button)];
  expect(await sent({ ...payload, reply_markup: { inline_keyboard: keyboard } })).toEqual({
    ...payload,
    reply_markup: {
      inline_keyboard: [
        ...rows,
        changing.map((data) => ({
          text: data,
          callback_data: expect.stringMatching(
            new RegExp(`^${data.replace('+', '\\+')}~[\\w-]{20}$`),
          ) as string,
        })),
      ],
    },
  });
});

test('creates a new token each time a button is sent', async () => {
  const { signed, redeem } = openTokens();
  const [first, second] = [await signed('shop:buy'), await signed('shop:buy')];
  expect(second).not.toBe(first);
  expect([await redeem(first, 1), await redeem(first, 2), await redeem(second, 3)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('a repeated update may redeem its token again, another update may not', async () => {
  const { signed, redeem } = openTokens();
  const data = await signed('shop:buy');
  expect([await redeem(data, 7), await redeem(data, 7), await redeem(data, 8)]).toEqual([true, true, false]);
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
