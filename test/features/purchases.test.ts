import { expect, vi } from 'vitest';
import { createUnpaidReader } from '../../src/bot/money-flow.ts';
import { answerData, readCallbackData } from '../../src/views/callback-data.ts';
import { operationIn } from '../operations/cards.ts';
import { ACTIVATION, SMART_MODE, START, USER } from '../operations/operations-setup.ts';
import { ADDRESS, accepted, CUT, rejected, subscription } from '../operations/rental-stand-in.ts';
import { eventually } from '../support/eventually.ts';
import { withPlainSpaces } from '../support/plain-spaces.ts';
import { createSignal } from '../support/signal.ts';
import { TEXTS } from '../support/texts.ts';
import { type Chat, OTHER_ADDRESS, openChat, testWith } from './chat.ts';

const en = TEXTS.in('en');
const test = testWith(() => openChat('en'));

test('a card understands other amounts and durations, and explains each wrong one', async ({ chat }) => {
  await chat.write('/buy');
  for (const [text, reply] of [
    [ADDRESS, '65,000 energy · 1 h'],
    ['qwerty', 'Tap a button on this card, or send another amount, duration or address.'],
    ['131k', '131,000 energy · 1 h'],
    ['24 hours', '131,000 energy · 24 h'],
    ['2 hours', 'You asked for 2 h: 24 h chosen.'],
    ['Back', 'Which address'],
    [`${ADDRESS} 2 transfers 1h`, '130,000 energy · 1 h'],
    ['two', 'Tap a button on this card'],
    ['76', '4,940,000 energy · 1 h'],
    ['day', '4,940,000 energy · 24 h'],
    ['confirm', 'To confirm, tap the button'],
    [`${OTHER_ADDRESS} 131000 1h`, '131,000 energy · 1 h'],
    [`${OTHER_ADDRESS} 5000`, '5,000 is too little: at least 32,000.'],
    ['2', '130,000 energy · 1 h'],
    ['BACK', 'Which address'],
  ] as const) {
    const before = chat.views().length;
    await chat.write(text);
    const shown = chat.views().slice(before);
    expect(shown.map(({ html }) => html).join('\n'), text).toContain(reply);
  }
  expect(chat.setup.rental.buyEnergy).not.toHaveBeenCalled();
});

test('an active address is reported as such, and not offered for activation any more', async ({ chat }) => {
  const { setup, deps } = chat;
  for (const address of [ADDRESS, OTHER_ADDRESS]) await deps.addressBook.remember(USER, address);
  setup.rental.activateAddress.mockResolvedValue(rejected(409, 'ADDRESS_ALREADY_ACTIVE'));
  const refused = await setup.claimed({ request: ACTIVATION });
  await setup.advance(refused);
  await chat.tap(`history:receipt:${refused.id}`);
  expect(chat.html().split('\n')[0]).toBe('ℹ️ <b>Already active.</b> Nothing was charged.');
  expect(chat.html()).not.toMatch(/Not activated|Ref\./);
  await chat.write('/activate');
  expect(chat.data()).toContain(answerData(OTHER_ADDRESS));
  expect(chat.data()).not.toContain(answerData(ADDRESS));
});

test.each(['energy', 'invoice'])(
  'a number out of range keeps the card of %s and names the range',
  async (kind) => {
    const chat = await openChat('en', { linked: kind === 'energy' });
    await chat.write(`${ADDRESS} 131k 24h`);
    const before = await chat.requested();
    expect(before?.kind).toBe(kind);
    const reply = async (text: string) => {
      const shown = chat.views().length;
      await chat.write(text);
      return chat.views()[shown]?.html;
    };
    const range = 'Send a number: 1 to 76 for transfers, or 32,000 to 5,000,000 for energy.';
    for (const [number, problem] of [
      ['1000000000', range],
      ['-100', range],
      ['65000.5', range],
      ['0', '0 is too little: at least 32,000.'],
      ['31999 24h', '31,999 is too little: at least 32,000.'],
      ['5000001 energy', '5,000,001 is too much: at most 5,000,000.'],
      ['77', '77 is too many: at most 76 transfers.'],
    ] as const)
      expect(await reply(number), number).toContain(problem);
    expect(await chat.requested()).toEqual(before);
  },
);

test.each([
  ['en', '3h', /65,000 energy · 24 h/, 'You asked for 3 h'],
  ['en', '3 hours 131k', /131,000 energy · 24 h/, 'You asked for 3 h'],
  ['ru', '3ч', /65 000( энергии)? · 24 ч/, 'Вы просили 3 ч'],
] as const)('an open card in %s takes %s as the duration that covers it, and says so', async (...given) => {
  const [language, said, title, why] = given;
  for (const linked of [true, false]) {
    const chat = await openChat(language, { linked });
    await chat.write(`${ADDRESS} 65k 1h`);
    await chat.write(said);
    expect(withPlainSpaces(chat.html())).toMatch(title);
    expect(withPlainSpaces(chat.html())).toContain(why);
    expect(await chat.requested()).toMatchObject({ address: ADDRESS, duration_hours: 24 });
  }
});

test('a note about the amount or the duration stands below the title', async ({ chat }) => {
  await chat.write(`${ADDRESS} 2500 3 hours`);
  await chat.write('131k');
  expect(chat.html()).toMatch(
    /· 24 h\nEnergy for.*: .*\n\n⚠️ <b>You asked for 3 h: 24 h chosen\.<\/b> .*\n\n/,
  );
});

test('the hours that replace others are explained as long as the card shows them', async ({ chat }) => {
  const why = '⚠️ <b>You asked for 3 h: 24 h chosen.</b>';
  await chat.write(`${ADDRESS} 3 hours`);
  for (const said of ['hello', '/history', '131k', '24h']) {
    const before = chat.views().length;
    await chat.write(said);
    const [card] = chat
      .views()
      .slice(before)
      .filter(({ html }) => html.includes('Review and confirm'));
    expect(card?.html, said).toContain(why);
  }
  await chat.tapShown(chat.dataWith('energy65000'));
  chat.shows('65,000 energy · 24 h', why);
  await chat.tapShown(chat.dataWith('hours1'));
  chat.shows('65,000 energy · 1 h');
  await chat.tapShown(chat.dataWith('hours24'));
  expect(chat.html()).not.toContain('You asked for');
});

test.each([
  ['en', 'You asked for 6 h: 24 h chosen.'],
  ['ru', 'Вы просили 6\u00a0ч, выбрано 24\u00a0ч.'],
] as const)("an invoice's card explains the hours that replace others: %s", async (language, why) => {
  for (const options of [{}, { linked: false }]) {
    const chat = await openChat(language, options);
    await chat.expectReply(`/invoice ${ADDRESS} 6h`, why);
  }
});

test('a purchase at an unknown price can be refreshed, not confirmed', async ({ chat }) => {
  const { prices, buyEnergy } = chat.setup.rental;
  const listed = await prices('');
  prices.mockResolvedValue(CUT);
  await chat.expectReply(ADDRESS, 'No price yet', 'Nothing is bought without a price');
  const card = chat.lastMessage();
  expect(chat.dataWith('confirm')).toBe('');
  await chat.tapShown(chat.buttons()['↻ Check price'] ?? '');
  expect(chat.toast()).toBe('The price is still unknown. Nothing was charged.');
  prices.mockResolvedValue(listed);
  // A modified client sends the button that the card doesn't have.
  await chat.tap(chat.dataWith('refresh').replace('refresh', 'confirm'), { message: card, carried: true });
  expect(await chat.requested()).toBeDefined();
  chat.shows('Review and confirm', 'Price: about <b>2.32 TRX</b>');
  expect([chat.lastMessage(), buyEnergy.mock.calls]).toEqual([card, []]);
  expect(chat.dataWith('confirm')).not.toBe('');
});

test.each([
  ['/start buy', '65,000 energy · 1 h'],
  ['/start buy-131000-24h', '131,000 energy · 24 h'],
])('the link %s opens an order', async (command, title) => {
  const chat = await openChat('en');
  await chat.expectReply(command, 'Which address');
  await chat.expectReply(ADDRESS, title);
});

test.each([
  ['prices', 'Current prices', TEXTS.in('en').html('menu-title')],
  ['link', 'Link account', TEXTS.in('en').html('menu-title')],
  ['invoices', 'Invoices', 'You have no invoice with <code>7</code>'],
])('the link ?start=%s opens what it names', async (payload, title, withValue) => {
  const chat = await openChat('en', { linked: false });
  await chat.expectReply(`/start ${payload}`, title);
  await chat.expectReply(`/start ${payload}-7`, withValue);
});

test.each(['/start buy-FREE-100-TRX', '/start buy-a-b-c-d-e', '/start buy-0123456789', '/start buyer'])(
  'the link %s opens only the menu',
  async (command) => {
    const chat = await openChat('en');
    await chat.expectReply(command, 'Energy and bandwidth');
    expect(chat.allHtml()).not.toContain('Which address');
  },
);

test('a link never names the address of an order', async ({ chat }) => {
  for (const payload of [`buy-${ADDRESS}`, `buy-65000-1h-${ADDRESS}`]) await chat.write(`/start ${payload}`);
  expect(chat.allHtml()).not.toMatch(/Which address|Review and confirm/);
});

test('a changed card replaces the former one, unless the storage was rolled back since', async ({ chat }) => {
  await chat.write(ADDRESS);
  const [first] = left(chat);
  await chat.write('131k');
  await eventually(() => expect(left(chat)).toEqual([chat.lastMessage()]));
  const former = chat.lastMessage();
  chat.setup.storage.continuity = async () => ({ epoch: 'a-later-one', cause: 'restarted' }) as never;
  await chat.setup.continuity.check();
  // No payments are taken for a while after that.
  chat.setup.clock.now += 6 * 60_000;
  await chat.write(ADDRESS);
  // The former card may have been used, so it stays and says that.
  await eventually(() =>
    expect(chat.payloads('editMessageText').at(-1)).toMatchObject({
      message_id: former,
      text: expect.stringContaining('may already have been used'),
    }),
  );
  expect(left(chat)).toContain(former);
  expect(left(chat)).not.toContain(first);
});

test('a receipt stays if the storage was rolled back to before it, and its Again is tapped', async ({
  chat,
}) => {
  await chat.write(ADDRESS);
  const receipt = chat.lastMessage();
  const id = readCallbackData(chat.dataWith('operation:confirm'))?.argument ?? '';
  chat.setup.storage.continuity = async () => ({ epoch: 'a-later-one', cause: 'restarted' }) as never;
  await chat.setup.continuity.check();
  chat.setup.clock.now += 4 * 60_000;
  await chat.tap(`operation:again:${id}`, { message: receipt, carried: true });
  expect(chat.payloads('editMessageText').map((payload) => payload.text)).not.toContainEqual(
    expect.stringContaining('Review and confirm'),
  );
});

test('a tap on a choice of a card is answered before the new price is known', async ({ chat }) => {
  const { raised, raise } = createSignal();
  const { prices } = chat.setup.rental;
  const listed = await prices('any');
  await chat.write(ADDRESS);
  prices.mockImplementation(() => raised.then(() => listed));
  const tapped = chat.tapShown(chat.dataWith('energy131000'));
  await eventually(() => expect(chat.calls.at(-1)?.method).toBe('answerCallbackQuery'));
  raise();
  await tapped;
  chat.shows('131,000 energy');
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
  expect([chat.html(), chat.lastMessage()]).toEqual([expect.stringContaining('Which address'), menu]);
  for (const typed of ['T123', `${ADDRESS.slice(0, -1)}x`, ADDRESS]) {
    await chat.write(typed);
    await eventually(() => expect(left(chat), typed).toEqual([chat.lastMessage()]));
  }
  await chat.tapShown(chat.dataWith('energy131000'));
  await chat.tapShown(chat.dataWith('hours24'));
  await chat.tapShown(chat.dataWith('_amount'));
  await chat.tapShown(answerData('2'));
  chat.shows('130,000 energy · 24 h');
  await eventually(() => expect(left(chat)).toEqual([chat.lastMessage()]));
  await chat.write('131k');
  await eventually(() => expect(left(chat)).toEqual([chat.lastMessage()]));
});

test.each(['tapped', 'typed'])(
  'Back from a card, %s, leaves only the question, even after late taps',
  async (how) => {
    const chat = await openChat('en');
    await chat.write(`/buy ${ADDRESS} 65000 1h`);
    const [card, buttons] = [chat.lastMessage(), chat.data()];
    const [back = '', confirm] = [
      chat.buttons()[en.plain('button-back')],
      chat.dataWith('operation:confirm'),
    ];
    await (how === 'tapped' ? chat.tapShown(back) : chat.write('back'));
    chat.shows('Which address');
    await eventually(() => expect(left(chat)).toEqual([chat.lastMessage()]));
    const shown = chat.views().length;
    for (const late of [back, confirm]) await chat.tap(late, { message: card, carried: true });
    await chat.setup.advance({ user: USER, id: readCallbackData(confirm)?.argument ?? '' });
    expect(chat.setup.shown()).toEqual([]);
    expect(chat.views()).toHaveLength(shown);
    await chat.write(ADDRESS);
    expect(chat.data()).toHaveLength(buttons.length);
    await eventually(() => expect(left(chat)).toEqual([chat.lastMessage()]));
  },
);

test('accepts an exact amount of energy from 32,000 to 5,000,000', async ({ chat }) => {
  await chat.write(ADDRESS);
  await chat.tapShown(chat.dataWith('_amount'));
  for (const wrong of ['31,999', '5000001']) await chat.expectReply(wrong, ' is too ');
  for (const wrong of ['12abc', '-65000', '65000.5', '1e6'])
    await chat.expectReply(wrong, 'or 32,000 to 5,000,000 for energy');
  await chat.expectReply('32,000', '32,000 energy · 1 h');
  await chat.expectReply('5 000 000', '5,000,000 energy · 1 h');
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

test('closes the question when the menu is opened, and says so', async ({ chat }) => {
  await chat.input('/buy', 'menu:open');
  chat.shows(en.html('flow-left'));
  await chat.expectReply('1', "I didn't understand that");
});

test('reports an insufficient balance before the card, with the missing amount and deposit address', async ({
  chat,
}) => {
  chat.setProfile('1.00');
  await chat.input('/buy', ADDRESS);
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

test('an amount typed below a low balance is taken', async ({ chat }) => {
  chat.setProfile('3.00');
  await chat.input(`/buy ${OTHER_ADDRESS} 131000 1h`);
  chat.shows('Not enough on your balance');
  await chat.expectReply('65000', 'Review and confirm');
});

test('a low balance warns of an earlier purchase for the address, however long its result is unknown', async ({
  chat,
}) => {
  await chat.setup.lost();
  chat.setProfile('1.00');
  for (const _ of [1, 2]) {
    await chat.input(`/buy ${ADDRESS} 65000 1h`);
    chat.shows(
      'Not enough on your balance',
      'You tried to buy 65,000 energy for this address',
      '(Ref. <code>',
    );
    chat.setup.clock.now += 2 * 3_600_000;
  }
});

test('a low balance names the address, and offers the other durations and amounts with their prices', async ({
  chat,
}) => {
  chat.setProfile('3.00');
  await chat.input(`/buy ${OTHER_ADDRESS} 65000 24h`);
  chat.shows('Not enough on your balance', `: ${OTHER_ADDRESS}\n\nPrice: about <b>3.90 TRX`);
  expect(chat.buttons()).toMatchObject({ '1 hour · ≈ 2.32 TRX': answerData('hours1') });
  expect(chat.buttons()).toMatchObject({
    '131,000 · recipient has no USDT · ≈ 7.86 TRX': answerData('energy131000'),
  });
  await chat.expectReply(answerData('hours1'), 'Review and confirm', '65,000 energy · 1 h', OTHER_ADDRESS);
});

test.each([
  [`/buy ${ADDRESS} 65000 1h`, { status: 'active' }, true],
  [`/buy ${ADDRESS} 65000 1h`, { status: 'paused' }, false],
  [`/buy ${OTHER_ADDRESS} 65000 1h`, { status: 'active' }, false],
  [`/bandwidth ${ADDRESS} 350 1h`, { bw_guarantee: true }, true],
  [`/bandwidth ${ADDRESS} 350 1h`, { bw_guarantee: false }, false],
] as const)('a card warns if Smart Mode supplies its address: %s, %j', async (input, fields, isWarned) => {
  const chat = await openChat('en');
  const { rental, operations } = chat.setup;
  rental.subscriptions.mockResolvedValue(accepted([subscription(fields)]));
  // An account that the service has named no fees to has no subscriptions to wait for.
  await chat.expectReply(input, 'Review and confirm');
  expect(rental.subscriptions).not.toHaveBeenCalled();
  const activation = operationIn('sent', { request: SMART_MODE, attempt: { sentAt: START } });
  await operations.fees.record(activation, { price: '1.50' });
  await chat.expectReply(input, 'Review and confirm');
  expect(chat.html().includes('⚠️ <b>Smart Mode already supplies this address.</b>')).toBe(isWarned);
});

test('Continue below a deposit leads to the card that waited for it, shows that card again, or opens the menu', async ({
  chat,
}) => {
  const unpaid = () => createUnpaidReader(chat.deps.storage)(USER);
  chat.setProfile('1.00');
  await chat.input(`/buy ${ADDRESS} 65000 1h`);
  expect(await unpaid()).toEqual({ kind: 'energy', estimate: expect.any(String) });
  await chat.tap(answerData('amount'));
  expect(await unpaid()).toBeUndefined();
  await chat.write('65000');
  expect(await unpaid()).toEqual({ kind: 'energy', estimate: expect.any(String) });
  chat.setProfile('2.32');
  await chat.expectReply('menu:continue', 'Review and confirm', '2.32 TRX');
  expect(await unpaid()).toBeUndefined();
  await chat.tap('menu:continue');
  expect(chat.views().at(-2)?.html).toContain('Review and confirm');
  await chat.write('cancel');
  await chat.expectReply('menu:continue', 'That purchase was cancelled.', 'Energy and bandwidth on TRON');
  await chat.write(ADDRESS);
  await chat.tapShown(chat.dataWith('operation:confirm'));
  await chat.expectReply('menu:continue', "You've already confirmed that purchase", 'Energy and bandwidth');
});

test('Continue below a deposit makes the card again for a purchase that was refused', async ({ chat }) => {
  const { setup } = chat;
  await chat.write(ADDRESS);
  const confirm = chat.dataWith('operation:confirm');
  await chat.tapShown(confirm);
  setup.rental.buyEnergy.mockResolvedValue(rejected(409, 'INSUFFICIENT_BALANCE'));
  await setup.advance(await setup.read({ user: USER, id: confirm.split(':')[2] ?? '' }));
  await chat.expectReply('menu:continue', 'Review and confirm', ADDRESS);
});

test.each([
  ['en', 'The balance is too low: <b>1.00 TRX</b>, about <b>1.32 TRX</b> is missing.'],
  ['ru', 'На балансе <b>1,00 TRX</b>, не хватает около <b>1,32 TRX</b>.'],
] as const)(
  'a refusal for lack of balance names what is missing, and a deposit continues it: %s',
  async (language, text) => {
    const chat = await openChat(language);
    const { setup, words } = chat;
    await chat.write(ADDRESS);
    const confirm = chat.dataWith('operation:confirm');
    await chat.tapShown(confirm);
    setup.rental.buyEnergy.mockResolvedValueOnce(rejected(409, 'INSUFFICIENT_BALANCE'));
    chat.setProfile('1.00');
    const ref = { user: USER, id: confirm.split(':')[2] ?? '' };
    await setup.advance(await setup.read(ref));
    const receipt = await chat.deps.card(words, await setup.read(ref));
    expect(withPlainSpaces(receipt.html)).toContain(text);
    const [deposit] = receipt.keyboard.flat().filter((one) => one.text === words.plain('button-deposit'));
    await chat.tap(deposit && 'callback_data' in deposit ? deposit.callback_data : '', { carried: true });
    chat.shows(words.html('funds-short'), ADDRESS);
    expect(await createUnpaidReader(chat.deps.storage)(USER)).toMatchObject({ kind: 'energy' });
    chat.setProfile('2.32');
    await chat.expectReply('menu:continue', words.html('operation-check'));
  },
);

test('names the rate of USDT and a deposit on its way if the balance is insufficient', async ({ chat }) => {
  chat.setProfile('1.50');
  await chat.input(`/buy ${ADDRESS} 65000 1h`);
  chat.shows('Send TRX or USDT (TRC20, 3.10 TRX each right now) here');
  expect(chat.html()).not.toContain('awaiting confirmation');
  await chat.tap(answerData('again'));
  expect(chat.toast()).toBe('Not enough yet: 0.82 TRX missing.');
  const listed = [
    { status: 'confirmed', amount: '7', currency: 'TRX' },
    { status: 'pending', amount: '10', currency: 'USDT' },
  ];
  chat.setup.rental.deposits.mockResolvedValue(accepted(listed));
  await chat.tap(answerData('again'));
  expect(chat.toast()).toBe("Your deposit isn't credited yet: 0.82 TRX missing.");
  chat.shows('Deposit of 10.00 USDT: awaiting confirmation, not in the balance yet.');
  expect(chat.html()).not.toContain('7.00 TRX');
});

test('offers a smaller amount if the balance is insufficient', async ({ chat }) => {
  chat.setProfile('1.50');
  await chat.input(`/buy ${ADDRESS} 65000 1h`);
  chat.shows(en.html('funds-short'));
  await chat.expectReply(answerData('amount'), 'how much energy');
  await chat.expectReply('32000', '32,000 energy · 1 h', 'Review and confirm');
});

test('a pasted address reads once whether operations are accepted', async ({ chat }) => {
  const closed = vi.spyOn(chat.deps.paymentsGate, 'closed');
  await chat.expectReply(ADDRESS, 'Review and confirm');
  expect(closed).toHaveBeenCalledOnce();
});

test('reads the prices when the flow begins, and again for the card', async ({ chat }) => {
  const { prices } = chat.setup.rental;
  await chat.write('/buy');
  await eventually(() => expect(prices).toHaveBeenCalledOnce());
  await chat.write(ADDRESS);
  expect(chat.html()).toMatch(/Price: about <b>2\.32 TRX<\/b>[\s\S]*\nBalance: 1,000\.00 TRX/);
  expect(prices).toHaveBeenCalledTimes(2);
});

test('a tap in a flow is answered before the prices for the next question are known', async ({ chat }) => {
  const { raised, raise } = createSignal();
  const { prices } = chat.setup.rental;
  const listed = await prices('any');
  await chat.write(ADDRESS);
  await chat.tapShown(chat.dataWith('_amount'));
  prices.mockImplementation(() => raised.then(() => listed));
  chat.setup.clock.now += 61_000;
  const tapped = chat.tapShown(answerData('2'));
  await eventually(() => expect(chat.calls.at(-1)?.method).toBe('answerCallbackQuery'));
  raise();
  await tapped;
  chat.shows('130,000 energy');
});

test.each([
  [
    'en',
    [
      'a wallet with USDT (one without needs 131,000)',
      'without USDT, or for 2 to wallets with USDT',
      'Too little for a USDT transfer',
      '2 transfers of USDT to wallets without USDT, or for 5',
    ],
  ],
  [
    'ru',
    [
      'кошелёк с USDT (без USDT нужно 131\u00a0000)',
      'без USDT или на 2 — на кошельки с USDT',
      'Для перевода USDT мало',
      '2 перевода USDT на кошельки без USDT или на 5',
    ],
  ],
] as const)('the card says for which transfers the chosen energy is enough: %s', async (language, hints) => {
  for (const linked of [true, false]) {
    const chat = await openChat(language, { linked });
    await chat.write(ADDRESS);
    chat.shows(hints[0]);
    await chat.tapShown(chat.dataWith('energy131000'));
    chat.shows(hints[1]);
    for (const [amount, hint] of [
      ['40000', hints[2]],
      ['325000', hints[3]],
    ] as const) {
      await chat.write(amount);
      expect(chat.allHtml().split(hint), amount).toHaveLength(2);
    }
  }
});
