import { isOrderable, readChange, readEnergyOrder } from '../../operations/kinds/energy-order.ts';
import {
  ENERGY_DURATIONS,
  ENERGY_MAX,
  ENERGY_MIN,
  ENERGY_PER_TRANSFER,
  findAddressInput,
  INVOICE_TRANSFERS_MAX,
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

type Order = Pick<MoneyState, 'address' | 'amount' | 'hours'>;

/**
 * Creates what the flows that order energy share: the question for an amount that isn't on the card, and the check of
 * an order before its card. `mostTransfers`: maximum number of transfers of one order.
 */
export function energyOrders(mostTransfers: number) {
  const range = { min: ENERGY_MIN, max: ENERGY_MAX, most: mostTransfers };

  return {
    /** Asks how many transfers, or how much energy: the size of the number decides which is meant. */
    amountStep: acceptOrders({
      help: 'energy',
      back: CARD,
      ask: ({ words }, { address = '' }) => words.html('energy-amount', { address, ...range }),
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
        if (count >= 1 && count <= mostTransfers)
          return { ...state, amount: count * ENERGY_PER_TRANSFER, step: CARD };
        const { amount, hours = state.hours, rest } = readEnergyOrder(text);
        return amount === undefined || rest !== '' || !isOrderable(amount, mostTransfers)
          ? { ...state, problem: words.html('problem-energy-amount', range) }
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
      if (!isOrderable(amount, mostTransfers)) {
        const problem = ctx.words.html('problem-energy-amount', range);
        return { ...state, amount: undefined, step: AMOUNT, problem };
      }
      const isOffered = ENERGY_DURATIONS.some((offered) => offered === hours);
      if (hours !== undefined && !isOffered) addHeader(ctx, ctx.words.html('problem-energy-duration'));
      return { ...state, amount, hours: isOffered ? hours : (ctx.session.hours ?? 1) };
    },
  };
}

/** Wraps a question: a text with exactly one address is an order, may name an amount and hours, and leads to its card. */
export function acceptOrders(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    onText(ctx, state, text) {
      const order = readOrder(text);
      if (order === undefined) return step.onText?.(ctx, state, text) ?? state;
      const { amount = state.amount, hours = state.hours } = order;
      return { ...state, ...order, amount, hours, addressChoices: undefined, step: CARD };
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
  return amount !== undefined && !needsUnit && isOrderable(amount, INVOICE_TRANSFERS_MAX);
}

/** Other words that an order may have. A longer text is about something else. */
const MAX_OTHER_WORDS = 3;
/** Number of characters that are read as an order. */
const MAX_ORDER_LENGTH = 500;

/** Reads an order with exactly one address: `ADDRESS 65000 1h`. */
function readOrder(text: string): Order | undefined {
  const given = findAddressInput(text);
  if (given?.kind !== 'address') return undefined;
  return { address: given.address, ...amountsBesideAddress(text) };
}

/**
 * Reads the amount and hours in a text with an address. Among other words, a number without a unit may be a sum of money,
 * a time or a number in a list, and an amount that can't be ordered is ignored.
 */
export function amountsBesideAddress(text: string): Pick<Order, 'amount' | 'hours'> {
  const { said } = separateAddresses(text.slice(0, MAX_ORDER_LENGTH));
  const order = readEnergyOrder(said);
  if (!order.hasOtherWords) return { amount: order.amount, hours: order.hours };
  const { rest, amount, hours } = readEnergyOrder(said, { needsUnits: true });
  if (rest.split(' ').length > MAX_OTHER_WORDS) return {};
  const isValid = amount !== undefined && isOrderable(amount, INVOICE_TRANSFERS_MAX);
  return { amount: isValid ? amount : undefined, hours };
}
