import { expect, vi } from 'vitest';
import { answerData, readCallbackData } from '../../src/views/callback-data.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { createSignal } from '../support/signal.ts';
import { TEXTS } from '../support/texts.ts';
import { type Chat, openChat, testWith } from './chat.ts';

const en = TEXTS.in('en');
const test = testWith(() => openChat('en'));

test('explains each wrong answer of a purchase; Back and button labels can be typed', async ({ chat }) => {
  await chat.write('/buy');
  for (const [text, reply] of [
    [ADDRESS, 'How much energy'],
    ['for a friend', 'Tap a button, or send an amount from 32,000 to 5,000,000'],
    ['several transfers', 'How many transfers'],
    ['0', 'Send a whole number from 1 to 76'],
    ['77', 'Send a whole number from 1 to 76'],
    ['two', 'Send a whole number from 1 to 76'],
    ['Back', 'How much energy'],
    ['Several transfers', 'How many transfers'],
    ['76', 'Energy: <b>4,940,000</b>'],
    ['2 hours', 'Choose 1 hour or 24 hours'],
    ['BACK', 'How much energy'],
    ['To a wallet without USDT', 'Energy: <b>131,000</b>'],
    ['24 hours', 'Review and confirm'],
    ['what?', 'Tap a button on this card'],
    ['Back', '3/3'],
    ['1 day', '131,000 energy · 24 h'],
    ['Back', '3/3'],
    ['1h', '131,000 energy · 1 h'],
    ['confirm', 'To confirm, tap the button'],
  ] as const) {
    const before = chat.views().length;
    await chat.write(text);
    const shown = chat.views().slice(before);
    expect(shown.map(({ html }) => html).join('\n'), text).toContain(reply);
  }
  expect(chat.setup.rental.buyEnergy).not.toHaveBeenCalled();
});

/** Returns the messages of the bot that are left in the chat, oldest first. */
function left({ calls }: Chat): number[] {
  const gone = calls.flatMap(({ method, payload }) => (method === 'deleteMessage' ? payload.message_id : []));
  const sent = calls.flatMap(({ method }, at) => (method === 'sendMessage' ? 1_001 + at : []));
  return sent.filter((message) => !gone.includes(message));
}

test('a purchase leaves one message in the chat, which moves only below a typed answer', async ({ chat }) => {
  await chat.write('/start');
  const menu = chat.lastMessage();
  await chat.tapShown('energy:open');
  expect([chat.html(), chat.lastMessage()]).toEqual([expect.stringContaining('1/3'), menu]);
  for (const typed of ['T123', `${ADDRESS.slice(0, -1)}x`, ADDRESS]) {
    await chat.write(typed);
    await vi.waitFor(() => expect(left(chat), typed).toEqual([chat.lastMessage()]));
  }
  const message = chat.lastMessage();
  for (const data of ['several', '2', 'back', 'holder', '1']) await chat.tapShown(answerData(data));
  chat.shows('Review and confirm');
  expect(left(chat)).toEqual([message]);
});

test.each(['tapped', 'typed'])(
  'Back from a card, %s, leaves only the question, even after late taps',
  async (how) => {
    const chat = await openChat('en');
    await chat.write(`/buy ${ADDRESS} 65000 1h`);
    const [card, buttons] = [chat.lastMessage(), chat.data()];
    const [back = '', confirm = ''] = ['back', 'confirm'].map((one) => chat.dataWith(`operation:${one}`));
    await (how === 'tapped' ? chat.tapShown(back) : chat.write('back'));
    chat.shows('3/3');
    await vi.waitFor(() => expect(left(chat)).toEqual([chat.lastMessage()]));
    const shown = chat.views().length;
    for (const late of [back, confirm]) await chat.tap(late, { message: card, carried: true });
    await chat.setup.advance({ user: USER, id: readCallbackData(confirm)?.argument ?? '' });
    expect(chat.setup.shown()).toEqual([]);
    expect(chat.views()).toHaveLength(shown);
    await chat.tapShown(answerData('1'));
    expect(chat.data()).toHaveLength(buttons.length);
    await vi.waitFor(() => expect(left(chat)).toEqual([chat.lastMessage()]));
  },
);

test('accepts an exact amount of energy from 32,000 to 5,000,000', async ({ chat }) => {
  await chat.input('/buy', ADDRESS, answerData('exact'));
  for (const wrong of ['31999', '31,999', '5000001', '12abc', '-65000', '65000.5', '1e6'])
    await chat.expectReply(wrong, 'Send a whole number from 32,000 to 5,000,000');
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
    expect(chat.allHtml(), written).toContain(`1,000 bandwidth · ${hours} h`);
    await chat.write('Back');
  }
});

test('closes the question when a menu button is tapped', async ({ chat }) => {
  await chat.input('/buy', 'menu:more');
  await chat.expectReply('65000', "I didn't understand that");
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
  expect(chat.toast()).toBe('Not enough yet: 1.32 TRX missing.');
  chat.setProfile('2.32');
  await chat.expectReply(answerData('again'), 'Review and confirm');
});

test('shows prices that were read when the flow began, and reads them again for the card', async ({
  chat,
}) => {
  const { prices } = chat.setup.rental;
  await chat.write('/buy');
  await vi.waitFor(() => expect(prices).toHaveBeenCalledOnce());
  await chat.write(ADDRESS);
  await chat.write('65000');
  expect(chat.labels()).toContain('1 hour · ≈ 2.32 TRX');
  expect(prices).toHaveBeenCalledOnce();
  await chat.tapShown(answerData('1'));
  chat.shows('Review and confirm');
  expect(prices).toHaveBeenCalledTimes(2);
});

test('a tap in a flow is answered before the prices for the next question are known', async ({ chat }) => {
  const { raised, raise } = createSignal();
  const { prices } = chat.setup.rental;
  const listed = await prices('any');
  await chat.write('/buy');
  await chat.write(ADDRESS);
  prices.mockImplementation(() => raised.then(() => listed));
  chat.setup.clock.now += 61_000;
  const tapped = chat.tapShown(answerData('holder'));
  await vi.waitFor(() => expect(chat.calls.at(-1)?.method).toBe('answerCallbackQuery'));
  raise();
  await tapped;
  chat.shows('For how long');
});
