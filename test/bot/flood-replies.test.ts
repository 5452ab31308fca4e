import type { Update } from 'grammy/types';
import { beforeEach, expect, test } from 'vitest';
import { createFloodReplies } from '../../src/bot/middleware/guards.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from './stand-in-bot.ts';

const KEY = 'demo-key-0123456789abcdefghij';
const texts = TEXTS;
const FLOOD = texts.in('en').plain('busy-flood');

let clock: { ms: number };

beforeEach(() => {
  clock = { ms: 0 };
});

function open() {
  const standIn = standInBot();
  const deps = { api: standIn.bot.api, texts, log: silentLog(), now: () => clock.ms };
  const { drop } = createFloodReplies(deps);
  const methods = () => standIn.calls.map(({ method }) => method);
  return { ...standIn, drop, methods };
}

test('answers each tap of a flood with a text', async () => {
  const { drop, calls } = open();
  for (let id = 1; id <= 33; id++) drop(tapUpdate(id, 'account:open'));
  await eventually(() => expect(calls).toHaveLength(33));
  expect(calls.at(-1)).toEqual({
    method: 'answerCallbackQuery',
    payload: { callback_query_id: '33', text: FLOOD },
  });
});

test('replies to a flood of messages once in five seconds per chat', async () => {
  const { drop, said } = open();
  for (let id = 1; id <= 100; id++) drop(textUpdate(id, CHAT));
  drop(textUpdate(101, CHAT + 1));
  await eventually(() => expect(said()).toEqual([FLOOD, FLOOD]));
  clock.ms = 4_999;
  drop(textUpdate(102, CHAT));
  clock.ms = 5_000;
  drop(textUpdate(103, CHAT));
  await eventually(() => expect(said()).toHaveLength(3));
});

test('replies in the language of the user’s Telegram app', async () => {
  const { drop, said } = open();
  const update = textUpdate(1, CHAT);
  if (update.message?.from) update.message.from.language_code = 'ru';
  drop(update);
  await eventually(() => expect(said()).toEqual([texts.in('ru').plain('busy-flood')]));
});

test('deletes every message of a flood that looks like a key before other calls', async () => {
  const { drop, methods } = open();
  for (let id = 1; id <= 60; id++) drop(tapUpdate(id, 'account:open'));
  for (let id = 61; id <= 65; id++) drop(textUpdate(id, CHAT, `my key: ${KEY}`));
  await eventually(() => expect(methods()).toHaveLength(66));
  expect(methods().slice(10, 15)).toEqual(Array(5).fill('deleteMessage'));
});

test('asks the user to delete a key that could not be deleted', async () => {
  const { drop, said, trouble } = open();
  trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  drop(textUpdate(1, CHAT, KEY));
  await eventually(() => expect(said()).toContain(texts.in('en').html('secret-unasked-stays')));
});

test.each<[string, (id: number) => Update]>([
  ['taps', (id) => tapUpdate(id, 'account:open')],
  ['keys', (id) => textUpdate(id, CHAT, KEY)],
])('handles a flood of %s with at most ten concurrent calls and drops the excess', async (_, update) => {
  const { drop, bot } = open();
  const ends: (() => void)[] = [];
  bot.api.config.use(async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { ok: true, result: JSON.parse('true') };
  });
  for (let id = 1; id <= 3_000; id++) drop(update(id));
  await eventually(() => expect(ends).toHaveLength(10));
  for (let ended = 0; ended < 1_010; ended++) {
    await eventually(() => expect(ends.length).toBeGreaterThan(ended));
    ends[ended]?.();
  }
  await new Promise(setImmediate);
  expect(ends).toHaveLength(1_010);
});

test('a failed call does not delay the others', async () => {
  const { drop, methods, trouble } = open();
  trouble('answerCallbackQuery', { code: 429, description: 'Too Many Requests' });
  for (let id = 1; id <= 30; id++) drop(tapUpdate(id, 'account:open'));
  drop(textUpdate(31, CHAT));
  await eventually(() => expect(methods().at(-1)).toBe('sendMessage'));
});

test('sends no message to a group', async () => {
  const { drop, methods } = open();
  drop(groupUpdate(1, KEY));
  drop(tapUpdate(2, 'account:open'));
  await eventually(() => expect(methods()).toEqual(['answerCallbackQuery']));
});
