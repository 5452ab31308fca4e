import { describe, expect, test } from 'vitest';
import { PRICE_HISTORY } from '../../../src/features/prices/price-history.ts';
import { LANGUAGES } from '../../../src/i18n/texts.ts';
import { createQuotes } from '../../../src/operations/quotes.ts';
import { createAccountReader } from '../../../src/rental-api/account-reader.ts';
import { OPERATOR_ACCOUNT as GUESTS } from '../../../src/rental-api/client.ts';
import { buttonsOf, expectWithinLimits, tableOf } from '../../i18n/telegram-limits.ts';
import { ENERGY, USER } from '../../operations/operations-setup.ts';
import { ACCOUNT, accepted, OFFLINE, profileOf, rejected } from '../../operations/rental-stand-in.ts';
import { OPERATOR_ACCOUNT, OTHER_ADDRESS, openChat } from '../chat.ts';

const PRICES = { energySunPerUnit: { '1': '35.68', '24': '60' }, burnTrx: '6.50' };

async function openPrices(
  linked: boolean,
  prices = accepted(PRICES),
  operatorKey: string | undefined = 'operator-key',
) {
  const chat = await openChat('en', { linked, operatorKey });
  chat.setup.rental.prices.mockResolvedValue(prices);
  await chat.write('/prices');
  return chat;
}

test.each([true, false])(
  'shows both transfers by duration and the burned TRX (account linked: %s)',
  async (linked) => {
    const chat = await openPrices(linked);
    expect(tableOf(chat.last())).toEqual([
      'Energy     1 h  24 h   Burn',
      '65,000   *2.32  3.90   6.50',
      '131,000  *4.67  7.86  13.10',
    ]);
    chat.shows(
      '65,000: to a wallet with USDT\n• 131,000: to a wallet without USDT',
      'Address activation: <b>1.10 TRX</b>',
      '350 bandwidth',
    );
  },
);

test('shows the table of prices in Russian', async () => {
  const chat = await openChat('ru');
  const prices = { ...PRICES, energySunPerUnit: { '1': '9876.54', '24': '20000' } };
  chat.setup.rental.prices.mockResolvedValue(accepted(prices));
  await chat.write('/prices');
  expect(tableOf(chat.last())).toEqual([
    'Энергия      1 ч     24 ч Сгорит',
    '65 000    641,98 1 300,00  *6,50',
    '131 000 1 293,83 2 620,00 *13,10',
  ]);
});

test('users of one account who read prices at once get the reply to their own keys', async () => {
  const { rental, operations, clock } = (await openChat('en')).setup;
  rental.prices.mockImplementation(async (key) =>
    key === 'revoked-key' ? rejected(401, 'INVALID_KEY') : accepted(PRICES),
  );
  const { lastPrices } = operations;
  const quotes = createQuotes({
    rental,
    operatorKey: undefined,
    lastPrices,
    operatorKeyWatch: { lastRefusedAt: () => undefined },
    now: () => clock.now,
  });
  const reader = createAccountReader({ rental });
  const payerOf = (user: number, apiKey: string) => ({
    user,
    account: ACCOUNT,
    apiKey,
    ...reader.open({ account: ACCOUNT, apiKey }),
  });
  const payers = [payerOf(USER, 'revoked-key'), payerOf(USER + 1, 'valid-key')];
  const replies = await Promise.all(payers.map(quotes.prices));
  expect(replies.map((reply) => reply?.kind)).toEqual(['rejected', 'accepted']);
});

test('reads prices with the key of the user, or with the operator key for guests', async () => {
  const [own, guest] = [await openPrices(true), await openPrices(false)];
  expect(own.setup.rental.prices.mock.lastCall?.[0]).not.toBe('operator-key');
  expect(guest.setup.rental.prices.mock.lastCall?.[0]).toBe('operator-key');
  expect(own.html()).not.toContain('without an account');
  guest.shows('Without an account, buy energy by invoice');
  expect(own.data()).toContain('energy:open');
  expect(guest.data()).toContain('invoice:open');
});

test('records only prices of the operator account for the chart that all users see', async () => {
  const isRecorded = async (who: 'holder' | 'guest' | 'admin') => {
    const isAdmin = who === 'admin';
    const chat = await openChat('en', { linked: who === 'holder', admins: new Set(isAdmin ? [USER] : []) });
    if (isAdmin) await chat.links.linkOperatorAccount(USER, OPERATOR_ACCOUNT, 'en');
    chat.setup.rental.profile.mockResolvedValue(profileOf('1', isAdmin ? OPERATOR_ACCOUNT : ACCOUNT));
    await chat.expectReply('/prices', '*2.32');
    return (await chat.deps.records.store(PRICE_HISTORY).get({})) !== undefined;
  };
  expect([await isRecorded('holder'), await isRecorded('guest'), await isRecorded('admin')]).toEqual([
    ...[false, true, true],
  ]);
});

test.each([
  ['is unreachable', OFFLINE],
  ['returns 429', rejected(429, 'RATE_LIMITED', 5_000)],
  ['returns no energy prices', accepted({})],
])('if the service %s, shows the known prices and Try again', async (_, outcome) => {
  for (const linked of [true, false]) {
    const chat = await openPrices(linked, outcome as never);
    chat.shows('Energy prices are unavailable right now', 'Address activation: <b>1.10 TRX</b>');
    expect(chat.data()[0]).toBe('prices:open');
    chat.setup.rental.prices.mockResolvedValue(accepted(PRICES));
    await chat.expectReply('prices:open', '*2.32');
    expect(chat.data()).not.toContain('prices:open');
  }
});

test.each([
  ['holder', true],
  ['guest', false],
])('during a fault, prices and the card of a %s show the same old price with its time', async (_, linked) => {
  const chat = await openPrices(linked);
  const { rental, clock } = chat.setup;
  const bothShow = async (...parts: string[]) => {
    await chat.expectReply('/prices', ...parts);
    expect(chat.data()[0]).toBe('prices:open');
    await chat.expectReply(`/buy ${OTHER_ADDRESS} 65000 1h`, ...parts);
    await chat.write('cancel');
  };
  clock.now += 5 * 60_000;
  rental.prices.mockResolvedValue(OFFLINE);
  await bothShow('2.32', '⚠️ Price as of', '1 Jun, 12:00 UTC');
  clock.now += 6 * 60_000;
  await chat.expectReply('/prices', 'Energy prices are unavailable right now');
  await chat.expectReply(`/buy ${OTHER_ADDRESS} 65000 1h`, 'unknown right now');
  await chat.write('cancel');
  const account = linked ? ACCOUNT : GUESTS;
  await chat.setup.operations.lastPrices.record(account, ENERGY, { price: '2.50' });
  clock.now += 60_000;
  await bothShow('2.50', '⚠️ Price as of', '1 Jun, 12:11 UTC');
});

test.each([401, 403])('reports a rejected key (%s) only to its owner', async (status) => {
  const refused = rejected(status, 'UNAUTHORIZED') as never;
  const own = (await openPrices(true, refused)).last();
  expect(own.html).toContain('no longer accepts your key');
  expect(Object.values(buttonsOf(own))).toContain('link:open');
  const guest = (await openPrices(false, refused)).last();
  expect(guest.html).toContain('Energy prices are unavailable right now');
  expect(guest.html).not.toContain('key');
});

test('without any key, makes no request and explains how to get the energy prices', async () => {
  const chat = await openChat('en', { linked: false, operatorKey: undefined, accountUrl: undefined });
  await chat.write('/prices');
  expect(chat.setup.rental.prices).not.toHaveBeenCalled();
  chat.shows('Link an account to see energy prices.', 'You pay from your balance');
  expect(chat.data()).toEqual(['link:open', 'menu:open']);
});

test('omits prices that the service does not return', async () => {
  const away = await openPrices(true, OFFLINE as never);
  expect(away.html()).toContain('Energy prices are unavailable right now');
  const partly = await openPrices(true, accepted({ energySunPerUnit: { '24': '60' } }) as never);
  expect(tableOf(partly.last())).toEqual(['Energy   24 h', '65,000   3.90', '131,000  7.86']);
  expect(partly.html()).not.toMatch(/Burn|NaN/);
});

const TIERS = {
  tiers: [
    { size: 100, price_trx: '190.00' },
    { size: 10, price_trx: '23.00' },
  ],
  single_transfer_price: '2.40',
  bw_fee_per_transfer: '0.3',
  min_custom_size: 1,
  max_custom_size: 10_000,
};

async function openPackages(tiers: object = TIERS, more: Parameters<typeof openChat>[1] = {}) {
  const chat = await openChat('en', more);
  chat.setup.rental.packageTiers.mockResolvedValue(accepted(tiers as typeof TIERS));
  return chat;
}

async function ofSize(size: string, tiers?: object): Promise<string> {
  const chat = await openPackages(tiers);
  await chat.tap('packages:custom');
  await chat.write(size);
  return chat.html();
}

test('lists sizes smallest first, with the price per transfer and the fee', async () => {
  const chat = await openPackages();
  await chat.write('/packages');
  const { html } = chat.last();
  expect(html.indexOf('10: <b>23.00 TRX</b>, 2.30 TRX each')).toBeGreaterThan(0);
  expect(html.indexOf('100: <b>190.00 TRX</b>, 1.90 TRX each')).toBeGreaterThan(html.indexOf('10 tr'));
  expect(html).toContain('Single transfer: <b>2.40 TRX</b>');
  expect(html).toContain('With bandwidth: 0.30 TRX more per transfer');
});

test('omits packages and fees without a price', async () => {
  const chat = await openPackages({ tiers: [{ size: 10, price_trx: '23.00' }, { size: 100 }] });
  await chat.expectReply('/packages', '10: <b>23.00 TRX</b>');
  expect(chat.html()).not.toMatch(/100 transfers|Single transfer|Guarantee|NaN|undefined/);
  const html = await ofSize('200', { tiers: [{ size: 10, price_trx: '23.00' }, { size: 200 }] });
  expect(html).toContain('About <b>460.00 TRX</b>');
  expect(html).not.toMatch(/One by one|Guarantee|NaN|undefined/);
});

test('says where packages are sold, with a link if configured', async () => {
  const site = 'https://rental.example/account';
  const [known, unknown] = [
    await openPackages(TIERS, { accountUrl: site }),
    await openPackages(TIERS, { accountUrl: undefined }),
  ];
  for (const chat of [known, unknown])
    await chat.expectReply('/packages', chat.words.html('packages-buying'));
  const linksOf = (chat: typeof known) =>
    chat.last().keyboard.flatMap((row) => row.flatMap((one) => ('url' in one ? [one.url] : [])));
  expect([linksOf(known), linksOf(unknown)]).toEqual([[site], []]);
  await known.tap('packages:custom');
  await known.expectReply('100', 'Price: <b>190.00 TRX</b>', known.words.html('packages-buying'));
  expect(linksOf(known)).toEqual([site]);
});

test('shows packages only to account holders', async () => {
  const chat = await openPackages(TIERS, { linked: false });
  await chat.expectReply('/packages', 'You need an account for this');
  expect(chat.data()).toContain('link:open');
  expect(chat.setup.rental.packageTiers).not.toHaveBeenCalled();
});

describe('a custom size', () => {
  test('mentions a larger package at the same or a lower price', async () => {
    const [ten, fifty] = [
      { size: 10, price_trx: '23.00' },
      { size: 50, price_trx: '100.00' },
    ];
    const tiers = { ...TIERS, tiers: [ten, fifty] };
    expect(await ofSize('49', tiers)).toContain('50 cost no more: 100.00 TRX');
    expect(await ofSize('43', tiers)).not.toContain('cost no more');
  });

  test('shows the exact price if it equals a tier', async () => {
    expect(await ofSize('10')).toContain('Price: <b>23.00 TRX</b>');
    expect(await ofSize('10')).not.toContain('when you buy');
  });

  test.each([
    ['25', 'About <b>57.50 TRX</b> at 2.30 TRX each, the rate for 10', '60.00 TRX', '7.50 TRX'],
    ['10,000', 'About <b>19,000.00 TRX</b> at 1.90 TRX each, the rate for 100', '24,000.00', '3,000.00'],
  ])(
    '%s is estimated from the next smaller tier and marked as an estimate',
    async (size, about, most, fee) => {
      const html = await ofSize(size);
      for (const part of [about, `One by one: ${most}`, fee, 'when you buy']) expect(html).toContain(part);
    },
  );

  test('shows only the price of single transfers below all tiers', async () => {
    const html = await ofSize('3');
    expect(html).toContain('One by one: 7.20 TRX');
    expect(html).not.toContain('About');
  });

  test.each(['0', '10001', '2.5', '12abc', '-1', 'many'])(
    '%j is rejected and requested again',
    async (size) => {
      expect(await ofSize(size)).toContain('Send a whole number from 1 to 10,000, like 25.');
    },
  );
});

test('handles invalid, many or no tiers', async () => {
  const odd = {
    ...TIERS,
    tiers: [{ size: 0, price_trx: '1' }, ...Array(60).fill({ size: 7, price_trx: '9'.repeat(20) })],
  };
  for (const tiers of [odd, { ...TIERS, tiers: [] }]) {
    const chat = await openPackages(tiers);
    await chat.write('/packages');
    expectWithinLimits(chat.last());
    expect(chat.html()).not.toMatch(/NaN|Infinity/);
    expect(await ofSize('5', tiers)).not.toMatch(/NaN|Infinity/);
  }
});

test('offers to retry the list or the same size if the prices cannot be read', async () => {
  const chat = await openPackages();
  await chat.tap('packages:custom');
  chat.setup.rental.packageTiers.mockResolvedValue(OFFLINE);
  await chat.write('25');
  expect(chat.data()).toEqual(['packages:of:25', 'menu:open']);
  await chat.tap('packages:open');
  expect(chat.data()).toEqual(['packages:open', 'menu:open']);
  chat.setup.rental.packageTiers.mockResolvedValue(accepted(TIERS));
  await chat.expectReply('packages:of:25', 'One by one: 60.00 TRX');
});

test.each(['0', '10001', '-5', 'x', '1e3'])(
  'a forged size of %s is rejected as out of date',
  async (size) => {
    const chat = await openPackages();
    const before = chat.views().length;
    await chat.tap(`packages:of:${size}`);
    expect(chat.toast()).toBe('This button is out of date.');
    expect(chat.views()).toHaveLength(before);
  },
);

test.each(LANGUAGES)('all views stay within the limits in %s', async (language) => {
  const chat = await openChat(language);
  chat.speak(language);
  await chat.input('/packages', 'packages:custom', '25');
  for (const view of chat.views()) expectWithinLimits(view);
});
