import type { InlineKeyboardButton } from 'grammy/types';
import type { AddressBook } from '../../accounts/address-book.ts';
import { isSameName } from '../../accounts/address-book.ts';
import { answerData } from '../../i18n/callback-data.ts';
import type { HelpTopic } from '../../i18n/help-topics.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines } from '../../i18n/view.ts';
import { addressAmongWords, type GivenAddress, readGivenAddress } from '../../rental-api/address.ts';
import { printable } from '../../rental-api/printable.ts';
import { addressProblem, eitherOf, eitherRows } from '../address-problem.ts';
import type { Answer } from '../answers.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { addressLabel, knownAddresses } from '../known-addresses.ts';
import { answer, question } from './question.ts';

/** Maximum number of addresses on buttons. The others can be typed by name. */
const MOST_OFFERED = 6;
/** Maximum number of characters shown of a text that names no address. */
const SAID_SHOWN = 40;

interface AddressState extends DialogueState {
  /** Address that the user gave before this question. */
  to?: string | undefined;
  /** Addresses that the user must choose between. */
  either?: string[] | undefined;
}

/** Creates the question for an address. Known addresses are offered as buttons and can be typed by name. */
export function addressStep<State extends AddressState>(about: {
  addressBook: Pick<AddressBook, 'ahead'>;
  /** `known`: whether there are addresses to choose from. */
  ask(words: Words, known: 'yes' | 'no', state: State): string;
  /** Returns why a valid address can't be used, in Telegram's HTML. */
  refuse?(ctx: BotContext, address: string): Promise<string | undefined>;
  take(state: State, address: string): State;
  back?: string;
  /** Returns whether the user's default address is used without asking. */
  usesDefault?(ctx: BotContext, state: State): boolean;
  help?: HelpTopic;
}): Step<State> {
  async function choices(ctx: BotContext, { either }: State): Promise<InlineKeyboardButton[][]> {
    if (either) return eitherRows(either, answerData);
    const book = await knownAddresses(about, ctx);
    const isPreferred = ({ address }: { address: string }) => address === book.preferred;
    const ordered = [
      ...book.addresses.filter(isPreferred),
      ...book.addresses.filter((one) => !isPreferred(one)),
    ];
    return ordered
      .slice(0, MOST_OFFERED)
      .map((one) => [answer(addressLabel(one.address, book), one.address)]);
  }

  async function meant(ctx: BotContext, given: Answer): Promise<GivenAddress> {
    if (given.kind === 'choice') return readGivenAddress(given.value);
    const { addresses } = await knownAddresses(about, ctx);
    const named = addresses.find(({ name }) => isSameName(name, given.words.trim()));
    return named ? { kind: 'address', address: named.address } : readGivenAddress(given.words);
  }

  async function take(ctx: BotContext, before: State, given: Answer): Promise<State> {
    const state = { ...before, to: undefined, either: undefined };
    const read = await meant(ctx, given);
    if (read.kind === 'address') {
      const problem = await about.refuse?.(ctx, read.address);
      return problem === undefined ? about.take(state, read.address) : { ...state, problem };
    }
    const several = eitherOf(read);
    const either = several.length > 0 ? several : undefined;
    return { ...state, either, problem: addressProblem(ctx.words, read) };
  }

  return {
    ...(about.back !== undefined && { back: about.back }),
    help: about.help,
    choices,
    async ask(ctx, state) {
      const known = await choices(ctx, state);
      return question(ctx.words, about.ask(ctx.words, known.length > 0 ? 'yes' : 'no', state), known);
    },
    take,
    async known(ctx, state) {
      const book = await knownAddresses(about, ctx);
      const preferred = about.usesDefault?.(ctx, state) ? book.preferred : undefined;
      if (state.to === undefined && preferred !== undefined)
        ctx.lead = lines(
          ctx.lead,
          ctx.words.html('address-default-taken', { label: addressLabel(preferred, book) }),
        );
      const words = state.to ?? preferred;
      if (words === undefined) return undefined;
      const next = await take(ctx, state, { kind: 'words', words });
      // The text doesn't look like an address, so the problem asks which one was meant.
      return next.problem === undefined || addressAmongWords(words) !== undefined
        ? next
        : {
            ...next,
            problem: ctx.words.html('problem-address-unknown', { said: printable(words, SAID_SHOWN) }),
          };
    },
    takesAddress: true,
  };
}
