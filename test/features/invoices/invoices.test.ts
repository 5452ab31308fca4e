import { describe, expect, onTestFinished, vi } from 'vitest';
import { groupInFours, LANGUAGES, shortenAddress, withoutTags } from '../../../src/i18n/texts.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { answerData } from '../../../src/views/callback-data.ts';
import { expectWithinLimits } from '../../i18n/telegram-limits.ts';
import { START, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, API_KEY, profileOf } from '../../operations/rental-stand-in.ts';
import { TEXTS } from '../../support/texts.ts';
import { type Chat, fileIn, KNOWN, OTHER_ADDRESS, openChat, sell, testWith } from '../chat.ts';

const cardsIn = (chat: Chat) =>
  chat
    .last()
    .keyboard.flat()
    .flatMap((one) =>
      'callback_data' in one && one.callback_data.startsWith('invoice:show:')
        ? [{ label: one.text, id: one.callback_data.slice(13) }]
        : [],
    );
const shownIn = (chat: Chat) => cardsIn(chat).map(({ id }) => id);
const olderIn = (chat: Chat) => chat.dataWith('invoices:older');
const DAY = 24 * 3600_000;
const en = TEXTS.in('en');

const delivered = { status: 'delegated' };
const paid = { status: 'paid' };

async function sellMany(chat: Chat, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.unshift((await sell(chat)).id);
  return ids;
}

const test = testWith(() => openChat('en'));

describe('the invoice list', () => {
  test('shows status, number, energy, address, price and note of each invoice', async ({ chat }) => {
    await sell(chat, { note: 'Order 17', transfers: 1, price: '3.20' });
    await chat.write('/invoices');
    expect(chat.html()).toContain(
      [
        '🧾 <b>Awaiting payment</b> · Invoice 1 · <tg-time unix="1748779201" format="Dt">1 Jun, 12:00 UTC</tg-time>',
        '65,000 energy for 1 h · TR7NHq…gjLj6t',
        '3.20 TRX or 1.50 USDT',
        'Note: <code>Order 17</code>',
      ].join('\n'),
    );
    expect(chat.html()).toMatch(
      /<i>As of <tg-time unix="1748779201" format="t">12:00 UTC<\/tg-time>\.<\/i>$/,
    );
    expect(chat.last().keyboard[0]).toMatchObject([
      { text: '🧾 New invoice', callback_data: 'invoice:open' },
    ]);
  });

  test('marks what was bought as a guest or with another account, and totals only sales of this account', async () => {
    const chat = await openChat('en', { linked: false });
    await sell(chat, { shared: false, price: '3.00', stored: paid });
    await chat.write('/invoices');
    expect(chat.last().keyboard[0]).toMatchObject([{ text: '⚡ Buy energy', callback_data: 'invoice:open' }]);
    await chat.links.link(USER, ACCOUNT, API_KEY, 'en');
    await chat.expectReply('/invoices', 'Invoice 1 · ', '12:00 UTC</tg-time> · as a guest\n');
    expect(chat.html()).not.toContain('Paid or delivered');
    expect(chat.labels()).not.toContain('⬇ Download CSV');
    await sell(chat, { stored: { ...paid, account: 1002 } });
    await sell(chat, { price: '7.00', stored: paid });
    await chat.expectReply('/invoices', 'This month: 1 · 7.00 TRX', '12:00 UTC</tg-time> · account 1002\n');
    expect(chat.html().match(/as a guest/g)).toHaveLength(1);
    await chat.tapShown(chat.buttons()['⬇ Download CSV'] ?? '');
    expect(fileIn(chat).text.trimEnd().split('\r\n')).toMatchObject(
      [/^/, /^3,paid/].map((one) => expect.stringMatching(one)),
    );
  });

  test.each([true, false])('lists the invoices of others that a user opened (linked: %s)', async (linked) => {
    const chat = await openChat('en', { linked });
    const sold = await sell(chat, { user: USER + 1 });
    const token = chat.invoices.shares.tokenOf(sold) ?? '';
    await chat.write(`/start invoice-${token}`);
    chat.shows(groupInFours(ADDRESS));
    expect(chat.html()).not.toContain(`<code>${ADDRESS}`);
    await chat.expectReply(
      '/invoices',
      '<b>Invoices you opened</b>\n\n🧾 <b>Awaiting payment</b> · Invoice 1',
      chat.words.html('invoices-pick'),
    );
    expect(chat.html()).not.toContain('No invoices yet');
    expect(JSON.stringify(chat.last())).not.toMatch(new RegExp(`${USER + 1}|${sold.id}`));
    expectWithinLimits(chat.last());
    await chat.expectReply(`invoice:opened:${token}`, sold.paymentAddress);
    vi.spyOn(chat.deps.invoices, 'checkPayment').mockResolvedValue(undefined);
    if (!linked) {
      const number = String(sold.number);
      await chat.expectReply('I paid', chat.words.html('invoice-not-answered', { number }));
    }
    await chat.invoices.shares.revoke(sold);
    await chat.expectReply('/invoices', '🚫 <b>Link disabled</b> · Invoice 1');
    chat.setup.clock.now = sold.expiresAt + DAY_MS;
    await chat.expectReply('/invoices', 'No invoices yet');
    await chat.expectReply(`invoice:opened:${token}`, 'This link no longer works');
  });

  test.each([
    [
      'en',
      "🚫 <b>Link disabled by the seller. Don't pay.</b>",
      "No full payment yet. Link disabled: don't pay.",
    ],
    [
      'ru',
      '🚫 <b>Продавец отключил ссылку. Не платите.</b>',
      'Полной оплаты пока нет. Ссылка отключена: не платите.',
    ],
  ] as const)(
    'tells a payer whose link was disabled not to pay, and whether it was paid: %s',
    async (language, disabled, unpaid) => {
      const chat = await openChat(language, { linked: false });
      const sold = await sell(chat, { user: USER + 1 });
      await chat.write(`/start invoice-${chat.invoices.shares.tokenOf(sold) ?? ''}`);
      const [edits, card] = [chat.sender.editPhoto.mock, chat.lastMessage()];
      await chat.invoices.shares.revoke(sold);
      await chat.invoices.cards.update(sold);
      const [, message, content] = edits.calls.findLast(([to]) => to === USER) ?? [];
      expect(message).toBe(card);
      expect(content?.html).toContain(disabled);
      expect(JSON.stringify(content?.keyboard)).not.toContain('copy_text');
      // A new link is for another customer.
      await chat.invoices.shares.share(sold);
      await chat.invoices.cards.update(sold);
      expect(edits.calls.findLast(([to]) => to === USER)?.[2].html).toContain(disabled);
      const checked = (status: string) =>
        vi.spyOn(chat.deps.invoices, 'checkPayment').mockImplementation(async (ref) => {
          const present = await chat.invoices.read(ref);
          return present && { ...present, status };
        });
      await chat.expectReply('invoice:opened:1', disabled);
      checked('pending');
      await chat.tap('invoice:look:1', { carried: true });
      expect(chat.toast()).toBe(unpaid);
      await chat.expectReply(language === 'en' ? 'I paid' : 'я оплатил', disabled);
      checked('delegated');
      await chat.tap('invoice:look:1', { carried: true });
      expect(chat.toast()).toMatch(/delivered|доставлен/i);
    },
  );

  test('marks invoices that are no longer checked, also in the file', async ({ chat }) => {
    await sell(chat, { stored: { ...paid, unchecked: true } });
    await sell(chat, { stored: { unchecked: true } });
    await chat.expectReply('/invoices', '⚠️ <b>Not tracked any more</b> · Invoice 2');
    expect(chat.html()).toMatch(/💰 <b>Paid<\/b> · Invoice 1 .*\n<i>Not tracked any more/);
    await chat.tap('invoices:csv');
    const [, ...rows] = fileIn(chat).text.trimEnd().split('\r\n');
    expect(rows).toMatchObject([
      expect.stringMatching(/^2,not tracked,.*,yes$/),
      expect.stringMatching(/^1,paid,.*,yes$/),
    ]);
  });

  test('shows an undocumented status in the file, but not in the list', async ({ chat }) => {
    await sell(chat, { stored: { status: 'underpaid' } });
    await sell(chat, { stored: { status: '' } });
    await chat.expectReply('invoices:only:ended', '⚠️ <b>Status not recognized</b> · Invoice 1');
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text).toMatch(/^2,unknown,.*\r\n1,underpaid,/m);
  });

  test.each([
    ['all', [7, 6, 5, 4, 3]],
    ['open', [7, 6, 1]],
    ['paid', [5, 3, 2]],
    ['delivered', [4]],
    ['ended', [7, 5, 0]],
    ['nonsense', [7, 6, 5, 4, 3]],
  ])('filters by status: %s', async (filter, expected) => {
    const chat = await openChat('en');
    const ids: string[] = [];
    for (const stored of [
      { expiresAt: chat.setup.clock.now },
      { expiresAt: chat.setup.clock.now + 10_000, createdAt: chat.setup.clock.now - 90_000 },
      paid,
      { ...paid, paidAt: chat.setup.clock.now + DAY },
      delivered,
      { status: 'failed' },
      {},
      { unchecked: true as const },
    ])
      ids.push((await sell(chat, { stored })).id);
    await chat.tap(`invoices:only:${filter}`);
    expect(shownIn(chat)).toEqual(expected.map((at) => ids[at]));
    expect(chat.labels().filter((label) => label.startsWith('• '))).toHaveLength(1);
  });

  test('continues after the last one shown and without totals, even if new invoices were created', async ({
    chat,
  }) => {
    const ids = await sellMany(chat, 12);
    await chat.write('/invoices');
    expect(shownIn(chat)).toEqual(ids.slice(0, 5));
    expect(cardsIn(chat).map(({ label }) => label)).toEqual(['12', '11', '10', '9', '8']);
    chat.shows('\nToday: ');
    await sellMany(chat, 7);
    await chat.tap(olderIn(chat));
    expect(chat.html()).not.toMatch(/^(Today|This week|This month)/m);
    expect(shownIn(chat)).toEqual(ids.slice(5, 10));
    await sellMany(chat, 1);
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual(ids.slice(10));
    expect(olderIn(chat)).toBe('');
    await chat.tap('invoices:only:all');
    expect(shownIn(chat)).not.toContain(ids[0]);
  });

  test('keeps the filter on older pages', async ({ chat }) => {
    const ids: string[] = [];
    for (let made = 0; made < 7; made++) {
      ids.unshift((await sell(chat, { stored: delivered })).id);
      await sell(chat);
    }
    await chat.tap('invoices:only:delivered');
    expect(shownIn(chat)).toEqual(ids.slice(0, 5));
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual(ids.slice(5));
    expect(chat.labels()).toContain('• Delivered');
  });

  test('reaches an invoice behind hundreds that do not match', async ({ chat }) => {
    const { id } = await sell(chat, { stored: delivered });
    // Invoices that have expired count like those with another status.
    for (let gone = 1; gone <= 505; gone += 1)
      await chat.setup.storage.index.put(
        `invoices-of-user:{${USER}}`,
        `GONE${gone}`,
        chat.setup.clock.now + gone,
      );
    await chat.expectReply('invoices:only:delivered', 'No matches here.');
    await chat.tap(olderIn(chat));
    expect(shownIn(chat)).toEqual([id]);
  });

  test('offers a new invoice and seller mode when empty', async ({ chat }) => {
    await chat.write('/invoices');
    expect(chat.data()).toEqual(['invoice:open', 'settings:sell:yes', 'menu:open']);
    await chat.tapShown('settings:sell:yes');
    chat.shows(chat.words.html('seller-mode-on'));
    await chat.write('/invoices');
    expect(chat.data()).toEqual(['invoice:open', 'menu:open']);
    await chat.expectReply('invoices:only:paid', 'No matches.');
  });

  test('contains nothing of other users, nor does its file', async ({ chat }) => {
    const other = await sell(chat, { user: USER + 1, note: 'not yours' });
    const own = await sell(chat);
    await chat.write('/invoices');
    expect(shownIn(chat)).toEqual([own.id]);
    await chat.tap(`invoices:older:all_${other.id}`);
    expect(shownIn(chat)).toEqual([]);
    await chat.tap(`invoice:show:${other.id}`);
    expect(chat.toast()).toBe('This invoice is no longer available.');
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text).not.toContain('not yours');
    expect(JSON.stringify(chat.views())).not.toContain('not yours');
  });

  test('says above the totals that the payments go to the service', async ({ chat }) => {
    await sell(chat);
    await chat.expectReply('/invoices', 'service for the energy, not to your balance.\nPaid or delivered');
    await chat.expectReply(`/invoice ${ADDRESS}`, 'service for the energy, not to your balance.');
  });

  const ANNA = 'Anna, table 4';
  const sought = async (isSeller: boolean) => {
    const chat = await openChat('en');
    if (isSeller) await chat.links.setMerchant(USER, true);
    for (const note of ['Order 12', ANNA, 'anna again', 'The order at desk 9', undefined, undefined])
      await sell(chat, note === undefined ? {} : { note });
    await sell(chat, { user: USER + 1, note: 'Anna' });
    return chat;
  };

  test.each([
    ['/invoices 2', ANNA],
    ['/invoices #2', ANNA],
    ['/invoices 12', 'Order 12'],
    ['Invoice 2', ANNA],
    ['№ 2', ANNA],
    ['Счёт 2', ANNA],
    ['2', ANNA, true],
    ['cancel invoice 2', ANNA],
    ['отмени счёт 2', ANNA],
    ['find table', ANNA, true],
    ['найди table', ANNA, true],
    ['has table paid?', ANNA, true],
    ['table оплатил?', ANNA, true],
    ['table', ANNA, true],
    ['Order 12', 'Order 12', true],
    ['/invoices order 12', 'Order 12'],
    ['заказ № 12', 'Order 12', true],
    ['resend invoice 2', ANNA],
    ['прислать счёт 2 ещё раз', ANNA],
    ['invoices for table', ANNA],
    ["table's invoice", ANNA],
    ['покажи счета для table', ANNA],
    ['the order at desk 9', 'The order at desk 9', true],
    ["where is table's payment?", ANNA, true],
    ['где оплата table?', ANNA, true],
  ])('%s opens the only invoice with it', async (text, note, isSeller = false) => {
    const chat = await sought(isSeller);
    await chat.expectReply(text, `Note for the customer: <code>${note}</code>`);
  });

  test('finds by a price that someone may have paid, and by a shortened address', async () => {
    for (const language of LANGUAGES) {
      const chat = await openChat(language);
      await chat.links.setMerchant(USER, true);
      const { priceTrx, address } = await sell(chat);
      await sell(chat, { stored: { priceTrx: '777.5', address: OTHER_ADDRESS } });
      for (const text of [
        `did anyone pay ${priceTrx}?`,
        `кто-нибудь оплатил ${priceTrx}?`,
        shortenAddress(address),
      ]) {
        const before = chat.views().length;
        await chat.write(text);
        const shown = chat.views().slice(before);
        expect(shown.map(({ html }) => html).join(), text).toContain(
          chat.words.html('invoice-number', { number: '1' }),
        );
      }
    }
  });

  test.each([
    'what did I sell today?',
    'How much have I sold?',
    'сколько я продал сегодня?',
    'сколько продано',
    'что я продал',
  ])('%j shows the invoices with their totals', async (text) => {
    for (const isMerchant of [true, false]) {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, isMerchant);
      await sell(chat, { stored: paid });
      await chat.expectReply(text, 'Today: 1');
    }
  });

  test.each([['/invoices Anna'], ['/invoices anna'], ['ANNA', true]])(
    '%s lists the matches',
    async (text, isSeller = false) => {
      const chat = await sought(isSeller);
      await chat.expectReply(text, 'Invoices with', ANNA, 'anna again');
      expect(cardsIn(chat).map(({ label }) => label)).toEqual(['3', '2']);
      expect(chat.html()).not.toContain('Order 12');
    },
  );

  test.each(['invoice for Anna', 'счёт anna'])('%s offers a new invoice below the matches', async (text) => {
    const chat = await sought(true);
    await chat.expectReply(text, 'Invoices with', ANNA);
    expect(chat.data()).toContain('invoice:open');
  });

  test.each([
    [`show invoices for ${ADDRESS}`, 'Invoices with'],
    [`find ${ADDRESS}`, 'Invoices with'],
    [`show invoices for ${KNOWN}`, 'You have no invoice with'],
    [`did ${ADDRESS} pay?`, 'Invoices with'],
    [`${ADDRESS} оплатил?`, 'Invoices with'],
    [`Did ${KNOWN} pay?`, 'You have no invoice with'],
  ])('%s lists the invoices of the address', async (text, reply) => {
    const chat = await sought(true);
    await chat.expectReply(text, reply);
    expect(chat.html()).not.toContain('Review and confirm');
  });

  test.each([
    ['paid', ['1']],
    ['delivered', ['1']],
    ['доставленные', ['1']],
    ['expired', ['3']],
    ['просроченные', ['3']],
    ['totals', ['3', '2', '1']],
    ['итоги', ['3', '2', '1']],
    ['paid today', ['1']],
    ['Оплачено сегодня', ['1']],
    ['show failed invoices', ['3']],
    ['неудачные счета', ['3']],
  ])('understands the state %j in seller mode and in the search', async (text, numbers) => {
    const chat = await openChat('en');
    await sell(chat, { stored: { status: 'delegated' } });
    await sell(chat);
    await sell(chat, { stored: { status: 'expired' } });
    await chat.input('invoices:find', text);
    expect(cardsIn(chat).map(({ label }) => label)).toEqual(numbers);
    await chat.links.setMerchant(USER, true);
    await chat.write('/menu');
    await chat.write(text);
    expect(cardsIn(chat).map(({ label }) => label)).toEqual(numbers);
  });

  test.each([
    ...LANGUAGES.flatMap((language) =>
      (['all', 'open', 'sold', 'paid', 'delivered', 'ended'] as const).map(
        (name) => [TEXTS.in(language).plain(`filter-${name}`), name] as const,
      ),
    ),
    ...['not delivered', 'Undelivered', 'paid not delivered', 'не доставлено', 'Не доставлены'].map(
      (text) => [text, 'paid'] as const,
    ),
    ...['failed', 'неудачные'].map((text) => [text, 'ended'] as const),
  ])('opens the filter that a seller names by %j, also beside a card', async (text, name) => {
    for (const before of [[], [`/invoice ${KNOWN}`]]) {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, true);
      await sell(chat, { stored: { status: 'delegated' } });
      await sell(chat);
      await sell(chat, { stored: { status: 'failed' } });
      await sell(chat, { stored: paid });
      await chat.tap(`invoices:only:${name}`);
      const expected = cardsIn(chat).map(({ label }) => label);
      await chat.input('/menu', ...before);
      const shownBefore = chat.views().length;
      await chat.write(text);
      const [shown] = chat.views().slice(shownBefore);
      const labels = shown?.keyboard.flat().map((one) => one.text) ?? [];
      expect(shown?.html).toContain(chat.words.html('invoices-title'));
      expect(labels.filter((label) => /^\d+$/.test(label))).toEqual(expected);
    }
  });

  test("opens an invoice by its link in the chat and in the search, also one's own after its end", async () => {
    const chat = await openChat('en');
    await sell(chat);
    const own = await sell(chat, { note: 'Anna' });
    const others = await sell(chat, { user: USER + 1, note: 'from another seller' });
    const tokenOf = (one: typeof own) => chat.deps.invoices.shares.tokenOf(one) ?? '';
    for (const link of ['https://t.me/bot?start=invoice-', 'https://shop.example/i/'])
      for (const [one, shown] of [
        [own, 'Invoice 2'],
        [others, 'from another seller'],
      ] as const)
        for (const before of [[], ['invoices:find']]) {
          await chat.input(...before);
          await chat.expectReply(`${link}${tokenOf(one)}`, shown);
        }
    for (const text of [`https://t.me/bot?start=invoice-${tokenOf(own)}`, '#2', '№2']) {
      await chat.write(`/invoice ${ADDRESS}`);
      const before = chat.views().length;
      await chat.write(text);
      const shown = JSON.stringify(chat.views().slice(before));
      expect(shown).toContain('Invoice 2');
      expect(shown).toContain('Review and confirm');
    }
    await chat.deps.invoices.shares.revoke(others);
    await chat.write('/cancel');
    await chat.expectReply(
      `https://t.me/bot?start=invoice-${tokenOf(others)}`,
      chat.words.html('invoice-link-none'),
    );
  });

  test.each([
    ['paid today', 'invoices-title'],
    ['totals', 'invoices-title'],
    ['what did I sell today?', 'invoices-title'],
    ['has anyone paid?', 'invoices-title'],
    ['find table', ANNA],
    ['did table pay?', ANNA],
    ['has table paid yet?', ANNA],
    ["where is table's payment?", ANNA],
    ['оплатила ли table?', ANNA],
    ['table оплатила?', ANNA],
    ['оплачено сегодня', 'invoices-title'],
    ['что оплачено?', 'invoices-title'],
  ] as const)(
    'answers %j of a seller, also beside a card or a question about its note',
    async (text, shown) => {
      for (const [before, after] of [
        [[], undefined],
        [[`/invoice ${KNOWN}`], 'Review and confirm'],
        [[`/invoice ${KNOWN}`, 'Mary'], 'Mary'],
      ] as const) {
        const chat = await sought(true);
        await chat.input(...before);
        const shownBefore = chat.views().length;
        await chat.write(text);
        const [answer, below] = chat.views().slice(shownBefore);
        expect(answer?.html).toContain(shown === ANNA ? ANNA : chat.words.html(shown));
        if (after !== undefined) expect(below?.html).toContain(after);
      }
    },
  );

  test.each(['find table', 'did table pay?', 'paid today', '#2'])(
    'asks whether %j at the question for a note is one',
    async (text) => {
      const chat = await sought(true);
      await chat.write(`/invoice ${KNOWN}`);
      await chat.tapShown(chat.dataWith('_note'));
      await chat.expectReply(text, chat.words.html('invoice-note-offered', { note: text.replace('?', '') }));
      await chat.write('/cancel');
      await chat.write(`/invoice ${KNOWN}`);
      await chat.tapShown(chat.dataWith('_note'));
      await chat.expectReply('Order 319', 'Note for the customer: <code>Order 319</code>');
    },
  );

  test.each(['Order 319', 'order #319 for Bob', 'Заказ 319', 'order 9'])(
    'begins no purchase in seller mode with %s, which may be the note of an open card',
    async (text) => {
      for (const [before, shown] of [
        [[], 'You have no invoice with <code>'],
        [[ADDRESS], en.html('invoice-note-offered', { note: text })],
        [[`buy ${ADDRESS}`], 'You have no invoice with <code>'],
      ] as const) {
        const chat = await openChat('en');
        await chat.links.setMerchant(USER, true);
        await chat.input(...before, text);
        expect(chat.allHtml()).toContain(shown);
        expect(chat.allHtml()).not.toContain(chat.words.html('energy-address'));
      }
    },
  );

  test.each([
    [true, 'order 65000'],
    [true, 'order 2 transfers'],
    [true, 'order'],
    [false, 'order 2'],
  ])('begins a purchase (seller mode: %s) with %s', async (isSeller, text) => {
    const chat = await sought(isSeller);
    await chat.expectReply(text, chat.words.html('energy-address'));
  });

  test.each([
    ['what did I earn?', 'invoices-title'],
    ['how much did I earn', 'invoices-title'],
    ['How much did I earn this week?', 'invoices-title'],
    ['earnings', 'invoices-title'],
    ['сколько я заработал', 'invoices-title'],
    ['сколько я заработал за неделю?', 'invoices-title'],
    ['выставить счёт', 'invoice-address-customer'],
    ['выстави счет', 'invoice-address-customer'],
    ['create invoice', 'invoice-address-customer'],
    ['new invoice', 'invoice-address-customer'],
    ['how do I create an invoice?', 'help-question-sale'],
  ] as const)('understands %j of a merchant', async (text, reply) => {
    const chat = await sought(true);
    await chat.expectReply(text, chat.words.html(reply));
  });

  test.each([
    '7.50',
    '7,5',
    '7.5 TRX',
    'find 7.50',
    'link for anna',
    'disable the link for Anna',
    'ссылка для anna',
  ])('finds the only invoice with %j in seller mode', async (text) => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await sell(chat, { note: 'Bob' });
    await sell(chat, { note: 'Anna', price: '7.50' });
    await chat.expectReply(text, 'Invoice 2');
    expect(chat.labels()).toContain('↗ Share');
  });

  test.each([
    ...[
      'status of invoice 1',
      'is invoice 1 paid?',
      'has invoice 1 been paid?',
      'check invoice 1',
      'is 1 paid?',
    ],
    ...['статус счёта 1', 'счёт 1 оплачен?', 'оплачен ли счёт 1?', 'проверь счёт 1'],
    ...["is Lena's invoice paid?", 'Lena paid', "where is Lena's energy?", "Lena's energy"],
    ...['has the invoice of Lena been paid?', 'did Lena get the energy?', "status of Lena's invoice"],
    ...['Лена оплатила?', 'счёт Лены оплачен?', 'оплачен ли счёт Лены?', 'где энергия Лены?'],
    ...['is the invoice paid?', 'invoice status', 'счёт оплачен?'],
  ])("answers %j with the customer's invoice, not with the seller's own", async (text) => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await sell(chat, { note: /[а-я]/.test(text) ? 'Лена' : 'Lena' });
    await sell(chat, { shared: false, stored: { createdAt: START + MINUTE_MS } });
    vi.spyOn(chat.deps.invoices, 'checkPayment').mockImplementation((ref) => chat.invoices.read(ref));
    await chat.expectReply(text, 'Invoice 1');
    expect(chat.html()).not.toContain('You have no invoice');
  });

  test.each(['Dave', "is Dave's invoice paid?", 'Dave paid', "Dave's energy"])(
    'says in seller mode that no invoice is for the customer in %j',
    async (text) => {
      const chat = await sought(true);
      await chat.expectReply(text, chat.words.html('invoices-found-none', { sought: 'Dave' }));
    },
  );

  test.each(['how many invoices are open?', 'сколько счетов открыто?', 'сколько неоплаченных счетов?'])(
    'lists the open invoices for %j',
    async (text) => {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, true);
      await sell(chat);
      await sell(chat, { stored: { status: 'delegated' } });
      await chat.write(text);
      expect(cardsIn(chat).map(({ label }) => label)).toEqual(['1']);
    },
  );

  test.each(['счёт Васи', 'счета Васи', 'счёт для Васи', 'Вася'])(
    'finds a Russian name in another case with %j',
    async (text) => {
      const chat = await openChat('ru');
      await chat.links.setMerchant(USER, true);
      await sell(chat, { note: 'Вася' });
      await sell(chat, { note: 'Валя' });
      await chat.expectReply(text, 'Вася');
      expect(chat.html()).not.toContain('Валя');
    },
  );

  test('names only the number that was not found', async () => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    for (const text of ['resend invoice 9', 'invoice 9', '9'])
      await chat.expectReply(text, chat.words.html('invoices-found-none', { sought: '9' }));
  });

  test.each(['link', 'resend the link', 'ссылка'])(
    'shows sellers the only payable invoice, or the list, with %j',
    async (text) => {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, true);
      await sell(chat, { stored: { status: 'delegated' } });
      await chat.expectReply(text, chat.words.html('invoices-none-open'));
      await sell(chat);
      await chat.expectReply(text, 'Invoice 2');
      expect(chat.labels()).toContain('↗ Share');
      const third = await sell(chat);
      await chat.write(text);
      expect(shownIn(chat)[0]).toBe(third.id);
      expect(chat.html()).not.toContain('Invoice 1');
      const buyer = await openChat('en');
      await buyer.write('link');
      buyer.shows('API key');
    },
  );

  test.each([
    ['unpaid', ['2']],
    ['who hasn’t paid?', ['2']],
    ['неоплаченные', ['2']],
    ['expired invoices', ['3']],
    ['who has paid?', ['1']],
    ['delivered invoices', ['1']],
    ['sales', ['3', '2', '1']],
  ])('lists invoices with %j', async (text, numbers) => {
    for (const isSeller of [true, false]) {
      const chat = await openChat('en');
      await chat.links.setMerchant(USER, isSeller);
      await sell(chat, { stored: { status: 'delegated' } });
      await sell(chat);
      await sell(chat, { stored: { status: 'expired' } });
      await chat.write(text);
      expect(cardsIn(chat).map(({ label }) => label)).toEqual(numbers);
    }
  });

  test('calls an invoice expired only once the service has responded since, also in the file and the history', async ({
    chat,
  }) => {
    const { expiresAt } = await sell(chat);
    const read = async () => {
      const seen: string[] = [];
      for (const screen of ['/invoices', '/history']) {
        await chat.write(screen);
        seen.push(chat.html());
      }
      await chat.tap('invoices:csv');
      return [...seen, fileIn(chat).text];
    };
    chat.setup.clock.now = expiresAt + 1_000;
    for (const text of await read()) {
      expect(text).toMatch(/no report|not reported/);
      expect(text).not.toMatch(/expired/i);
    }
    await chat.write('expired invoices');
    expect(shownIn(chat)).toHaveLength(1);
    await sell(chat, { stored: { expiresAt, checkedAt: expiresAt } });
    for (const text of await read()) expect(text).toMatch(/expired/i);
  });

  test('lists an untracked invoice among the unpaid ones until its time is up', async ({ chat }) => {
    const { expiresAt } = await sell(chat, { stored: { unchecked: true } });
    await chat.expectReply('unpaid', '⚠️ <b>Not tracked any more</b> · Invoice 1');
    chat.setup.clock.now = expiresAt;
    await chat.expectReply('unpaid', chat.words.html('invoices-none-open'));
  });

  test('sends the file with "csv"', async ({ chat }) => {
    await sell(chat);
    await chat.write('csv');
    expect(fileIn(chat).text).toContain('price_trx');
  });

  test('offers Find to sellers from two invoices on', async ({ chat }) => {
    await sell(chat);
    await chat.write('/invoices');
    expect(chat.data()).not.toContain('invoices:find');
    await sell(chat);
    await chat.write('/invoices');
    expect(chat.data()).toContain('invoices:find');
    const guest = await openChat('en', { linked: false });
    for (let made = 0; made < 2; made++) await sell(guest, { shared: false });
    await guest.write('/invoices');
    expect(guest.data()).not.toContain('invoices:find');
  });

  test('reads no invoices beside those of the only page', async ({ chat }) => {
    await sell(chat, { shared: false });
    const read = vi.spyOn(chat.deps.invoices, 'list');
    await chat.expectReply('/invoices', 'Invoice 1');
    expect(chat.html()).not.toContain('Paid or delivered');
    expect(read).not.toHaveBeenCalled();
  });

  test('asks what to find if there are further pages, and finds it below the list', async () => {
    const chat = await sought(false);
    await chat.write('/invoices');
    await chat.tapShown('invoices:find');
    chat.shows('Which invoice?');
    await chat.expectReply(ADDRESS, 'Invoices with', 'Invoice 6');
    await chat.expectReply('2', ANNA);
    await chat.expectReply('/invoices nobody', 'You have no invoice with <code>nobody</code>');
    // In the addresses of all of them.
    await chat.expectReply('/invoices 7', 'You have no invoice with <code>7</code>');
    expect(chat.data()).toContain('invoices:find');
    await chat.expectReply('Invoice 99', 'You have no invoice with <code>99</code>');
  });

  test('opens an invoice by its number beside an open card or question, which follows', async () => {
    for (const [open, shown] of [
      [`/invoice ${ADDRESS}`, 'Review and confirm'],
      ['/invoice', 'Which address'],
    ] as const) {
      const chat = await sought(true);
      await chat.expectReply(open, shown);
      const before = chat.views().length;
      await chat.write('Invoice 2');
      const [card, ...below] = chat.views().slice(before);
      expect(card?.html).toContain(`Note for the customer: <code>${ANNA}</code>`);
      expect(below[0]?.html).toContain(shown);
    }
  });

  test.each([
    ['65000', 'Which address'],
    ['prices', 'Current prices'],
    ['hello', 'Hi!'],
  ])('does not take %s for a search', async (text, shown) => {
    const chat = await sought(true);
    await chat.expectReply(text, shown);
  });

  test('finds by a bare number or name outside seller mode and without an account, if there is one', async () => {
    const chat = await sought(false);
    for (const isLinked of [true, false]) {
      if (!isLinked) await chat.links.unlink(USER);
      await chat.write('/help');
      for (const text of ['99', 'Nobody']) await chat.expectReply(text, "I didn't understand");
      await chat.expectReply('2', ANNA);
      await chat.expectReply('Anna', 'Invoices with');
    }
  });

  test('keeps the file of the sales after unlinking, without totals', async ({ chat }) => {
    await sell(chat, { stored: delivered });
    await chat.links.unlink(USER);
    await chat.tap('invoices:open');
    expect(chat.html()).not.toContain('Paid or delivered');
    await chat.tapShown('invoices:csv');
    expect(fileIn(chat).text).toContain('delivered');
  });

  test('has neither totals nor a file for a guest, except for admins', async () => {
    const chat = await openChat('en', { linked: false });
    await sell(chat, { shared: false, stored: delivered });
    for (const data of ['invoices:open', 'invoices:only:delivered', 'invoices:csv']) {
      await chat.tap(data);
      expect(chat.html()).toContain('Delivered');
      expect(chat.html()).not.toContain('Paid or delivered');
      expect(chat.labels()).not.toContain('⬇ Download CSV');
    }
    expect(chat.calls.map(({ method }) => method)).not.toContain('sendDocument');
    const admin = await openChat('en', { linked: false, admins: new Set([USER]) });
    await sell(admin, { stored: delivered });
    await admin.expectReply('invoices:open', 'Paid or delivered');
    await admin.tap('invoices:csv');
    expect(fileIn(admin).text).toContain('delivered');
  });

  test('is in the menu with an account, and for guests only with an operator key', async () => {
    for (const [options, label] of [
      [{}, '🧾 Invoices'],
      [{ linked: false }, '🧾 My invoices'],
    ] as const) {
      const chat = await openChat('en', options);
      await chat.write('/start');
      expect(chat.buttons()).toMatchObject({ [label]: 'invoices:open' });
      expect(chat.labels().length).toBeLessThanOrEqual(8);
    }
    const keyless = await openChat('en', { linked: false, operatorKey: undefined });
    await keyless.write('/start');
    expect(keyless.data()).not.toContain('invoices:open');
    await keyless.write('/invoices');
    expect(keyless.data()).toEqual(['menu:open']);
  });
});

describe.each(LANGUAGES)('in %s', (language) => {
  test('the longest values stay within the limits and are escaped', async () => {
    const chat = await openChat(language);
    const notes = ['<b>&"'.repeat(20), '@somebody '.repeat(10), '𝕏'.repeat(100), '</code><a>', '/start'];
    for (const note of [...notes, ...notes])
      await sell(chat, { note, transfers: 100, price: '12345678901234567890.123456', stored: paid });
    await chat.write('/invoices');
    const first = chat.last();
    await chat.tap(olderIn(chat));
    for (const view of [first, chat.last()]) {
      expectWithinLimits(view);
      const plain = view.html.replace(/<code>[^<]*<\/code>/g, '');
      expect(plain).not.toMatch(/@|\/start|𝕏|<a|&#60;/);
      expect(view.html).not.toMatch(/<b>&|<code>[^<]*<(?!\/code>)/);
      expect(view.html).toMatch(/𝕏{31}…/u);
    }
  });

  test('menus with Invoices and the settings have at most eight buttons', async () => {
    const chat = await openChat(language);
    await sell(chat);
    for (const data of ['menu:open', 'menu:more', 'settings:open', 'settings:sell:no', 'menu:open']) {
      await chat.tap(data);
      expectWithinLimits(chat.last());
      expect(chat.data().length).toBeLessThanOrEqual(8);
    }
  });
});

describe('the invoice totals', () => {
  /** A Sunday that is the first of a month, so that the week started in the previous month. */
  const SUNDAY = Date.parse('2025-06-01T00:00:00Z');
  const linesOf = (chat: Chat) =>
    chat
      .html()
      .split('\n')
      .filter((line) => /^(Today|This week|This month)/.test(line));

  test.each([
    ['the last moment of a Sunday', SUNDAY + DAY - 1, ['2 · 0.11', '3 · 1.11', '2 · 0.11']],
    ['the first moment of a Monday', SUNDAY + DAY, ['0 · 0.00', '0 · 0.00', '2 · 0.11']],
    ['the last moment of a month', SUNDAY - 1, ['1 · 1.00', '1 · 1.00', '2 · 11.00']],
    ['the first moment of a month', SUNDAY, ['1 · 0.01', '2 · 1.01', '1 · 0.01']],
  ])('count from midnight, from Monday and from the first (UTC) at %s', async (_, at, expected) => {
    const chat = await openChat('en');
    for (const [price, paidAt] of [
      ['10.00', Date.parse('2025-05-25T23:59:59.999Z')],
      ['1.00', SUNDAY - 1],
      ['0.01', SUNDAY],
      ['0.10', SUNDAY + DAY - 1],
    ] as const) {
      if (paidAt > at) continue;
      chat.setup.clock.now = paidAt - 60_000;
      await sell(chat, { price, stored: { ...delivered, paidAt } });
    }
    chat.setup.clock.now = at;
    await chat.tap('invoices:open');
    const [today, week, month] = expected;
    expect(linesOf(chat)).toEqual([
      `Today: ${today} TRX`,
      `This week: ${week} TRX`,
      `This month: ${month} TRX`,
    ]);
  });

  test('count only paid and delivered invoices, by the time of payment', async ({ chat }) => {
    chat.setup.clock.now = SUNDAY - 60_000;
    for (const stored of [
      { ...paid, paidAt: SUNDAY + 1 },
      { ...delivered, paidAt: SUNDAY + 2 },
      { ...delivered, paidAt: SUNDAY - 1 },
      { status: 'failed', paidAt: SUNDAY + 1 },
      { status: 'expired' },
      {},
    ])
      await sell(chat, { price: '0.1', stored });
    chat.setup.clock.now = SUNDAY + 3;
    await chat.tap('invoices:open');
    expect(linesOf(chat)).toEqual([
      'Today: 2 · 0.20 TRX',
      'This week: 3 · 0.30 TRX',
      'This month: 2 · 0.20 TRX',
    ]);
  });
});

describe('the invoice file', () => {
  test('contains every invoice as CSV and has the date in its name', async ({ chat }) => {
    const at = chat.setup.clock.now + 1_000;
    await sell(chat, {
      note: 'Order 17',
      price: '3.2000',
      stored: { ...delivered, paidAt: at + 60_000, delegatedAt: at + 61_000, txHash: 'ab12' },
    });
    await sellMany(chat, 51);
    await chat.tap('invoices:csv');
    const { name, text, caption } = fileIn(chat);
    expect(name).toBe('invoices-2025-06-01.csv');
    expect(caption).toContain('Your invoices of the last 90 days: 52');
    const [header, ...rows] = text.trimEnd().split('\r\n');
    expect(header).toBe(
      '\uFEFFnumber,status,created,expires,paid,delivered,price_trx,price_usdt,energy,transfers,hours,energy_to,paid_to,transaction,note,not_tracked',
    );
    expect(rows).toHaveLength(52);
    expect(rows.at(-1)).toBe(
      `1,delivered,2025-06-01T12:00:01.000Z,2025-06-01T12:30:01.000Z,2025-06-01T12:01:01.000Z,2025-06-01T12:01:02.000Z,3.2000,1.50,130000,2,1,${ADDRESS},TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4,ab12,Order 17,`,
    );
    expect(text).not.toContain(String(USER));
  });

  test.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', `'+1`],
    ['-2+3', `'-2+3`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['a, "b"', '"a, ""b"""'],
    ['Заказ 5', 'Заказ 5'],
  ])('contains the note %s as text, not as a formula', async (note, cell) => {
    const chat = await openChat('en');
    await sell(chat, { note });
    await chat.tap('invoices:csv');
    expect(fileIn(chat).text.trimEnd().endsWith(`,,${cell},`)).toBe(true);
  });
});

test('shows a toast if Telegram does not accept the file in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const chat = await openChat('en');
  chat.hang('sendDocument');
  const tapped = chat.tap('invoices:csv');
  await vi.advanceTimersByTimeAsync(5_000);
  await tapped;
  expect(chat.toast()).toContain('Telegram is slow');
});

describe('a merchant', () => {
  const FIRST = ['🧾 New invoice', '🧾 Invoices', '⚡ Buy energy'];

  test('has New invoice and Invoices first after a tap on the receipt of a shared invoice', async ({
    chat,
  }) => {
    const { id: own } = await sell(chat, { shared: false });
    await chat.tap(`history:receipt:${own}`);
    expect(chat.labels()).not.toContain('🧾 Turn on seller mode');
    const { id } = await sell(chat);
    await sell(chat);
    await chat.write('/start');
    expect(chat.labels()[0]).toBe('⚡ Buy energy');
    expect(chat.labels()).toHaveLength(8);
    await chat.tap(`history:receipt:${id}`);
    expect(chat.labels()).toContain('🧾 Turn on seller mode');
    await chat.tapShown(`operation:sell:${id}`);
    expect(chat.toast()).toContain('Seller mode is on');
    expect(chat.labels()).not.toContain('🧾 Turn on seller mode');
    await chat.write('/start');
    expect(chat.labels().slice(0, 3)).toEqual(FIRST);
    expect(chat.labels()).toHaveLength(8);
    expect(chat.data()).not.toContain('smart-mode:open');
    await chat.tap('menu:more');
    expect(chat.data()).toContain('smart-mode:open');
    await chat.expectReply('invoice:open', '🧾', 'Which address of your customer <i>sends</i> the USDT?');
  });

  const NEXT_CUSTOMER = 'Which address of your customer';

  test.each([
    ['the menu', 'invoice:open'],
    ['words', 'new invoice'],
  ])(
    'gets the question for the next customer from %s, and reads that the unfinished card has closed',
    async (_, begin) => {
      for (const language of LANGUAGES) {
        const chat = await openChat(language);
        await chat.links.setMerchant(USER, true);
        await chat.write(`/invoice ${ADDRESS} 131k Order 318`);
        const [card, id] = [chat.lastMessage(), chat.dataWith('confirm').split(':').at(-1) ?? ''];
        await chat.input(begin);
        const asked = chat.words.html('invoice-address-customer');
        expect(chat.views().at(-2)?.html).toBe(`${chat.words.html('card-left')}\n\n${asked}`);
        expect(await chat.setup.read({ user: USER, id })).toMatchObject({ state: 'cancelled' });
        expect(chat.payloads('editMessageText').at(-1)).toMatchObject({ message_id: card });
        await chat.tap('invoice:open');
        expect(chat.html()).toBe(asked);
        expect(chat.allHtml()).not.toContain(chat.words.html('flow-left'));
      }
    },
  );

  test('gets the question for the next customer instead of one for the note of the previous customer', async ({
    chat,
  }) => {
    await chat.links.setMerchant(USER, true);
    await chat.write(`/invoice ${ADDRESS}`);
    await chat.tapShown(chat.dataWith('_note'));
    await chat.expectReply('invoice:open', chat.words.html('flow-left'), NEXT_CUSTOMER);
    await chat.expectReply(OTHER_ADDRESS, 'Review and confirm');
  });

  test('begins the invoice of the next customer at the question for the note of the previous one', async ({
    chat,
  }) => {
    await chat.links.setMerchant(USER, true);
    await chat.write(`/invoice ${ADDRESS} 2 1h First`);
    await chat.tapShown(chat.dataWith('_note'));
    await chat.expectReply(`${OTHER_ADDRESS} Order 9 Max`, OTHER_ADDRESS, '65,000 energy', 'Order 9 Max');
    expect(chat.allHtml()).toContain(chat.words.html('card-left'));
  });

  test('is answered in their own letters if nothing is found, and keeps the note on an ended card', async ({
    chat,
  }) => {
    await chat.links.setMerchant(USER, true);
    await chat.expectReply('Order 322 Carol', 'You have no invoice with <code>Order 322 Carol</code>');
    await chat.expectReply('find Dave', 'You have no invoice with <code>Dave</code>');
    await chat.write(`${ADDRESS} Order 9`);
    await chat.tapShown(chat.dataWith('cancel'));
    expect(chat.allHtml()).toMatch(/Cancelled[\s\S]*Note for the customer: <code>Order 9<\/code>/);
    await chat.tapShown(chat.buttons()[chat.words.plain('button-show-again')] ?? '');
    chat.shows('Review and confirm', 'Note for the customer: <code>Order 9</code>');
  });

  test('reads that a purchase closed the unfinished card of an invoice', async ({ chat }) => {
    await chat.links.setMerchant(USER, true);
    await chat.write(`/invoice ${ADDRESS}`);
    await chat.tap('energy:open');
    const asked = chat.words.html('energy-address');
    expect(chat.views().at(-2)?.html).toBe(`${chat.words.html('card-left')}\n\n${asked}`);
  });

  test.each([
    'I want to sell',
    'how do I accept payments from customers?',
    'как принимать оплату от клиентов?',
  ])('reads what to do in answer to %j', async (text) => {
    for (const language of LANGUAGES) {
      const chat = await openChat(language);
      await chat.links.setMerchant(USER, true);
      await chat.expectReply(text, chat.words.html('seller-mode-on'));
      await chat.links.setMerchant(USER, false);
      await chat.input('/settings', 'settings:sell:yes');
      chat.shows(chat.words.html('seller-mode-on'));
    }
  });

  test('can change this in the settings, and is not offered it again', async ({ chat }) => {
    await chat.input('/settings', 'settings:sell:yes');
    expect(chat.labels()).toContain('☑ Seller mode');
    await chat.write('/start');
    expect(chat.labels().slice(0, 3)).toEqual(FIRST);
    await chat.tap('settings:sell:no');
    expect(chat.allHtml()).toContain(chat.words.html('seller-mode-state', { state: 'off' }));
    expect(chat.labels()).toContain('☐ Seller mode');
    await chat.write('/start');
    expect(chat.labels()[0]).toBe('⚡ Buy energy');
    await chat.tap(`history:receipt:${(await sell(chat)).id}`);
    expect(chat.labels()).not.toContain('🧾 Turn on seller mode');
  });

  test('stays a merchant with another account, but not without an account', async ({ chat }) => {
    await chat.links.setMerchant(USER, true);
    await chat.links.link(USER, 1002, 'another-key-of-the-tests', 'en');
    chat.setup.rental.profile.mockResolvedValue(profileOf('1', 1002));
    await chat.write('/start');
    expect(chat.labels().slice(0, 3)).toEqual(FIRST);
    chat.setProfile('1000');
    await chat.links.unlink(USER);
    await chat.write('/settings');
    expect(chat.data().some((data) => data.startsWith('settings:sell'))).toBe(false);
    await chat.tap('settings:sell:yes');
    expect(await chat.links.find(USER)).toBeUndefined();
  });
});

describe('the question for the address of a customer', () => {
  const note = 'Zoe order 15';

  test.each(['Zoe', 'zoe order 15', 'order 15', 'Zoe again'])(
    'takes %j as an earlier customer',
    async (text) => {
      const chat = await openChat('en');
      await sell(chat, { note, address: OTHER_ADDRESS });
      await sell(chat, { note: 'Bob' });
      await chat.input('invoice:open', text);
      chat.shows('Review and confirm', `Note for the customer: <code>${note}</code>`);
      expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS, note });
    },
  );

  test('asks which of two customers with the same name is meant', async ({ chat }) => {
    await sell(chat, { note, address: OTHER_ADDRESS });
    await sell(chat, { note: 'Zoe Miller' });
    await chat.input('invoice:open');
    await chat.expectReply('Zoe', `<code>${ADDRESS}</code>`, `<code>${OTHER_ADDRESS}</code>`);
    await chat.tapShown(answerData(OTHER_ADDRESS));
    expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS, note });
  });

  test('sets the note that the button of an earlier customer shows', async ({ chat }) => {
    await sell(chat, { note, address: OTHER_ADDRESS });
    await chat.deps.addressBook.remember(USER, OTHER_ADDRESS, { isCustomers: true });
    await chat.input('invoice:open');
    const label = chat.labels().find((one) => one.startsWith(note)) ?? '';
    await chat.tapShown(chat.buttons()[label] ?? '');
    expect(await chat.requested()).toMatchObject({ address: OTHER_ADDRESS, note });
  });
});

test.each([
  ['Lena', 'energy:open', {}],
  ['Order 9', '/buy 131k', { energy_amount: 131_000 }],
])(
  "a seller's address with %j at the question of a purchase opens an invoice",
  async (note, begin, terms) => {
    const chat = await openChat('en');
    await chat.links.setMerchant(USER, true);
    await chat.input(begin);
    await chat.expectReply(`${OTHER_ADDRESS} ${note}`, 'Review and confirm', '🧾 Invoice', note);
    expect(await chat.requested()).toMatchObject({ kind: 'invoice', address: OTHER_ADDRESS, note, ...terms });
    expect(chat.allHtml()).toContain(chat.words.html('flow-left'));
    await chat.input(begin);
    await chat.expectReply(`buy ${OTHER_ADDRESS}`, 'Review and confirm');
    expect(await chat.requested()).toMatchObject({ kind: 'energy' });
  },
);

describe('repeating an invoice for another customer', () => {
  test.each([
    ['operation', 'operation:again'],
    ['invoice', 'invoice:another'],
  ])('asks for the address and keeps amount and duration, from the card of the %s', async (_card, button) => {
    const chat = await openChat('en');
    const { id } = await sell(chat, { note: 'Order 17', duration_hours: 24, stored: delivered });
    await chat.expectReply(`${button}:${id}`, 'Which address of your customer <i>sends</i> the USDT?');
    await chat.expectReply(OTHER_ADDRESS, 'Review and confirm', '🧾 Invoice · 130,000 energy · 24 h');
    expect(chat.html()).not.toContain('Order 17');
    await chat.tapShown(chat.dataWith('_note'));
    await chat.expectReply('Order 18', 'Review and confirm', 'Note for the customer: <code>Order 18</code>');
    expect(await chat.requested()).toEqual({
      kind: 'invoice',
      address: OTHER_ADDRESS,
      transfers: 2,
      duration_hours: 24,
      shared: true,
      note: 'Order 18',
    });
  });

  test('rejects an address in the note, which a payer could take for where to pay', async ({ chat }) => {
    const { id } = await sell(chat, { note: 'Order 17' });
    await chat.tap(`operation:again:${id}`);
    await chat.write(ADDRESS);
    await chat.tapShown(chat.dataWith('_note'));
    await chat.expectReply(`for ${OTHER_ADDRESS} please`, 'Send a note without a wallet address');
    await chat.expectReply('Skip', 'Review and confirm');
    expect(await chat.requested()).toMatchObject({ address: ADDRESS });
    expect(await chat.requested()).not.toHaveProperty('note');
  });

  test('keeps the note if the invoice was not paid', async ({ chat }) => {
    const { id } = await sell(chat, { note: 'Order 17', stored: { status: 'expired' } });
    await chat.tap(`invoice:show:${id}`);
    expect(chat.labels()).toContain('Same again');
    await chat.expectReply(`invoice:again:${id}`, 'Review and confirm');
    expect(await chat.requested()).toMatchObject({ note: 'Order 17' });
  });

  test('has its own button on the receipt and the card, in both languages', async () => {
    for (const [language, label] of [
      ['en', 'New customer'],
      ['ru', 'Новому покупателю'],
    ] as const) {
      const chat = await openChat(language);
      const { id } = await sell(chat, { stored: paid });
      await chat.tap(`history:receipt:${id}`);
      expect(chat.labels()).toContain(label);
      await chat.tap(`invoice:show:${id}`);
      expect(chat.labels()).toContain(label);
    }
  });

  test('is beside the same again for the same customer, below the times and above the list', async ({
    chat,
  }) => {
    const times = { paidAt: START, delegatedAt: START };
    const { id } = await sell(chat, { note: 'Order 17', stored: { ...paid, status: 'delegated', ...times } });
    await chat.tap(`invoice:show:${id}`);
    expect(chat.labels()).toEqual(['Same again', 'New customer', '‹ Invoices', '☰ Menu']);
    expect(withoutTags(chat.html())).toMatch(/\n\nPaid: .*UTC\nDelivered: .*UTC$/);
    await chat.expectReply(`invoice:again:${id}`, 'Review and confirm');
    expect(await chat.requested()).toMatchObject({ address: ADDRESS, note: 'Order 17' });
  });
});
