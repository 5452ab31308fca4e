import {
  ENERGY_DURATIONS,
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_TRANSFER,
  INVOICE_TRANSFERS_MAX,
} from '../rental-api/tron.ts';

const HOURS = /^(?:h|hours?|hrs?|ч|часа?|часов)$/i;
const DAYS = /^(?:d|days?|д|день|дня|дней|сутки|суток)$/i;
/** Words that are hours without a number. */
const UNCOUNTED = [
  { word: /^(?:day|день|сутки)$/i, hours: 24 },
  { word: /^(?:hour|час)$/i, hours: 1 },
];
const THOUSANDS = /^(?:k|к|тыс|thousand|тысяч[аи]?)$/i;
const TRANSFERS = /^(?:x|х|transfers?|transactions?|tx|txs|переводов|перевода?|транзакци[яиюй]|раза?)$/i;
const ENERGY = /^(?:energy|энерги[яию])$/i;
/** Words between the parts of an order. */
const BETWEEN = /^(?:buy|energy|for|to|of|and|an?|купи(?:ть)?|энерги[яию]|для|на|и)$/i;
/** Spelled numbers. Each counts only before a unit. */
const SPELLED = [
  ['one', 'один', 'одну', 'одни'],
  ['two', 'два', 'две', 'двое'],
  ['three', 'три', 'трое'],
  ['four', 'четыре'],
  ['five', 'пять'],
  ['six', 'шесть'],
  ['seven', 'семь'],
  ['eight', 'восемь'],
  ['nine', 'девять'],
  ['ten', 'десять'],
] as const;
const SPELLED_WITH_UNIT = /^(\p{L}+)\s+(\p{L}+)/u;
/** A number, grouped or not, and the word after it. */
const NUMBER =
  /^(\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3}){1,2}(?!\d)|\d{1,9}(?:[.,]\d{1,3})?(?!\d))[ \u00a0\u202f]*(\p{L}*)\.?/u;
const GROUPED = /^\d{1,3}(?:\D\d{3})+$/;
/** Units of money. A number with such a unit isn't part of an order. */
const MONEY = /^(?:trx|usdt?|eur|euros?|dollars?|rub|трх|руб(?:л[ьяей]+)?|р|доллар\p{L}*|евро)$/iu;
const MONEY_SIGN = /^\s*[$€£₽₴]/;
/** The currency between the number of transfers and their word: `2 usdt transfers`. `10 usdt transfer` is a sum of money. */
const TRANSFERS_OF_USDT =
  /(?<=^|\s)(?:usdt|trc-?20)[\s-]+(?=(?:transfers|transactions|переводов|перевода|транзакци[ий])(?![\p{L}]))/giu;
/** Words that ask for an order and say nothing about it: `I want`, `please`, `мне нужно`. */
const WISH =
  /(?<![\p{L}'’])(?:i(?:['’]d)?|we|want|wanna|need|like|please|pls|get|give|me|us|хочу|хотим|хотелось|бы|мне|нам|надо|нуж(?:ен|на|но|ны)|дай(?:те)?|пожалуйста|плиз|(?:energy|энерги[яию])\s+(?:for|на|для))(?![\p{L}'’])/giu;
const SEPARATORS = /^[\s,;·+]+/;
const WORD = /^\S+/;

/** Energy and hours of an order, as far as they are given. Neither needs to be valid. */
export interface EnergyTerms {
  amount?: number;
  hours?: number;
}

/** Terms that a text names. `rest`: words that name neither. `hasOtherWords`: also true for words such as *for*. */
interface EnergyOrder extends EnergyTerms {
  rest: string;
  hasOtherWords: boolean;
}

/**
 * Reads an order in English or Russian, with its parts in any sequence: `65000 1h`, `24 hours 65k`, `2 transfers`. A
 * whole number up to 100 without a unit means transfers, or hours if the amount is known. Alone, 1 and 24 mean hours.
 * `stopsAtOther`: reads only numbers with their units, and the rest begins with the first other word. `needsUnits`:
 * ignores numbers without a unit, unless they are in the range of energy.
 */
export function readEnergyOrder(
  text: string,
  { stopsAtOther = false, needsUnits = false } = {},
): EnergyOrder {
  let left = text.trim().replace(TRANSFERS_OF_USDT, '');
  let amount: number | undefined;
  let hours: number | undefined;
  let hasOtherWords = false;
  const small: number[] = [];
  const rest: string[] = [];

  /** Stores a number with this unit. Returns false if it can't be a part of the order that is still missing. */
  function storePart(number: string, unit: string): boolean {
    const value = Number(GROUPED.test(number) ? number.replace(/\D/g, '') : number.replace(',', '.'));
    const perUnit = HOURS.test(unit) ? 1 : DAYS.test(unit) ? 24 : undefined;
    const inHours = perUnit === undefined || value >= ENERGY_MIN ? undefined : value * perUnit;
    if (needsUnits && unit === '' && !isOrderable(value)) return false;
    if (inHours !== undefined && hours === undefined) hours = inHours;
    else if (unit === '' && value <= INVOICE_TRANSFERS_MAX && Number.isInteger(value)) small.push(value);
    else if (inHours !== undefined || amount !== undefined) return false;
    else if (THOUSANDS.test(unit)) amount = Math.round(value * 1_000);
    else if (TRANSFERS.test(unit)) amount = value * ENERGY_PER_TRANSFER;
    else if (unit === '' || ENERGY.test(unit)) amount = value;
    else return false;
    return true;
  }

  while (left !== '') {
    left = withDigits(left.replace(SEPARATORS, ''));
    const [word = ''] = WORD.exec(left) ?? [];
    const [withUnit = '', number = '', unit = ''] = NUMBER.exec(left) ?? [];
    const isNumber = number !== '' && !MONEY.test(unit) && !MONEY_SIGN.test(left.slice(number.length));
    const uncounted = UNCOUNTED.find((one) => one.word.test(word.replace(/[^\p{L}]+$/u, '')));
    if (isNumber && storePart(number, unit)) left = left.slice(withUnit.length);
    // The word after the number isn't its unit.
    else if (isNumber && /\s/.test(withUnit) && storePart(number, '')) left = left.slice(number.length);
    else if (!stopsAtOther && hours === undefined && uncounted) {
      hours = uncounted.hours;
      left = left.slice(word.length);
    } else if (stopsAtOther) break;
    else {
      if (!BETWEEN.test(word)) rest.push(word);
      hasOtherWords ||= word !== '';
      left = left.slice(word.length);
    }
  }

  const isAlone = small.length === 1 && amount === undefined && hours === undefined;
  for (const value of small) {
    if (isAlone && isOffered(value)) hours = value;
    else if (amount === undefined) amount = value * ENERGY_PER_TRANSFER;
    else if (hours === undefined) hours = value;
    else rest.push(String(value));
  }
  return {
    ...(amount !== undefined && { amount }),
    ...(hours !== undefined && { hours }),
    rest: [...rest, left].filter(Boolean).join(' '),
    hasOtherWords,
  };
}

/** Replaces a spelled number at the beginning of the text by its digits if a unit follows. */
function withDigits(text: string): string {
  const [, word = '', unit = ''] = SPELLED_WITH_UNIT.exec(text) ?? [];
  const isCounted = [HOURS, DAYS, TRANSFERS].some((units) => units.test(unit));
  const value = 1 + SPELLED.findIndex((names) => names.some((name) => name === word.toLowerCase()));
  return isCounted && value > 0 ? String(value) + text.slice(word.length) : text;
}

/** Returns whether this word is a unit of time. */
export function isTimeUnit(word: string): boolean {
  return HOURS.test(word) || DAYS.test(word);
}

/** Returns whether this word can be a part of an order beside its numbers. */
export function isOrderWord(word: string): boolean {
  const words = [HOURS, DAYS, THOUSANDS, TRANSFERS, ENERGY, BETWEEN, ...UNCOUNTED.map((one) => one.word)];
  return words.some((one) => one.test(word)) || SPELLED.flat().some((name) => name === word.toLowerCase());
}

/** Returns whether this amount can be ordered: a whole number within the service's range. */
export function isOrderable(amount: number): boolean {
  return Number.isInteger(amount) && amount >= ENERGY_MIN && amount <= ENERGY_MAX;
}

/** Returns whether energy is rented for this number of hours. */
export function isOffered(hours: number): boolean {
  return ENERGY_DURATIONS.some((offered) => offered === hours);
}

/**
 * Returns the duration that is ordered for these hours: the shortest one that covers them, or else the longest. Energy that
 * ends too early costs more than the difference in price.
 */
export function durationFor(hours: number): number {
  return ENERGY_DURATIONS.find((offered) => offered >= hours) ?? Math.max(...ENERGY_DURATIONS);
}

/** Returns a text without the words of a request around the terms of an order: `I want 3 transfers, please`. */
export function withoutWish(text: string): string {
  return text
    .replace(WISH, ' ')
    .replace(/[\s,.!]+$/, '')
    .trim();
}

/** Reads a text that names only terms of an order. Returns `undefined` for any other text. */
export function readChange(text: string): EnergyTerms | undefined {
  const { rest, hasOtherWords: _, ...terms } = readEnergyOrder(withoutWish(text));
  return rest === '' && Object.keys(terms).length > 0 ? terms : undefined;
}
