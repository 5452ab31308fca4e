import type { InlineKeyboardButton } from 'grammy/types';
import { counted, inFours, shortened } from '../formats.ts';
import { TAP } from '../taps.ts';
import type { Words } from '../texts.ts';
import { inRows, paragraphs, type View } from '../view.ts';

/** The questions of buying energy. Each carries its choices as answers, then *Back* and *Cancel*. */
export interface EnergyLimits {
  min: number;
  max: number;
  perTransfer: number;
  perFirstTransfer: number;
  maxTransfers: number;
}

export function addressQuestion(words: Words, known: string[]): View {
  const choices = known.map((address) => answer(shortened(address), address));
  return question(words, words.html('buy-address', { known: known.length > 0 ? 'yes' : 'no' }), [
    ...inRows(choices, 1),
  ]);
}

export function purposeQuestion(words: Words, address: string, limits: EnergyLimits): View {
  return question(
    words,
    words.html('buy-purpose', { address: inFours(address), ...range(words, limits) }),
    inRows(
      [
        answer(
          words.plain('button-one-holder', { amount: counted(limits.perTransfer, words.language) }),
          'holder',
        ),
        answer(
          words.plain('button-one-new', { amount: counted(limits.perFirstTransfer, words.language) }),
          'new',
        ),
        answer(words.plain('button-several'), 'several'),
        answer(words.plain('button-exact'), 'exact'),
      ],
      1,
    ),
  );
}

export function countQuestion(words: Words, address: string, limits: EnergyLimits): View {
  const html = words.html('buy-count', {
    address: inFours(address),
    each: counted(limits.perTransfer, words.language),
    max: String(limits.maxTransfers),
  });
  return question(
    words,
    html,
    inRows(
      [2, 3, 5, 10].map((count) => answer(String(count), String(count))),
      4,
    ),
  );
}

export function exactQuestion(words: Words, address: string, limits: EnergyLimits): View {
  return question(words, words.html('buy-exact', { address: inFours(address), ...range(words, limits) }), []);
}

/** `prices` in TRX by hours, where an estimate is possible. */
export function durationQuestion(
  words: Words,
  about: { address: string; amount: number; prices: { 1?: string | undefined; 24?: string | undefined } },
): View {
  const { prices } = about;
  const html = words.html('buy-duration', {
    address: inFours(about.address),
    amount: counted(about.amount, words.language),
  });
  const hour = prices[1]
    ? words.plain('button-1-hour-priced', { price: prices[1] })
    : words.plain('button-1-hour');
  const day = prices[24]
    ? words.plain('button-24-hours-priced', { price: prices[24] })
    : words.plain('button-24-hours');
  return question(words, html, [[answer(hour, '1')], [answer(day, '24')]]);
}

/** The balance doesn't suffice: what is missing, and where to send it. */
export function fundsQuestion(
  words: Words,
  about: {
    amount: number;
    hours: number;
    estimate: string;
    balance: string;
    missing: string;
    depositAddress?: string | undefined;
  },
): View {
  const again = words.plain('button-check-again');
  const deposit = about.depositAddress;
  const html = paragraphs(
    words.html('buy-funds', { ...about, amount: counted(about.amount, words.language), depositAddress: '' }),
    deposit && words.html('buy-funds-address', { again, address: inFours(deposit) }),
  );
  const copy: InlineKeyboardButton[][] = deposit
    ? [[{ text: words.plain('button-copy-deposit'), copy_text: { text: deposit } }]]
    : [];
  return question(words, html, [...copy, [answer(again, 'again')]]);
}

function question(words: Words, html: string, choices: InlineKeyboardButton[][]): View {
  const way = [answer(words.plain('button-back'), 'back'), answer(words.plain('button-cancel'), 'cancel')];
  return { html, keyboard: [...choices, way] };
}

function answer(text: string, value: string): InlineKeyboardButton {
  return { text, callback_data: TAP.answer(value) };
}

function range(words: Words, { min, max }: EnergyLimits): { min: string; max: string } {
  return { min: counted(min, words.language), max: counted(max, words.language) };
}
