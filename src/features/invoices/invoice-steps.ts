import { answerButton, applyAnswer, type Step } from '../../bot/dialogue.ts';
import { CARD, type MoneyState } from '../../bot/money-flow.ts';
import { parseWholeNumber } from '../../bot/steps/amounts.ts';
import { lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import {
  ENERGY_MAX,
  ENERGY_MIN,
  findAddresses,
  INVOICE_TRANSFERS_MAX,
  INVOICE_TRANSFERS_MIN,
} from '../../rental-api/tron.ts';
import { payerNoteProblem } from './payer-note.ts';

const COMMON_COUNTS = [1, 2, 5, 10];

const AMOUNT_RANGES = {
  min: INVOICE_TRANSFERS_MIN,
  max: INVOICE_TRANSFERS_MAX,
  least: ENERGY_MIN,
  greatest: ENERGY_MAX,
};

/** Asks for an invoice's transfers or energy. The size of the number decides which is meant. */
export const invoiceAmountStep: Step<MoneyState> = {
  help: 'amount',
  back: 'address',
  ask: ({ words }, { address = '' }) => words.html('invoice-amount', { address, ...AMOUNT_RANGES }),
  choices: () => [COMMON_COUNTS.map((count) => answerButton(String(count), count))],
  onText({ words }, state, text) {
    const number = parseWholeNumber(text) ?? 0;
    if (number >= INVOICE_TRANSFERS_MIN && number <= INVOICE_TRANSFERS_MAX)
      return { ...state, transfers: number, amount: undefined, step: 'duration' };
    if (number >= ENERGY_MIN && number <= ENERGY_MAX)
      return { ...state, amount: number, transfers: undefined, step: 'duration' };
    return { ...state, problem: words.html('problem-invoice-amount', AMOUNT_RANGES) };
  },
};

const NOTE_LENGTH = 100;

const withoutNote = (state: MoneyState): MoneyState => ({ ...state, note: undefined, step: CARD });

/** Asks for a merchant's note to the payer: one line without links and addresses. */
export const invoiceNoteStep: Step<MoneyState> = {
  back: 'duration',
  ask: ({ words }) => words.html('invoice-note', { max: NOTE_LENGTH }),
  choices: ({ words }) => [[answerButton(words.plain('button-no-note'), 'none')]],
  onChoice: (_ctx, state) => withoutNote(state),
  onText({ words }, state, text) {
    const note = toPrintable(text, NOTE_LENGTH + 1);
    if (note === '' || [...note].length > NOTE_LENGTH)
      return { ...state, problem: words.html('problem-invoice-note', { max: NOTE_LENGTH }) };
    const problem = payerNoteProblem(note);
    return problem === undefined
      ? { ...state, note, step: CARD }
      : { ...state, problem: words.html(`problem-invoice-note-${problem}`) };
  },
  stateIfOmitted: withoutNote,
};

/** Repeats an invoice for another customer, with a new note. `elsewhere`: step for another address. */
export function repeatInvoiceStep(
  elsewhere: string,
  title: (words: Words, state: MoneyState) => string,
): Step<MoneyState> {
  const { back: _, ...note } = invoiceNoteStep;
  return {
    ...note,
    ask: ({ words }, state) =>
      paragraphs(
        lines(title(words, state), words.html('operation-address', { address: state.address ?? '' })),
        words.html('invoice-same-note', { max: NOTE_LENGTH }),
      ),
    choices: ({ words }) => [
      [answerButton(words.plain('button-no-note'), 'none')],
      [answerButton(words.plain('button-other-address'), elsewhere)],
    ],
    onChoice: (_ctx, state, value) =>
      value === elsewhere ? { ...state, step: elsewhere } : withoutNote(state),
    onText(ctx, state, text) {
      const [address] = findAddresses(text);
      // In a note, a payer would take an address for where to pay. Here it can only be the customer's.
      return address === undefined
        ? applyAnswer(ctx, state, note, { kind: 'text', text })
        : { ...state, address };
    },
  };
}
