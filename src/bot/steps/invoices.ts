import { formatCount } from '../../i18n/formats.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines, paragraphs } from '../../i18n/view.ts';
import { findAddresses } from '../../rental-api/address.ts';
import {
  ENERGY_MAX,
  ENERGY_MIN,
  INVOICE_TRANSFERS_MAX,
  INVOICE_TRANSFERS_MIN,
} from '../../rental-api/amounts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import type { BotContext } from '../context.ts';
import { answerButton, type Step } from '../dialogue.ts';
import { payerNoteProblem } from '../invoice-cards.ts';
import type { MoneyState } from '../money-flow.ts';
import type { EnergyPrices } from '../quotes.ts';
import { energyHourButtons, parseHours, parseWholeNumber, withDefaultHours } from './amounts.ts';
import { choiceStep } from './choice.ts';

const COMMON_COUNTS = [1, 2, 5, 10];
export const NOTE_LENGTH = 100;

function ranges(language: string) {
  return {
    min: String(INVOICE_TRANSFERS_MIN),
    max: String(INVOICE_TRANSFERS_MAX),
    least: formatCount(ENERGY_MIN, language),
    greatest: formatCount(ENERGY_MAX, language),
  };
}

/**
 * Creates the question for the number of transfers or the amount of energy. The size of the number decides which one is
 * meant.
 */
export function invoiceAmountStep(): Step<MoneyState> {
  return choiceStep<MoneyState>({
    help: 'amount',
    ask: ({ words }, { address = '' }) => ({
      html: words.html('invoice-amount', { address, ...ranges(words.language) }),
    }),
    choices: () => [COMMON_COUNTS.map((count) => answerButton(String(count), count))],
    onChoice: (_ctx, state, value) => ({
      ...state,
      transfers: Number(value),
      amount: undefined,
      step: 'duration',
    }),
    onText({ words }, state, said) {
      const number = parseWholeNumber(said) ?? 0;
      if (number >= INVOICE_TRANSFERS_MIN && number <= INVOICE_TRANSFERS_MAX)
        return { ...state, transfers: number, amount: undefined, step: 'duration' };
      if (number >= ENERGY_MIN && number <= ENERGY_MAX)
        return { ...state, amount: number, transfers: undefined, step: 'duration' };
      return { ...state, problem: words.html('problem-invoice-amount', ranges(words.language)) };
    },
    back: 'address',
  });
}

/**
 * Creates the question for the hours. `prices` returns estimates; the invoice contains the actual price. `next`: step
 * after the question.
 */
export function invoiceDurationStep(
  prices: (ctx: BotContext, state: MoneyState) => Promise<EnergyPrices>,
  next: (state: MoneyState) => string,
): Step<MoneyState> {
  const asked = choiceStep<MoneyState>({
    help: 'duration',
    async ask(ctx, state) {
      const html = ctx.words.html('invoice-duration', { address: state.address ?? '' });
      return { html, buttons: energyHourButtons(ctx.words, await prices(ctx, state)) };
    },
    choices: ({ words }) => energyHourButtons(words),
    onChoice: (_ctx, state, value) => ({ ...state, hours: Number(value), step: next(state) }),
    onText({ words }, state, said) {
      const hours = parseHours(said);
      if (hours !== undefined) return { ...state, hours, step: next(state) };
      return { ...state, problem: words.html('problem-energy-duration') };
    },
    back: 'amount',
  });
  return withDefaultHours(asked, next);
}

/** Creates the question for a merchant's note to the payer: one line of plain text, without links and addresses. */
export function invoiceNoteStep(next: string): Step<MoneyState> {
  return noteStep(next, {
    ask: ({ words }) => words.html('invoice-note', { max: NOTE_LENGTH }),
    back: 'duration',
  });
}

/**
 * Creates the question that repeats an invoice for another customer. Everything stays the same, also the address,
 * except the note. `elsewhere`: step that asks for another address.
 */
export function repeatInvoiceStep(
  next: string,
  elsewhere: string,
  title: (words: Words, state: MoneyState) => string,
) {
  return noteStep(next, {
    ask: ({ words }, state) =>
      paragraphs(
        lines(
          words.html('invoice-same-again', { title: title(words, state) }),
          words.html('operation-address', { address: state.address ?? '' }),
        ),
        words.html('invoice-same-note', { max: NOTE_LENGTH }),
      ),
    elsewhere,
  });
}

function noteStep(
  next: string,
  about: { ask(ctx: BotContext, state: MoneyState): string; back?: string; elsewhere?: string },
): Step<MoneyState> {
  const { ask, back, elsewhere } = about;
  const asked = choiceStep<MoneyState>({
    ask: (ctx, state) => ({ html: ask(ctx, state) }),
    choices: ({ words }: BotContext) => [
      [answerButton(words.plain('button-no-note'), 'none')],
      ...(elsewhere === undefined ? [] : [[answerButton(words.plain('button-other-address'), elsewhere)]]),
    ],
    onChoice: (_ctx, state, value) =>
      value === elsewhere ? { ...state, step: elsewhere } : { ...state, note: undefined, step: next },
    onText({ words }, state, said) {
      const [address] = findAddresses(said);
      // In a note, a payer would take an address for where to pay. Here it can only be the customer's.
      if (address !== undefined && elsewhere !== undefined) return { ...state, address };
      const note = toPrintable(said, NOTE_LENGTH + 1);
      if (note === '' || [...note].length > NOTE_LENGTH)
        return { ...state, problem: words.html('problem-invoice-note', { max: NOTE_LENGTH }) };
      const problem = payerNoteProblem(note);
      return problem === undefined
        ? { ...state, note, step: next }
        : { ...state, problem: words.html(`problem-invoice-note-${problem}`) };
    },
    ...(back !== undefined && { back }),
  });
  return { ...asked, stateIfOmitted: (state) => ({ ...state, note: undefined, step: next }) };
}
