import { describe, expect } from 'vitest';
import { answerData } from '../../src/views/callback-data.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { type Chat, KNOWN, LOOKALIKE, OTHER_ADDRESS, openChat, testWith } from './chat.ts';

const CHECK = 'Review and confirm';

async function open(more: Parameters<typeof openChat>[1] = {}, codes = true): Promise<Chat> {
  const chat = await openChat('en', more);
  chat.setProfile('1000.00', { codes });
  return chat;
}

/** Requests of the commands, each with its address. */
const energy = (energy_amount: number, duration_hours: number, address = ADDRESS) => ({
  ...{ kind: 'energy', address, energy_amount, duration_hours },
});
const bandwidth = (bandwidth_amount: number, duration_hours: number) => ({
  ...{ kind: 'bandwidth', address: ADDRESS, bandwidth_amount, duration_hours },
});
const invoice = (amount: object, duration_hours: number) => ({
  ...{ kind: 'invoice', address: ADDRESS, duration_hours, ...amount },
});
const withdrawal = { kind: 'withdrawal', address: OTHER_ADDRESS, trx: '12.50' };

const test = testWith(() => open());

describe('a command with all arguments leads directly to its card', () => {
  test.each([
    [`/buy ${ADDRESS} 65000 24`, energy(65_000, 24)],
    [`/buy ${ADDRESS} 65 000 1h`, energy(65_000, 1)],
    [`/buy ${ADDRESS} 131,000 24 hours`, energy(131_000, 24)],
    [`/buy ${ADDRESS} 131 000 24`, energy(131_000, 24)],
    [`/buy 65000 ${ADDRESS} 1 day`, energy(65_000, 24)],
    [`/buy ${ADDRESS.replace(/(.{4})/g, '$1 ')} 65000 24`, energy(65_000, 24)],
    [`/buy tron:${ADDRESS}\n65000\n1`, energy(65_000, 1)],
    [`/bandwidth ${ADDRESS} 1000 3 days`, bandwidth(1_000, 72)],
    [`/bandwidth ${ADDRESS} 350 24`, bandwidth(350, 24)],
    [`/bandwidth ${ADDRESS} 10 000 24`, bandwidth(10_000, 24)],
    [`/bandwidth ${ADDRESS} 500 720`, bandwidth(500, 720)],
    [`/activate ${ADDRESS}`, { kind: 'activation', address: ADDRESS }],
    [`/withdraw ${OTHER_ADDRESS} 12.5`, withdrawal],
    [`/withdraw 12.5 TRX ${OTHER_ADDRESS}`, withdrawal],
    [`/withdraw ${OTHER_ADDRESS} 1 000`, { ...withdrawal, trx: '1000.00' }],
    [`/invoice ${ADDRESS} 2 24`, invoice({ transfers: 2, shared: true }, 24)],
    [`/invoice ${ADDRESS} 65000 1 for the shop`, invoice({ transfers: 1, note: 'the shop' }, 1)],
    [`/invoice ${ADDRESS} 100 000 24`, invoice({ energy_amount: 100_000 }, 24)],
    [`/smart ${ADDRESS}`, { kind: 'smart-mode', address: ADDRESS, action: 'start', guarantee: false }],
    [`/smart ${ADDRESS} Main wallet`, { address: ADDRESS, label: 'Main wallet', guarantee: false }],
  ])('%s', async (command, request) => {
    const chat = await open();
    chat.setProfile('5000.00', { codes: true });
    await chat.write(command);
    chat.shows(CHECK, `<code>${request.address}</code>`);
    expect(await chat.requested()).toMatchObject(request);
  });
});

describe('a command with some arguments', () => {
  test.each([
    [`/buy ${ADDRESS}`, '65,000 energy · 1 h'],
    [`/energy ${ADDRESS} 131000`, '131,000 energy · 1 h'],
    [`/buy 24h ${ADDRESS}`, '65,000 energy · 24 h'],
    [`/bandwidth ${ADDRESS}`, 'How much'],
    [`/withdraw ${OTHER_ADDRESS}`, 'How much'],
    ['/withdraw 12.5', 'Send to which address'],
    [`/invoice ${ADDRESS}`, 'Invoice · 65,000 energy · 1 h'],
  ])('%s', async (command, question) => {
    const chat = await open();
    await chat.write(command);
    expect(chat.html()).toContain(question);
  });

  test('keeps arguments for later questions', async ({ chat }) => {
    await chat.expectReply('/buy 131000 24', 'Which address');
    await chat.write(ADDRESS);
    expect(await chat.requested()).toMatchObject({ energy_amount: 131_000, duration_hours: 24 });
  });

  test('keeps an amount that is sent at the question for the address', async () => {
    for (const { linked, question } of [
      { linked: true, question: 'will <i>send</i> USDT' },
      { linked: false, question: '<i>sends</i> the USDT' },
    ]) {
      const chat = await open({ linked });
      await chat.input('/buy', '131k');
      await chat.expectReply('24h', 'Noted: 131,000 energy for 24 h. Now the address.', question);
      await chat.expectReply(OTHER_ADDRESS, '131,000 energy · 24 h');
    }
  });

  test('uses the withdrawal address after the amount, with the usual checks', async () => {
    const chat = await open({}, false);
    await chat.input(`/withdraw ${OTHER_ADDRESS}`, '12.5');
    chat.shows('10-minute security hold', OTHER_ADDRESS);
  });
});

describe('an invalid argument is explained at its question and buys nothing', () => {
  test.each([
    [`/buy ${ADDRESS} 150`, '150 is too little: at least 32,000.'],
    [`/buy ${ADDRESS.slice(0, -1)} 65000 24`, 'This address has 33 characters'],
    [`/buy ${ADDRESS.replace('H', 'Н')} 65000 24`, '“Н” at position 5'],
    [`/buy ${ADDRESS} ${OTHER_ADDRESS} 65000 24`, 'Several addresses found'],
    [`/bandwidth ${ADDRESS} 10 24`, 'Send a whole number from 350 to 100,000'],
    [`/withdraw ${OTHER_ADDRESS} much`, 'Send an amount in TRX'],
    [`/withdraw ${OTHER_ADDRESS.slice(0, -1)} 12.5`, 'This address has 33 characters'],
    [`/invoice ${ADDRESS} 90 24`, '90 is too many: at most 76 transfers.'],
    [`/invoice ${ADDRESS} 2 24 https://example.com`, 'without links'],
    [`/smart ${ADDRESS} ${'x'.repeat(33)}`, 'Send a name of up to 32 characters'],
  ])('%s', async (command, problem) => {
    const chat = await open();
    await chat.write(command);
    expect(chat.html()).toContain(problem);
    expect(chat.allHtml()).not.toContain(CHECK);
    expect(await storedKeys(chat.setup.storage, 'operation:')).toEqual([]);
    // The question is still open.
    await chat.expectReply(answerData('cancel'), 'Cancelled');
  });
});

test.each([
  ['/buy main wallet 65000 24', energy(65_000, 24)],
  ['/buy Main 65000 1', energy(65_000, 1, OTHER_ADDRESS)],
  ['/activate MAIN', { kind: 'activation', address: OTHER_ADDRESS }],
  ['/withdraw main 12.5', withdrawal],
])('%s is matched to the longest address name', async (command, request) => {
  const chat = await open();
  await chat.deps.addressBook.setName(USER, ADDRESS, 'Main wallet');
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Main');
  await chat.write(command);
  expect(await chat.requested()).toMatchObject(request);
});

describe('words that match no known address never select the default address', () => {
  test.each([
    '/buy Mum 65000 24',
    '/buy Mainz 65000 24',
    '/buy 65000 24 Mum',
    '/buy ADDRESS 65000 24',
    '/buy TR7NHq 65000 24',
    '/bandwidth Mum 350 1',
  ])('%s', async (command) => {
    const chat = await open();
    await chat.deps.addressBook.setName(USER, ADDRESS, 'Main');
    await chat.deps.addressBook.setDefault(USER, ADDRESS);
    await chat.write(command);
    expect(chat.html()).toMatch(/“(Mum|Mainz|ADDRESS|0x742d|TR7NHq).*isn't an address/);
    expect(chat.html()).toContain('Which address');
    expect(chat.html()).not.toContain('Default address');
    // The other arguments are kept.
    await chat.write(OTHER_ADDRESS);
    expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS });
  });
});

test('asks only for the address if the command had a wrong one', async ({ chat }) => {
  await chat.write(`/buy ${ADDRESS.slice(0, -1)} 65000 24`);
  chat.shows('This address has 33 characters', 'Which address');
  await chat.write(ADDRESS);
  expect(await chat.requested()).toMatchObject(energy(65_000, 24));
});

test('offers both addresses of a command as buttons and keeps the other arguments', async ({ chat }) => {
  await chat.input(`/buy ${ADDRESS} ${OTHER_ADDRESS} 65000 1`, answerData(OTHER_ADDRESS));
  expect(await chat.requested()).toMatchObject({
    address: OTHER_ADDRESS,
    energy_amount: 65_000,
    duration_hours: 1,
  });
});

test.each([
  [`/withdraw 12.5 USDT ${OTHER_ADDRESS}`, 'USDT'],
  [`/withdraw ${OTHER_ADDRESS} 5 usdt`, 'usdt'],
  [`/activate ${ADDRESS} now`, 'now'],
])('shows the unknown part of %s before any card', async (command, left) => {
  const chat = await open();
  await chat.write(command);
  expect(chat.html()).toContain(`I don't understand “${left}”`);
  expect(await storedKeys(chat.setup.storage, 'operation:')).toEqual([]);
});

test.each([
  [`/buy ${ADDRESS} 65000 48`, 'You asked for 48 h: 24 h chosen'],
  [`/buy ${ADDRESS} 65000 24 times`, "I don't understand “times”"],
])('the card of %s says what it could not use', async (command, said) => {
  const chat = await open();
  await chat.expectReply(command, CHECK, said);
});

test('remembers an address after Confirm, not when its card is shown', async ({ chat }) => {
  await chat.write(`/activate ${ADDRESS}`);
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([]);
  await chat.tapShown(chat.dataWith('confirm'));
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([{ address: ADDRESS }]);
});

test('defaults fill omitted arguments of commands and flows', async ({ chat }) => {
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  await chat.input('/settings', 'settings:hours:24', '/buy 65000');
  expect(await chat.requested()).toMatchObject(energy(65_000, 24));
  await chat.write(`/buy ${OTHER_ADDRESS} 65000 1`);
  expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS, duration_hours: 1 });
  await chat.write('cancel');
  await chat.expectReply('/buy', 'Default address: ★', '65,000 energy · 24 h');
  expect(await chat.requested()).toMatchObject({ address: ADDRESS, duration_hours: 24 });
  await chat.write(`/bandwidth ${OTHER_ADDRESS} 350`);
  expect(await chat.requested()).toMatchObject({
    kind: 'bandwidth',
    address: OTHER_ADDRESS,
    duration_hours: 24,
  });
  await chat.write(`/invoice ${OTHER_ADDRESS} 2`);
  expect(await chat.requested()).toMatchObject({ kind: 'invoice', duration_hours: 24 });
});

test('Back leads to questions answered by defaults; withdrawals and activations use no default', async ({
  chat,
}) => {
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  await chat.input('settings:hours:24', '/buy');
  await chat.write('back');
  expect(chat.allHtml()).toContain('Which address');
  await chat.write(OTHER_ADDRESS);
  expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS, duration_hours: 24 });
  await chat.input('cancel');
  await chat.expectReply('/withdraw 12.5', 'Send to which address');
  await chat.expectReply('/activate', 'Which address? Paste it');
});

test('a command without arguments ignores additional words', async ({ chat }) => {
  for (const command of ['/prices now', '/prices buy-65000-1h'])
    await chat.expectReply(command, 'Current prices');
});

test('/buy leads a guest to an invoice and keeps all arguments', async () => {
  const chat = await open({ linked: false });
  await chat.write(`/buy ${ADDRESS} 65000 24`);
  const request = { kind: 'invoice', address: ADDRESS, transfers: 1, duration_hours: 24 };
  expect(await chat.requested()).toMatchObject(request);
  await chat.write('cancel');
  await chat.expectReply('/buy', 'Which address <i>sends</i> the USDT?');
  await chat.expectReply(`energy:to:${OTHER_ADDRESS}`, OTHER_ADDRESS, '65,000 energy', '1 h');
});

test('a complete command starts nothing during maintenance', async ({ chat }) => {
  await chat.deps.maintenance.turnOn(504);
  await chat.write(`/buy ${ADDRESS} 65000 24`);
  expect(chat.html()).toBe(chat.words.html('maintenance'));
  expect(await storedKeys(chat.setup.storage, 'operation:')).toEqual([]);
});

describe('a default value', () => {
  async function withDefault(codes = true): Promise<Chat> {
    const chat = await open({}, codes);
    await chat.deps.addressBook.setDefault(USER, ADDRESS);
    return chat;
  }

  test.each(['/activate', '/invoice', 'smart-mode:start', '/withdraw 12.5'])(
    'is not used for %s',
    async (way) => {
      const chat = await withDefault();
      await (way.startsWith('/') ? chat.write(way) : chat.tap(way));
      expect(chat.html()).toMatch(/[Ww]hich address/);
    },
  );

  test('is not mentioned if the command contains another address', async () => {
    const chat = await withDefault();
    await chat.expectReply(`/buy ${OTHER_ADDRESS}`, `Energy for (the sender): <code>${OTHER_ADDRESS}</code>`);
    expect(chat.html()).not.toContain('default');
  });

  test('for hours is 1 or 24, and rejects forged values', async ({ chat }) => {
    await chat.expectReply('/settings', 'Duration: <b>1 h</b>');
    for (const [tap, reply] of [
      ['settings:hours:24', 'Duration: 24 h'],
      ['settings:hours:1', 'Duration: 1 h'],
      ['settings:hours:5', 'Duration: 1 h'],
    ] as const) {
      await chat.tapShown(tap);
      const labels = Object.entries(chat.buttons());
      expect(labels.find(([label]) => label.includes('Duration'))?.[0]).toContain(reply);
    }
  });
});

test('keeps a given address for another amount after Back, and checks it again', async () => {
  const chat = await open({}, false);
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(`/withdraw ${LOOKALIKE}`);
  await chat.expectReply('12.5', 'last 6 characters');
  for (const _ of ['to the address', 'to the amount']) await chat.tap(answerData('back'));
  await chat.expectReply('7', 'last 6 characters');
});

test.each([
  ['choosing one of two addresses', answerData(OTHER_ADDRESS)],
  ['an order for one of two addresses', `${OTHER_ADDRESS} 131000`],
])('after %s, Back leads to the known addresses', async (_, answer) => {
  const chat = await open();
  // Without funds, a question follows instead of the card.
  chat.setProfile('0.01');
  await chat.input('/buy', `${ADDRESS} ${OTHER_ADDRESS}`, answer, answerData('back'));
  chat.shows('Which address');
  expect(chat.data()).not.toContain(answerData(ADDRESS));
});

test('limits the stored length of command arguments', async ({ chat }) => {
  // The bot first asks for the wrong address again and stores the other arguments.
  await chat.write(`/bandwidth ${ADDRESS.slice(0, -1)} ${'9 '.repeat(1_900)}`);
  const { chats } = chat.setup.storage;
  const begun = await chats.begin({ chat: USER, update: 99_999, token: 't', leaseMs: 1_000 });
  const kept = begun.kind === 'granted' ? (begun.conversation ?? '') : '';
  expect(kept).toContain('9 9 9');
  expect(kept.length).toBeLessThan(1_000);
});

test('rejects the own deposit address for a withdrawal, also when tapped', async ({ chat }) => {
  await chat.deps.addressBook.setName(USER, ADDRESS, 'Mine');
  await chat.write('/withdraw 12.5');
  await chat.expectReply(answerData(ADDRESS), 'deposit');
  expect(await storedKeys(chat.setup.storage, 'operation:')).toEqual([]);
});

describe('an order without an address', () => {
  test.each([
    ['65k', '65,000 energy', 1],
    ['/buy 2 transfers', '130,000 energy', 1],
    ['65000', '65,000 energy', 1],
    ['65000 24', '65,000 energy', 24],
    ['131k 1h', '131,000 energy', 1],
    ['3 transfers 24 hours', '195,000 energy', 24],
    ['24 hours', '65,000 energy', 24],
    ['два перевода', '130,000 energy', 1],
    ['I want 3 transfers', '195,000 energy', 1],
    ["I'd like 65k 24h, please", '65,000 energy', 24],
    ['need energy for 3 transfers', '195,000 energy', 1],
    ['мне нужно 3 перевода', '195,000 energy', 1],
  ])('the bot takes note of %j and asks only for the address', async (text, amount, hours) => {
    for (const linked of [true, false]) {
      const chat = await openChat('en', { linked });
      await chat.expectReply(text, `Noted: ${amount} for ${hours} h. Now the address.`, 'Which address');
      await chat.expectReply(ADDRESS, `${amount} · ${hours} h`);
    }
  });

  test('the bot takes note of a request in words at the question for the address', async () => {
    const chat = await open();
    await chat.expectReply('/buy', 'Which address');
    await chat.expectReply('I want 3 transfers', 'Noted: 195,000 energy for 1 h. Now the address.');
    await chat.expectReply(ADDRESS, '195,000 energy · 1 h');
  });

  test.each([
    ['en', ['31000', '31,000 is too little: at least 32,000.']],
    ['en', ['90 transfers', '90 is too many: at most 76 transfers.']],
    [
      'en',
      [
        '65k 3h',
        'You asked for 3 h: 24 h chosen.</b> Energy is rented for 1 h or 24 h.\nNoted: 65,000 energy for 24 h.',
      ],
    ],
    ['ru', ['6000 тыс', '6\u00a0000\u00a0000 — слишком много, можно не больше 5\u00a0000\u00a0000.']],
    [
      'ru',
      [
        '4 дня',
        '⚠️ <b>Вы просили 96\u00a0ч, выбрано 24\u00a0ч.</b> Энергия сдаётся на 1\u00a0ч или 24\u00a0ч.\nУчтено: 65\u00a0000 энергии на 24\u00a0ч.',
      ],
    ],
  ] as const)('says in %s what of %j cannot be ordered', async (language, [text, why]) => {
    for (const start of [[], ['/buy']]) {
      const chat = await openChat(language, { linked: false });
      await chat.input('settings:hours:24', ...start);
      await chat.expectReply(text, why);
      await chat.write(ADDRESS);
      expect(await chat.requested()).toMatchObject({ transfers: 1, duration_hours: 24 });
    }
  });

  test.each([true, false])('goes to the default address (account linked: %s)', async (linked) => {
    const chat = await openChat('en', { linked });
    await chat.deps.addressBook.setDefault(USER, OTHER_ADDRESS);
    await chat.expectReply('2 transfers', '130,000 energy · 1 h', 'Default address', OTHER_ADDRESS);
    await chat.expectReply('Back', 'Which address');
  });

  test('asks a merchant for the customer, whatever the own default address is', async () => {
    const chat = await openChat('en');
    await chat.deps.addressBook.setDefault(USER, OTHER_ADDRESS);
    await chat.expectReply('/invoice 2', 'Which address of your customer');
  });
});

test.each(['5', '77', '123456', '12.5', '65k TRX', '2 24 7'])('takes %j for no order', async (text) => {
  const chat = await openChat('en');
  await chat.expectReply(text, "I didn't understand that");
});

test('opens the purchase and the prices by their words, in every language', async ({ chat }) => {
  for (const word of ['buy', 'Купить']) await chat.expectReply(word, 'Which address');
  await chat.write('cancel');
  for (const word of ['Price', 'how much?', 'цена']) await chat.expectReply(word, 'Current prices');
});
