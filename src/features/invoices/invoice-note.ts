import type { BotContext } from '../../bot/context.ts';
import { answerButton, type Step } from '../../bot/dialogue.ts';
import { CARD, type MoneyState } from '../../bot/money-flow.ts';
import { addHeader } from '../../bot/reply.ts';
import { termsBesideAddress } from '../../bot/steps/energy-order.ts';
import type { Words } from '../../i18n/texts.ts';
import { readChange } from '../../input/energy-terms.ts';
import { orderIn } from '../../input/invoice-text.ts';
import { readNotedOrder, withPreposition } from '../../input/order-text.ts';
import { controlWordOf } from '../../input/words.ts';
import { INVOICE_LIST } from '../../invoices/card.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { findAddressInput } from '../../rental-api/tron.ts';
import { payerNoteProblem } from './payer-note.ts';

const NOTE_LENGTH = 100;
/** Name of the question for a note. */
export const NOTE = 'note';

/** Asks for a merchant's note to the payer, or for another one: one line without links and addresses. */
export const invoiceNoteStep: Step<MoneyState> = {
  back: CARD,
  asksForAny: 'text',
  ask: ({ words }, { note = 'none' }) => words.html('invoice-note', { note, max: NOTE_LENGTH }),
  choices: ({ words }, { note }) =>
    note === undefined
      ? [[answerButton(words.plain('button-skip'), 'none')]]
      : [
          [
            answerButton(words.plain('button-note-keep'), 'keep'),
            answerButton(words.plain('button-note-remove'), 'none'),
          ],
        ],
  onChoice: (_ctx, state, value) => ({ ...state, ...(value === 'none' && { note: undefined }), step: CARD }),
  onText(ctx, state, text) {
    const [word = ''] = text.trim().split(/\s+/);
    const isOrder = findAddressInput(word)?.kind === 'address' || readNotedOrder(text) !== undefined;
    const order = isOrder && orderFrom(ctx, state, text);
    if (order) return order;
    const { aside } = ctx;
    const isQuestion = aside?.kind === 'feature' && aside.isExact && aside.name === INVOICE_LIST;
    const offeredNote =
      isQuestion && orderIn(text) === undefined ? noteIn(text.replace(/[?？]+$/, '')) : undefined;
    return offeredNote === undefined
      ? readNote(ctx.words, state, text)
      : { ...state, offeredNote, step: OFFERED_NOTE };
  },
};

/** Name of the question whether a text below a merchant's card is the note. */
export const OFFERED_NOTE = 'offered-note';

/** Asks whether a text below a merchant's card is the note, and asks the same about another text. */
export const offeredNoteStep: Step<MoneyState> = {
  back: CARD,
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
  onText(ctx, state, text) {
    const order = orderFrom(ctx, state, text);
    if (order) return order;
    const isOther = ctx.aside?.isExact === true || ctx.aside?.kind === 'talk';
    const offeredNote = isOther || controlWordOf(text) !== undefined ? undefined : noteIn(text);
    if (offeredNote !== undefined) return { ...state, offeredNote };
    const { problem = ctx.words.html('problem-choice') } = readNote(ctx.words, state, text);
    return { ...state, problem };
  },
};

/** `For Eve`, `для Зои`. */
const CUSTOMER = /^(?:for|для)\s+(\S.*)$/iu;

/** Wraps the question for a customer's address: a text that names the customer is the note. */
export function acceptCustomers(step: Step<MoneyState>): Step<MoneyState> {
  function noteCustomer({ words }: BotContext, state: MoneyState, text: string): MoneyState | undefined {
    const [, name] = CUSTOMER.exec(text.trim()) ?? [];
    if (!state.shared || name === undefined || readChange(text) || findAddressInput(text)) return undefined;
    const note = noteIn(withPreposition(name, text));
    if (note === undefined) return undefined;
    return { ...state, givenAddress: undefined, note, problem: words.html('invoice-note-kept', { note }) };
  }
  return {
    ...step,
    async onText(ctx, state, text) {
      const next = await step.onText?.(ctx, state, text);
      return (next?.problem !== undefined && noteCustomer(ctx, state, text)) || (next ?? state);
    },
    /** After the command, the last word was read as the address: `/invoice for Eve`. */
    async stateIfKnown(ctx, state) {
      const next = await step.stateIfKnown?.(ctx, state);
      const said = `${state.note ?? ''} ${state.givenAddress ?? ''}`;
      return (next?.problem !== undefined && noteCustomer(ctx, state, said)) || next;
    },
  };
}

/**
 * Returns the order in a text with an address, in the same form as without an open question, or `undefined` without one. The
 * address of the open card changes that card.
 */
function orderFrom(
  ctx: BotContext,
  { offeredNote: _, ...state }: MoneyState,
  text: string,
): MoneyState | undefined {
  const given = findAddressInput(text);
  if (given?.kind !== 'address') return undefined;
  const { address } = given;
  if (address === state.address)
    return { ...state, ...termsBesideAddress(ctx, text, state, { takesNote: true }), step: CARD };
  addHeader(ctx, ctx.words.html('card-left'));
  const terms = termsBesideAddress(ctx, text, {}, { takesNote: true });
  return { step: CARD, shared: state.shared, address, ...terms };
}

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
