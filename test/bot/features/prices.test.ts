import { expect, test } from 'vitest';
import { LANGUAGES } from '../../../src/texts/texts.ts';
import { accepted, OFFLINE } from '../../operations/rental-stand-in.ts';
import { buttonsOf, expectWithinLimits } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';

const PRICES = { energySunPerUnit: { '1': '35.68', '24': '60' }, burnTrx: '6.50' };

async function openPrices(linked: boolean, prices = accepted(PRICES)) {
  const chat = await openChat('en', { linked, operatorKey: 'operator-key' });
  chat.room.rental.prices.mockResolvedValue(prices);
  await chat.write('/prices');
  return chat;
}

test.each([true, false])(
  'both transfers, by the hours, and what they would burn, account linked: %s',
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

test('who has an account reads them by their own key, everybody else by the operator’s', async () => {
  const [own, guest] = [await openPrices(true), await openPrices(false)];
  expect(own.room.rental.prices.mock.lastCall?.[0]).not.toBe('operator-key');
  expect(guest.room.rental.prices.mock.lastCall?.[0]).toBe('operator-key');
  expect(Object.values(buttonsOf(own.last()))).toContain('energy:open');
  expect(Object.values(buttonsOf(guest.last()))).toContain('invoice:open');
});

test('what the service does not say is not made up', async () => {
  const away = await openPrices(true, OFFLINE as never);
  expect(away.last().html).toContain("I can't read the energy prices right now");
  const partly = await openPrices(true, accepted({ energySunPerUnit: { '24': '60' } }) as never);
  expect(partly.last().html).toContain('24 hours: <b>3.90 TRX</b>');
  expect(partly.last().html).not.toMatch(/1 hour:|burns|NaN/);
});

test.each(LANGUAGES)('it fits a message in %s', async (language) => {
  const chat = await openChat(language);
  chat.speak(language);
  chat.room.rental.prices.mockResolvedValue(accepted(PRICES));
  await chat.write('/prices');
  expectWithinLimits(chat.last());
});
