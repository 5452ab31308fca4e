import { expect, test, vi } from 'vitest';
import { privateOnly } from '../../../src/bot/middleware/guards.ts';
import { silentLog } from '../../support/log-lines.ts';
import { TEXTS } from '../../support/texts.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from '../stand-in-bot.ts';

function openBot() {
  const handled = vi.fn();
  return { ...standInBot(privateOnly({ texts: TEXTS, log: silentLog() }), handled), handled };
}

test('passes updates of a private chat on', async () => {
  const bot = openBot();
  await bot.handle(textUpdate(1, CHAT));
  await bot.handle(tapUpdate(2, 'menu'));
  expect(bot.handled).toHaveBeenCalledTimes(2);
  expect(bot.calls).toEqual([]);
});

test('replies to a group command with a link to the private chat, in the sender’s language', async () => {
  const bot = openBot();
  await bot.handle(groupUpdate(1, '/start'));
  await bot.handle(groupUpdate(2, '/buy', 'ru'));
  expect(bot.handled).not.toHaveBeenCalled();
  expect(bot.said()).toEqual([expect.stringContaining('private chat'), expect.stringMatching(/[а-я]/)]);
  expect(JSON.stringify(bot.calls[0]?.payload)).toContain('https://t.me/rental_demo_bot?start=group');
});

test('replies to a group command for this bot, not to one for another', async () => {
  const bot = openBot();
  await bot.handle(groupUpdate(1, '/start@Rental_Demo_Bot'));
  await bot.handle(groupUpdate(2, '/start@another_bot'));
  expect(bot.said()).toHaveLength(1);
});

test('in a group ignores other messages and only acknowledges taps', async () => {
  const bot = openBot();
  await bot.handle(groupUpdate(1, 'hello'));
  const { callback_query: tap, ...update } = tapUpdate(2, 'confirm:ABCD1234');
  if (!tap) throw new Error('expected a callback query');
  const group = {
    message_id: 1,
    date: 0 as const,
    chat: { id: -1001, type: 'supergroup' as const, title: 'Demo group' },
  };
  await bot.handle({ ...update, callback_query: { ...tap, message: group } });
  expect(bot.handled.mock.calls).toEqual([]);
  expect(bot.calls.map(({ method }) => method)).toEqual(['answerCallbackQuery']);
});

const KEY = 'aB3dE5gH7jK9mN1pQ3sT5vW7';
const FORBIDDEN = { code: 403, description: 'Forbidden' };

test.each([
  ['a key', `my key is ${KEY}`, 'Replace the key'],
  ['a key behind a command', `/link ${KEY}`, 'Replace the key'],
  ['a code behind the bot’s name', '@rental_demo_bot 123 456', 'one-time code'],
  ['a code behind a command', '/code@rental_demo_bot 123456', 'one-time code'],
])('%s typed in a group is deleted and not used, with a private warning', async (_, text, says) => {
  const bot = openBot();
  await bot.handle(groupUpdate(1, text));
  expect(bot.handled).not.toHaveBeenCalled();
  expect(bot.calls.map(({ method, payload }) => [method, payload.chat_id])).toEqual([
    ['deleteMessage', -1001],
    ['sendMessage', CHAT],
  ]);
  expect(bot.said()[0]).toContain(says);
  expect(bot.said()[0]).toContain('I deleted it');
  expect(bot.said()[0]).not.toContain(KEY);
});

test('asks the sender to delete it if the bot cannot; falls back to the group', async () => {
  const bot = openBot();
  bot.trouble('deleteMessage', FORBIDDEN);
  await bot.handle(groupUpdate(1, KEY));
  expect(bot.said().at(-1)).toContain('delete it yourself');
  bot.trouble('sendMessage', FORBIDDEN);
  await bot.handle(groupUpdate(2, KEY, 'ru'));
  const told = bot.calls.filter(({ method }) => method === 'sendMessage').at(-1);
  expect(told?.payload.chat_id).toBe(-1001);
});

test('says that a key in a group was deleted if the result of deleteMessage is null', async () => {
  const bot = openBot();
  bot.trouble('deleteMessage', { result: null });
  await bot.handle(groupUpdate(1, KEY));
  expect(bot.said().at(-1)).toContain('I deleted it');
});

test.each([
  ...['hello 123456 everybody', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '/start 12'],
  '/start invoice-aB3dE5gH7jK9mN1pQ3sT5vW7',
])('does not delete other messages such as %j', async (text) => {
  const bot = openBot();
  await bot.handle(groupUpdate(1, text));
  expect(bot.calls.some(({ method }) => method === 'deleteMessage')).toBe(false);
});
