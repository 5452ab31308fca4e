import { expect } from 'vitest';
import { answerData } from '../../src/i18n/texts.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { TEXTS } from '../support/texts.ts';
import { openChat, testWith } from './chat.ts';

const en = TEXTS.in('en');
const test = testWith(() => openChat('en'));

test('explains each wrong answer of a purchase; Back and button labels can be typed', async ({ chat }) => {
  await chat.write('/buy');
  for (const [text, reply] of [
    [ADDRESS, 'What is it for'],
    ['for a friend', 'Tap one of the buttons, or write an exact amount of energy from 32,000 to 5,000,000'],
    ['several transfers', 'How many transfers'],
    ['0', 'Write a whole number from 1 to 76'],
    ['77', 'Write a whole number from 1 to 76'],
    ['two', 'Write a whole number from 1 to 76'],
    ['Back', 'What is it for'],
    ['Several transfers', 'How many transfers'],
    ['76', 'Energy: <b>4,940,000</b>'],
    ['2 hours', 'Choose 1 hour or 24 hours'],
    ['BACK', 'What is it for'],
    ['1 transfer, recipient is new to USDT', 'Energy: <b>131,000</b>'],
    ['24 hours', 'Check before you confirm'],
    ['what?', 'This card is still waiting. Tap one of its buttons'],
    ['Back', '3 of 3'],
    ['1 day', '131,000 energy · 24 hours'],
    ['Back', '3 of 3'],
    ['1h', '131,000 energy · 1 hour'],
    ['confirm', "Words don't confirm"],
  ] as const) {
    const before = chat.views().length;
    await chat.write(text);
    const shown = chat.views().slice(before);
    expect(shown.map(({ html }) => html).join('\n'), text).toContain(reply);
  }
  expect(chat.setup.rental.buyEnergy).not.toHaveBeenCalled();
});

test('accepts an exact amount of energy from 32,000 to 5,000,000', async ({ chat }) => {
  await chat.input('/buy', ADDRESS, answerData('exact'));
  for (const wrong of ['31999', '31,999', '5000001', '12abc', '-65000', '65000.5', '1e6'])
    await chat.expectReply(wrong, 'Write a whole number from 32,000 to 5,000,000');
  await chat.expectReply('32,000', 'Energy: <b>32,000</b>');
  await chat.input(answerData('back'), answerData('exact'));
  await chat.expectReply('5 000 000', 'Energy: <b>5,000,000</b>');
});

test('accepts common notations of a duration in both languages', async ({ chat }) => {
  await chat.input('/bandwidth', ADDRESS, '1000');
  for (const [written, hours] of [
    ['3 дня', 72],
    ['2 д', 48],
    ['5 дней', 120],
    ['24 ч', 24],
    ['3 days', 72],
    ['6h', 6],
  ] as const) {
    await chat.write(written);
    expect(chat.allHtml(), written).toContain(`1,000 bandwidth · ${hours} hours`);
    await chat.write('Back');
  }
});

test('keeps no question open when a menu button is tapped, and says so', async ({ chat }) => {
  await chat.input('/buy', 'menu:more');
  chat.shows(chat.words.html('left-flow'));
});

test('reports an insufficient balance before the card, with the missing amount and deposit address', async ({
  chat,
}) => {
  chat.setProfile('1.00');
  await chat.write('/buy');
  for (const answer of [ADDRESS, '65000', '1']) await chat.write(answer);
  for (const text of ['2.32 TRX', '1.00 TRX', '1.32 TRX', `<code>${ADDRESS}</code>`]) {
    expect(chat.html()).toContain(text);
  }
  expect(chat.buttons()).toMatchObject({
    [en.plain('button-copy-address')]: ADDRESS,
    [en.plain('button-check-again')]: answerData('again'),
  });
  await chat.tap(answerData('again'));
  expect(chat.toast()).toBe('Not enough yet: 1.32 TRX are missing.');
  chat.setProfile('2.32');
  await chat.expectReply(answerData('again'), 'Check before you confirm');
});

test('a card shows its price and balance', async ({ chat }) => {
  await chat.write('/buy');
  for (const answer of [ADDRESS, '65000', '1']) await chat.write(answer);
  expect(chat.html()).toMatch(/Price: about <b>2\.32 TRX<\/b>\nBalance: 1000\.00 TRX/);
});
