import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import {
  type AddressBook,
  isSameName,
  lookalike,
  NAME_LENGTH,
  namedAlike,
} from '../../accounts/address-book.ts';
import { answerData } from '../../i18n/callback-data.ts';
import { inFours } from '../../i18n/formats.ts';
import type { HelpTopic } from '../../i18n/help-topics.ts';
import type { Words } from '../../i18n/texts.ts';
import { lines, paragraphs } from '../../i18n/view.ts';
import { addressAmongWords, type GivenAddress, readGivenAddress } from '../../rental-api/address.ts';
import { printable } from '../../rental-api/printable.ts';
import { addressLabel, addressProblem, eitherOf, eitherRows, knownAddresses } from '../address-views.ts';
import { type Answer, wayOf } from '../answers.ts';
import type { BotContext } from '../context.ts';
import { type DialogueState, keptSchema, type Step } from '../dialogue.ts';
import { choiceStep } from './choice.ts';
import { answer, question } from './question.ts';

/** Maximum number of addresses on buttons. The others can be typed by name. */
const MAX_OFFERED = 6;
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
    return ordered.slice(0, MAX_OFFERED).map((one) => [answer(addressLabel(one.address, book), one.address)]);
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

const LENGTH = 6;

interface EndsState extends DialogueState {
  address?: string | undefined;
}

/**
 * Creates the question for the end of the address. A user who compares it character by character notices an address
 * that was replaced.
 */
export function addressEndsStep<State extends EndsState>(about: {
  take(state: State): State;
  back: string;
  help?: HelpTopic;
}): Step<State> {
  return {
    back: about.back,
    help: about.help,
    ask: ({ words }, { address = '' }) =>
      // Without its end, so that the user can't copy it from here.
      question(
        words,
        words.html('withdrawal-ends', { begins: address.slice(0, -LENGTH), count: LENGTH }),
        [],
      ),
    take({ words }, state, given) {
      const typed = given.kind === 'words' ? given.words.replace(/\s/g, '') : '';
      if (state.address !== undefined && typed === state.address.slice(-LENGTH)) return about.take(state);
      const isWhole = typed === state.address;
      const problem = words.html(isWhole ? 'problem-ends-whole' : 'problem-ends', { count: LENGTH });
      return { ...state, problem };
    },
  };
}

export const namingSchema = keptSchema.extend({
  address: z.string().optional(),
  name: z.string().optional(),
});

export type NamingState = DialogueState & z.infer<typeof namingSchema>;

/**
 * Steps, in groups by where the flow starts: with an address to ask for, with a given one (`keep`), or with a known one
 * (`rename`). `named` comes after the last question.
 */
export const NAMING = {
  address: 'address',
  sure: 'sure',
  name: 'name',
  keep: 'keep',
  rename: 'rename',
  named: 'named',
} as const;

/** Creates the questions for an address and its name. */
export function namingSteps({
  addressBook,
}: {
  addressBook: Pick<AddressBook, 'ahead'>;
}): Record<string, Step<NamingState>> {
  async function similar(ctx: BotContext, { address = '' }: NamingState): Promise<string | undefined> {
    return lookalike(address, await knownAddresses({ addressBook }, ctx));
  }

  async function named(ctx: BotContext, state: NamingState, said: string): Promise<NamingState> {
    const { words } = ctx;
    const name = printable(said, NAME_LENGTH + 1);
    // Names are rejected if they look like an address, contain the separator of button labels, or mean *Confirm*,
    // *Back* or *Cancel*.
    const isOther = /[0-9A-Za-z]{20,}|·/.test(name) || wayOf(name) !== undefined;
    const isNone = !/\p{L}/u.test(name) || [...name].length > NAME_LENGTH || isOther;
    if (isNone) return { ...state, problem: words.html('problem-address-name', { most: NAME_LENGTH }) };
    const other = namedAlike(await knownAddresses({ addressBook }, ctx), state.address, name);
    return other
      ? { ...state, problem: words.html('problem-address-name-taken', { name, address: other.address }) }
      : { ...state, name, step: NAMING.named };
  }

  /** Creates the question about an address that looks like a known one. It is skipped for all other addresses. */
  function sureStep(next: string, back?: string): Step<NamingState> {
    const asked = choiceStep<NamingState>({
      async ask(ctx, state) {
        const known = (await similar(ctx, state)) ?? '';
        const { words } = ctx;
        const compared = { known: inFours(known), given: inFours(state.address ?? '') };
        return { html: paragraphs(words.html('operation-lookalike', compared), words.html('address-sure')) };
      },
      choices: ({ words }) => [[answer(words.plain('button-address-save-anyway'), 'yes')]],
      take: (_ctx, state) => ({ ...state, step: next }),
      ...(back !== undefined && { back }),
    });
    return {
      ...asked,
      async known(ctx, state) {
        return (await similar(ctx, state)) === undefined ? { ...state, step: next } : undefined;
      },
    };
  }

  const nameStep = (back?: string): Step<NamingState> => ({
    ask: ({ words }, { address = '' }) =>
      question(words, words.html('address-name-ask', { address, most: NAME_LENGTH }), []),
    take: (ctx, state, given) => named(ctx, state, given.kind === 'words' ? given.words : given.value),
    ...(back !== undefined && { back }),
  });

  return {
    [NAMING.address]: {
      ask: ({ words }) => question(words, words.html('address-add-ask'), []),
      take({ words }, state, given) {
        const read = readGivenAddress(given.kind === 'words' ? given.words : given.value);
        return read.kind === 'address'
          ? { ...state, address: read.address, step: NAMING.sure }
          : { ...state, problem: addressProblem(words, read) };
      },
    },
    [NAMING.sure]: sureStep(NAMING.name, NAMING.address),
    [NAMING.name]: nameStep(NAMING.address),
    [NAMING.keep]: sureStep(NAMING.rename),
    [NAMING.rename]: nameStep(),
  };
}
