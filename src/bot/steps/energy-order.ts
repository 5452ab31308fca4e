import { lines } from '../../i18n/texts.ts';
import {
  amountProblem,
  ENERGY_RANGE,
  type EnergyTerms,
  isOffered,
  isOrderable,
  readChange,
  readEnergyOrder,
} from '../../operations/kinds/energy-order.ts';
import {
  ENERGY_DURATIONS,
  ENERGY_PER_TRANSFER,
  findAddressInput,
  joinAddressPieces,
} from '../../rental-api/tron.ts';
import { inRows } from '../../views/view.ts';
import type { BotContext } from '../context.ts';
import { answerButton, type Step } from '../dialogue.ts';
import { CARD, type MoneyState, separateAddresses } from '../money-flow.ts';
import { addHeader } from '../reply.ts';
import { parseWholeNumber } from './amounts.ts';

const COMMON_COUNTS = [2, 3, 5, 10];
/** Name of the question for an amount that isn't on the card. */
export const AMOUNT = 'amount';

/**
 * Creates what the flows that order energy share: the question for an amount that isn't on the card, and the check of
 * an order before its card.
 */
export function energyOrders() {
  return {
    /** Asks how many transfers, or how much energy: the size of the number decides which is meant. */
    amountStep: acceptOrders({
      help: 'energy',
      back: CARD,
      ask: ({ words }, { address = '' }) => words.html('energy-amount', { address, ...ENERGY_RANGE }),
      choices: ({ words }) =>
        inRows(
          COMMON_COUNTS.map((count) =>
            answerButton(
              words.plain('button-transfers', { count, amount: count * ENERGY_PER_TRANSFER }),
              count,
            ),
          ),
        ),
      onText({ words }, state, text) {
        const count = parseWholeNumber(text) ?? 0;
        if (count >= 1 && count <= ENERGY_RANGE.most)
          return { ...state, amount: count * ENERGY_PER_TRANSFER, step: CARD };
        const { amount = Number.NaN, hours = state.hours, rest } = readEnergyOrder(text);
        const problem = amountProblem(words, rest === '' ? amount : Number.NaN);
        return problem === undefined ? { ...state, amount, hours, step: CARD } : { ...state, problem };
      },
    }),
    /**
     * Fills in what an order lacks before its card is shown: one transfer, and the user's default duration.
     * Asks for the amount again if it can't be ordered.
     */
    completed(ctx: BotContext, state: MoneyState): MoneyState {
      if (state.step !== CARD) return state;
      const { amount = ENERGY_PER_TRANSFER } = state;
      const problem = amountProblem(ctx.words, amount);
      if (problem !== undefined) return { ...state, amount: undefined, step: AMOUNT, problem };
      const { hours, warning } = offeredHours(ctx, state.hours);
      if (warning !== undefined) addHeader(ctx, warning);
      return { ...state, amount, hours };
    },
  };
}

/**
 * Returns the wanted hours, by default the user's. If they aren't offered, returns with a warning the shortest duration that
 * covers them, or else the longest one: energy that ends too early costs more than the difference in price.
 */
function offeredHours({ session, words }: BotContext, wanted: number | undefined) {
  if (wanted === undefined) return { hours: session.hours ?? 1 };
  const hours = ENERGY_DURATIONS.find((offered) => offered >= wanted) ?? Math.max(...ENERGY_DURATIONS);
  if (wanted === hours) return { hours };
  return { hours, warning: words.html('order-hours-replaced', { wanted, hours }) };
}

/** Returns the state with a line about its order above the question for the address, or `undefined` without an order. */
function withNotedOrder(ctx: BotContext, state: MoneyState): MoneyState | undefined {
  const { amount = ENERGY_PER_TRANSFER } = state;
  if (state.amount === undefined && state.hours === undefined) return undefined;
  const problem = amountProblem(ctx.words, amount);
  if (problem !== undefined) return { ...state, amount: undefined, problem };
  const { hours, warning } = offeredHours(ctx, state.hours);
  const noted = lines(warning, ctx.words.html('order-noted', { amount, hours }));
  return { ...state, ...(state.hours !== undefined && { hours }), problem: noted };
}

/**
 * Wraps a question: a text with exactly one address is an order, may name an amount and hours, and leads to its card. At
 * the question for the address, an amount and hours that came before it, or come alone, are kept for the card.
 */
export function acceptOrders(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    onText(ctx, state, text) {
      const given = findAddressInput(text);
      if (given?.kind !== 'address') {
        const terms = step.asksForAddress && readChange(text);
        const noted = terms && withNotedOrder(ctx, { ...state, ...terms });
        return noted ?? step.onText?.(ctx, state, text) ?? state;
      }
      const { address } = given;
      return {
        ...state,
        ...termsBesideAddress(ctx, text, state, { takesNote: state.shared === true }),
        address,
        addressChoices: undefined,
        step: CARD,
      };
    },
    async stateIfKnown(ctx, state) {
      const known = await step.stateIfKnown?.(ctx, state);
      return known ?? (step.asksForAddress && withNotedOrder(ctx, state));
    },
  };
}

/**
 * Returns whether a text names only an amount of energy or hours: `65k`, `2 transfers 1h`, `131000`, `24 hours`. A number
 * that isn't in thousands needs a unit, because it may be a late answer or a one-time code.
 */
export function isOrderWithoutAddress(text: string): boolean {
  const terms = readChange(text);
  const number = parseWholeNumber(text);
  if (terms === undefined || /\p{L}/u.test(text)) return terms !== undefined;
  return number === undefined ? isOrderable(terms.amount ?? 0) : number > 0 && number % 1_000 === 0;
}

/** Other words that an order may have. A longer text is about something else. */
const MAX_OTHER_WORDS = 6;
/** Number of characters that are read as an order. */
const MAX_ORDER_LENGTH = 500;

/**
 * Returns the amount and hours in a text with an address, by default those known `before`. Among other words, a number
 * without a unit may be a sum of money, a time or a number in a list, unless it is in the range of energy. If a number
 * is ignored, a line above the next view names the amount that is used instead. `takesNote`: other words behind the address
 * are the note of an order for a customer.
 */
export function termsBesideAddress(
  ctx: BotContext,
  text: string,
  before: EnergyTerms = {},
  { takesNote = false } = {},
): EnergyTerms & { note?: string } {
  // In a forwarded message, the other words are the customer's.
  const noted = takesNote && !ctx.message?.forward_origin ? readNotedOrder(text) : undefined;
  if (noted) return { amount: before.amount, hours: before.hours, ...noted };
  const { amount = before.amount, hours = before.hours, isIgnored, refused } = readBesideAddress(text);
  const used = { amount: amount ?? ENERGY_PER_TRANSFER };
  const problem = refused === undefined ? undefined : amountProblem(ctx.words, refused);
  if (isIgnored) addHeader(ctx, lines(problem, ctx.words.html('order-number-ignored', used)));
  return { ...(amount !== undefined && { amount }), ...(hours !== undefined && { hours }) };
}

/**
 * Reads an order with a note behind its address: `ADDRESS 65k Order 319`, `ADDRESS Order 319 1h`. Terms that begin or end the
 * text behind the address aren't part of the note. Returns `undefined` without a note.
 */
function readNotedOrder(text: string): (EnergyTerms & { note: string }) | undefined {
  const words = joinAddressPieces(text.slice(0, MAX_ORDER_LENGTH)).split(/\s+/).filter(Boolean);
  const at = words.findIndex((word) => findAddressInput(word)?.kind === 'address');
  const behind = words.slice(at + 1).join(' ');
  if (at < 0 || readEnergyOrder(behind).rest === '') return undefined;
  const { amount, hours } = readBesideAddress(words.filter((word) => !isOrderNumber(word)).join(' '));
  const { rest, ...first } = readEnergyOrder(behind, { stopsAtOther: true, needsUnits: true });
  const noted = rest.split(' ');
  const length = noted.findIndex((_, from) => from > 0 && areTerms(noted.slice(from).join(' ')));
  const [note, last] = length < 0 ? [noted, []] : [noted.slice(0, length), noted.slice(length)];
  const terms = { amount, hours, ...readChange(last.join(' ')), ...first };
  return {
    ...(terms.amount !== undefined && { amount: terms.amount }),
    ...(terms.hours !== undefined && { hours: terms.hours }),
    note: note.join(' '),
  };
}

/** Returns whether a word may be the number of a customer's order, although it is in the range of energy. */
const isOrderNumber = (word: string) => /^\d{5,}$/.test(word) && !isOrderWithoutAddress(word);

/** Returns whether a text names only terms that can be ordered, each number with its unit or in thousands. */
function areTerms(text: string): boolean {
  const { rest, amount = ENERGY_PER_TRANSFER, hours = 1 } = readEnergyOrder(text, { needsUnits: true });
  return rest === '' && isOrderWithoutAddress(text) && isOrderable(amount) && isOffered(hours);
}

/** Terms beside an address. `isIgnored`: a number isn't used. `refused`: an amount with its unit that can't be ordered. */
interface TermsBesideAddress extends EnergyTerms {
  isIgnored: boolean;
  refused?: number | undefined;
}

function readBesideAddress(text: string): TermsBesideAddress {
  const { said } = separateAddresses(text.slice(0, MAX_ORDER_LENGTH));
  const { hasOtherWords, rest: unread, ...all } = readEnergyOrder(said);
  if (!hasOtherWords) return { ...all, isIgnored: /\d/.test(unread) };
  const { rest, amount, hours } = readEnergyOrder(said, { needsUnits: true });
  // Among words such as *for*, a known amount makes a small number the hours.
  if (unread === '' && amount !== undefined && amount === all.amount) return { ...all, isIgnored: false };
  const isValid = amount !== undefined && isOrderable(amount);
  const isOrder = rest.split(' ').filter((word) => !/\d/.test(word)).length <= MAX_OTHER_WORDS;
  return {
    ...(isOrder && isValid && { amount }),
    ...(isOrder && hours !== undefined && { hours }),
    ...(isOrder && !isValid && { refused: amount }),
    isIgnored: isOrder ? /\d/.test(rest) || (amount !== undefined && !isValid) : /\d/.test(said),
  };
}
