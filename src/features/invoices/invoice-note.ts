import { nameOf } from '../../accounts/address-book.ts';
import { addressBookOf } from '../../bot/address-input.ts';
import type { BotContext } from '../../bot/context.ts';
import { answerButton, type Step } from '../../bot/dialogue.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { CARD, type MoneyState } from '../../bot/money-flow.ts';
import { addHeader } from '../../bot/reply.ts';
import { termsBesideAddress } from '../../bot/steps/energy-order.ts';
import type { Words } from '../../i18n/texts.ts';
import { readChange } from '../../input/energy-terms.ts';
import { orderIn } from '../../input/invoice-text.ts';
import { readNotedOrder, withPreposition } from '../../input/order-text.ts';
import { controlWordOf } from '../../input/words.ts';
import { INVOICE_LIST } from '../../invoices/card.ts';
import type { Invoice } from '../../invoices/invoice.ts';
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
    const isOther = isAside(ctx, text) || controlWordOf(text) !== undefined;
    const offeredNote = isOther ? undefined : noteIn(text);
    if (offeredNote !== undefined) return { ...state, offeredNote };
    const { problem = ctx.words.html('problem-choice') } = readNote(ctx.words, state, text);
    return { ...state, problem };
  },
};

/** Returns whether a text asks for something else. *Order 15* may be a note. */
const isAside = ({ aside }: BotContext, text: string) =>
  orderIn(text) === undefined && (aside?.isExact === true || aside?.kind === 'talk');

/** `For Eve`, `для Зои`. */
const CUSTOMER = /^(?:for|для)\s+(\S.*)$/iu;
/** `Eve`, `Zoe Miller`. */
const BARE_NAME = /^(\p{Lu}\p{Ll}+(?:\s+\p{Lu}\p{Ll}+)?)$/u;
/** Name of a customer, also with the number of an order: `Zoe`, `Zoe Miller`, `Zoe order 15`, `order 15 again`. */
const NAME =
  /^(?=\P{L}*\p{L})([\p{L}\p{N}#№'’-]+(?:\s+[\p{L}\p{N}#№'’-]+){0,4}?)(?:\s+(?:again|снова|опять))?$/iu;
const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Customer as an earlier invoice names them. */
export type NotedInvoice = Pick<Invoice, 'address'> & { note: string };

/**
 * Wraps the question for a customer's address: a text that names the customer of an earlier invoice leads to that customer's
 * address, and any other one is the note. `notedInvoices`: a seller's, latest first.
 */
export function acceptCustomers(
  step: Step<MoneyState>,
  {
    notedInvoices,
    addressBook,
  }: Pick<FeatureDeps, 'addressBook'> & { notedInvoices(user: number): Promise<readonly NotedInvoice[]> },
): Step<MoneyState> {
  /** Returns the state after the customer that a text names, or after the question which of several. */
  async function findCustomer(ctx: BotContext, state: MoneyState, text: string) {
    const [, name] = NAME.exec(text.trim()) ?? [];
    if (!state.shared || name === undefined || isAside(ctx, text) || findAddressInput(text)) return undefined;
    const sought = wordsIn(name);
    const isNamed = ({ note }: NotedInvoice) => {
      const words = wordsIn(note);
      return sought.every((word) => words.includes(word));
    };
    const found = (await notedInvoices(ctx.from.id)).filter(isNamed);
    const addresses = [...new Set(found.map(({ address }) => address))];
    if (addresses.length === 0) return undefined;
    const next = await step.onText?.(ctx, { ...state, givenAddress: undefined }, addresses.join(' '));
    return next?.step === CARD ? { ...next, note: state.note ?? found[0]?.note } : next;
  }

  function noteCustomer(ctx: BotContext, state: MoneyState, text: string): MoneyState | undefined {
    const { words, aside } = ctx;
    const form = aside === undefined && BARE_NAME.test(text.trim()) ? BARE_NAME : CUSTOMER;
    const [, name] = form.exec(text.trim()) ?? [];
    if (!state.shared || name === undefined || readChange(text) || findAddressInput(text)) return undefined;
    const note = noteIn(withPreposition(name, text));
    if (note === undefined) return undefined;
    return { ...state, givenAddress: undefined, note, problem: words.html('invoice-note-kept', { note }) };
  }
  return {
    ...step,
    async onText(ctx, state, text) {
      const next = (await step.onText?.(ctx, state, text)) ?? state;
      if (next.problem === undefined) return next;
      return (await findCustomer(ctx, state, text)) ?? noteCustomer(ctx, state, text) ?? next;
    },
    /** The note of an address that has no name is on its button. */
    async onChoice(ctx, state, value, isTapped) {
      const next = (await step.onChoice?.(ctx, state, value, isTapped)) ?? state;
      const { address } = next;
      if (!state.shared || state.note !== undefined || address === undefined) return next;
      if (nameOf(await addressBookOf({ addressBook }, ctx), address) !== undefined) return next;
      const earlier = (await notedInvoices(ctx.from.id)).find((one) => one.address === address);
      return { ...next, note: earlier?.note };
    },
    /** After the command, the last word was read as the address: `/invoice for Eve`. */
    async stateIfKnown(ctx, state) {
      const next = await step.stateIfKnown?.(ctx, state);
      if (next?.problem === undefined) return next;
      const said = `${state.note ?? ''} ${state.givenAddress ?? ''}`.trim();
      const found = await findCustomer(ctx, { ...state, note: undefined }, said);
      return found ?? noteCustomer(ctx, state, said) ?? next;
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
