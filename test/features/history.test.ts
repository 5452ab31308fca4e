import { expect } from 'vitest';
import { LANGUAGES, shortenAddress, withoutTags } from '../../src/i18n/texts.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/platform/clock.ts';
import { expectWithinLimits, movementsOf } from '../i18n/telegram-limits.ts';
import {
  ACTIVATION,
  ENERGY,
  FILLED,
  INVOICE,
  USER,
  WITHDRAW_CAP,
  WITHDRAWAL,
} from '../operations/operations-setup.ts';
import { ADDRESS, accepted, CUT, HASH, orderOf } from '../operations/rental-stand-in.ts';
import { TEXTS } from '../support/texts.ts';
import { OTHER_ADDRESS, openChat, sell, testWith } from './chat.ts';

/** Opens a chat whose user made this many purchases and then activated an address. */
async function openBuyer(purchases: number, language: 'en' | 'ru' = 'en') {
  const chat = await openChat(language);
  const { setup } = chat;
  const ids: string[] = [];
  for (let made = 0; made <= purchases; made++) {
    setup.clock.now += 1_000;
    const operation = await setup.claimed(made === purchases ? { request: ACTIVATION } : {});
    await setup.advance(operation);
    ids.unshift(operation.id);
  }
  return { ...chat, ids };
}

const test = testWith(() => openChat('en'));

const TO = ` · ${shortenAddress(ADDRESS)}`;

/** Returns the rows of the shown history: an operation and, on its second line, its time and number. Omits its address. */
function rowsOf({ last }: Pick<Awaited<ReturnType<typeof openChat>>, 'last'>): string[] {
  const blocks = withoutTags(last().html)
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .split('\n\n');
  const rows = blocks.filter((block) => /^\d\. /.test(block)).map((block) => block.replaceAll('\n', ' / '));
  for (const row of rows) expect(row).toContain(TO);
  return rows.map((row) => row.replace(TO, ''));
}

test.each(LANGUAGES)('the history in %s is within the limits on every page', async (language) => {
  const chat = await openBuyer(7, language);
  await chat.write('/history');
  expectWithinLimits(chat.last());
  await chat.tap(chat.dataWith('history:older'));
  expectWithinLimits(chat.last());
  expect(chat.data().some((data) => data.startsWith('history:older'))).toBe(false);
  await chat.expectReply('history:kind:bandwidth', chat.words.html('history-none-of-kind'));
  expectWithinLimits(chat.last());
});

test('lists each operation with its state and opens its receipt with Again', async () => {
  const chat = await openBuyer(2);
  await chat.write('/history');
  const order = (await chat.setup.read({ user: USER, id: chat.ids[1] ?? '' })) as {
    result?: { order?: number };
  };
  expect(rowsOf(chat)).toEqual([
    expect.stringMatching(/^1\. ✅ Activation · 1\.10 TRX \/ 1 Jun, 12:00 UTC · Ref\. \w{8}$/),
    `2. ⏳ 65,000 energy · 1 h · 2.32 TRX / 1 Jun, 12:00 UTC · order ${order.result?.order} · arrival not seen`,
    `3. ⏳ 65,000 energy · 1 h · 2.32 TRX / 1 Jun, 12:00 UTC · order ${order.result?.order} · arrival not seen`,
  ]);
  expect(chat.html()).toMatch(/As of <tg-time .*>12:00 UTC<\/tg-time>\.<\/i>$/);
  await chat.expectReply(`history:receipt:${chat.ids[1]}`, 'Bought');
  const own = ['remind', 'again', 'menu'].map((name) => `operation:${name}:${chat.ids[1]}`);
  expect(chat.data()).toEqual([`reports:on:${chat.ids[1]}`, ...own]);
  // The message is a reply to the original receipt.
  expect(chat.payloads('sendMessage').at(-1)).toMatchObject({
    reply_parameters: { message_id: expect.any(Number) },
  });
});

test('says in a receipt and its copy that alerts are on, once they are turned on below the copy', async () => {
  const chat = await openBuyer(1);
  const [, id = ''] = chat.ids;
  const secret = '0123456789abcdef';
  chat.setup.rental.configureWebhook.mockResolvedValue(accepted({ url: 'https://a', secret, active: true }));
  await chat.write('/history');
  await chat.tapShown(`history:receipt:${id}`);
  const copy = chat.lastMessage();
  await chat.tapShown(`reports:on:${id}`);
  const edits = chat.payloads('editMessageText').slice(-2);
  expect(edits.map(({ message_id: message }) => message)).toEqual([
    (await chat.setup.read({ user: USER, id })).receipt.card,
    copy,
  ]);
  for (const { text, reply_markup: markup } of edits) {
    expect(text).toContain("I'll tell you if it arrives or fails from now on");
    expect(JSON.stringify(markup)).not.toContain('reports:on');
  }
});

test.each([
  ['where is order 7', 'Bought'],
  ['Where is my order #7?', 'Bought'],
  ['status of order 7', 'Bought'],
  ['где мой заказ 7?', 'Bought'],
  ['where is order 10001', 'Nothing found for <code>10001</code>'],
  ['Where is my order 10001?', 'Nothing found for <code>10001</code>'],
  ['has order 10001 arrived?', 'Nothing found for <code>10001</code>'],
  ['order 10001', 'Nothing found for <code>10001</code>'],
  ['заказ 10001 не пришёл', 'Nothing found for <code>10001</code>'],
  ['где заказ 10001', 'Nothing found for <code>10001</code>'],
])('%s is answered about that order only', async (text, reply) => {
  const chat = await openChat('en');
  await chat.setup.advance(await chat.setup.claimed());
  await chat.expectReply(text, reply);
});

test('a question about an order by its reference shows the receipt, and that of a guest finds nothing', async () => {
  const chat = await openChat('en');
  const operation = await chat.setup.claimed();
  await chat.setup.advance(operation);
  await chat.expectReply(`where is ${operation.id}?`, 'Bought');
  const guest = await openChat('en', { linked: false });
  await guest.expectReply('where is order 10001', 'Nothing found for <code>10001</code>');
});

test('a question about an order leaves an open question open', async () => {
  const chat = await openChat('en');
  await chat.write('/withdraw');
  const asked = chat.html();
  await chat.write('where is order 10001');
  expect(chat.views().at(-2)?.html).toContain('Nothing found for <code>10001</code>');
  expect(chat.html()).toBe(asked);
});

test('a merchant asks about the order of a customer, too', async () => {
  const chat = await openChat('en');
  await chat.tap('settings:sell:yes');
  await sell(chat, { note: 'Order 10001' });
  await chat.expectReply('where is order 10001', 'Order 10001');
  expect(chat.html()).not.toContain('Nothing found');
});

test('shows the price of a failed order, and whether a refund was seen', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed());
  await setup.operations.settlement.report(1001, { ...FILLED, status: 'failed' });
  await chat.write('/history');
  const row = (note: string) => [
    `1. ❌ 65,000 energy · 1 h · 2.32 TRX / 1 Jun, 12:00 UTC · order 7 · ${note}`,
  ];
  expect(rowsOf(chat)).toEqual(row('no refund seen yet'));
  chat.setProfile('997.68');
  await setup.pass(1_000);
  await setup.pass(2 * 3_600_000);
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual(row('no refund seen'));
});

test('where is my money? names an order that may not have arrived, and whose refund was not seen', async ({
  chat,
}) => {
  const { setup } = chat;
  chat.setProfile('1000.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf());
  await setup.executed();
  chat.setProfile('997.68');
  await setup.pass(2 * HOUR_MS);
  await chat.expectReply(
    'where is my money?',
    '<b>1.</b> ⌛ 65,000 energy',
    'arrival not seen',
    '997.68 TRX',
  );
});

test('the balance after a failed order is never older than the one that its refund left', async ({
  chat,
}) => {
  const { setup, deps } = chat;
  await setup.advance(await setup.claimed());
  expect(deps.balances.getRecent(1001)).toBe('997.68');
  await setup.operations.settlement.report(1001, { ...FILLED, status: 'failed' });
  expect(deps.balances.getRecent(1001)).toBeUndefined();
  deps.balances.set(1001, '997.68');
  chat.setProfile('1000.00');
  await setup.pass(1_000);
  await chat.expectReply('/balance', '1,000.00 TRX');
  await chat.expectReply('where is my money?', '1,000.00 TRX');
});

test('shows the state of each operation, and the price only of completed ones', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed({ request: INVOICE }));
  setup.clock.now += 1_000;
  const failed = await setup.claimed();
  await setup.advance(failed);
  await setup.operations.settlement.report(1001, { ...FILLED, status: 'failed', refunded: '2.32' });
  setup.clock.now += 20 * 86_400_000;
  await setup.lost();
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    expect.stringMatching(
      /^1\. ⚠️ 65,000 energy · 1 h \/ 21 Jun, 12:00 UTC · Ref\. [0-9A-Z]{8} · result unknown$/,
    ),
    '2. ❌ 65,000 energy · 1 h / 1 Jun, 12:00 UTC · order 7 · refunded',
    expect.stringMatching(
      /^3\. 🧾 Awaiting payment · Invoice: 130,000 energy · 1 h \/ 1 Jun, 12:00 UTC · invoice \d+ \/ 2.32 TRX or 0.75 USDT$/,
    ),
  ]);
});

test.each([
  ['en', 'most likely done', 'You most likely bought', 'Your balance fell by exactly this price, 2.32 TRX'],
  ['ru', 'скорее всего, прошло', 'Скорее всего, вы купили', 'ровно на цену с карточки (2,32 TRX)'],
] as const)(
  'a purchase that most likely went through is called so on all screens, also once it was checked: %s',
  async (language, said, earlier, evidence) => {
    const chat = await openChat(language);
    const { setup } = chat;
    const lost = await setup.lost();
    chat.setProfile('997.68');
    await setup.pass(10_000);
    const expectEverywhere = async (sign: string) => {
      const receipt = await chat.deps.card(chat.words, await setup.read(lost));
      expect(withoutTags(receipt.html).replaceAll('\u00a0', ' ')).toContain(evidence);
      await chat.write('/history');
      expect(rowsOf(chat)).toEqual([
        expect.stringMatching(new RegExp(`^1\\. ${sign} .* · ≈ 2[.,]32 TRX .* · ${said}$`)),
      ]);
      await chat.tap('movements:open');
      expect(movementsOf(chat.last())).toEqual([
        expect.stringMatching(`^${sign} .*≈−2[.,]32 TRX .* · ${said}$`),
      ]);
    };
    await expectEverywhere('🟡');
    chat.shows(chat.words.html('movements-of-card'));
    await chat.write(ADDRESS);
    expect(chat.allHtml()).toContain(earlier);
    await chat.write('/cancel');
    await setup.operations.settlement.close(lost);
    await expectEverywhere('☑️');
  },
);

test('rows of two equal purchases say that money came back for one of them', async ({ chat }) => {
  const { setup } = chat;
  chat.setProfile('1000.00');
  await setup.executed();
  chat.setProfile('997.68');
  setup.clock.now += 1_000;
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: 8 }));
  await setup.executed();
  await setup.pass(5 * MINUTE_MS);
  await chat.write('/history');
  const row = expect.stringContaining(' · money came back for this or another order');
  expect(rowsOf(chat)).toEqual([row, row]);
});

test('a purchase of unknown result keeps what its balance showed after a day and once it was checked', async ({
  chat,
}) => {
  const { setup } = chat;
  const lost = await setup.lost();
  await setup.pass(25 * 3_600_000);
  const receipt = async () => (await chat.deps.card(chat.words, await setup.read(lost))).html;
  expect(await receipt()).toMatch(
    /^⚠️ <b>Most likely nothing was charged<[\s\S]*\nYour balance was unchanged when last checked\.\n/,
  );
  await setup.operations.settlement.close(lost);
  expect(await receipt()).toContain(
    'The result stayed unknown.\nYour balance was unchanged when last checked.',
  );
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    expect.stringMatching(
      /^1\. ☑️ 65,000 energy · 1 h \/ 1 Jun, 12:00 UTC · Ref\. [0-9A-Z]{8} · result unknown$/,
    ),
  ]);
});

test('a withdrawal that the service lists after a lost reply shows the requested sum and its return', async ({
  chat,
}) => {
  const { setup } = chat;
  chat.setProfile('1000.00', { codes: true });
  const operation = await setup.claimed({ request: WITHDRAWAL, balance: '1000.00' });
  await setup.claimWithCode(operation, '123456');
  setup.rental.withdraw.mockResolvedValueOnce(CUT);
  await setup.advance(operation);
  const created_at = new Date(setup.clock.now).toISOString();
  const made = {
    id: 31,
    to_address: ADDRESS,
    amount_trx: '12.5',
    fee_trx: '1',
    status: 'pending',
    created_at,
  };
  setup.rental.withdrawals.mockResolvedValue(accepted([made]));
  await setup.pass(15_000);
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    `1. ⏳ Withdrawal · 12.50 TRX / 1 Jun, 12:00 UTC · Ref. ${operation.id} · being processed`,
  ]);
  await chat.expectReply(`history:receipt:${operation.id}`, 'Charged: <b>13.50 TRX</b>');

  Object.assign(made, { status: 'failed' });
  chat.setProfile('986.50');
  await setup.pass(MINUTE_MS);
  chat.setProfile('1000.00');
  await setup.pass(5 * MINUTE_MS);
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    `1. ❌ Withdrawal · 12.50 TRX / 1 Jun, 12:00 UTC · Ref. ${operation.id} · refunded`,
  ]);
  for (const language of LANGUAGES) {
    const words = TEXTS.in(language);
    const { html } = await chat.deps.card(words, await setup.read(operation));
    expect(html).toContain(words.html('withdrawal-back', { left: '1000.00' }));
  }
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toEqual([
    `↩️ Refund · +13.50 TRX / 1 Jun, 12:01 UTC · Ref. ${operation.id} · TR7NHq…gjLj6t`,
    `❌ Withdrawal · −13.50 TRX / 1 Jun, 12:00 UTC · Ref. ${operation.id} · TR7NHq…gjLj6t · failed`,
  ]);
  expect(chat.html()).not.toContain('add up');
});

test('a withdrawal that the movements show as sent is sent on all other screens', async ({ chat }) => {
  const { setup } = chat;
  const made = {
    ...{ id: 31, to_address: ADDRESS, amount_trx: '12.50', fee_trx: '1', status: 'pending', tx_hash: HASH },
    created_at: new Date(setup.clock.now).toISOString(),
  };
  setup.rental.withdraw.mockResolvedValue(accepted({ ...made, tx_hash: null }));
  chat.setProfile('1000.00');
  await setup.announced();
  const request = { ...WITHDRAWAL, cap: WITHDRAW_CAP };
  const operation = await setup.executed({ request, balance: '1000.00' });
  setup.show.mockClear();
  setup.rental.withdrawals.mockResolvedValue(accepted([{ ...made, status: 'completed' }]));
  await chat.tap('movements:open');
  expect(await setup.read(operation)).toMatchObject({ result: { status: 'completed', txHash: HASH } });
  expect(setup.show).toHaveBeenCalledOnce();
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([expect.stringContaining('1. ✅ Withdrawal')]);
  await chat.tap('account:unlink');
  expect(chat.html()).not.toContain("isn't finished");
});

test('a failed withdrawal whose balance was as before rings once, and stays refunded on all screens', async ({
  chat,
}) => {
  const { setup } = chat;
  chat.setProfile('1000.00', { codes: true });
  const operation = await setup.claimed({ request: WITHDRAWAL, balance: '1000.00' });
  await setup.claimWithCode(operation, '123456');
  setup.rental.withdraw.mockResolvedValueOnce(CUT);
  await setup.advance(operation);
  const created_at = new Date(setup.clock.now).toISOString();
  const made = (id: number, amount_trx: string) => ({
    ...{ id, to_address: ADDRESS, amount_trx, fee_trx: '1', status: 'failed', created_at },
  });
  // The refund of the other withdrawal can't be what came.
  setup.rental.withdrawals.mockResolvedValue(accepted([made(31, '12.5'), made(32, '1')]));
  await setup.pass(5 * MINUTE_MS);
  const { receipt } = await setup.read(operation);
  const told = 'Your balance is <b>1,000.00 TRX</b> again: the amount and the fee are back.';
  expect((await chat.deps.card(chat.words, await setup.read(operation))).html).toContain(told);
  // A fee.
  chat.setProfile('998.50', { codes: true });
  await setup.pass(25 * HOUR_MS);
  const later = await setup.read(operation);
  expect(later.receipt.followUps).toBe(receipt.followUps);
  expect((await chat.deps.card(chat.words, later)).html).toContain(told);
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([expect.stringContaining(' · refunded')]);
  await chat.tap('movements:open');
  expect(movementsOf(chat.last())).toContainEqual(expect.stringContaining('↩️ Refund · +13.50 TRX'));
});

test.for<[behaviour: string, lists: { deposits?: object[]; withdrawals?: object[] }]>([
  ['deposit of the same amount', { deposits: [{ amount: '13.5', currency: 'TRX', status: 'confirmed' }] }],
  [
    'refund of an equal withdrawal',
    { withdrawals: [{ id: 32, to_address: ADDRESS, amount_trx: '12.5', fee_trx: '1', status: 'failed' }] },
  ],
])('a failed withdrawal is not said to be back after a %s', async ([, lists], { chat }) => {
  const { setup } = chat;
  chat.setProfile('1000.00', { codes: true });
  const operation = await setup.claimed({ request: WITHDRAWAL, balance: '1000.00' });
  await setup.claimWithCode(operation, '123456');
  setup.rental.withdraw.mockResolvedValueOnce(CUT);
  await setup.advance(operation);
  const created_at = new Date(setup.clock.now - MINUTE_MS).toISOString();
  const own = { id: 31, to_address: ADDRESS, amount_trx: '12.5', fee_trx: '1', status: 'failed' };
  const made = { ...own, created_at: new Date(setup.clock.now).toISOString() };
  const { deposits = [], withdrawals = [] } = lists;
  const dated = (one: object) => ({ ...one, created_at });
  setup.rental.withdrawals.mockResolvedValue(accepted([made, ...withdrawals.map(dated)]) as never);
  setup.rental.deposits.mockResolvedValue(accepted(deposits.map(dated)) as never);
  await setup.pass(5 * MINUTE_MS);
  const { html } = await chat.deps.card(chat.words, await setup.read(operation));
  expect(html).toContain("It doesn't say if that includes the fee");
});

test('a refund that comes after its search has ended is seen when the receipt is opened, and told', async ({
  chat,
}) => {
  const { setup } = chat;
  chat.setProfile('1000.00');
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf());
  const operation = await setup.executed();
  chat.setProfile('997.68');
  await setup.operations.settlement.report(operation.account, { ...FILLED, status: 'failed' });
  await setup.pass(2 * HOUR_MS);
  await chat.expectReply(`history:receipt:${operation.id}`, 'No refund seen in an hour');
  const { receipt } = await setup.read(operation);
  await setup.pass(5_000);
  expect((await setup.read(operation)).receipt.followUps).toBe(receipt.followUps);
  chat.setProfile('1000.00');
  await chat.tap(`history:receipt:${operation.id}`);
  await setup.pass(5_000);
  const told = await setup.read(operation);
  expect(told.receipt.followUps).toBe((receipt.followUps ?? 0) + 1);
  expect((await chat.deps.card(chat.words, told)).html).toContain('The balance is up <b>2.32 TRX</b>');
  chat.setProfile('990.00');
  await setup.pass(25 * HOUR_MS);
  for (const shown of [`history:receipt:${operation.id}`, 'movements:open']) await chat.tap(shown);
  expect(movementsOf(chat.last())[0]).toContain('↩️ Probable refund · +2.32 TRX');
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([expect.stringContaining(' · probably refunded')]);
});

test('shows what became of each invoice, and opens its card', async ({ chat }) => {
  const [over] = [
    await sell(chat, { stored: { status: 'expired' } }),
    await sell(chat, { stored: { status: 'failed' } }),
    await sell(chat, { stored: { status: 'paid' } }),
    await sell(chat, { stored: { status: 'delegated' } }),
  ];
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    '1. ✅ Delivered · Invoice: 130,000 energy · 1 h / 1 Jun, 12:00 UTC · invoice 4 / 5.00 TRX or 1.50 USDT',
    '2. 💰 Paid · Invoice: 130,000 energy · 1 h / 1 Jun, 12:00 UTC · invoice 3 / 5.00 TRX or 1.50 USDT',
    '3. ❌ Paid, but not delivered · Invoice: 130,000 energy · 1 h / 1 Jun, 12:00 UTC · invoice 2 / 5.00 TRX or 1.50 USDT',
    '4. ⌛ Expired · Invoice: 130,000 energy · 1 h / 1 Jun, 12:00 UTC · invoice 1 / 5.00 TRX or 1.50 USDT',
  ]);
  await chat.tapShown(`invoice:show:${over.id}`);
  expect(chat.html()).toContain('Expired');
  expect(chat.html()).not.toContain('Invoice created');
});

test('shows the history in Russian', async () => {
  const chat = await openBuyer(1, 'ru');
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    expect.stringMatching(/^1\. ✅ Активация · 1,10 TRX \/ 1 июн\., 12:00 UTC · операция \w{8}$/),
    expect.stringMatching(
      /^2\. ⏳ 65 000 энергии · 1 ч · 2,32 TRX \/ 1 июн\., 12:00 UTC · заказ \d+ · доставки не видно$/,
    ),
  ]);
});

test('can be filtered by kind from the ninth row on, and marks the current filter', async ({
  chat: empty,
}) => {
  await empty.write('/history');
  expect(empty.data()).toEqual(['menu:open']);
  const short = await openBuyer(7);
  await short.write('/history');
  expect(short.dataWith('history:kind')).toBe('');
  const chat = await openBuyer(8);
  await chat.write('/history');
  await chat.tapShown('history:kind:activation');
  expect(chat.data().filter((data) => data.startsWith('history:receipt'))).toEqual([
    `history:receipt:${chat.ids[0]}`,
  ]);
  expect(chat.labels()).toContain('• 🚀 Activation');
});

test('does not open the receipt of another user or an unknown one', async () => {
  const chat = await openBuyer(0);
  const other = await chat.setup.claimed({ user: USER + 1 });
  const shown = chat.views().length;
  for (const id of [other.id, 'NONE0000']) {
    await chat.tap(`history:receipt:${id}`);
    expect(chat.toast()).toBe('This receipt is no longer available.');
  }
  expect(chat.views()).toHaveLength(shown);
});

test('an operation that can still change is only linked to its receipt', async ({ chat }) => {
  const { setup } = chat;
  await chat.webhookSubscriptions.activate('a-hook', 1001, 'a-secret');
  const pending = await setup.claimed();
  await setup.advance(pending);
  const lost = await setup.lost();
  for (const [{ id }, name, outcome] of [
    [pending, 'Order 7:', 'Bought'],
    [lost, `Ref. ${lost.id}:`, 'Result unknown'],
  ] as const) {
    await chat.tap(`history:receipt:${id}`);
    expect(chat.last()).toMatchObject({ keyboard: [] });
    chat.shows(name, outcome);
  }
  await setup.operations.settlement.report(1001, FILLED);
  await chat.expectReply(`history:receipt:${pending.id}`, 'Bought and delivered');
});

test('finds the own entries of an order number, a reference or an address', async ({ chat }) => {
  const { setup, deps } = chat;
  for (let made = 0; made < 7; made++) {
    setup.clock.now += 1_000;
    await setup.advance(await setup.claimed());
  }
  const other = await setup.claimed({ request: { ...ENERGY, address: OTHER_ADDRESS } });
  setup.rental.buyEnergy.mockResolvedValueOnce(orderOf({ order_id: 4321, address: OTHER_ADDRESS }));
  await setup.advance(other);
  await deps.addressBook.setName(USER, OTHER_ADDRESS, 'Shop');
  const found = `${TO.replace(shortenAddress(ADDRESS), shortenAddress(OTHER_ADDRESS))} · arrival not seen`;
  const inputs = [`/history ${OTHER_ADDRESS}`, '/history shop', '/history 4321', '4321', 'Order #4321'];
  for (const input of [...inputs, other.id, `Ref. ${other.id.toLowerCase()}`]) {
    await chat.expectReply(input, 'order 4321', found);
    expect(chat.html(), input).not.toContain('<b>2.</b>');
  }
  await chat.write(`/history ${ADDRESS}`);
  await chat.tap(chat.dataWith('history:found'));
  expect(rowsOf(chat)).toHaveLength(2);
  expect(chat.data()).toContain('history:kind:all');

  const { id } = await setup.claimed({ user: USER + 1 });
  await chat.expectReply(`/history ${id}`, `Nothing found for <code>${id}</code>`);
  await chat.expectReply(id, chat.words.html('menu-idle'));
  await chat.expectReply('/history <b>', 'Nothing found for <code>&#60;b&#62;</code>');
});

test('shows the amount of a withdrawal that was refused, marked as not charged', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed({ request: { ...WITHDRAWAL, cap: '100' } }));
  await chat.expectReply('/history', '12.50 TRX', '· not charged');
});

test('older pages keep the filter', async ({ chat }) => {
  const { setup } = chat;
  for (let made = 0; made < 7; made++) {
    for (const more of [{}, { request: ACTIVATION }]) {
      setup.clock.now += 1_000;
      await setup.advance(await setup.claimed(more));
    }
  }
  await chat.tap('history:kind:energy');
  await chat.tap(chat.dataWith('history:older'));
  expect(chat.html().match(/65,000 energy/g)).toHaveLength(2);
  expect(chat.html()).not.toMatch(/Activation *1/);
});

test('older pages reach an operation behind many of another kind', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed({ request: ACTIVATION }));
  for (let made = 0; made < 210; made++) {
    setup.clock.now += 1_000;
    await setup.advance(await setup.claimed());
  }
  await chat.expectReply('history:kind:activation', 'No matches here.');
  await chat.tap(chat.dataWith('history:older'));
  expect(rowsOf(chat)).toEqual([expect.stringContaining('Activation')]);
});

test('names the account of operations that the linked one did not pay', async ({ chat }) => {
  const { setup } = chat;
  await setup.advance(await setup.claimed());
  await chat.links.link(USER, 1002, 'another-key', 'en');
  setup.clock.now += 1_000;
  await setup.advance(await setup.claimed({ account: 1002 }));
  await chat.write('/history');
  const [present, former] = rowsOf(chat);
  expect(present).not.toContain('account');
  expect(former).toMatch(/ · account 1001$/);
});

test('an unreported order ends with its rental time on all screens', async ({ chat }) => {
  const { setup } = chat;
  const operation = await setup.claimed();
  await setup.advance(operation);
  setup.clock.now += 3_600_000;
  await chat.write('/history');
  expect(rowsOf(chat)).toEqual([
    expect.stringMatching(/^1\. ⌛ 65,000 energy · 1 h · 2\.32 TRX.* · arrival not seen$/),
  ]);
  await chat.expectReply(`history:receipt:${operation.id}`, 'Rental over.');
  expect(chat.html()).not.toContain('Use it before');
  await chat.tap('movements:open');
  expect(chat.html()).toContain('⌛ 65,000 energy');
});

test.each([
  ['en', 'Expired. Don', 'invoice', 'Invoice: 130,000 energy · 1 h', '5.00 TRX or 1.50 USDT'],
  ['ru', 'Срок', 'счёт', 'Счёт: 130 000 энергии · 1 ч', '5,00 TRX или 1,50 USDT'],
] as const)(
  'shows a guest each invoice with its state, number and prices: %s',
  async (language, expired, invoice, what, price) => {
    const chat = await openChat(language, { linked: false });
    const mine = { shared: false } as const;
    for (const status of ['delegated', 'delegated', 'paid'])
      await sell(chat, { ...mine, stored: { status } });
    // A guest may have three open invoices.
    chat.setup.clock.now += 31 * 60_000;
    const over = await sell(chat, { ...mine, stored: { status: 'expired' } });
    await sell(chat, { ...mine, stored: { status: 'underpaid' } });
    await chat.write('/history');
    const rows = rowsOf(chat);
    const state = (name: 'unrecognized' | 'over' | 'paid' | 'delivered') =>
      withoutTags(chat.words.html(`invoices-${name}`));
    expect(rows.map((row) => row.replace(/ \/ [^/]* · /, ' / '))).toEqual([
      `1. ${state('unrecognized')} · ${what} / ${invoice} 5 / ${price}`,
      `2. ${state('over')} · ${what} / ${invoice} 4 / ${price}`,
      `3. ${state('paid')} · ${what} / ${invoice} 3 / ${price}`,
      `4. ${state('delivered')} · ${what} / ${invoice} 2 / ${price}`,
      `5. ${state('delivered')} · ${what} / ${invoice} 1 / ${price}`,
    ]);
    await chat.tapShown(`invoice:show:${over.id}`);
    expect(chat.html()).toContain(expired);
    expect(chat.html()).toContain(chat.words.html('invoice-number', { number: '4' }));
  },
);

test.each(['my purchases', 'мои покупки'])('%j shows the history', async (text) => {
  const chat = await openChat('en');
  await chat.setup.advance(await chat.setup.claimed({ request: ENERGY }));
  await chat.expectReply(text, chat.words.html('history-title'));
});
