// Orders of energy, paid from the balance or by invoice: their range, and the choices on their card.

import { lines, type Words } from '../../i18n/texts.ts';
import {
  type EnergyTerms,
  isOffered,
  isOrderable,
  readChange,
  readEnergyOrder,
} from '../../input/energy-terms.ts';
import {
  ENERGY_DURATIONS,
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
} from '../../rental-api/tron.ts';
import type { CardOption } from './kind.ts';

/** Range of an order, as energy and as whole transfers. */
export const ENERGY_RANGE = {
  min: ENERGY_MIN,
  max: ENERGY_MAX,
  most: Math.floor(ENERGY_MAX / ENERGY_PER_TRANSFER),
};

/** Returns why this amount can't be ordered, or `undefined`. Too much energy that is whole transfers is named as those. */
export function amountProblem(words: Words, amount: number): string | undefined {
  if (isOrderable(amount)) return undefined;
  if (!Number.isInteger(amount)) return words.html('problem-energy-amount', ENERGY_RANGE);
  const count = amount / ENERGY_PER_TRANSFER;
  const tooMuch = Number.isInteger(count) ? 'many' : 'much';
  const why = amount < ENERGY_MIN ? 'little' : tooMuch;
  return words.html('problem-energy-range', { why, amount, count, ...ENERGY_RANGE });
}

/** Returns why the words of an order without an address can't be ordered as they are, or `undefined`. */
export function orderProblem(words: Words, text: string): string | undefined {
  const { amount = ENERGY_PER_TRANSFER, hours, rest } = readEnergyOrder(text);
  const problems = lines(
    rest !== '' && words.html('order-said-left', { left: rest }),
    amountProblem(words, amount),
    hours !== undefined && !isOffered(hours) && words.html('problem-energy-hours', { hours }),
  );
  return problems || undefined;
}

/** A number with any sign and of any length, and a unit. */
const ANY_NUMBER = /^[-+−–]?\d[\d\s.,'’]*(?:\p{L}+\.?)?$/u;

/** Returns why a text that names an amount can't change an order, or `undefined`. Any hours can: others replace them. */
export function changeProblem(words: Words, text: string): string | undefined {
  const { amount, hours } = readChange(text) ?? {};
  const isNumber = amount !== undefined || (hours === undefined && ANY_NUMBER.test(text.trim()));
  return isNumber ? amountProblem(words, amount ?? Number.NaN) : undefined;
}

/** Renders for which USDT transfers this energy is enough. */
export function energyHint(words: Words, energy: number): string {
  const [most, least] = [ENERGY_PER_TRANSFER, ENERGY_PER_FIRST_TRANSFER].map((one) =>
    Math.floor(energy / one),
  );
  return words.html('energy-enough', {
    for: most === 0 ? 'none' : least === 0 ? 'holder' : 'first',
    most: most ?? 0,
    least: least ?? 0,
    holder: ENERGY_PER_TRANSFER,
    first: ENERGY_PER_FIRST_TRANSFER,
  });
}

const AMOUNTS = [
  { energy: ENERGY_PER_TRANSFER, label: 'button-one-holder' },
  { energy: ENERGY_PER_FIRST_TRANSFER, label: 'button-one-new' },
] as const;

/** Returns the choices on the card of an order: common amounts, and hours. */
export function energyOptions(words: Words, chosen: { amount: number; hours: number }): CardOption[][] {
  const amounts = AMOUNTS.map(({ energy, label }) => [
    {
      label: words.plain(label, { amount: energy }),
      value: `energy${energy}`,
      isChosen: chosen.amount === energy,
    },
  ]);
  const durations = ENERGY_DURATIONS.map((hours) => ({
    label: words.plain(hours === 1 ? 'button-1-hour' : 'button-24-hours'),
    value: `hours${hours}`,
    isChosen: chosen.hours === hours,
  }));
  return [...amounts, durations];
}

/** Returns what a choice of {@link energyOptions} changes, or `undefined` for an unknown one. */
export function readEnergyOption(value: string): EnergyTerms | undefined {
  const [, what, digits] = /^(energy|hours)(\d{1,7})$/.exec(value) ?? [];
  const number = Number(digits);
  if (what === 'hours' && isOffered(number)) return { hours: number };
  if (what === 'energy' && AMOUNTS.some(({ energy }) => energy === number)) return { amount: number };
  return undefined;
}
