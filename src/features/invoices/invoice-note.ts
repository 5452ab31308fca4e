import { answerButton, type Step } from '../../bot/dialogue.ts';
import { CARD, type MoneyState } from '../../bot/money-flow.ts';
import { addHeader } from '../../bot/reply.ts';
import { termsBesideAddress } from '../../bot/steps/energy-order.ts';
import type { Words } from '../../i18n/texts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { findAddressInput } from '../../rental-api/tron.ts';
import { payerNoteProblem } from './payer-note.ts';

const NOTE_LENGTH = 100;
/** Name of the question for a note. */
export const NOTE = 'note';

/** Asks for a merchant's note to the payer: one line without links and addresses. */
export const invoiceNoteStep: Step<MoneyState> = {
  back: CARD,
  asksForAny: 'text',
  ask: ({ words }) => words.html('invoice-note', { max: NOTE_LENGTH }),
  choices: ({ words }) => [[answerButton(words.plain('button-skip'), 'none')]],
  onChoice: (_ctx, state) => ({ ...state, note: undefined, step: CARD }),
  onText(ctx, state, text) {
    const [word = ''] = text.trim().split(/\s+/);
    const next = findAddressInput(word);
    // The order of the next customer, in the same form as without an open question.
    if (next?.kind === 'address' && next.address !== state.address) {
      addHeader(ctx, ctx.words.html('card-left'));
      const terms = termsBesideAddress(ctx, text, {}, { takesNote: true });
      return { step: CARD, shared: state.shared, address: next.address, ...terms };
    }
    return readNote(ctx.words, state, text);
  },
};

/** Returns the state with a note from a text. Leads to the card, or to the question if the text can't be a note. */
export function readNote(words: Words, state: MoneyState, text: string): MoneyState {
  const note = toPrintable(text, NOTE_LENGTH + 1);
  if (note === '' || [...note].length > NOTE_LENGTH)
    return { ...state, step: NOTE, problem: words.html('problem-invoice-note', { max: NOTE_LENGTH }) };
  const problem = payerNoteProblem(note);
  return problem === undefined
    ? { ...state, note, step: CARD }
    : { ...state, step: NOTE, problem: words.html(`problem-invoice-note-${problem}`) };
}
