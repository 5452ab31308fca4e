import type { InlineKeyboardButton } from 'grammy/types';
import { type AddressBook, findSavedName, type KnownAddress } from '../../accounts/address-book.ts';
import type { Words } from '../../i18n/texts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { type AddressInput, findAddressInput, readAddressInput } from '../../rental-api/tron.ts';
import { addressChoiceRows, addressChoicesOf, addressProblem } from '../../views/address-problem.ts';
import { answerData } from '../../views/callback-data.ts';
import { addressBookOf, addressLabel } from '../address-input.ts';
import type { BotContext } from '../context.ts';
import { answerButton, type DialogueState, type Step } from '../dialogue.ts';
import { addHeader } from '../reply.ts';

const MAX_OFFERED = 6;
const MAX_QUOTED_LENGTH = 40;

interface AddressState extends DialogueState {
  givenAddress?: string | undefined;
  addressChoices?: string[] | undefined;
  /** Set if the address is a customer's. Then only those of customers and named ones are offered, and otherwise no customer's. */
  shared?: boolean | undefined;
}

/** Creates the question for an address. Known addresses are offered as buttons and can be typed by name. */
export function addressStep<State extends AddressState>(about: {
  addressBook: Pick<AddressBook, 'readAhead'>;
  ask(words: Words, state: State): string;
  /** Returns why a valid address can't be used, in Telegram's HTML. */
  rejectionOf?(ctx: BotContext, address: string): Promise<string | undefined>;
  onAnswer(state: State, address: string): State;
  back?: string;
  usesDefault?(ctx: BotContext, state: State): boolean;
  /** Returns those of the known addresses that are offered as buttons, with the names to show. By default all are. */
  offered?(ctx: BotContext, known: readonly KnownAddress[], state: AddressState): Promise<KnownAddress[]>;
  help?: string;
}): Step<State> {
  async function choices(ctx: BotContext, state: State): Promise<InlineKeyboardButton[][]> {
    const { addressChoices, shared = false } = state;
    if (addressChoices) return addressChoiceRows(ctx.words, addressChoices, answerData);
    const book = await addressBookOf(about, ctx);
    const isPreferred = ({ address, isCustomers }: KnownAddress) =>
      shared ? isCustomers === true : address === book.defaultAddress;
    const ordered = [
      ...book.addresses.filter(isPreferred),
      // Addresses without a name that aren't customers' are the user's own.
      ...book.addresses.filter((one) => !isPreferred(one) && (shared ? one.name : !one.isCustomers)),
    ];
    const addresses = (await about.offered?.(ctx, ordered, state)) ?? ordered;
    return addresses
      .slice(0, MAX_OFFERED)
      .map(({ address }) => [answerButton(addressLabel(address, { ...book, addresses }), address)]);
  }

  async function applyText(ctx: BotContext, state: State, text: string): Promise<State> {
    const named = findAddressInput(text) ? undefined : findSavedName(text, await addressBookOf(about, ctx));
    return applyAddress(ctx, state, readAddressInput(named?.address ?? text));
  }

  async function applyAddress(ctx: BotContext, before: State, read: AddressInput): Promise<State> {
    const state: State = { ...before, givenAddress: undefined, addressChoices: undefined };
    if (read.kind === 'address') {
      const problem = await about.rejectionOf?.(ctx, read.address);
      return problem === undefined ? about.onAnswer(state, read.address) : { ...state, problem };
    }
    const choices = addressChoicesOf(read);
    const addressChoices = choices.length > 0 ? choices : undefined;
    return { ...state, addressChoices, problem: addressProblem(ctx.words, read) };
  }

  return {
    back: about.back,
    help: about.help,
    choices,
    ask: ({ words }, state) => about.ask(words, state),
    onChoice: (ctx, state, value) => applyAddress(ctx, state, readAddressInput(value)),
    onText: applyText,
    async stateIfKnown(ctx, state) {
      const book = await addressBookOf(about, ctx);
      const preferred = about.usesDefault?.(ctx, state) ? book.defaultAddress : undefined;
      if (state.givenAddress === undefined && preferred !== undefined)
        addHeader(ctx, ctx.words.html('address-default-taken', { label: addressLabel(preferred, book) }));
      const given = state.givenAddress ?? preferred;
      if (given === undefined) return undefined;
      const next = await applyText(ctx, state, given);
      // The text doesn't look like an address, so the problem asks which one was meant.
      if (next.problem === undefined || findAddressInput(given) !== undefined) return next;
      const said = toPrintable(given, MAX_QUOTED_LENGTH);
      return { ...next, problem: ctx.words.html('problem-address-unknown', { said }) };
    },
    asksForAddress: true,
  };
}
