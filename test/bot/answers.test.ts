import { describe, expect, test } from 'vitest';
import { answerTo, questionOf, wayOf } from '../../src/bot/answers.ts';
import { addressQuestion, durationQuestion, purposeQuestion } from '../../src/texts/cards/buying.ts';
import { menu } from '../../src/texts/cards/menu.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, tapUpdate } from './stand-in-bot.ts';

const texts = createTexts();
const en = texts.in('en');
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const LIMITS = {
  min: 32_000,
  max: 5_000_000,
  perTransfer: 65_000,
  perFirstTransfer: 131_000,
  maxTransfers: 76,
};
const MESSAGE = 40;

const duration = questionOf(
  MESSAGE,
  durationQuestion(en, { address: ADDRESS, amount: 65_000, prices: { 1: '2.32', 24: '9.99' } }),
);
const purpose = questionOf(MESSAGE, purposeQuestion(en, ADDRESS, LIMITS));

const said = (text: string, question = duration) => answerTo(question, textUpdate(1, CHAT, text));
const tapped = (data: string, message = MESSAGE) => answerTo(duration, tapUpdate(1, data, { message }));

describe('a tap', () => {
  test('on a button of the question is its answer', () => {
    expect(tapped('answer:24')).toEqual({ kind: 'choice', value: '24' });
    expect(tapped('answer:back')).toEqual({ kind: 'choice', value: 'back' });
  });

  test.each(['answer:12', 'answer:', 'answer:holder', 'menu', 'confirm:ABCD1234', ''])(
    'with data that no button of it has is no answer: %j',
    (data) => {
      expect(tapped(data)).toBeUndefined();
    },
  );

  test('on an earlier message is no answer', () => {
    expect(tapped('answer:24', MESSAGE - 1)).toBeUndefined();
  });

  test('on a known address is that address', () => {
    const question = questionOf(MESSAGE, addressQuestion(en, [ADDRESS]));
    const answer = { kind: 'choice', value: ADDRESS };
    expect(answerTo(question, tapUpdate(1, `answer:${ADDRESS}`, { message: MESSAGE }))).toEqual(answer);
  });
});

describe('words', () => {
  test.each([
    ['1 hour', '1'],
    ['24 Hours', '24'],
    [' 24 hours · ≈ 9.99 TRX ', '24'],
    ['back', 'back'],
    ['‹ Back', 'back'],
    ['BACK', 'back'],
    ['✖️ Cancel', 'cancel'],
    ['cancel!', 'cancel'],
    ['Назад', 'back'],
    ['отмена', 'cancel'],
  ])('%j chooses %s', (text, value) => {
    expect(said(text)).toEqual({ kind: 'choice', value });
  });

  test('that name a button of the question choose it', () => {
    expect(said('exact amount', purpose)).toEqual({ kind: 'choice', value: 'exact' });
    expect(said('1 transfer, recipient holds USDT', purpose)).toEqual({ kind: 'choice', value: 'holder' });
  });

  test('in Russian choose by their own labels, and in English ways too', () => {
    const view = durationQuestion(texts.in('ru'), { address: ADDRESS, amount: 65_000, prices: {} });
    const question = questionOf(MESSAGE, view);
    expect(said('1 час', question)).toEqual({ kind: 'choice', value: '1' });
    expect(said('назад', question)).toEqual({ kind: 'choice', value: 'back' });
    expect(said('Cancel', question)).toEqual({ kind: 'choice', value: 'cancel' });
  });

  test.each(['65000', 'hour', '1 hour please', '24', ADDRESS])('%j are words', (text) => {
    expect(said(text)).toEqual({ kind: 'words', words: text });
  });

  test('choose no way that the question does not offer', () => {
    const question = questionOf(MESSAGE, { html: 'x', keyboard: [] });
    expect(said('back', question)).toEqual({ kind: 'words', words: 'back' });
  });

  test('that are none, like a picture, are an empty answer', () => {
    const update = textUpdate(1, CHAT);
    if (update.message) delete update.message.text;
    expect(answerTo(duration, update)).toEqual({ kind: 'words', words: '' });
  });
});

test('a question has no choices of buttons that are not its answers', () => {
  expect(questionOf(MESSAGE, menu(en, {})).choices).toEqual([]);
});

test('an update that is neither is no answer', () => {
  expect(answerTo(duration, { update_id: 1 })).toBeUndefined();
});

test.each([
  ['✅ Confirm', 'confirm'],
  ['CONFIRM.', 'confirm'],
  ['подтвердить', 'confirm'],
  [' back ', 'back'],
  ['Назад', 'back'],
  ['✖️ Отмена', 'cancel'],
])('%j is a way out of a card: %s', (text, way) => {
  expect(wayOf(text)).toBe(way);
});

test.each(['confirmed', 'yes', 'confirm it', '', 'constructor', '__proto__'])('%j is none', (text) => {
  expect(wayOf(text)).toBeUndefined();
});
