import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import {
  type AddressBook,
  findByName,
  findLookalike,
  isSameName,
  MAX_NAME_LENGTH,
} from '../../accounts/address-book.ts';
import { groupInFours } from '../../i18n/formats.ts';
import type { HelpTopic } from '../../i18n/shared-views.ts';
import type { Words } from '../../i18n/texts.ts';
import { answerData, lines, paragraphs } from '../../i18n/view.ts';
import { type AddressInput, findAddressInput, readAddressInput } from '../../rental-api/address.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import {
  addressBookOf,
  addressChoiceRows,
  addressChoicesOf,
  addressLabel,
  addressProblem,
} from '../address-views.ts';
import type { BotContext } from '../context.ts';
import {
  type Answer,
  answerButton,
  controlWordOf,
  type DialogueState,
  dialogueStateSchema,
  questionView,
  type Step,
} from '../dialogue.ts';
import { choiceStep } from './choice.ts';

/** Maximum number of addresses on buttons. The others can be typed by name. */
const MAX_OFFERED = 6;
/** Maximum number of characters shown of a text that names no address. */
const SAID_SHOWN = 40;

interface AddressState extends DialogueState {
  /** Address that the user gave before this question. */
  givenAddress?: string | undefined;
  /** Addresses that the user must choose between. */
  addressChoices?: string[] | undefined;
}

/** Creates the question for an address. Known addresses are offered as buttons and can be typed by name. */
export function addressStep<State extends AddressState>(about: {
  addressBook: Pick<AddressBook, 'readAhead'>;
  /** `known`: whether there are addresses to choose from. */
  ask(words: Words, known: 'yes' | 'no', state: State): string;
  /** Returns why a valid address can't be used, in Telegram's HTML. */
  rejectionOf?(ctx: BotContext, address: string): Promise<string | undefined>;
  onAnswer(state: State, address: string): State;
  back?: string;
  /** Returns whether the user's default address is used without asking. */
  usesDefault?(ctx: BotContext, state: State): boolean;
  help?: HelpTopic;
}): Step<State> {
  async function choices(ctx: BotContext, { addressChoices }: State): Promise<InlineKeyboardButton[][]> {
    if (addressChoices) return addressChoiceRows(addressChoices, answerData);
    const book = await addressBookOf(about, ctx);
    const isPreferred = ({ address }: { address: string }) => address === book.defaultAddress;
    const ordered = [
      ...book.addresses.filter(isPreferred),
      ...book.addresses.filter((one) => !isPreferred(one)),
    ];
    return ordered
      .slice(0, MAX_OFFERED)
      .map((one) => [answerButton(addressLabel(one.address, book), one.address)]);
  }

  async function parseAnswer(ctx: BotContext, given: Answer): Promise<AddressInput> {
    if (given.kind === 'choice') return readAddressInput(given.value);
    const { addresses } = await addressBookOf(about, ctx);
    const named = addresses.find(({ name }) => isSameName(name, given.text.trim()));
    return named ? { kind: 'address', address: named.address } : readAddressInput(given.text);
  }

  async function take(ctx: BotContext, before: State, given: Answer): Promise<State> {
    const state: State = { ...before, givenAddress: undefined, addressChoices: undefined };
    const read = await parseAnswer(ctx, given);
    if (read.kind === 'address') {
      const problem = await about.rejectionOf?.(ctx, read.address);
      return problem === undefined ? about.onAnswer(state, read.address) : { ...state, problem };
    }
    const choices = addressChoicesOf(read);
    const addressChoices = choices.length > 0 ? choices : undefined;
    return { ...state, addressChoices, problem: addressProblem(ctx.words, read) };
  }

  return {
    ...(about.back !== undefined && { back: about.back }),
    help: about.help,
    choices,
    async ask(ctx, state) {
      const known = await choices(ctx, state);
      return questionView(ctx.words, about.ask(ctx.words, known.length > 0 ? 'yes' : 'no', state), known);
    },
    onAnswer: take,
    async stateIfKnown(ctx, state) {
      const book = await addressBookOf(about, ctx);
      const preferred = about.usesDefault?.(ctx, state) ? book.defaultAddress : undefined;
      if (state.givenAddress === undefined && preferred !== undefined)
        ctx.headerHtml = lines(
          ctx.headerHtml,
          ctx.words.html('address-default-taken', { label: addressLabel(preferred, book) }),
        );
      const words = state.givenAddress ?? preferred;
      if (words === undefined) return undefined;
      const next = await take(ctx, state, { kind: 'text', text: words });
      // The text doesn't look like an address, so the problem asks which one was meant.
      return next.problem === undefined || findAddressInput(words) !== undefined
        ? next
        : {
            ...next,
            problem: ctx.words.html('problem-address-unknown', { said: toPrintable(words, SAID_SHOWN) }),
          };
    },
    asksForAddress: true,
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
  onAnswer(state: State): State;
  back: string;
  help?: HelpTopic;
}): Step<State> {
  return {
    back: about.back,
    help: about.help,
    ask: ({ words }, { address = '' }) =>
      // Without its end, so that the user can't copy it from here.
      questionView(
        words,
        words.html('withdrawal-ends', { begins: address.slice(0, -LENGTH), count: LENGTH }),
        [],
      ),
    onAnswer({ words }, state, given) {
      const typed = given.kind === 'text' ? given.text.replace(/\s/g, '') : '';
      if (state.address !== undefined && typed === state.address.slice(-LENGTH)) return about.onAnswer(state);
      const isWhole = typed === state.address;
      const problem = words.html(isWhole ? 'problem-ends-whole' : 'problem-ends', { count: LENGTH });
      return { ...state, problem };
    },
  };
}

export const namingSchema = dialogueStateSchema.extend({
  address: z.string().optional(),
  name: z.string().optional(),
});

export type NamingState = DialogueState & z.infer<typeof namingSchema>;

/**
 * Steps, in groups by where the flow starts: with an address to ask for, with a given one (`keep`), or with a known one
 * (`rename`). `named` comes after the last question.
 */
export const NAMING_STEPS = {
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
  addressBook: Pick<AddressBook, 'readAhead'>;
}): Record<string, Step<NamingState>> {
  async function similar(ctx: BotContext, { address = '' }: NamingState): Promise<string | undefined> {
    return findLookalike(address, await addressBookOf({ addressBook }, ctx));
  }

  async function acceptName(ctx: BotContext, state: NamingState, said: string): Promise<NamingState> {
    const { words } = ctx;
    const name = toPrintable(said, MAX_NAME_LENGTH + 1);
    // Names are rejected if they look like an address, contain the separator of button labels, or mean *Confirm*,
    // *Back* or *Cancel*.
    const isOther = /[0-9A-Za-z]{20,}|·/.test(name) || controlWordOf(name) !== undefined;
    const isNone = !/\p{L}/u.test(name) || [...name].length > MAX_NAME_LENGTH || isOther;
    if (isNone) return { ...state, problem: words.html('problem-address-name', { most: MAX_NAME_LENGTH }) };
    const other = findByName(await addressBookOf({ addressBook }, ctx), state.address, name);
    return other
      ? { ...state, problem: words.html('problem-address-name-taken', { name, address: other.address }) }
      : { ...state, name, step: NAMING_STEPS.named };
  }

  /** Creates the question about an address that looks like a known one. It is skipped for all other addresses. */
  function lookalikeStep(next: string, back?: string): Step<NamingState> {
    const asked = choiceStep<NamingState>({
      async ask(ctx, state) {
        const known = (await similar(ctx, state)) ?? '';
        const { words } = ctx;
        const compared = { known: groupInFours(known), given: groupInFours(state.address ?? '') };
        return { html: paragraphs(words.html('operation-lookalike', compared), words.html('address-sure')) };
      },
      choices: ({ words }) => [[answerButton(words.plain('button-address-save-anyway'), 'yes')]],
      onChoice: (_ctx, state) => ({ ...state, step: next }),
      ...(back !== undefined && { back }),
    });
    return {
      ...asked,
      async stateIfKnown(ctx, state) {
        return (await similar(ctx, state)) === undefined ? { ...state, step: next } : undefined;
      },
    };
  }

  const nameStep = (back?: string): Step<NamingState> => ({
    ask: ({ words }, { address = '' }) =>
      questionView(words, words.html('address-name-ask', { address, most: MAX_NAME_LENGTH }), []),
    onAnswer: (ctx, state, given) => acceptName(ctx, state, given.kind === 'text' ? given.text : given.value),
    ...(back !== undefined && { back }),
  });

  return {
    [NAMING_STEPS.address]: {
      ask: ({ words }) => questionView(words, words.html('address-add-ask'), []),
      onAnswer({ words }, state, given) {
        const read = readAddressInput(given.kind === 'text' ? given.text : given.value);
        return read.kind === 'address'
          ? { ...state, address: read.address, step: NAMING_STEPS.sure }
          : { ...state, problem: addressProblem(words, read) };
      },
    },
    [NAMING_STEPS.sure]: lookalikeStep(NAMING_STEPS.name, NAMING_STEPS.address),
    [NAMING_STEPS.name]: nameStep(NAMING_STEPS.address),
    [NAMING_STEPS.keep]: lookalikeStep(NAMING_STEPS.rename),
    [NAMING_STEPS.rename]: nameStep(),
  };
}
