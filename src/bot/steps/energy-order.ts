import { lines } from '../../i18n/texts.ts';
import {
  durationFor,
  type EnergyTerms,
  isOffered,
  readChange,
  readEnergyOrder,
} from '../../input/energy-terms.ts';
import { parseWholeNumber } from '../../input/numbers.ts';
import {
  isTransferTo,
  type NotedOrder,
  readBesideAddress,
  readCustomer,
  readNotedOrder,
} from '../../input/order-text.ts';
import { amountProblem, ENERGY_RANGE } from '../../operations/kinds/energy-order.ts';
import { ENERGY_PER_TRANSFER, findAddressInput } from '../../rental-api/tron.ts';
import { inRows } from '../../views/view.ts';
import { withSavedAddress } from '../address-input.ts';
import type { BotContext } from '../context.ts';
import { answerButton, type Step } from '../dialogue.ts';
import { CARD, type MoneyState } from '../money-flow.ts';
import { addHeader } from '../reply.ts';

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
      return { ...state, amount, ...offeredHours(ctx, state) };
    },
  };
}

/**
 * Returns the hours for which the order is made: those wanted, by default the user's, or those that replace them. The card
 * names the `wantedHours` as long as it has the hours that replace them.
 */
function offeredHours({ session }: BotContext, state: MoneyState) {
  const { hours: asked = session.hours ?? 1 } = state;
  const wanted = isOffered(asked) ? state.wantedHours : asked;
  const hours = durationFor(asked);
  return { hours, wantedHours: wanted !== undefined && durationFor(wanted) === hours ? wanted : undefined };
}

/** Returns the state with a line about its order above the question for the address, or `undefined` without an order. */
function withNotedOrder(ctx: BotContext, state: MoneyState): MoneyState | undefined {
  const { amount = ENERGY_PER_TRANSFER } = state;
  if (state.amount === undefined && state.hours === undefined) return undefined;
  const problem = amountProblem(ctx.words, amount);
  if (problem !== undefined) return { ...state, amount: undefined, problem };
  const { hours, wantedHours: wanted } = offeredHours(ctx, state);
  const warning = wanted !== undefined && ctx.words.html('order-hours-replaced', { wanted, hours });
  const noted = lines(warning, ctx.words.html('order-noted', { amount, hours }));
  return { ...state, ...(state.hours !== undefined && { hours, wantedHours: wanted }), problem: noted };
}

/**
 * Wraps a question: a text with exactly one address is an order, may name an amount and hours, and leads to its card. At
 * the question for the address, an amount and hours that came before it, or come alone, are kept for the card.
 */
export function acceptOrders(step: Step<MoneyState>): Step<MoneyState> {
  const termsOf = (ctx: BotContext, text: string, state: MoneyState) =>
    termsBesideAddress(ctx, text, state, { takesNote: state.shared === true });
  return {
    ...step,
    async onText(ctx, state, typed) {
      const change = readChange(typed);
      const text = (change ? undefined : await withSavedAddress(ctx, typed)) ?? typed;
      const given = findAddressInput(text);
      if (given?.kind !== 'address') {
        const noted = step.asksForAddress && change && withNotedOrder(ctx, { ...state, ...change });
        const terms = step.asksForAddress && given?.kind === 'several' ? termsOf(ctx, text, state) : {};
        return noted || (step.onText?.(ctx, { ...state, ...terms }, text) ?? state);
      }
      const { address } = given;
      return {
        ...state,
        ...termsOf(ctx, text, state),
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
 * Returns the amount and hours in a text with an address, by default those known `before`. Among other words, a number
 * without a unit may be a sum of money, a time or a number in a list, unless it is in the range of energy. If a number
 * is ignored, a line above the next view names the amount that is used instead. `takesNote`: words beside the address
 * that aren't terms are the note of an order for a customer.
 */
export function termsBesideAddress(
  ctx: BotContext,
  text: string,
  before: EnergyTerms = {},
  { takesNote = false } = {},
): EnergyTerms & Partial<NotedOrder> {
  // In a forwarded message, the other words are the customer's.
  const said = ctx.message?.forward_origin ? '' : text;
  const noted = takesNote ? readNotedOrder(said) : undefined;
  if (noted) return { amount: before.amount, hours: before.hours, ...noted };
  const customer = readCustomer(said);
  if (customer !== undefined) addHeader(ctx, ctx.words.html('order-note-left', { note: customer }));
  const { amount = before.amount, hours = before.hours, isIgnored, refused } = readBesideAddress(text);
  const used = { amount: amount ?? ENERGY_PER_TRANSFER };
  const problem = refused === undefined ? undefined : amountProblem(ctx.words, refused);
  if (isTransferTo(text)) addHeader(ctx, ctx.words.html('order-for-recipient'));
  else if (isIgnored) addHeader(ctx, lines(problem, ctx.words.html('order-number-ignored', used)));
  return { ...(amount !== undefined && { amount }), ...(hours !== undefined && { hours }) };
}
