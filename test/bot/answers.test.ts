import { describe, expect, test } from 'vitest';
import {
  answerButton,
  answerTo,
  controlWordOf,
  questionView,
  shownQuestion,
} from '../../src/bot/dialogue.ts';
import { shortenAddress } from '../../src/i18n/formats.ts';
import type { Words } from '../../src/i18n/texts.ts';
import { answerData, withMenuButton } from '../../src/i18n/view.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, tapUpdate } from './stand-in-bot.ts';

const texts = TEXTS;
const en = texts.in('en');
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const MESSAGE = 40;

const priced = [
  [answerButton(en.plain('button-1-hour-priced', { price: '2.32' }), 1)],
  [answerButton(en.plain('button-24-hours-priced', { price: '9.99' }), 24)],
];
const duration = shownQuestion(MESSAGE, questionView(en, 'For how long?', priced));
const purpose = shownQuestion(
  MESSAGE,
  questionView(en, 'What for?', [
    [answerButton(en.plain('button-one-holder', { amount: '65,000' }), 'holder')],
    [answerButton(en.plain('button-exact'), 'exact')],
  ]),
);
const unpriced = (words: Words) =>
  questionView(words, 'x', [
    [answerButton(words.plain('button-1-hour'), 1)],
    [answerButton(words.plain('button-24-hours'), 24)],
  ]);

const said = (text: string, question = duration) => answerTo(question, textUpdate(1, CHAT, text));
const tapped = (data: string, message = MESSAGE) => answerTo(duration, tapUpdate(1, data, { message }));

describe('a tap', () => {
  test('on a button of the question selects its value', () => {
    expect(tapped(answerData('24'))).toEqual({ kind: 'choice', value: '24', tapped: true });
    expect(tapped(answerData('back'))).toEqual({ kind: 'choice', value: 'back', tapped: true });
  });

  test.each([
    answerData('12'),
    answerData(''),
    answerData('holder'),
    'answer:24',
    '24',
    'menu:open',
    'operation:confirm:ABCD1234',
    '',
  ])('with data of no button in the question is ignored: %j', (data) => {
    expect(tapped(data)).toBeUndefined();
  });

  test('on an earlier message is ignored', () => {
    expect(tapped(answerData('24'), MESSAGE - 1)).toBeUndefined();
  });

  test('on a shortened address selects the full address', () => {
    const question = shownQuestion(
      MESSAGE,
      questionView(en, 'x', [[answerButton(shortenAddress(ADDRESS), ADDRESS)]]),
    );
    expect(answerTo(question, tapUpdate(1, answerData(ADDRESS), { message: MESSAGE }))).toEqual({
      kind: 'choice',
      value: ADDRESS,
      tapped: true,
    });
  });
});

describe('a typed answer', () => {
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

  test('chooses the button whose label it matches', () => {
    expect(said('exact amount', purpose)).toEqual({ kind: 'choice', value: 'exact' });
    expect(said('1 transfer, recipient holds USDT', purpose)).toEqual({ kind: 'choice', value: 'holder' });
  });

  test('in a Russian chat matches Russian labels and English navigation words', () => {
    const question = shownQuestion(MESSAGE, unpriced(texts.in('ru')));
    expect(said('1 час', question)).toEqual({ kind: 'choice', value: '1' });
    expect(said('назад', question)).toEqual({ kind: 'choice', value: 'back' });
    expect(said('Cancel', question)).toEqual({ kind: 'choice', value: 'cancel' });
  });

  test.each(['65000', 'hour', '1 hour please', '24', ADDRESS])(
    '%j matches no button and is returned as words',
    (text) => {
      expect(said(text)).toEqual({ kind: 'text', text: text });
    },
  );

  test('is not read as Back if the question has no buttons', () => {
    const question = shownQuestion(MESSAGE, { html: 'x', keyboard: [] });
    expect(said('back', question)).toEqual({ kind: 'text', text: 'back' });
  });

  test('without text, such as a picture, is returned as empty words', () => {
    const update = textUpdate(1, CHAT);
    if (update.message) delete update.message.text;
    expect(answerTo(duration, update)).toEqual({ kind: 'text', text: '' });
  });
});

test('a view without answer buttons has no choices', () => {
  expect(shownQuestion(MESSAGE, withMenuButton(en, 'x')).choices).toEqual([]);
});

test('an update without a message or a tap is no answer', () => {
  expect(answerTo(duration, { update_id: 1 })).toBeUndefined();
});

test.each([
  ['✅ Confirm', 'confirm'],
  ['CONFIRM.', 'confirm'],
  ['подтвердить', 'confirm'],
  [' back ', 'back'],
  ['Назад', 'back'],
  ['✖️ Отмена', 'cancel'],
])('%j at a card means %s', (text, way) => {
  expect(controlWordOf(text)).toBe(way);
});

test.each(['confirmed', 'yes please', 'confirm it', '', 'constructor', '__proto__'])(
  '%j at a card matches none of its buttons',
  (text) => {
    expect(controlWordOf(text)).toBeUndefined();
  },
);

test('treats a megabyte of punctuation as words', () => {
  const text = `a${'-'.repeat(1_000_000)}a`;
  expect(controlWordOf(text)).toBeUndefined();
  expect(answerTo(duration, textUpdate(1, CHAT, text))).toEqual({ kind: 'text', text: text });
});
