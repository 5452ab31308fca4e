import {
  ENERGY_RANGE,
  type EnergyTerms,
  isOffered,
  isOrderable,
  readChange,
  readEnergyOrder,
} from '../../operations/kinds/energy-order.ts';
import { ENERGY_PER_TRANSFER, findAddressInput } from '../../rental-api/tron.ts';
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
        const { amount, hours = state.hours, rest } = readEnergyOrder(text);
        return amount === undefined || rest !== '' || !isOrderable(amount)
          ? { ...state, problem: words.html('problem-energy-amount', ENERGY_RANGE) }
          : { ...state, amount, hours, step: CARD };
      },
    }),
    /**
     * Fills in what an order lacks before its card is shown: one transfer, and the user's default duration or 1 hour.
     * Asks for the amount again if it can't be ordered.
     */
    completed(ctx: BotContext, state: MoneyState): MoneyState {
      if (state.step !== CARD) return state;
      const { amount = ENERGY_PER_TRANSFER, hours } = state;
      if (!isOrderable(amount)) {
        const problem = ctx.words.html('problem-energy-amount', ENERGY_RANGE);
        return { ...state, amount: undefined, step: AMOUNT, problem };
      }
      const isKept = hours !== undefined && isOffered(hours);
      if (hours !== undefined && !isKept) addHeader(ctx, ctx.words.html('problem-energy-duration'));
      return { ...state, amount, hours: isKept ? hours : (ctx.session.hours ?? 1) };
    },
  };
}

/**
 * Wraps a question: a text with exactly one address is an order, may name an amount and hours, and leads to its card. At
 * the question for the address, an amount and hours alone are kept for the card.
 */
export function acceptOrders(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    onText(ctx, state, text) {
      const given = findAddressInput(text);
      if (given?.kind !== 'address') {
        const terms = step.asksForAddress && readChange(text);
        if (!terms || !isPossible(terms)) return step.onText?.(ctx, state, text) ?? state;
        const { amount = ENERGY_PER_TRANSFER, hours = ctx.session.hours ?? 1 } = { ...state, ...terms };
        return { ...state, ...terms, problem: ctx.words.html('order-noted', { amount, hours }) };
      }
      const { address } = given;
      return {
        ...state,
        ...termsBesideAddress(ctx, text, state),
        address,
        addressChoices: undefined,
        step: CARD,
      };
    },
  };
}

/**
 * Returns whether a text names only an amount of energy, with or without hours: `65k`, `2 transfers`, `131000`. A number
 * that isn't in thousands needs a unit, because it may be a late answer or a one-time code.
 */
export function isOrderWithoutAddress(text: string): boolean {
  const { amount } = readChange(text) ?? {};
  const needsUnit = (parseWholeNumber(text) ?? 0) % 1_000 !== 0;
  return amount !== undefined && !needsUnit && isOrderable(amount);
}

/** Other words that an order may have. A longer text is about something else. */
const MAX_OTHER_WORDS = 6;
/** Number of characters that are read as an order. */
const MAX_ORDER_LENGTH = 500;

/**
 * Returns the amount and hours in a text with an address, by default those known `before`. Among other words, a number
 * without a unit may be a sum of money, a time or a number in a list, unless it is in the range of energy. If a number
 * is ignored, a line above the next view names the amount that is used instead.
 */
export function termsBesideAddress(ctx: BotContext, text: string, before: EnergyTerms = {}): EnergyTerms {
  const { amount = before.amount, hours = before.hours, isIgnored } = readBesideAddress(text);
  if (isIgnored)
    addHeader(ctx, ctx.words.html('order-number-ignored', { amount: amount ?? ENERGY_PER_TRANSFER }));
  return { ...(amount !== undefined && { amount }), ...(hours !== undefined && { hours }) };
}

function isPossible({ amount, hours }: EnergyTerms): boolean {
  return (hours === undefined || isOffered(hours)) && (amount === undefined || isOrderable(amount));
}

function readBesideAddress(text: string): EnergyTerms & { isIgnored: boolean } {
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
    isIgnored: isOrder ? /\d/.test(rest) || (amount !== undefined && !isValid) : /\d/.test(said),
  };
}
