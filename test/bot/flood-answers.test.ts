import type { Update } from 'grammy/types';
import { beforeEach, expect, test } from 'vitest';
import { createFloodAnswers } from '../../src/bot/flood-answers.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, groupUpdate, standInBot, tapUpdate } from './stand-in-bot.ts';

const KEY = 'demo-key-0123456789abcdefghij';
const texts = createTexts();
const FLOOD = texts.in('en').plain('busy-flood');

let clock: { ms: number };

beforeEach(() => {
  clock = { ms: 0 };
});

function open() {
  const standIn = standInBot();
  const deps = { api: standIn.bot.api, texts, log: silentLog(), now: () => clock.ms };
  const { drop } = createFloodAnswers(deps);
  const methods = () => standIn.calls.map(({ method }) => method);
  return { ...standIn, drop, methods };
}

test('each tap of a flood is answered in words', async () => {
  const { drop, calls } = open();
  for (let id = 1; id <= 33; id++) drop(tapUpdate(id, 'account:open'));
  await eventually(() => expect(calls).toHaveLength(33));
  expect(calls.at(-1)).toEqual({
    method: 'answerCallbackQuery',
    payload: { callback_query_id: '33', text: FLOOD },
  });
});

test('a flood of messages is told once in five seconds, each chat by itself', async () => {
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

test('they are told in the language of their Telegram', async () => {
  const { drop, said } = open();
  const update = textUpdate(1, CHAT);
  if (update.message?.from) update.message.from.language_code = 'ru';
  drop(update);
  await eventually(() => expect(said()).toEqual([texts.in('ru').plain('busy-flood')]));
});

test('every message of a flood that looks like a key is deleted, before anything is said', async () => {
  const { drop, methods } = open();
  for (let id = 1; id <= 60; id++) drop(tapUpdate(id, 'account:open'));
  for (let id = 61; id <= 65; id++) drop(textUpdate(id, CHAT, `my key: ${KEY}`));
  await eventually(() => expect(methods()).toHaveLength(66));
  expect(methods().slice(10, 15)).toEqual(Array(5).fill('deleteMessage'));
});

test('who sent a key amid a flood that could not be deleted is told to delete it', async () => {
  const { drop, said, trouble } = open();
  trouble('deleteMessage', { code: 400, description: "Bad Request: message can't be deleted" });
  drop(textUpdate(1, CHAT, KEY));
  await eventually(() => expect(said()).toContain(texts.in('en').html('secret-unasked-stays')));
});

test.each<[string, (id: number) => Update]>([
  ['taps', (id) => tapUpdate(id, 'account:open')],
  ['keys', (id) => textUpdate(id, CHAT, KEY)],
])(
  'of a flood of %s there are never more than ten calls at once, and what can not be answered is left',
  async (_, update) => {
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
  },
);

test('a call about a flood that fails keeps none of the others back', async () => {
  const { drop, methods, trouble } = open();
  trouble('answerCallbackQuery', { code: 429, description: 'Too Many Requests' });
  for (let id = 1; id <= 30; id++) drop(tapUpdate(id, 'account:open'));
  drop(textUpdate(31, CHAT));
  await eventually(() => expect(methods().at(-1)).toBe('sendMessage'));
});

test('nothing is said in a group, where nobody waits for an answer', async () => {
  const { drop, methods } = open();
  drop(groupUpdate(1, KEY));
  drop(tapUpdate(2, 'account:open'));
  await eventually(() => expect(methods()).toEqual(['answerCallbackQuery']));
});
