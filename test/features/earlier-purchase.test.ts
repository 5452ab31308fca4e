import { expect, test } from 'vitest';
import type { InvoiceRef } from '../../src/invoices/invoice.ts';
import { createInvoiceStore } from '../../src/invoices/invoice-store.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/clock.ts';
import type { View } from '../../src/views/view.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { ENERGY, FILLED, USER } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, ORDER, orderOf, profileOf } from '../operations/rental-stand-in.ts';
import { type Chat, KNOWN, OTHER_ADDRESS, openChat, sell } from './chat.ts';

/** Sends an address, and returns the text of its order's card. */
async function ofCard(chat: Chat, address = ADDRESS): Promise<string> {
  return (await cardFor(chat, address)).html;
}

async function cardFor(chat: Chat, address = ADDRESS): Promise<View> {
  const before = chat.views().length;
  await chat.write(address);
  const isCard = (view: View) => Object.values(buttonsOf(view)).join().includes('operation:confirm');
  const card = chat.views().slice(before).find(isCard);
  if (card === undefined) throw new Error(`no card: ${chat.html()}`);
  return card;
}

test.each([
  ['en', ['40 s ago. It usually arrives', '6 min ago. If it has arrived', "6 min ago. It's rented until"]],
  [
    'ru',
    [
      '40\u00a0с назад. Обычно она приходит',
      '6\u00a0мин назад. Если она пришла',
      '6\u00a0мин назад. Она действует до',
    ],
  ],
] as const)(
  'the card of another purchase points out the energy that the address has: %s',
  async (language, [arriving, unseen, there]) => {
    const chat = await openChat(language);
    const { setup } = chat;
    const bought = await setup.claimed({ request: ENERGY });
    await setup.advance(bought);
    setup.clock.now += 40_000;
    expect(await ofCard(chat)).toContain(arriving);
    expect(await ofCard(chat, OTHER_ADDRESS)).not.toContain(arriving);
    setup.clock.now += 6 * MINUTE_MS - 40_000;
    expect(await ofCard(chat)).toContain(unseen);
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    expect(await ofCard(chat)).toContain(there);
    await chat.tapShown(chat.dataWith('_hours24'));
    chat.shows(there);
    setup.clock.now += HOUR_MS;
    expect(await ofCard(chat)).not.toMatch(/ago\.|назад\./);
  },
);

test.each([
  [
    'en',
    'In total: 3 rentals for this address, 195,000 energy, including 2 I haven\'t seen arrive. The first one ends <tg-time unix="1748782800"',
  ],
  [
    'ru',
    'Всего для этого адреса: 3 аренды, 195 000 энергии (доставки пока не видно: 2). Ближайшая заканчивается <tg-time unix="1748782800"',
  ],
] as const)('the card counts the running rentals of the address: %s', async (language, said) => {
  const chat = await openChat(language);
  const { setup } = chat;
  for (const said of [undefined, /In total|Всего/, undefined]) {
    if (said) expect(await ofCard(chat)).not.toMatch(said);
    await setup.advance(await setup.claimed({ request: ENERGY }));
    setup.clock.now += MINUTE_MS;
  }
  await setup.operations.settlement.report(ACCOUNT, FILLED);
  const text = (await ofCard(chat)).replaceAll(/[\u00a0\u202f]/g, ' ');
  expect(text).toContain(said);
});

test('a purchase that repeats one on its way warns above everything else and on its button', async () => {
  const chat = await openChat('en');
  const confirmOf = ({ keyboard }: View) => keyboard.flat().find(({ text }) => text === '✅ Confirm');
  expect(confirmOf(await cardFor(chat))).not.toHaveProperty('style');
  await chat.setup.advance(await chat.setup.claimed({ request: ENERGY }));
  const card = await cardFor(chat);
  expect(card.html).toMatch(/^<b>Review and confirm<\/b>\n\n⚠️ You bought 65,000 energy[^\n]*\n\n/);
  expect(confirmOf(card)).toMatchObject({ style: 'danger' });
});

test('a card points out an earlier purchase, however many operations followed it', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  await setup.advance(await setup.claimed({ request: ENERGY }));
  const other = { ...ENERGY, address: OTHER_ADDRESS };
  for (let count = 0; count < 25; count++) {
    setup.clock.now += 1_000;
    await setup.advance(await setup.claimed({ request: other }));
  }
  expect(await ofCard(chat)).toContain('You bought 65,000 energy');
});

test.each([
  ['en', ["and <b>I don't know yet if it went through.</b>", 'In total: 1 rental .* It ends ']],
  ['ru', ['и <b>я пока не знаю, удалось ли.</b>', 'Всего для этого адреса: 1 аренда.* Она заканчивается ']],
] as const)(
  'the card leads with a purchase whose result is unknown, and counts a likely one: %s',
  async (language, [unknown, total]) => {
    const chat = await openChat(language);
    const { setup } = chat;
    const said = async () => (await ofCard(chat)).replaceAll(/[\u00a0\u202f]/g, ' ');
    const lost = await setup.lost({ request: ENERGY });
    expect(await said()).toContain(unknown);
    setup.clock.now += MINUTE_MS;
    await setup.advance(await setup.claimed({ request: ENERGY }));
    expect(await said()).toMatch(new RegExp(`${unknown}[^]*${total}`));
    for (const conclude of [
      async () => setup.operations.settlement.conclude(await setup.stored(lost), { kind: 'likely' }, false),
      () => setup.operations.settlement.close(lost),
    ]) {
      await conclude();
      expect(await said()).toMatch(/2 (rentals|аренды)/);
    }
  },
);

test('the card says of a likely purchase that the address should be checked', async () => {
  const chat = await openChat('en');
  const lost = await chat.setup.lost({ request: ENERGY });
  await chat.setup.operations.settlement.conclude(await chat.setup.stored(lost), { kind: 'likely' }, false);
  expect(await ofCard(chat)).toContain('You most likely bought 65,000 energy for this address');
});

test('the card says that money came back for one of two equal purchases', async () => {
  const chat = await openChat('en');
  const { setup } = chat;
  setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
  await setup.advance(await setup.claimed({ request: ENERGY }));
  setup.rental.profile.mockResolvedValue(profileOf('997.68'));
  setup.clock.now += 1_000;
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: ORDER + 1 }));
  await setup.advance(await setup.claimed({ request: ENERGY }));
  await setup.pass(5 * MINUTE_MS);
  const text = await ofCard(chat);
  expect(text).toContain('It may have failed: money came back for it or for another order.');
  expect(text).toContain("2 I haven't seen arrive (money may have come back for 2 of them)");
});

test.each([
  [
    'en',
    `Order ${ORDER + 1} of 65,000 energy for this address, 60 s ago, <b>wasn't delivered</b>.`,
    'In total: 1 rental',
  ],
  [
    'ru',
    `Заказ ${ORDER + 1} на 65 000 энергии для этого адреса, 60 с назад, <b>не доставлен</b>.`,
    'адреса: 1 аренда',
  ],
] as const)(
  'the card names an order that failed, beside one that was delivered, until its refund was seen: %s',
  async (language, failed, total) => {
    const chat = await openChat(language);
    const { setup } = chat;
    const said = async () => (await ofCard(chat)).replaceAll(/[\u00a0\u202f]/g, ' ');
    setup.rental.profile.mockResolvedValue(profileOf('1000.00'));
    await setup.executed({ request: ENERGY });
    await setup.operations.settlement.report(ACCOUNT, FILLED);
    setup.clock.now += MINUTE_MS;
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: ORDER + 1 }));
    await setup.executed({ request: ENERGY });
    await setup.operations.settlement.report(ACCOUNT, { ...FILLED, order: ORDER + 1, status: 'failed' });
    setup.rental.profile.mockResolvedValue(profileOf('995.36'));
    await setup.pass(MINUTE_MS);
    expect(await said()).toContain(failed);
    expect(await said()).toContain(total);
    setup.rental.profile.mockResolvedValue(profileOf('997.68'));
    await setup.pass(10 * MINUTE_MS);
    expect(await said()).not.toMatch(/wasn't delivered|не доставлен/);
  },
);

test('the card of a guest names an expired invoice of which no payment was reported yet', async () => {
  const chat = await openChat('en', { linked: false });
  await sell(chat, { shared: false, stored: {} });
  chat.setup.clock.now += 31 * MINUTE_MS;
  expect(await ofCard(chat)).toContain("has expired, but <b>I don't know yet if it was paid.</b>");
});

test.each(['en', 'ru'] as const)(
  'the card warns of energy for the payment address of an own invoice: %s',
  async (language) => {
    for (const linked of [true, false]) {
      const chat = await openChat(language, { linked });
      const { paymentAddress } = await sell(chat, { shared: linked });
      for (const command of ['', ...(linked ? ['/invoice '] : [])]) {
        const { html, keyboard } = await cardFor(chat, command + paymentAddress);
        expect(html).toMatch(/⚠️ (This is the payment address of your|Это адрес для оплаты вашего) .* 1\./);
        expect(JSON.stringify(keyboard)).not.toContain('success');
      }
      expect(await ofCard(chat, KNOWN)).not.toMatch(/payment address|адрес для оплаты/);
      expect(await ofCard(chat, ADDRESS)).toMatch(
        /This is the USDT contract, not a wallet|Это контракт USDT, а не/,
      );
      expect(JSON.stringify((await cardFor(chat, ADDRESS)).keyboard)).not.toContain('success');
    }
  },
);

test('the card of an invoice for a customer points out the latest open one for the address', async () => {
  const chat = await openChat('en');
  await chat.setup.advance(await chat.setup.claimed({ request: ENERGY }));
  for (const stored of [{}, {}, { status: 'delegated' }, { address: OTHER_ADDRESS }])
    await sell(chat, { ...stored, stored });
  await chat.expectReply(`/invoice ${ADDRESS}`, '⚠️ Invoice 2 for this address is still open.\n');
  await chat.tapShown(chat.dataWith('_hours24'));
  chat.shows('Invoice 2 for this address is still open.');
  chat.setup.clock.now += 31 * MINUTE_MS;
  await chat.write(`/invoice ${ADDRESS}`);
  expect(chat.html()).not.toMatch(/still open|You bought/);
});

test.each([
  [{}, 'Invoice 1 for this address is still open. Pay only one of them'],
  [{ status: 'paid' }, 'You bought 130,000 energy for this address'],
  [{ status: 'delegated' }, "It's rented until"],
  [{ status: 'expired' }, undefined],
  [{ shared: true }, undefined],
])('the card of a guest points out an invoice for the address: %o', async (stored, said) => {
  const chat = await openChat('en', { linked: false });
  await sell(chat, { shared: false, ...stored, stored });
  if (said) expect(await ofCard(chat)).toContain(said);
  else expect(await ofCard(chat)).not.toMatch(/still open|You bought/);
});

test('the card of an invoice for a customer leads to the open one, and still to a new one', async () => {
  const chat = await openChat('en');
  await sell(chat, { address: KNOWN, note: 'Anna' });
  await chat.write(`/invoice ${KNOWN}`);
  const buttons = chat.last().keyboard.flat();
  expect(buttons.find(({ text }) => text === 'Open invoice 1')).not.toHaveProperty('style');
  expect(buttons.find(({ text }) => text === '✅ Create invoice')).toMatchObject({ style: 'success' });
  const before = chat.views().length;
  await chat.tapShown(chat.buttons()['Open invoice 1'] ?? '');
  expect(chat.views()[before]?.html).toContain('<code>Anna</code>');
  await chat.expectReply('24h', 'Review and confirm', '24 h');
});

test("the card of a purchase points out a customer's open invoice for the address", async () => {
  const chat = await openChat('en');
  await sell(chat);
  await chat.write(`/buy ${ADDRESS}`);
  chat.shows('Invoice 1 for this address is still open.');
  expect(chat.labels()).toContain('Open invoice 1');
  await chat.write(`/buy ${OTHER_ADDRESS}`);
  expect(chat.html()).not.toContain('still open');
});

/** Taps *Confirm* on the latest card, and returns the state of its operation. */
async function confirm(chat: Chat): Promise<string> {
  const shown = chat.views().flatMap((view) => Object.values(buttonsOf(view)));
  const data = shown.findLast((one) => one.startsWith('operation:confirm')) ?? '';
  await chat.tapShown(data);
  return (await chat.setup.read({ user: USER, id: data.split(':')[2]?.split('~')[0] ?? '' })).state;
}

/** Stores a change of an invoice's status, as a poll does. */
const report = (chat: Chat, made: InvoiceRef, status: string) =>
  createInvoiceStore(chat.deps).update(made, (invoice) => ({ ...invoice, status }));

test.each([
  ['en', 'delegated', 'You bought 130,000 energy for this address', 'The notice changed'],
  ['ru', 'paid', 'Вы купили 130\u00a0000 энергии', 'Предупреждение изменилось'],
] as const)(
  'a card whose notice no longer holds is shown anew once instead of being confirmed: %s',
  async (language, status, said, toast) => {
    for (const linked of [true, false]) {
      const chat = await openChat(language, { linked: false });
      const made = await sell(chat, { shared: false });
      if (linked) await chat.links.link(USER, ACCOUNT, API_KEY, language);
      await cardFor(chat);
      await report(chat, made, status);
      expect(await confirm(chat)).toBe('replaced');
      expect(chat.toast()).toContain(toast);
      chat.shows(said);
      expect(await confirm(chat)).toBe('claimed');
    }
  },
);

test('a card is shown anew once the unknown result that it names is known', async () => {
  const chat = await openChat('en');
  const lost = await chat.setup.lost({ request: ENERGY });
  expect(await ofCard(chat)).toContain("I don't know yet if it went through");
  await chat.setup.operations.settlement.report(ACCOUNT, FILLED);
  await chat.setup.operations.settlement.close(lost);
  expect(await confirm(chat)).toBe('replaced');
  expect(chat.html()).not.toContain("I don't know yet");
  expect(await confirm(chat)).toBe('claimed');
});

test('a card that is sent again has the present notice, and one tap confirms it', async () => {
  const chat = await openChat('en', { linked: false });
  const made = await sell(chat, { shared: false });
  expect(await ofCard(chat)).toContain('Invoice 1 for this address is still open');
  await report(chat, made, 'delegated');
  await chat.write('hello');
  expect(chat.allHtml()).toContain('You bought 130,000 energy for this address');
  expect(await confirm(chat)).toBe('claimed');
});
