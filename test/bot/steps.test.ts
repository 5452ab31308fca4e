import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { termsBesideAddress } from '../../src/bot/steps/energy-order.ts';
import { SAMPLE_ADDRESS } from '../../src/rental-api/tron.ts';
import { TEXTS } from '../support/texts.ts';

describe('terms beside an address', () => {
  const PHRASES = [
    '# ADDRESS',
    'ADDRESS #',
    '# for ADDRESS',
    'Hi, I need # for ADDRESS please',
    'buy # to ADDRESS',
  ];
  const RUSSIAN = [
    '# для ADDRESS',
    'ADDRESS # пожалуйста',
    'мне нужно # на ADDRESS',
    'Купи # на адрес ADDRESS',
  ];
  const AMOUNTS = [
    '130000',
    '130,000',
    '130 000',
    '130k',
    '130к',
    '130 thousand',
    '130 тысяч',
    '130000 energy',
  ];
  const COUNTS = ['2 transfers', 'two transfers', 'два перевода', '2 перевода'];
  const DURATIONS = {
    none: [''],
    1: ['1h', 'for 1 hour', 'for an hour', 'one hour', 'на час', 'на 1 час', 'на один час'],
    24: [
      '24h',
      ', 24 hours',
      'for a day',
      'a day',
      'for one day',
      'for 1 day',
      'на сутки',
      'на 24 часа',
      'на день',
    ],
  };
  const read = (text: string) => {
    const ctx = { words: TEXTS.in('en') } as BotContext;
    return { ...termsBesideAddress(ctx, text), header: ctx.headerHtml };
  };

  test.each([
    ['I want 2 usdt transfers from ADDRESS for a day', 24],
    ['two USDT transfers ADDRESS', undefined],
    ['2 trc20 transfers from ADDRESS', undefined],
    ['хочу 2 usdt перевода с ADDRESS на сутки', 24],
    ['2 перевода usdt с ADDRESS', undefined],
  ])('count transfers of USDT: %s', (phrase, hours) => {
    const terms = { amount: 130_000, ...(hours !== undefined && { hours }), header: undefined };
    expect(read(phrase.replace('ADDRESS', SAMPLE_ADDRESS))).toEqual(terms);
  });

  test.each([
    'send 10 usdt to ADDRESS',
    'I want to send 10 usdt to ADDRESS',
    'Sending 50 USDT to this address: ADDRESS',
    'transfer 100 usdt ADDRESS',
    'отправить 10 usdt на ADDRESS',
    'хочу перевести 100 usdt на адрес ADDRESS',
    'отправляю 50 USDT ADDRESS',
  ])('come with a warning if the address is the recipient: %s', (phrase) => {
    const { header, ...terms } = read(phrase.replace('ADDRESS', SAMPLE_ADDRESS));
    expect(terms).toEqual({});
    expect(header).toBe(TEXTS.in('en').html('order-for-recipient'));
  });

  test.each([
    'send 2 transfers to ADDRESS',
    'send energy to ADDRESS',
    'ADDRESS sends 10 usdt',
    'usdt ADDRESS',
  ])('come without that warning: %s', (phrase) => {
    expect(read(phrase.replace('ADDRESS', SAMPLE_ADDRESS)).header ?? '').not.toContain('recipient');
  });

  test.each([...PHRASES, ...RUSSIAN])('are read in %j', (phrase) => {
    for (const [hours, durations] of Object.entries(DURATIONS))
      for (const terms of durations.flatMap((one) =>
        [...AMOUNTS, ...COUNTS].map((amount) => `${amount} ${one}`),
      ))
        expect(read(phrase.replace('#', terms).replace('ADDRESS', SAMPLE_ADDRESS)), terms).toEqual({
          amount: 130_000,
          ...(hours !== 'none' && { hours: Number(hours) }),
          header: undefined,
        });
  });

  test('never lose a number without saying so', () => {
    const words = fc.constantFrom<string>(
      'for',
      'and',
      'please',
      'TRX',
      'hours',
      'energy',
      'Order',
      'на',
      'раза',
      '$',
      'k',
      '-',
    );
    const number = fc.oneof(
      fc.integer({ min: 0, max: 6_000_000 }),
      fc.double({ min: 0, max: 99, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 9 }), number, fc.nat(9), (others, value, at) => {
        const text = others.toSpliced(at, 0, String(value)).join(' ');
        const { amount, hours, header } = read(`${text} ${SAMPLE_ADDRESS}`);
        expect(amount ?? hours ?? header, text).toBeDefined();
      }),
    );
  });
});
