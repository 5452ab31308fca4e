import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { accepted, OFFLINE } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const TIERS = {
  tiers: [
    { size: 100, price_trx: '190.00' },
    { size: 10, price_trx: '23.00' },
  ],
  ...{
    single_transfer_price: '2.40',
    bw_fee_per_transfer: '0.3',
    min_custom_size: 1,
    max_custom_size: 10_000,
  },
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
  return chat.last().html;
}

test('lists sizes smallest first, with the price per transfer and the fee', async () => {
  const chat = await openPackages();
  await chat.write('/packages');
  const { html } = chat.last();
  expect(html.indexOf('10 transfers: <b>23.00 TRX</b>, 2.30 TRX each')).toBeGreaterThan(0);
  expect(html.indexOf('100 transfers: <b>190.00 TRX</b>, 1.90 TRX each')).toBeGreaterThan(
    html.indexOf('10 tr'),
  );
  expect(html).toContain('One transfer by itself: <b>2.40 TRX</b>');
  expect(html).toContain('0.3 TRX for each transfer');
});

test('omits packages and fees without a price', async () => {
  const chat = await openPackages({ tiers: [{ size: 10, price_trx: '23.00' }, { size: 100 }] });
  await chat.write('/packages');
  expect(chat.last().html).toContain('10 transfers: <b>23.00 TRX</b>');
  expect(chat.last().html).not.toMatch(/100 transfers|One transfer|guarantee|NaN|undefined/);
  const html = await ofSize('200', { tiers: [{ size: 10, price_trx: '23.00' }, { size: 200 }] });
  expect(html).toContain('About <b>460.00 TRX</b>');
  expect(html).not.toMatch(/One by one|guarantee|NaN|undefined/);
});

test('says that packages cannot be bought here, with a link if configured', async () => {
  const site = 'https://rental.example/account';
  const [known, unknown] = [
    await openPackages(TIERS, { accountUrl: site }),
    await openPackages(TIERS, { accountUrl: undefined }),
  ];
  for (const chat of [known, unknown]) {
    await chat.write('/packages');
    expect(chat.last().html).toContain('none can be bought here');
    expect(Object.keys(buttonsOf(chat.last())).join()).not.toMatch(/Buy/);
  }
  const links = known
    .last()
    .keyboard.flat()
    .flatMap((one) => ('url' in one ? [one.url] : []));
  expect(links).toEqual([site]);
  expect(
    unknown
      .last()
      .keyboard.flat()
      .some((one) => 'url' in one),
  ).toBe(false);
});

describe('a custom size', () => {
  test('mentions a larger package at the same or a lower price', async () => {
    const tiers = {
      ...TIERS,
      tiers: [
        { size: 10, price_trx: '23.00' },
        { size: 50, price_trx: '100.00' },
      ],
    };
    const ofTiers = async (size: string) => {
      const chat = await openPackages(tiers, {});
      await chat.write('/packages');
      await chat.tap('packages:custom');
      await chat.write(size);
      return chat.last().html;
    };
    expect(await ofTiers('49')).toContain('The package of 50 costs no more: 100.00 TRX');
    expect(await ofTiers('43')).not.toContain('costs no more');
  });

  test('shows the exact price if it equals a tier', async () => {
    expect(await ofSize('10')).toContain('Price of this size: <b>23.00 TRX</b>');
    expect(await ofSize('10')).not.toContain('names it as you buy');
  });

  test.each([
    ['25', 'About <b>57.50 TRX</b>, if each costs 2.30 TRX as in the package of 10', '60.00 TRX', '7.50 TRX'],
    [
      '10,000',
      'About <b>19000.00 TRX</b>, if each costs 1.90 TRX as in the package of 100',
      '24000.00',
      '3000.00',
    ],
  ])(
    '%s is estimated from the next smaller tier and marked as an estimate',
    async (size, about, most, fee) => {
      const html = await ofSize(size);
      for (const part of [about, `One by one: ${most}`, fee, 'names it as you buy'])
        expect(html).toContain(part);
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
      expect(await ofSize(size)).toContain('Write a whole number of transfers from 1 to 10,000, like 25.');
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
    expect(chat.last().html).not.toMatch(/NaN|Infinity/);
    expect(await ofSize('5', tiers)).not.toMatch(/NaN|Infinity/);
  }
});

test('offers to retry the same size if the prices cannot be read', async () => {
  const chat = await openPackages();
  await chat.tap('packages:custom');
  chat.setup.rental.packageTiers.mockResolvedValue(OFFLINE);
  await chat.write('25');
  expect(Object.values(buttonsOf(chat.last()))).toEqual(['packages:of:25', 'menu:open']);
  chat.setup.rental.packageTiers.mockResolvedValue(accepted(TIERS));
  await chat.tap('packages:of:25');
  expect(chat.last().html).toContain('One by one: 60.00 TRX');
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

test('shows the price of a size with a link to buy it', async () => {
  const chat = await openPackages(TIERS, { accountUrl: 'https://rental.example/account' });
  await chat.tap('packages:custom');
  await chat.write('100');
  expect(chat.last().html).toContain('Price of this size: <b>190.00 TRX</b>');
  expect(chat.last().html).toContain('none can be bought here');
  expect(chat.last().keyboard.flat()).toContainEqual(
    expect.objectContaining({ url: 'https://rental.example/account' }),
  );
});

test.each(LANGUAGES)('all views stay within the limits in %s', async (language) => {
  const chat = await openChat(language);
  chat.speak(language);
  await chat.write('/packages');
  await chat.tap('packages:custom');
  await chat.write('25');
  for (const view of chat.views()) expectWithinLimits(view);
});
