import { expect, test } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { accepted, OFFLINE, rejected } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

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
    const { html } = (await openPrices(linked)).last();
    for (const part of [
      '65,000 energy, for one USDT transfer to somebody who holds USDT already:\n• 1 hour: <b>2.32 TRX</b>\n• 24 hours: <b>3.90 TRX</b>\n🔥 Without energy it burns about 6.50 TRX.',
      '131,000 energy, for one USDT transfer to somebody who holds none yet:\n• 1 hour: <b>4.67 TRX</b>',
      'burns about 13.10 TRX',
      'Activating an address: <b>1.10 TRX</b>',
      '350 bandwidth',
    ])
      expect(html).toContain(part);
  },
);

test('reads prices with the key of the user, or with the operator key for guests', async () => {
  const [own, guest] = [await openPrices(true), await openPrices(false)];
  expect(own.setup.rental.prices.mock.lastCall?.[0]).not.toBe('operator-key');
  expect(guest.setup.rental.prices.mock.lastCall?.[0]).toBe('operator-key');
  expect(Object.values(buttonsOf(own.last()))).toContain('energy:open');
  expect(Object.values(buttonsOf(guest.last()))).toContain('invoice:open');
});

test.each([
  ['is unreachable', OFFLINE],
  ['returns 429', rejected(429, 'RATE_LIMITED', 5_000)],
  ['returns no energy prices', accepted({})],
])('if the service %s, shows the known prices and Try again', async (_, told) => {
  for (const linked of [true, false]) {
    const chat = await openPrices(linked, told as never);
    expect(chat.last().html).toContain("I can't read the energy prices right now");
    expect(chat.last().html).toContain('Activating an address: <b>1.10 TRX</b>');
    expect(Object.values(buttonsOf(chat.last()))[0]).toBe('prices:open');
    chat.setup.rental.prices.mockResolvedValue(accepted(PRICES));
    await chat.tap('prices:open');
    expect(chat.last().html).toContain('<b>2.32 TRX</b>');
    expect(Object.values(buttonsOf(chat.last()))).not.toContain('prices:open');
  }
});

test.each([401, 403])('reports a rejected key (%s) only to its owner', async (status) => {
  const refused = rejected(status, 'UNAUTHORIZED') as never;
  const own = (await openPrices(true, refused)).last();
  expect(own.html).toContain('no longer accepts your key');
  expect(Object.values(buttonsOf(own))).toContain('link:open');
  const guest = (await openPrices(false, refused)).last();
  expect(guest.html).toContain("I can't read the energy prices right now");
  expect(guest.html).not.toContain('key');
});

test('without any key, makes no request and explains how to get the energy prices', async () => {
  const chat = await openChat('en', { linked: false, operatorKey: undefined, accountUrl: undefined });
  await chat.write('/prices');
  expect(chat.setup.rental.prices).not.toHaveBeenCalled();
  const { html } = chat.last();
  expect(html).toContain('Link an account, and I can read the energy prices for you.');
  expect(html).toContain('You pay from a prepaid account');
  expect(Object.values(buttonsOf(chat.last()))).toEqual(['link:open', 'menu:open']);
});

test('mentions to guests that they can buy energy by an invoice', async () => {
  const { html } = (await openPrices(false)).last();
  expect(html).toContain('You can buy energy without an account, by an invoice');
  expect((await openPrices(true)).last().html).not.toContain('without an account');
});

test('omits prices that the service does not return', async () => {
  const away = await openPrices(true, OFFLINE as never);
  expect(away.last().html).toContain("I can't read the energy prices right now");
  const partly = await openPrices(true, accepted({ energySunPerUnit: { '24': '60' } }) as never);
  expect(partly.last().html).toContain('24 hours: <b>3.90 TRX</b>');
  expect(partly.last().html).not.toMatch(/1 hour:|burns|NaN/);
});

test.each(LANGUAGES)('stays within the limits in %s', async (language) => {
  const chat = await openChat(language);
  chat.speak(language);
  chat.setup.rental.prices.mockResolvedValue(accepted(PRICES));
  await chat.write('/prices');
  expectWithinLimits(chat.last());
});
