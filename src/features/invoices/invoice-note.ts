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

/** Name of the question whether a text below a merchant's card is the note. */
export const OFFERED_NOTE = 'offered-note';

/** Asks whether a text below a merchant's card is the note. Another text is one. */
export const offeredNoteStep: Step<MoneyState> = {
  ...invoiceNoteStep,
  ask: ({ words }, { offeredNote = '' }) => words.html('invoice-note-offered', { note: offeredNote }),
  choices: ({ words }) => [
    [answerButton(words.plain('button-note-add'), 'add')],
    [answerButton(words.plain('button-skip'), 'none')],
  ],
  onChoice: (_ctx, { offeredNote, ...state }, value) => ({
    ...state,
    ...(value === 'add' && { note: offeredNote }),
    step: CARD,
  }),
  onText({ words }, state, text) {
    const next = readNote(words, state, text);
    return next.problem === undefined ? next : { ...next, step: OFFERED_NOTE };
  },
};

/** Returns the note that a text can be, or `undefined` if it can be none or is a question. */
export function noteIn(text: string): string | undefined {
  const note = toPrintable(text, NOTE_LENGTH + 1);
  const isShort = note !== '' && [...note].length <= NOTE_LENGTH;
  return isShort && !/[?？]$/.test(note) && payerNoteProblem(note) === undefined ? note : undefined;
}

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
