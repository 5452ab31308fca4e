import { describe, expect } from 'vitest';
import { groupInFours, LANGUAGES, type Language } from '../../../src/i18n/texts.ts';
import type { Invoice } from '../../../src/invoices/invoice.ts';
import { qrCode } from '../../../src/pictures/qr-code.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../../../src/rental-api/client.ts';
import type { Invoice as RentalInvoice } from '../../../src/rental-api/schemas.ts';
import { answerData, readAnswer, readCallbackData } from '../../../src/views/callback-data.ts';
import { anAddress, MINUTE } from '../../invoices/invoices-setup.ts';
import { operationIn } from '../../operations/cards.ts';
import { USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, accepted, CUT, OFFLINE } from '../../operations/rental-stand-in.ts';
import { eventually } from '../../support/eventually.ts';
import { OTHER_ADDRESS, openChat, testWith } from '../chat.ts';

type Chat = Awaited<ReturnType<typeof openMaker>>;
type Deps = Parameters<typeof openChat>[1];

/** Returns the service's response about an invoice of two transfers. `more` overrides its fields. */
const invoiceOf = (more: Partial<RentalInvoice> & Pick<RentalInvoice, 'invoice_id' | 'expires_at'>) =>
  accepted<RentalInvoice>({
    payment_address: anAddress(),
    address: ADDRESS,
    energy_amount: 130_000,
    duration_hours: 1,
    price_trx: '4.64',
    price_usdt: '1.39',
    status: 'pending',
    ...more,
  });

/** Opens a chat whose rental service creates invoices. */
async function openMaker({ linked = false, language = 'en', ...more }: Deps & { language?: Language } = {}) {
  const chat = await openChat(language, { linked, ...more });
  let numbers = 50;
  const { rental, clock } = chat.setup;
  rental.invoice.mockResolvedValue(CUT);
  rental.createInvoice.mockImplementation(async (_key, { energy_amount, transfer_count = 0, ...request }) => {
    const expires_at = new Date(clock.now + 30 * MINUTE).toISOString();
    const energy = energy_amount ?? transfer_count * 65_000;
    return invoiceOf({ ...request, invoice_id: ++numbers, energy_amount: energy, expires_at });
  });
  return chat;
}

/** Goes from the command to the card. Returns the operation id, or `''` if there is no card to confirm. */
async function toCard(chat: Chat, { transfers = '2', note = '' } = {}) {
  await chat.write(`/invoice ${ADDRESS} ${transfers} 1h`);
  if (note) {
    await chat.tapShown(chat.buttons()[chat.words.plain('button-note')] ?? '');
    await chat.write(note);
  }
  return chat.dataWith('confirm').split(':').at(-1) ?? '';
}

async function make(chat: Chat, how = {}) {
  const id = await toCard(chat, how);
  await chat.tap(chat.dataWith('confirm'));
  await chat.setup.advance({ user: USER, id });
  return chat.shownInvoice({ user: USER, id });
}

/** Creates an invoice of another user. */
async function makeOfAnother(chat: Chat): Promise<Invoice> {
  const { priceTrx, priceUsdt, energy, expiresAt } = await make(chat);
  return trackOfAnother(chat, { priceTrx, priceUsdt, energy, expiresAt });
}

async function trackOfAnother(
  chat: Chat,
  priced: Pick<Invoice, 'priceTrx' | 'priceUsdt' | 'energy' | 'expiresAt'>,
): Promise<Invoice> {
  const made = { ...priced, paymentAddress: anAddress() };
  const [user, id, account] = [777, 'theirs01', OPERATOR_ACCOUNT];
  const request = { kind: 'invoice', address: ADDRESS, transfers: 2, duration_hours: 1 };
  const result = { order: 99, invoice: made };
  await chat.invoices.track({ ...operationIn('done', { account, request, result }), user, id });
  return chat.shownInvoice({ user, id });
}

/** Sets what the service reports about the invoice from now on. */
function setStatus(chat: Chat, invoice: Invoice, status: string): void {
  const { paymentAddress: payment_address, address, energy: energy_amount, hours: duration_hours } = invoice;
  const expires_at = new Date(invoice.expiresAt).toISOString();
  chat.setup.rental.invoice.mockImplementation(async (_key, { invoice_id }) =>
    invoiceOf({ invoice_id, payment_address, address, energy_amount, duration_hours, status, expires_at }),
  );
}

/** Returns the latest edit of an invoice's card outside of an update. */
function editedCard({ sender }: Chat) {
  const [chat, message, content] = sender.editPhoto.mock.lastCall ?? [];
  return { chat, message, html: content?.html };
}

const cards = (chat: Chat) => chat.views().filter(({ photo }) => photo !== undefined);

const test = testWith(() => openMaker());

test('without an operator key, offers to link an account', async () => {
  const chat = await openMaker({ operatorKey: undefined });
  await chat.write('/invoice');
  expect(chat.data()).toContain('link:open');
  expect(chat.setup.rental.createInvoice).not.toHaveBeenCalled();
});

test('uses the account of an account holder, and the operator account for an admin', async () => {
  const holder = await openMaker({ linked: true });
  expect(await make(holder, { note: 'For you' })).toMatchObject({
    account: 1001,
    shared: true,
    note: 'For you',
  });
  const admin = await openMaker({ linked: true, admins: new Set([USER]) });
  expect(await make(admin, { note: 'For you' })).toMatchObject({ account: OPERATOR_ACCOUNT, shared: true });
});

test('an admin without an account orders like a guest', async () => {
  const chat = await openMaker({ admins: new Set([USER]) });
  await chat.write('/start');
  await chat.tapShown('invoice:open');
  chat.shows(chat.words.html('invoice-address'));
  await chat.write(ADDRESS);
  expect(await chat.requested()).not.toHaveProperty('shared');
});

test.each([
  [`${ADDRESS} for Anna, 2 transfers`, 'Anna'],
  [`${ADDRESS} для Маши, 2 перевода`, 'для Маши'],
  [`Anna; 65k ${ADDRESS}`, 'Anna'],
])('reads the note of %j without the comma behind it', async (text, note) => {
  const chat = await openChat('en');
  await chat.links.setMerchant(USER, true);
  await chat.expectReply(text, `Note for the customer: <code>${note}</code>`);
});

test.each([
  ['invoice:again', ADDRESS],
  ['invoice:another', OTHER_ADDRESS],
])(
  "says that a seller's invoice repeated without an account is the user's own, with %s",
  async (button, address) => {
    const chat = await openMaker({ linked: true });
    const { id } = await make(chat, { note: 'For Zoe' });
    await chat.links.unlink(USER);
    await chat.tap(`${button}:${id}`);
    chat.shows(chat.words.html('invoice-own-now'));
    if (address !== ADDRESS) await chat.write(address);
    expect(await chat.requested()).toEqual({ kind: 'invoice', address, transfers: 2, duration_hours: 1 });
  },
);

test('a guest buys in three steps: the menu, an address, and Create invoice', async ({ chat }) => {
  await chat.write('/start');
  await chat.tapShown('invoice:open');
  await chat.write(ADDRESS);
  chat.shows(ADDRESS, '65,000 energy', '1 h', 'Price: about <b>2.32 TRX</b>');
  expect(chat.labels().filter((label) => label.startsWith('•'))).toHaveLength(2);
  const confirm = chat.buttons()['✅ Create invoice'] ?? '';
  expect(chat.setup.rental.createInvoice).not.toHaveBeenCalled();
  await chat.tapShown(confirm);
  const id = readCallbackData(confirm)?.argument ?? '';
  await chat.setup.advance({ user: USER, id });
  expect(await chat.invoices.read({ user: USER, id })).toMatchObject({ energy: 65_000, hours: 1 });
  await chat.tap(`invoice:show:${id}`);
  expect(chat.data().join()).not.toMatch(/share|revoke/);
});

test('options replace the draft of their message, and only the last one can be confirmed', async ({
  chat,
}) => {
  await chat.write(`/buy ${ADDRESS}`);
  const [message, first] = [chat.lastMessage(), chat.dataWith('confirm')];
  await chat.tapShown(chat.dataWith('energy131000'));
  const second = chat.dataWith('confirm');
  await chat.tapShown(chat.dataWith('hours24'));
  const last = chat.dataWith('confirm');
  expect(chat.lastMessage()).toBe(message);
  chat.shows('131,000 energy', '24 h', 'Price: about <b>7.86 TRX</b>');
  expect(new Set([first, second, last]).size).toBe(3);
  const shown = chat.views().length;
  for (const late of [first, second]) await chat.tap(late, { message, carried: true });
  expect(chat.toast()).toBe(chat.words.plain('toast-card-over'));
  expect(chat.views()).toHaveLength(shown);
  await chat.tapShown(last);
  const read = async (data: string) =>
    (await chat.setup.read({ user: USER, id: readCallbackData(data)?.argument ?? '' })).state;
  expect([await read(first), await read(second), await read(last)]).toEqual([
    'replaced',
    'replaced',
    'claimed',
  ]);
  // An option of a confirmed card changes nothing.
  const option = last.replace('confirm', 'option');
  await chat.tap(`${option}_hours1`, { message, carried: true });
  expect(chat.toast()).toBe(chat.words.plain('toast-going'));
  expect(await read(last)).toBe('claimed');
});

test('other amounts lead to the question for any amount, and keep the duration', async ({ chat }) => {
  await chat.write(`/buy ${ADDRESS}`);
  await chat.tapShown(chat.dataWith('hours24'));
  await chat.tapShown(chat.buttons()['Other amount'] ?? '');
  chat.shows('How many USDT transfers');
  await chat.expectReply('100000', '100,000 energy', '24 h');
});

test('a guest can create an invoice at an unknown price, which the invoice names', async ({ chat }) => {
  const { prices } = chat.setup.rental;
  const listed = await prices('');
  prices.mockResolvedValue(CUT);
  await chat.write(`/buy ${ADDRESS}`);
  chat.shows('Price: <b>unknown right now.</b> The invoice will name it: decide then whether to pay.');
  expect(chat.labels().slice(4, 6)).toEqual(['↻ Check price', '✅ Create invoice']);
  prices.mockResolvedValue(listed);
  await chat.tapShown(chat.buttons()['↻ Check price'] ?? '');
  chat.shows('Price: about <b>2.32 TRX</b>');
  expect(chat.labels()).not.toContain('↻ Check price');
});

test('shows the present price after an invoice that was not created', async ({ chat }) => {
  const { prices, createInvoice } = chat.setup.rental;
  const setSun = (sun: string) => prices.mockResolvedValue(accepted({ energySunPerUnit: { 1: sun } }));
  setSun('35.7');
  const risen = await toCard(chat, { transfers: '1' });
  chat.shows('about <b>2.32 TRX</b>');
  setSun('100');
  await chat.tap(chat.dataWith('confirm'));
  await chat.setup.advance({ user: USER, id: risen });
  expect(createInvoice).not.toHaveBeenCalled();
  await toCard(chat, { transfers: '1' });
  chat.shows('about <b>6.50 TRX</b>');
  await chat.tap(`operation:again:${risen}`);
  chat.shows('about <b>6.50 TRX</b>', 'was 2.32');
  createInvoice.mockResolvedValueOnce(CUT);
  const failed = chat.dataWith('confirm');
  await chat.tap(failed);
  await chat.setup.advance({ user: USER, id: readCallbackData(failed)?.argument ?? '' });
  setSun('110');
  await chat.tap(failed.replace('confirm', 'again'));
  chat.shows('about <b>7.15 TRX</b>', 'was 6.50');
});

test('forged options and those of another message change nothing', async ({ chat }) => {
  await chat.write(`/buy ${ADDRESS}`);
  const [message, confirm, shown] = [chat.lastMessage(), chat.dataWith('confirm'), chat.views().length];
  const option = (value: string) => `${confirm.replace('confirm', 'option')}_${value}`;
  for (const value of ['energy1', 'hours2', 'x', ''])
    await chat.tap(option(value), { message, carried: true });
  await chat.tap(option('hours24'), { message: message - 1 });
  expect(chat.views()).toHaveLength(shown);
  await chat.tap(confirm, { message, carried: true });
  const id = readCallbackData(confirm)?.argument ?? '';
  expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'claimed' });
});

test("options on a merchant's card keep the note", async () => {
  const chat = await openMaker({ linked: true });
  const requested = async () => {
    const id = readCallbackData(chat.dataWith('confirm'))?.argument ?? '';
    return (await chat.setup.read({ user: USER, id })).request;
  };
  await toCard(chat, { note: 'Order 17' });
  chat.shows('Price: about <b>4.64 TRX</b>');
  await chat.tapShown(chat.dataWith('energy131000'));
  await chat.tapShown(chat.dataWith('hours24'));
  expect(await requested()).toEqual({
    ...{ kind: 'invoice', address: ADDRESS, energy_amount: 131_000, duration_hours: 24 },
    ...{ shared: true, note: 'Order 17' },
  });
});

test.each(['Zoe Miller', 'for Bob, order 5', '12 Main St.', 'order 15', 'заказ 17'])(
  "offers %j below a merchant's card as its note",
  async (text) => {
    const chat = await openMaker({ linked: true });
    await toCard(chat, { note: 'Order 17' });
    const card = chat.lastMessage();
    await chat.expectReply(text, chat.words.html('invoice-note-offered', { note: text }));
    expect(chat.payloads('deleteMessage')).toContainEqual(expect.objectContaining({ message_id: card }));
    await chat.tapShown(answerData('none'));
    chat.shows('Review and confirm', 'Note for the customer: <code>Order 17</code>');
    await chat.write(text);
    await chat.tapShown(answerData('add'));
    chat.shows('Review and confirm', `Note for the customer: <code>${text}</code>`);
  },
);

test("shows a merchant's note before it is changed, kept or removed", async () => {
  for (const language of ['en', 'ru'] as const) {
    const chat = await openMaker({ linked: true, language });
    const ask = () => chat.tapShown(chat.buttons()[chat.words.plain('button-note')] ?? '');
    await toCard(chat, { note: 'Zoe, desk 4' });
    await ask();
    chat.shows('<code>Zoe, desk 4</code>');
    expect(chat.labels()).not.toContain(chat.words.plain('button-skip'));
    await chat.tapShown(chat.buttons()[chat.words.plain('button-note-keep')] ?? '');
    chat.shows('<code>Zoe, desk 4</code>');
    await ask();
    await chat.expectReply('Zoe, desk 5', '<code>Zoe, desk 5</code>');
    await ask();
    await chat.tapShown(chat.buttons()[chat.words.plain('button-note-remove')] ?? '');
    expect(await chat.requested()).not.toHaveProperty('note');
    await ask();
    expect(chat.labels()).toContain(chat.words.plain('button-skip'));
  }
});

test.each([
  ['en', ['/invoice', 'for Eve', ADDRESS], 'Eve'],
  ['en', ['/invoice', 'Eve', ADDRESS], 'Eve'],
  ['en', ['/invoice for Eve', ADDRESS], 'Eve'],
  ['ru', ['/invoice', 'для Зои', ADDRESS], 'для Зои'],
  ['ru', ['/invoice для Вани', ADDRESS], 'для Вани'],
  ['ru', [`/invoice для Вани ${ADDRESS}`], 'для Вани'],
] as const)('keeps the name of a customer as the note, in %s with %j', async (language, said, note) => {
  const chat = await openMaker({ language, linked: true });
  for (const text of said) {
    await chat.write(text);
    if (text !== '/invoice') expect(chat.html()).toContain(`<code>${note}</code>`);
  }
  expect(await chat.requested()).toMatchObject({ address: ADDRESS, note });
});

test('the same address below a card for a customer changes that card, and another one opens its own', async () => {
  const chat = await openMaker({ linked: true });
  await chat.links.setMerchant(USER, true);
  await chat.write(`${ADDRESS} 131k Bob`);
  for (const [text, changed] of [
    [ADDRESS, {}],
    [`${ADDRESS} 24h`, { duration_hours: 24 }],
    [`${ADDRESS} Eve`, { note: 'Eve', duration_hours: 24 }],
  ] as const) {
    await chat.write(text);
    expect(await chat.requested()).toMatchObject({ energy_amount: 131_000, note: 'Bob', ...changed });
  }
  await chat.write(OTHER_ADDRESS);
  expect(await chat.requested()).toEqual({
    kind: 'invoice',
    address: OTHER_ADDRESS,
    transfers: 1,
    duration_hours: 1,
    shared: true,
  });
});

test('asks about each other text at the question whether a text is the note', async () => {
  const chat = await openMaker({ linked: true });
  await toCard(chat);
  await chat.write('Zoe Miller');
  await chat.expectReply('order 15', chat.words.html('invoice-note-offered', { note: 'order 15' }));
  await chat.expectReply('Anna', chat.words.html('invoice-note-offered', { note: 'Anna' }));
  await chat.expectReply(
    "where is Zoe's payment?",
    chat.words.html('invoice-note-offered', { note: 'Anna' }),
  );
  await chat.tapShown(answerData('add'));
  chat.shows('Note for the customer: <code>Anna</code>');
});

test.each([
  [`${OTHER_ADDRESS} Peter`, 'Peter'],
  [`Зоя, стол 4 ${OTHER_ADDRESS}`, 'Зоя, стол 4'],
  [OTHER_ADDRESS, undefined],
])('%j begins the invoice of the next customer at a question about the note', async (text, note) => {
  for (const language of ['en', 'ru'] as const) {
    for (const isOffered of note === undefined ? [true] : [true, false]) {
      const chat = await openMaker({ linked: true, language });
      await toCard(chat);
      if (isOffered) await chat.write('Mary');
      else await chat.tapShown(chat.buttons()[chat.words.plain('button-note')] ?? '');
      await chat.write(text);
      expect(chat.allHtml()).toContain(chat.words.html('card-left'));
      expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS, shared: true });
      if (note === undefined) expect(await chat.requested()).not.toHaveProperty('note');
      else expect(await chat.requested()).toMatchObject({ note });
    }
  }
});

test.each([
  [`${ADDRESS} Mia`, 'Mia', true],
  [`Mia ${ADDRESS}`, 'Mia', true],
  [`Зоя, стол 4 ${ADDRESS} 131к`, 'Зоя, стол 4', true],
  [ADDRESS, undefined, false],
])('%j shows the same card at a question about the note', async (text, note, isNoted) => {
  for (const language of ['en', 'ru'] as const) {
    for (const isOffered of isNoted ? [true, false] : [true]) {
      const chat = await openMaker({ linked: true, language });
      await toCard(chat);
      if (isOffered) await chat.write('Mary');
      else await chat.tapShown(chat.buttons()[chat.words.plain('button-note')] ?? '');
      await chat.write(text);
      expect(chat.allHtml()).not.toContain(chat.words.html('card-left'));
      expect(await chat.requested()).toMatchObject({ address: ADDRESS, duration_hours: 1, shared: true });
      if (note === undefined) expect(await chat.requested()).not.toHaveProperty('note');
      else expect(await chat.requested()).toMatchObject({ note });
    }
  }
});

test.each([
  [`для Вани ${ADDRESS}`, 'для Вани'],
  [`${ADDRESS} для Вани`, 'для Вани'],
  [`${ADDRESS} 131к для Вани`, 'для Вани'],
  [`счёт для клиента Вани ${ADDRESS}`, 'для Вани'],
  [`for Zoe ${ADDRESS}`, 'Zoe'],
  [`${ADDRESS} for Zoe`, 'Zoe'],
  [`Mia's wallet is ${ADDRESS}`, 'Mia'],
  [`Мия, кошелёк: ${ADDRESS}`, 'Мия'],
  [`my customer's wallet is ${ADDRESS}`, undefined],
  [`here is the address ${ADDRESS}`, undefined],
  [`на адрес ${ADDRESS} на 24 часа`, undefined],
  [`hi, my wallet ${ADDRESS} thanks, Pete`, undefined],
  [`привет, мой кошелёк ${ADDRESS} спасибо, Петя`, undefined],
])('reads from %j the note %j', async (text, note) => {
  const chat = await openMaker({ linked: true });
  await chat.links.setMerchant(USER, true);
  await chat.write(text);
  chat.shows('Review and confirm');
  if (note === undefined) expect(await chat.requested()).not.toHaveProperty('note');
  else expect(await chat.requested()).toMatchObject({ note });
});

test.each(['10 Olga', '(Mia) 100', '10 Ольга'])('asks whether %j is the note', async (note) => {
  for (const language of ['en', 'ru'] as const) {
    const chat = await openMaker({ linked: true, language });
    await chat.links.setMerchant(USER, true);
    await chat.expectReply(`${ADDRESS} ${note}`, chat.words.html('invoice-note-offered', { note }));
  }
});

test.each(['ok', 'Prices?', 'when will it arrive?', 'see https://example.com', 'x'.repeat(101)])(
  "does not offer %j below a merchant's card as its note",
  async (text) => {
    const chat = await openMaker({ linked: true });
    await toCard(chat);
    const before = chat.views().length;
    await chat.write(text);
    const shown = chat.views().slice(before);
    expect(shown.map(({ html }) => html).join()).toContain('Review and confirm');
    expect(shown.map(({ html }) => html).join()).not.toContain('Is this the note');
  },
);

test("customers' addresses are offered for an invoice, and not for a purchase", async () => {
  const chat = await openMaker({ linked: true });
  await chat.deps.addressBook.remember(USER, OTHER_ADDRESS);
  await make(chat);
  const offered = () => chat.data().flatMap((data) => readAnswer(data)?.match(/^T.{33}$/) ?? []);
  await chat.write('/buy');
  expect(offered()).toEqual([OTHER_ADDRESS]);
  await chat.input('/cancel', '/invoice');
  expect(offered()).toEqual([ADDRESS]);
  await chat.deps.addressBook.setName(USER, OTHER_ADDRESS, 'Zoe');
  await chat.input('/cancel', '/invoice');
  expect(offered()).toEqual([ADDRESS, OTHER_ADDRESS]);
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.input('/cancel', '/buy');
  expect(offered()).toEqual([ADDRESS, OTHER_ADDRESS]);
});

test("labels a customer's address with its saved name, or the note of its latest invoice", async () => {
  const chat = await openMaker({ linked: true });
  await make(chat, { note: 'Hal' });
  const label = () => chat.last().keyboard[0]?.[0]?.text;
  await chat.write('/invoice');
  expect(label()).toMatch(/^Hal · T/);
  await chat.deps.addressBook.setName(USER, ADDRESS, 'Gus');
  await chat.input('/cancel', '/invoice');
  expect(label()).toMatch(/^Gus · T/);
});

test('says on the card that the hourly limit is reached, and when it allows the next invoice', async ({
  chat,
}) => {
  const { clock } = chat.setup;
  const first = clock.now;
  const limit = () => chat.html().includes('The limit is six invoices an hour');
  const count = async (name: string) =>
    chat.invoices.applyGuestLimits(operationIn('claimed', { id: `${name}`.padEnd(8, '0') }));
  for (const name of ['A', 'B', 'C']) expect(await count(name)).toBeUndefined();
  clock.now += 31 * MINUTE;
  for (const name of ['D', 'E']) expect(await count(name)).toBeUndefined();
  await toCard(chat);
  expect(limit()).toBe(false);
  expect(await count('F')).toBeUndefined();
  await chat.input('/cancel');
  await toCard(chat);
  expect(limit()).toBe(true);
  chat.shows(`from <tg-time unix="${(first + 60 * MINUTE) / 1_000}"`);
  clock.now = first + 60 * MINUTE;
  await chat.input('/cancel');
  await toCard(chat);
  expect(limit()).toBe(false);
});

test('tells a guest who asks for the energy how the newest invoice stands', async ({ chat }) => {
  await chat.expectReply('where is my energy?', chat.words.html('invoices-empty', { reader: 'guest' }));
  const invoice = await make(chat);
  setStatus(chat, invoice, 'pending');
  for (const said of ['I paid', 'Where is my energy?', 'я оплатил']) {
    const before = chat.views().length;
    await chat.write(said);
    const [card, ...others] = chat.views().slice(before);
    expect(card?.html, said).toContain('No full payment as of <tg-time');
    expect(card?.html).toContain(`Invoice ${invoice.number}`);
    expect(others).toEqual([]);
    expect(chat.dataWith('invoice:check')).toContain(invoice.id);
  }
  setStatus(chat, invoice, 'paid');
  chat.setup.clock.now += MINUTE;
  await chat.expectReply(
    'where is my energy?',
    chat.words.html('invoice-paid'),
    chat.words.html('invoice-paid-note'),
  );
  expect(chat.html()).not.toContain('No full payment');
});

test.each([
  [
    'en',
    [
      ...[
        'when does the energy come',
        'when will my energy arrive?',
        'How long does it take?',
        'why so long',
      ],
      'how much longer',
    ],
  ],
  [
    'ru',
    [
      ...['когда придет энергия', 'Когда придёт энергия?', 'сколько ждать?', 'сколько ещё ждать'],
      ...['сколько времени это занимает?', 'почему так долго', 'долго еще?'],
    ],
  ],
] as const)(
  'a question about the arrival shows an invoice in progress, or else Help: %s',
  async (...given) => {
    const [language, texts] = given;
    const chat = await openMaker({ language });
    const help = chat.words.html('help-question-arrival');
    for (const text of texts) await chat.expectReply(text, help);
    await chat.write('/buy');
    for (const text of texts) {
      await chat.write(text);
      chat.shows(help, chat.words.html('invoice-address'));
    }
    await chat.write('/cancel');
    const invoice = await make(chat);
    setStatus(chat, invoice, 'paid');
    chat.setup.clock.now += MINUTE;
    for (const text of texts) await chat.expectReply(text, chat.words.html('invoice-paid'));
    setStatus(chat, invoice, 'delegated');
    chat.setup.clock.now += MINUTE;
    await chat.tap(`invoice:check:${invoice.id}`);
    for (const text of texts) await chat.expectReply(text, help);
  },
);

test('after a purchase that was not made, shows an earlier order to users who say that they paid', async ({
  chat,
}) => {
  const { clock, rental } = chat.setup;
  await chat.links.link(USER, ACCOUNT, API_KEY, 'en');
  await chat.setup.advance(await chat.setup.claimed());
  clock.now += MINUTE;
  rental.buyEnergy.mockResolvedValueOnce(OFFLINE);
  const refused = await chat.setup.claimed();
  await chat.setup.advance(refused);
  expect((await chat.setup.read(refused)).state).toBe('refused');
  await chat.expectReply('I paid', chat.words.html('order-unseen'));
  expect(chat.html()).not.toContain(refused.id);
  await chat.expectReply('where is my energy?', 'Nothing was charged');
});

test.each([
  ['en', 'I paid', 'Or is it about invoice 51?', 'Open invoice 51'],
  ['ru', 'где моя энергия?', 'Или вы о счёте 51?', 'Открыть счёт 51'],
] as const)('with two open invoices, the answer in %s to “%s” offers the other', async (...given) => {
  const [language, said, line, label] = given;
  const chat = await openMaker({ language });
  const first = await make(chat);
  const second = await make(chat, { transfers: '1' });
  setStatus(chat, second, 'pending');
  const shownBefore = chat.views().length;
  await chat.write(said);
  const shown = chat.views()[shownBefore];
  expect(shown?.html).toContain(String(second.number));
  expect(shown?.html.endsWith(`\n\n${line}`)).toBe(true);
  expect(shown?.keyboard.at(-2)?.map(({ text }) => text)).toEqual([label]);
  setStatus(chat, first, 'pending');
  await chat.tapShown(chat.buttons()[label] ?? '');
  chat.shows(first.paymentAddress);
  expect(chat.html()).not.toContain(line);
});

test('the answer about an invoice offers one that was only opened', async ({ chat }) => {
  const theirs = await makeOfAnother(chat);
  const [own] = await chat.invoices.list(USER, () => true);
  if (own) setStatus(chat, own, 'pending');
  await chat.write(`/start invoice-${chat.invoices.shares.tokenOf(theirs) ?? ''}`);
  await chat.write('где моя энергия?');
  await chat.tapShown(chat.buttons()[`Open invoice ${theirs.number}`] ?? '');
  chat.shows(theirs.paymentAddress);
});

test.each(['where is my invoice?', 'алло, где счёт?'])(
  'shows a guest who asks “%s” the invoice',
  async (said) => {
    const chat = await openMaker();
    await chat.expectReply(said, chat.words.html('invoices-empty', { reader: 'guest' }));
    const id = await toCard(chat);
    await chat.tap(chat.dataWith('confirm'));
    await chat.setup.advance({ user: USER, id });
    const { number } = await chat.shownInvoice({ user: USER, id });
    await chat.expectReply(said, `invoice ${number}`);
  },
);

test.each([
  ['en', 'cancel my invoice', "An unpaid invoice costs nothing: just don't pay it."],
  ['ru', 'отмени счёт', 'Неоплаченный счёт ничего не стоит: просто не платите по нему.'],
] as const)('says that an unpaid invoice needs no cancelling, in %s', async (language, said, reply) => {
  const chat = await openMaker({ language });
  const others =
    language === 'en'
      ? ['cancel', '/cancel', 'cancel order', "I don't need it anymore", 'changed my mind']
      : ['отмена', 'отмени заказ', 'больше не нужно', 'Я передумал'];
  for (const text of [said, ...others]) await chat.expectReply(text, chat.words.html('cancelled-nothing'));
  const made = await make(chat);
  for (const text of [said, ...others]) await chat.expectReply(text, reply, made.paymentAddress);
  await chat.write(OTHER_ADDRESS);
  const before = chat.views().length;
  await chat.write(said);
  const shown = chat.views().slice(before);
  expect(shown[0]?.html).toContain(`${reply}\n\n`);
  expect(shown[0]?.html).toContain(made.paymentAddress);
  expect(shown[1]?.html).toContain(OTHER_ADDRESS);
  setStatus(chat, made, 'paid');
  chat.setup.clock.now += MINUTE;
  await chat.tap(`invoice:check:${made.id}`);
  await chat.write(said);
  expect(
    chat.views().findLast(({ html }) => html.includes(chat.words.html('invoices-none-open'))),
  ).toBeDefined();
});

test.each([
  ['en', 'cancel the invoice', 'open it and tap <i>🚫 Disable link</i>'],
  ['ru', 'отменить счёт', 'откройте счёт и нажмите «🚫 Отключить ссылку»'],
] as const)('tells a seller how to end an unpaid invoice, in %s', async (language, said, reply) => {
  const chat = await openMaker({ language, linked: true });
  const { number } = await make(chat);
  await chat.expectReply(said, reply, String(number));
});

test('shows an account holder who asks for an invoice the list', async () => {
  const chat = await openMaker({ linked: true });
  const { number } = await make(chat);
  await chat.expectReply('where is my invoice?', String(number));
  expect(chat.data()).toContain('invoice:open');
});

test("tells a guest not to pay again if the service doesn't respond", async ({ chat }) => {
  const invoice = await make(chat);
  chat.setup.clock.now += MINUTE;
  chat.setup.rental.invoice.mockResolvedValue(CUT);
  const before = chat.views().length;
  await chat.write('where is my energy?');
  const number = String(invoice.number);
  expect(chat.views().slice(before)).toMatchObject([
    { html: chat.words.html('invoice-not-answered', { number }) },
  ]);
});

const QUESTIONS = {
  en: ['where is my energy?', 'I paid', 'did it arrive?', "what's going on?"],
  ru: ['где моя энергия?', 'я оплатил', 'дошло?', 'что происходит?'],
};

/** What happens, what an answer shows then, and what it offers, newest change first. Invoice 99 is another seller's, 7 an order. */
const SITUATIONS = [
  ['an older invoice failed', 'make 51, failed 51, make 52, delegated 52', 52, [51]],
  ['an older invoice is open', 'make 51, make 52, delegated 52', 52, [51]],
  ['an older invoice is paid', 'make 51, make 52, delegated 52, paid 51', 51, [52]],
  ['the account was linked since', 'make 51, make 52, link, delegated 51', 51, [52]],
  ['a second invoice expired', 'make 51, delegated 51, make 52, expired 52', 52, [51]],
  ['an older invoice expired since', 'make 51, make 52, delegated 52, expired 51', 52, [51]],
  ['a further invoice was not created', 'make 51, delegated 51, make 52, refuse', 52, [51]],
  ['an invoice expired earlier', 'make 51, expired 51, make 52, delegated 52', 52, [51]],
  ["a seller's invoice was opened", 'make 51, failed 51, make 52, delegated 52, open 99', 99, [52, 51]],
  ["a seller's invoice was opened earlier", 'open 99, make 51, delegated 51', 51, [99]],
  ["a seller's invoice was delivered", 'open 99, make 51, delegated 51, delegated 99', 99, [51]],
  ['energy was bought since', 'make 51, failed 51, link, buy 7', 7, [51]],
  ['energy was bought before', 'make 51, link, buy 7, delegated 51', 51, [7]],
] as const;

describe.each(LANGUAGES)('in %s', (language) => {
  test.each(SITUATIONS)('shows what changed last, and offers the others, if %s', async (...situation) => {
    const [, story, shown, others] = situation;
    const chat = await openMaker({ language });
    const isOrder = (number: number) => number === 7;
    const tell = actorOf(chat);
    for (const step of story.split(', ')) await tell(step);
    const title = language === 'en' ? 'Invoice' : 'Счёт';
    const names = others.map((one) =>
      chat.words.plain(isOrder(one) ? 'button-open-order' : 'button-open-invoice', { number: String(one) }),
    );
    const prefixes = [/^Open (?:invoice|order) /, /^Открыть (?:счёт|заказ) /];
    for (const said of QUESTIONS[language]) {
      await chat.write(said);
      if (isOrder(shown)) chat.shows(chat.words.html('order-unseen'));
      else chat.shows(`${title} ${shown}`);
      const offered = chat.labels().filter((label) => prefixes.some((prefix) => prefix.test(label)));
      expect(offered, said).toEqual(names);
    }
  });
});

/** Creates a function that makes a step of a story happen, and a minute pass. */
function actorOf(chat: Chat): (step: string) => Promise<void> {
  const { clock, rental } = chat.setup;
  const known = new Map<number, Invoice>();
  const statuses = new Map<number, string>();
  rental.invoice.mockImplementation(async (_key, { invoice_id }) => {
    const {
      paymentAddress = '',
      address = '',
      energy = 0,
      hours = 1,
      expiresAt = 0,
    } = known.get(invoice_id) ?? {};
    return invoiceOf({
      ...{
        invoice_id,
        address,
        payment_address: paymentAddress,
        energy_amount: energy,
        duration_hours: hours,
      },
      ...{ status: statuses.get(invoice_id) ?? 'pending', expires_at: new Date(expiresAt).toISOString() },
    });
  });
  return async (step) => {
    const [what = '', number = ''] = step.split(' ');
    const numbered = Number(number);
    if (what === 'make') known.set(numbered, await make(chat, { transfers: number.slice(-1) }));
    else if (what === 'link') await chat.links.link(USER, ACCOUNT, API_KEY, 'en');
    else if (what === 'refuse') {
      rental.createInvoice.mockResolvedValueOnce(CUT);
      const id = await toCard(chat, { transfers: '3' });
      await chat.tap(chat.dataWith('confirm'));
      await chat.setup.advance({ user: USER, id });
      expect((await chat.setup.read({ user: USER, id })).state).toBe('refused');
    } else if (what === 'buy') await chat.setup.advance(await chat.setup.claimed());
    else if (what === 'open') {
      const priced = { priceTrx: '4.64', priceUsdt: '1.39', energy: 130_000 };
      const theirs = await trackOfAnother(chat, { ...priced, expiresAt: clock.now + 30 * MINUTE });
      known.set(numbered, theirs);
      await chat.write(`/start invoice-${chat.invoices.shares.tokenOf(theirs) ?? ''}`);
    } else {
      const invoice = known.get(numbered);
      if (invoice === undefined) throw new Error(`no invoice: ${step}`);
      statuses.set(numbered, what);
      // A check counts as opened.
      if (what === 'expired') clock.now = invoice.expiresAt + MINUTE;
      else await chat.invoices.checkPayment(invoice);
    }
    clock.now += MINUTE;
  };
}

test.each([
  ['en', ['I sent too little', 'I sent part', 'I underpaid', 'how much is left?', 'I paid the wrong amount']],
  ['ru', ['отправил только часть', 'я недоплатил', 'сколько осталось?', 'отправил не ту сумму']],
] as const)(
  'shows the open invoice to a payer of a part, and Help without one: %s',
  async (language, texts) => {
    const chat = await openMaker({ language });
    for (const text of texts) await chat.expectReply(text, chat.words.html('help-question-invoice'));
    const tell = actorOf(chat);
    for (const step of ['make 51', 'make 52', 'delegated 52']) await tell(step);
    for (const text of texts) {
      await chat.write(text);
      chat.shows(language === 'en' ? 'Invoice 51' : 'Счёт 51');
      expect(chat.dataWith('invoice:check'), text).not.toBe('');
    }
  },
);

test('after linking, a question about money shows a payment that failed, and then the balance', async ({
  chat,
}) => {
  const tell = actorOf(chat);
  for (const step of ['make 51', 'link', 'failed 51']) await tell(step);
  await chat.expectReply('where is my money?', 'Invoice 51', chat.words.html('invoice-failed'));
  chat.setup.clock.now += 2 * DAY_MS;
  await chat.expectReply('where is my money?', chat.words.html('menu-balance'));
});

test.each([
  ['en', ["where is my customer's energy?", "my client didn't get the energy", 'did my buyer get it?']],
  ['ru', ['где энергия моего клиента?', 'клиент не получил энергию', 'покупателю не пришла энергия']],
] as const)("shows a seller who asks for a customer's energy the invoices: %s", async (language, texts) => {
  const chat = await openMaker({ language, linked: true });
  await chat.tap('settings:sell:yes');
  const { number } = await make(chat);
  await chat.setup.advance(await chat.setup.claimed());
  for (const text of texts) {
    await chat.expectReply(text, chat.words.html('invoices-title'), String(number));
    expect(chat.html()).not.toContain(chat.words.html('order-unseen'));
  }
});

test('shows a user who linked an account the open invoice from before, then the history', async ({
  chat,
}) => {
  const invoice = await make(chat);
  await chat.links.link(USER, ACCOUNT, API_KEY, 'en');
  setStatus(chat, invoice, 'paid');
  await chat.expectReply('where is my energy?', `Invoice ${invoice.number}`);
});

test("after linking, repeating a guest's invoice is no sale and warns of the running rental", async ({
  chat,
}) => {
  const tell = actorOf(chat);
  for (const step of ['make 51', 'delegated 51', 'link']) await tell(step);
  const [made] = await chat.invoices.list(USER, () => true);
  await chat.tap(`invoice:again:${made?.id}`);
  chat.shows(ADDRESS, 'You bought 65,000 energy for this address');
  expect(chat.html()).not.toContain('customer');
});

test('a guest can add no note, not even with a forged button', async ({ chat }) => {
  const id = await toCard(chat);
  await chat.tap(`operation:back:${id}_note`, { message: chat.lastMessage(), carried: true });
  await chat.write('For you');
  const confirm = readCallbackData(chat.dataWith('confirm'))?.argument ?? '';
  expect((await chat.setup.read({ user: USER, id: confirm })).request).not.toHaveProperty('note');
  chat.shows("I don't understand “For you”");
});

/** Taps *Create invoice* on a guest's card. Returns whether an invoice is being created. */
async function creates(chat: Chat, how = {}): Promise<boolean> {
  const id = await toCard(chat, how);
  await chat.tapShown(chat.dataWith('confirm'));
  return (await chat.setup.read({ user: USER, id })).state === 'claimed';
}

test('shows the open invoice instead of creating an identical one for a guest', async ({ chat }) => {
  const first = await make(chat);
  expect(await creates(chat)).toBe(false);
  expect(chat.html()).toContain(first.paymentAddress);
  expect(chat.views().at(-2)?.html).toBe(chat.words.html('invoice-same-open'));
  expect(await creates(chat, { transfers: '1' })).toBe(true);
  // An expired invoice is not reused.
  chat.setup.clock.now = first.expiresAt;
  expect(await creates(chat)).toBe(true);
});

test('the card about an open invoice names the others without repeating what holds for all', async () => {
  for (const language of ['en', 'ru'] as const) {
    const chat = await openMaker({ language });
    const first = await make(chat);
    await chat.write(`/invoice ${OTHER_ADDRESS} 3 1h`);
    const id = readCallbackData(chat.dataWith('confirm'))?.argument ?? '';
    await chat.tap(chat.dataWith('confirm'));
    await chat.setup.advance({ user: USER, id });
    await chat.write(`/invoice ${OTHER_ADDRESS} 4 1h`);
    chat.shows(String(first.number));
    expect(chat.html().match(/Sent a part|Отправили часть/g)).toHaveLength(1);
    expect(chat.labels()[0]).toBe(language === 'en' ? 'Open invoice 52' : 'Открыть счёт 52');
  }
});

test('an open invoice leads a guest to another amount or address, and says that unpaid ones cost nothing', async ({
  chat,
}) => {
  const first = await make(chat);
  await chat.tap(`invoice:show:${first.id}`);
  await chat.tapShown(chat.buttons()['✎ Other amount or address'] ?? '');
  chat.shows('Review and confirm', 'Invoice 51 for this address is still open. Pay only one');
  expect(chat.labels()[0]).toBe('Open invoice 51');
  await chat.tapShown(chat.dataWith('energy65000'));
  const confirm = chat.dataWith('confirm');
  await chat.tapShown(confirm);
  await chat.setup.advance({ user: USER, id: readCallbackData(confirm)?.argument ?? '' });
  expect(chat.html()).not.toContain('can still be paid');
  const other = `/invoice ${OTHER_ADDRESS} 3 1h`;
  await chat.expectReply(other, 'Your invoices 52, 51 can still be paid.');
  chat.shows('Unpaid invoices cost nothing');
  const before = chat.views().length;
  await chat.write('hello');
  expect(chat.views()[before]?.html).toContain('Your invoices 52, 51 can still be paid.');
  expect(await chat.invoices.read(first)).toMatchObject({ status: 'pending' });
  chat.setup.clock.now = first.expiresAt;
  await chat.write(other);
  expect(chat.html()).not.toContain('can still be paid');
});

test('warns of an invoice for the same address that may have been paid, until the service responds', async () => {
  for (const linked of [false, true]) {
    const chat = await openMaker({ linked });
    const first = await make(chat);
    chat.setup.clock.now = first.expiresAt + 1_000;
    const warning = linked ? 'Invoice 51 for this address may be paid' : 'Paid invoice 51 for this address?';
    await chat.expectReply(`/invoice ${ADDRESS} 2 1h`, warning);
    await chat.write(`/invoice ${OTHER_ADDRESS} 2 1h`);
    expect(chat.html()).not.toContain('Invoice 51');
    setStatus(chat, first, 'pending');
    await chat.tap(`invoice:check:${first.id}`);
    await chat.write(`/invoice ${ADDRESS} 2 1h`);
    expect(chat.html()).not.toContain(warning);
  }
});

test('does not reuse an invoice that has been paid', async ({ chat }) => {
  const first = await make(chat);
  setStatus(chat, first, 'paid');
  chat.setup.clock.now += MINUTE;
  // The recorded status is a minute old, so the service is queried before the invoice is reused.
  expect(await creates(chat)).toBe(false);
  chat.shows('You bought');
  await chat.tapShown(chat.dataWith('confirm'));
  expect(await chat.invoices.read(first)).toMatchObject({ status: 'paid' });
});

describe.each(['list', 'link'])('an invoice opened through the %s', (by) => {
  async function open(chat: Chat, invoice: Invoice): Promise<string> {
    const token = chat.invoices.shares.tokenOf(invoice);
    await (by === 'list' ? chat.tap(`invoice:show:${invoice.id}`) : chat.write(`/start invoice-${token}`));
    return chat.html();
  }

  test('is checked first if the last check is a minute old', async ({ chat }) => {
    const invoice = await make(chat);
    setStatus(chat, invoice, 'pending');
    chat.setup.clock.now += MINUTE - 1;
    expect(await open(chat, invoice)).toContain(invoice.paymentAddress);
    expect(chat.setup.rental.invoice).not.toHaveBeenCalled();
    chat.setup.clock.now += 1;
    expect(await open(chat, invoice)).toContain(invoice.paymentAddress);
    expect(chat.setup.rental.invoice).toHaveBeenCalledTimes(1);
    setStatus(chat, invoice, 'paid');
    chat.setup.clock.now += MINUTE;
    expect(await open(chat, invoice)).toContain('Paid. The energy is on its way.');
    expect(chat.html()).not.toContain(invoice.paymentAddress);
  });

  test('has neither payment address nor QR code while the service does not respond', async ({ chat }) => {
    const invoice = await make(chat);
    chat.setup.rental.invoice.mockResolvedValue(CUT);
    chat.setup.clock.now += MINUTE;
    expect(await open(chat, invoice)).toContain("Don't pay yet.");
    expect(chat.html()).not.toContain(invoice.paymentAddress);
    expect(chat.last().photo).not.toEqual(qrCode(invoice.paymentAddress));
    // The card is recorded as stale, so that it is updated once the service answers.
    const { cards: known } = (await chat.invoices.read(invoice)) ?? {};
    expect(known?.at(-1)?.fingerprint).toMatch(/^stale /);
  });
});

test('does not reuse an invoice that is no longer checked', async ({ chat }) => {
  const first = await make(chat);
  await chat.invoices.linkChanges.endLink({ user: USER, account: OPERATOR_ACCOUNT }, async () => {});
  expect(await chat.invoices.read(first)).toMatchObject({ status: 'pending', unchecked: true });
  expect(await creates(chat)).toBe(true);
});

test('creates a new invoice for each identical sale, and does not reuse guest invoices', async ({ chat }) => {
  const guests = await make(chat);
  await chat.links.link(USER, 1001, 'an-api-key-of-the-tests', 'en');
  const [one, other] = [await make(chat, { note: 'For you' }), await make(chat, { note: 'For you' })];
  expect(new Set([guests.number, one.number, other.number]).size).toBe(3);
  expect([one.account, other.account]).toEqual([1001, 1001]);
});

test('showing an invoice again replaces its earlier card', async ({ chat }) => {
  const invoice = await make(chat);
  await chat.tap(`invoice:show:${invoice.id}`);
  const message = chat.lastMessage();
  await chat.tap(`invoice:show:${invoice.id}`);
  expect(chat.payloads('deleteMessage').at(-1)?.message_id).toBe(message);
  const present = await chat.invoices.read(invoice);
  expect(present?.cards).toMatchObject([{ chat: USER, isForMaker: true, message: chat.lastMessage() }]);
});

test('a lost response does not count towards the open invoices of a guest', async ({ chat }) => {
  for (let at = 0; at < 3; at++) {
    chat.setup.rental.createInvoice.mockResolvedValueOnce(CUT);
    const id = await toCard(chat);
    await chat.tap(chat.dataWith('confirm'));
    await chat.setup.advance({ user: USER, id });
    expect(await chat.setup.read({ user: USER, id })).toMatchObject({ refusal: { reason: 'not-made' } });
    const operation = await chat.setup.read({ user: USER, id });
    expect(await chat.invoices.applyGuestLimits(operation)).toBeUndefined();
  }
  const operation = await chat.setup.read({ user: USER, id: await toCard(chat) });
  expect(await chat.invoices.applyGuestLimits(operation)).toBeUndefined();
});

describe('a payer note', () => {
  test.each([
    'see https://evil.example',
    'www.evil.example',
    'evil.example/pay',
    'ask @somebody',
    'tg://resolve?domain=x',
    'x'.repeat(101),
    '\u200b\u200b',
  ])('%j is rejected and requested again', async (note) => {
    const chat = await openMaker({ linked: true });
    expect(await toCard(chat, { note })).toBe('');
    expect(chat.html()).toContain('without links');
  });

  test('is rejected if it is or contains a wallet address, because payers could pay to it', async () => {
    const chat = await openMaker({ linked: true });
    expect(await toCard(chat, { note: `${ADDRESS.slice(0, 17)} ${ADDRESS.slice(17)}` })).toBe('');
    expect(chat.html()).toContain('without a wallet address');
    await chat.expectReply(`for ${OTHER_ADDRESS}`, 'without a wallet address');
    await chat.expectReply('Order 17', 'Review and confirm');
  });

  test('is stripped of invisible characters and line breaks', async () => {
    const chat = await openMaker({ linked: true });
    const { note = '' } = await make(chat, { note: 'Order\u202e 17\u200b\nthank <b>you</b>' });
    expect(note).not.toMatch(/[\u202e\u200b\n]/);
    expect(note).toContain('<b>you</b>');
  });
});

describe('a modified client', () => {
  const BUTTONS = ['check', 'show', 'share', 'revoke', 'again', 'another', 'look'];

  test.each(BUTTONS)('changes and learns nothing by tapping %s of another user’s invoice', async (name) => {
    const chat = await openMaker();
    const theirs = await makeOfAnother(chat);
    const token = chat.invoices.shares.tokenOf(theirs) ?? '';
    const before = JSON.stringify(await chat.invoices.read(theirs));
    const [sent, shown] = [chat.views().length, chat.sender.count()];
    const names = [theirs.id, `777}:${theirs.id}`, `777/${theirs.id}`, '99', '../theirs01', '', '__proto__'];
    for (const one of name === 'look' ? names : [...names, token]) await chat.tap(`invoice:${name}:${one}`);
    expect(JSON.stringify(await chat.invoices.read(theirs))).toBe(before);
    expect(chat.sender.count()).toBe(shown);
    expect(JSON.stringify(chat.views().slice(sent))).not.toContain(theirs.paymentAddress);
    expect((await chat.invoices.shares.find(token))?.id).toBe(theirs.id);
  });

  test('can only request a check with a share link, until the link is revoked', async ({ chat }) => {
    const theirs = await makeOfAnother(chat);
    const token = chat.invoices.shares.tokenOf(theirs) ?? '';
    setStatus(chat, theirs, 'pending');
    await chat.tap(`invoice:look:${token}`);
    expect(chat.toast()).toContain('No full payment yet');
    await chat.invoices.shares.revoke(theirs);
    await chat.tap(`invoice:look:${token}`);
    expect(chat.toast()).toContain('no longer available');
  });

  test('creates no invoice by naming an operation of another kind', async () => {
    const chat = await openMaker({ linked: true });
    const energy = await chat.setup.draft();
    await chat.tap(`invoice:again:${energy.id}`);
    expect(chat.toast()).toContain('no longer available');
  });
});

test.each([400, 500])(
  'sends an opened invoice as text while Telegram rejects pictures with %i',
  async (code) => {
    const chat = await openMaker();
    const invoice = await make(chat);
    chat.trouble('sendPhoto', { code, description: 'no picture' });
    await chat.tap(`invoice:show:${invoice.id}`);
    expect(chat.payloads('sendMessage').at(-1)?.text).toContain(`<code>${invoice.paymentAddress}</code>`);
    // The card updater adds the picture later.
    await eventually(() =>
      expect(editedCard(chat)).toMatchObject({ chat: USER, message: chat.lastMessage() }),
    );
  },
);

describe('a card whose message id is not known', () => {
  const deleted = (chat: Chat) => chat.payloads('deleteMessage').map((payload) => payload.message_id);

  test.each(['check', 'share', 'revoke'])('becomes the card of its chat by a tap on %s', async (name) => {
    const chat = await openMaker();
    const invoice = await make(chat);
    const [card] = invoice.cards;
    await chat.tap(`invoice:${name}:${invoice.id}`, { message: 55, carried: true });
    await eventually(() => expect(editedCard(chat)).toMatchObject({ chat: USER, message: 55 }));
    expect(deleted(chat)).toContain(card?.message);
    expect((await chat.invoices.read(invoice))?.cards).toHaveLength(1);
  });

  test('becomes the card of a payer by a tap', async ({ chat }) => {
    const token = chat.invoices.shares.tokenOf(await makeOfAnother(chat)) ?? '';
    await chat.tap(`invoice:look:${token}`, { message: 55, carried: true });
    await eventually(() => expect(editedCard(chat)).toMatchObject({ chat: USER, message: 55 }));
    expect(deleted(chat)).not.toContain(77);
  });

  test('is not taken over if the tapped message has no button or is the known card', async ({ chat }) => {
    const invoice = await make(chat);
    await chat.tap(`invoice:check:${invoice.id}`, { message: 55 });
    await chat.tap(`invoice:check:${invoice.id}`, { message: 77, carried: true });
    expect((await chat.invoices.read(invoice))?.cards).toMatchObject([{ message: 77 }]);
    expect(deleted(chat)).not.toContain(77);
  });

  test('is followed by a card that requests payment only once its id is recorded', async ({ chat }) => {
    const invoice = await make(chat);
    chat.trouble('sendPhoto', 'unreached');
    await expect(chat.tap(`invoice:show:${invoice.id}`)).rejects.toThrow();
    chat.trouble('sendPhoto', undefined);
    await chat.expectReply(`invoice:show:${invoice.id}`, "Don't pay yet");
    expect(chat.html()).not.toContain(invoice.paymentAddress);
    await eventually(() =>
      expect(editedCard(chat)).toMatchObject({
        message: chat.lastMessage(),
        html: expect.stringContaining(invoice.paymentAddress),
      }),
    );
    await chat.expectReply(`invoice:show:${invoice.id}`, invoice.paymentAddress);
  });

  test('is not assumed if Telegram rejected the message', async ({ chat }) => {
    const invoice = await make(chat);
    chat.trouble('sendPhoto', { code: 429, description: 'Too Many Requests', retryAfter: 1 });
    await expect(chat.tap(`invoice:show:${invoice.id}`)).rejects.toThrow();
    chat.trouble('sendPhoto', undefined);
    await chat.expectReply(`invoice:show:${invoice.id}`, invoice.paymentAddress);
  });
});

describe('a share link', () => {
  test('shows its creator their own card and does not count as opened', async () => {
    const chat = await openMaker({ linked: true });
    const invoice = await make(chat, { note: 'For you' });
    const token = chat.invoices.shares.tokenOf(invoice) ?? '';
    await chat.write(`/start invoice-${token}`);
    expect(chat.buttons()).toHaveProperty('🚫 Disable link');
    expect(await chat.invoices.read(invoice)).not.toHaveProperty('openedAt');
  });

  test('gets the same reply whether it is revoked, expired or unknown', async ({ chat }) => {
    const [revoked, expired] = [await make(chat), await make(chat, { transfers: '1' })];
    const tokens = [revoked, expired].map((one) => chat.invoices.shares.tokenOf(one) ?? '');
    await chat.tap(`invoice:revoke:${revoked.id}`);
    expect(chat.toast()).toContain('Link disabled');
    chat.setup.clock.now = expired.expiresAt + 24 * 3600_000;
    const texts = new Set<string>();
    const before = cards(chat).length;
    for (const token of [...tokens, 'A'.repeat(32), `${'_-'.repeat(16)}`]) {
      await chat.write(`/start invoice-${token}`);
      texts.add(chat.html());
    }
    expect([...texts]).toEqual([expect.stringContaining('no longer works')]);
    expect(cards(chat).length).toBe(before);
  });

  test('tells payers who opened it by themselves not to pay once it is disabled', async () => {
    const chat = await openMaker({ linked: true });
    const invoice = await make(chat, { note: 'For you' });
    const payer = USER + 1;
    const opened = { chat: payer, language: 'en', isForMaker: false, message: 77 } as const;
    await chat.invoices.setCard(invoice, opened, true);
    await chat.tap(`invoice:revoke:${invoice.id}`);
    await eventually(async () => {
      const [, , content] = chat.sender.editPhoto.mock.calls.findLast(([to]) => to === payer) ?? [];
      expect(content?.html).toContain(chat.words.html('invoice-revoked'));
      expect(JSON.stringify(content?.keyboard)).not.toContain('copy_text');
    });
  });

  test.each(['en', 'ru'] as const)(
    'tells its payer once disabled whether they have paid, in %s',
    async (language) => {
      const chat = await openMaker({ language });
      const expiresAt = chat.setup.clock.now + 30 * MINUTE;
      const theirs = await trackOfAnother(chat, {
        priceTrx: '4.64',
        priceUsdt: '1.39',
        energy: 130_000,
        expiresAt,
      });
      await chat.write(`/start invoice-${chat.invoices.shares.tokenOf(theirs) ?? ''}`);
      setStatus(chat, theirs, 'pending');
      await chat.invoices.shares.revoke(theirs);
      await chat.tap(`invoice:look:${theirs.number}`);
      expect(chat.toast()).toBe(chat.words.plain('toast-invoice-unpaid-revoked'));
      const asOf = { en: 'No full payment as of', ru: 'Полной оплаты нет на' }[language];
      await chat.expectReply(
        language === 'en' ? 'I paid' : 'я оплатил',
        asOf,
        chat.words.html('invoice-revoked'),
      );
    },
  );

  test('gets a new token after revoking, and cannot be renewed after expiry', async ({ chat }) => {
    const invoice = await make(chat);
    const token = chat.invoices.shares.tokenOf(invoice);
    await chat.input(`invoice:revoke:${invoice.id}`, `invoice:share:${invoice.id}`);
    const present = await chat.invoices.read(invoice);
    const next = present && chat.invoices.shares.tokenOf(present);
    expect(next).toBeDefined();
    expect(next).not.toBe(token);
    await chat.tap(`invoice:revoke:${invoice.id}`);
    chat.setup.clock.now = invoice.expiresAt + 24 * 3600_000;
    await chat.tap(`invoice:share:${invoice.id}`);
    expect(chat.toast()).toContain('no longer available');
  });
});

test('a tap on the payment check replies with what the service says', async ({ chat }) => {
  const invoice = await make(chat);
  const { rental, clock } = chat.setup;
  const tapped = async () => {
    await chat.tap(`invoice:check:${invoice.id}`);
    clock.now += 3_000;
    return chat.toast();
  };
  rental.invoice.mockResolvedValue(CUT);
  expect(await tapped()).toContain("isn't responding");
  setStatus(chat, invoice, 'pending');
  expect(await tapped()).toContain('No full payment yet');
  const reads = rental.invoice.mock.calls.length;
  clock.now -= 2_000;
  expect(await tapped()).toContain('No full payment yet');
  expect(rental.invoice).toHaveBeenCalledTimes(reads);
  setStatus(chat, invoice, 'paid');
  expect(await tapped()).toContain('Paid. The energy is on its way.');
});

test.each([
  [
    'en',
    "(don't pay)",
    '4.64 TRX',
    'Expired: ',
    'No full payment yet. 26 min left.',
    'The service reports no full payment',
  ],
  [
    'ru',
    '(не платите)',
    '4,64\u00a0TRX',
    'Срок истёк: ',
    'Осталось 26\u00a0мин.',
    'Сервис не сообщает о полной оплате',
  ],
] as const)(
  'an expired invoice shows its payer in %s where it was payable, and a check says that no payment is known',
  async (language, mark, price, expired, unpaid, none) => {
    for (const isOwn of [true, false]) {
      const chat = await openMaker({ language });
      const invoice = isOwn ? await make(chat) : await makeOfAnother(chat);
      const token = chat.invoices.shares.tokenOf(invoice) ?? '';
      const check = isOwn ? `invoice:check:${invoice.id}` : `invoice:look:${token}`;
      setStatus(chat, invoice, 'pending');
      chat.setup.clock.now = invoice.expiresAt - 26.5 * MINUTE;
      await chat.tap(check);
      expect(chat.toast()).toContain(unpaid);
      chat.setup.clock.now = invoice.expiresAt + MINUTE;
      await chat.tap(isOwn ? `invoice:show:${invoice.id}` : `invoice:opened:${token}`);
      chat.shows(price, expired, `${mark}: ${groupInFours(invoice.paymentAddress)}\n🔎 <a href="https://`);
      expect(chat.html()).not.toContain(`<code>${invoice.paymentAddress}`);
      await chat.tap(check);
      expect(chat.toast()).toContain(none);
    }
  },
);

test('deletes a card that cannot be recorded', async ({ chat }) => {
  const { id } = await make(chat);
  const { setCard: placed } = chat.invoices;
  chat.invoices.setCard = async () => Promise.reject(new Error('the storage is away'));
  await expect(chat.tap(`invoice:show:${id}`)).rejects.toThrow();
  expect(chat.payloads('deleteMessage').at(-1)).toMatchObject({ message_id: chat.lastMessage() });
  chat.invoices.setCard = placed;
});

test.each(['', 'x', 'A'.repeat(31), 'A'.repeat(33)])(
  'a truncated share link is not treated as an API key: “%s”',
  async (token) => {
    const chat = await openMaker();
    await chat.expectReply(
      `/start invoice-${token}`,
      "no longer works. Don't pay; get a new one. Already paid?",
    );
    expect(chat.payloads('deleteMessage')).toEqual([]);
  },
);
