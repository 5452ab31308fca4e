import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BotContext } from '../../../src/bot/context.ts';
import { errorBoundary } from '../../../src/bot/middleware/error-boundary.ts';
import { session, transaction } from '../../../src/bot/middleware/transaction.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import type { Storage } from '../../../src/platform/storage.ts';
import { silentLog } from '../../support/log-lines.ts';
import { TEXTS } from '../../support/texts.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, standInBot } from '../stand-in-bot.ts';

const texts = TEXTS;
const DROPPED = texts.in('en').plain('fault-dropped');

let storage: Storage;

beforeEach(() => {
  storage = createMemoryStorage();
});

afterEach(() => void vi.useRealTimers());

function openBot(handler: (ctx: BotContext) => Promise<void>) {
  const log = silentLog();
  const handled = vi.fn(handler);
  const above = [
    transaction({ chats: storage.chats, log }),
    errorBoundary({ texts, log }),
    session({ texts, log }),
  ];
  return { ...standInBot(...above, (ctx) => handled(ctx)), handled };
}

async function kept() {
  return storage.chats.begin({ chat: CHAT, update: 99, token: 'a look', leaseMs: 0 });
}

test('a failing update is dropped after three attempts; its flow is closed and its user notified', async () => {
  const { handle, handled, said } = openBot(async (ctx) => {
    ctx.tx.conversation = 'half a step further';
    if (ctx.update.update_id > 1) throw new Error('always');
    ctx.session.card = { operation: 'ABCD1234', message: 40 };
  });
  await handle(textUpdate(1, CHAT));
  expect(await kept()).toMatchObject({
    conversation: 'half a step further',
    session: expect.stringContaining('ABCD1234'),
  });
  await expect(handle(textUpdate(2, CHAT))).rejects.toThrow('always');
  await expect(handle(textUpdate(2, CHAT))).rejects.toThrow('always');
  expect(said()).toEqual([]);
  await handle(textUpdate(2, CHAT));
  expect(said()).toEqual([DROPPED]);
  expect(await kept()).toMatchObject({ conversation: undefined, session: undefined });
  await handle(textUpdate(2, CHAT));
  expect(handled).toHaveBeenCalledTimes(4);
});

test('an update that timed out three times is dropped without running the handler', async () => {
  for (const token of ['first', 'second', 'third']) {
    await storage.chats.begin({ chat: CHAT, update: 1, token, leaseMs: 15_000 });
    await storage.chats.release({ chat: CHAT, token });
  }
  const { handle, handled, said } = openBot(async () => {});
  await handle(textUpdate(1, CHAT));
  expect(handled).not.toHaveBeenCalled();
  expect(said()).toEqual([DROPPED]);
});

test('a dropped update claims no operation', async () => {
  await storage.set('operation', 'draft');
  const carryOut = vi.fn(async () => {});
  const { handle, said } = openBot(async ({ tx }) => {
    tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
    tx.afterCommit(carryOut);
    throw new Error('the tap could not be answered');
  });
  await expect(handle(textUpdate(1, CHAT))).rejects.toThrow();
  await expect(handle(textUpdate(1, CHAT))).rejects.toThrow();
  await handle(textUpdate(1, CHAT));
  expect(said()).toEqual([DROPPED]);
  expect(await storage.get('operation')).toBe('draft');
  expect(carryOut).not.toHaveBeenCalled();
});

test('keeps the chosen language of the user', async () => {
  const { handle, said } = openBot(async (ctx) => {
    if (ctx.update.update_id > 1) throw new Error('always');
    ctx.session.language = 'ru';
  });
  await handle(textUpdate(1, CHAT));
  await expect(handle(textUpdate(2, CHAT))).rejects.toThrow();
  await expect(handle(textUpdate(2, CHAT))).rejects.toThrow();
  await handle(textUpdate(2, CHAT));
  expect(said()).toEqual([texts.in('ru').plain('fault-dropped')]);
  expect(await kept()).toMatchObject({ session: '{"language":"ru"}' });
});

test('asks the user to delete the key if the bot was waiting for one', async () => {
  const { handle, said } = openBot(async (ctx) => {
    if (ctx.update.update_id > 1) throw new Error('always');
    ctx.session.awaiting = 'link';
  });
  await handle(textUpdate(1, CHAT));
  await expect(handle(textUpdate(2, CHAT))).rejects.toThrow();
  await expect(handle(textUpdate(2, CHAT))).rejects.toThrow();
  await handle(textUpdate(2, CHAT));
  expect(said()).toEqual([texts.in('en').html('link-delete-failed')]);
});

test('does not retry the update of a user who blocked the bot', async () => {
  await storage.set('operation', 'draft');
  const bot = openBot(async (ctx) => {
    ctx.tx.claim({ key: 'operation', expected: 'draft', value: 'claimed' });
    await ctx.reply('hello');
  });
  bot.trouble('sendMessage', { code: 403, description: 'Forbidden: bot was blocked by the user' });
  await bot.handle(textUpdate(1, CHAT));
  await bot.handle(textUpdate(1, CHAT));
  expect(bot.handled).toHaveBeenCalledOnce();
  expect(await storage.get('operation')).toBe('draft');
});

test.each([
  ['a 429', { code: 429, description: 'Too Many Requests' }],
  ['a server error of Telegram', { code: 502, description: 'Bad Gateway' }],
  ['a network failure', 'unreached' as const],
])('does not count %s as an attempt, and the flow continues at its question', async (_, trouble) => {
  const found: unknown[] = [];
  const bot = openBot(async (ctx) => {
    found.push(ctx.tx.conversation);
    ctx.tx.conversation = `${ctx.update.update_id} steps`;
    await ctx.reply('the next question');
  });
  await bot.handle(textUpdate(1, CHAT));
  bot.trouble('sendMessage', trouble);
  for (let time = 0; time < 5; time++) await expect(bot.handle(textUpdate(2, CHAT))).rejects.toThrow();
  bot.trouble('sendMessage', undefined);
  await bot.handle(textUpdate(2, CHAT));
  expect(found).toEqual([undefined, ...Array(6).fill('1 steps')]);
  expect(await kept()).toMatchObject({ conversation: '2 steps' });
});

test('drops an update only once its user has been notified', async () => {
  const bot = openBot(async (ctx) => {
    if (ctx.update.update_id > 1) throw new Error('always');
    ctx.tx.conversation = 'open';
  });
  await bot.handle(textUpdate(1, CHAT));
  bot.trouble('sendMessage', { code: 429, description: 'Too Many Requests' });
  for (let time = 0; time < 5; time++) await expect(bot.handle(textUpdate(2, CHAT))).rejects.toThrow();
  expect(await kept()).toMatchObject({ conversation: 'open' });
  bot.trouble('sendMessage', undefined);
  await bot.handle(textUpdate(2, CHAT));
  expect(bot.said().at(-1)).toBe(DROPPED);
  expect(await kept()).toMatchObject({ conversation: undefined });
});

test('drops an update whose user can never be notified', async () => {
  const bot = openBot(() => Promise.reject(new Error('always')));
  bot.trouble('sendMessage', { code: 400, description: 'Bad Request: chat not found' });
  await expect(bot.handle(textUpdate(1, CHAT))).rejects.toThrow('always');
  await expect(bot.handle(textUpdate(1, CHAT))).rejects.toThrow('always');
  await bot.handle(textUpdate(1, CHAT));
  await bot.handle(textUpdate(1, CHAT));
  expect(bot.handled).toHaveBeenCalledTimes(3);
});
