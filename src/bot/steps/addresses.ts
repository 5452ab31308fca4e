import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import {
  type AddressBook,
  findByName,
  findLookalike,
  isSameName,
  MAX_NAME_LENGTH,
} from '../../accounts/address-book.ts';
import { groupInFours, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { type AddressInput, findAddressInput, readAddressInput } from '../../rental-api/tron.ts';
import { answerData } from '../../views/callback-data.ts';
import type { HelpTopic } from '../../views/help-buttons.ts';
import {
  addressBookOf,
  addressChoiceRows,
  addressChoicesOf,
  addressLabel,
  addressProblem,
} from '../address-views.ts';
import type { BotContext } from '../context.ts';
import {
  answerButton,
  controlWordOf,
  type DialogueState,
  dialogueStateSchema,
  type Step,
} from '../dialogue.ts';
import type { FeatureDeps } from '../feature.ts';

const MAX_OFFERED = 6;
const MAX_QUOTED_LENGTH = 40;

interface AddressState extends DialogueState {
  givenAddress?: string | undefined;
  addressChoices?: string[] | undefined;
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
  help?: HelpTopic;
}): Step<State> {
  async function choices(ctx: BotContext, { addressChoices }: State): Promise<InlineKeyboardButton[][]> {
    if (addressChoices) return addressChoiceRows(ctx.words, addressChoices, answerData);
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

  async function applyText(ctx: BotContext, state: State, text: string): Promise<State> {
    const { addresses } = await addressBookOf(about, ctx);
    const named = addresses.find(({ name }) => isSameName(name, text.trim()));
    return applyAddress(
      ctx,
      state,
      named ? { kind: 'address', address: named.address } : readAddressInput(text),
    );
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
        ctx.headerHtml = lines(
          ctx.headerHtml,
          ctx.words.html('address-default-taken', { label: addressLabel(preferred, book) }),
        );
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

const ENDING_LENGTH = 6;

interface EndsState extends DialogueState {
  address?: string | undefined;
}

/** Creates the question for the end of the address. A replaced address has another end, so the user notices it. */
export function addressEndsStep<State extends EndsState>(about: {
  onAnswer(state: State): State;
  back: string;
  help?: HelpTopic;
}): Step<State> {
  return {
    back: about.back,
    help: about.help,
    // Shows the address without its end, so that the user can't copy the end from here.
    ask: ({ words }, { address = '' }) =>
      words.html('withdrawal-ends', { begins: address.slice(0, -ENDING_LENGTH), count: ENDING_LENGTH }),
    onText({ words }, state, text) {
      const typed = text.replace(/\s/g, '');
      if (state.address !== undefined && typed === state.address.slice(-ENDING_LENGTH))
        return about.onAnswer(state);
      const isWhole = typed === state.address;
      const problem = words.html(isWhole ? 'problem-ends-whole' : 'problem-ends', { count: ENDING_LENGTH });
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
 * Creates the questions for an address and its name. A flow starts with `address`, with `keep` for a given
 * address, or with `rename` for a known one. `named` comes after the last question.
 */
export function namingSteps(deps: FeatureDeps): Record<string, Step<NamingState>> {
  async function similar(ctx: BotContext, { address = '' }: NamingState): Promise<string | undefined> {
    return findLookalike(address, await addressBookOf(deps, ctx));
  }

  /** Asks about an address that looks like a known one. Skipped for all other addresses. */
  const lookalikeStep = (next: string, back?: string): Step<NamingState> => ({
    back,
    async ask(ctx, state) {
      const { words } = ctx;
      const known = groupInFours((await similar(ctx, state)) ?? '');
      const compared = words.html('operation-lookalike', { known, given: groupInFours(state.address ?? '') });
      return paragraphs(compared, words.html('address-sure'));
    },
    choices: ({ words }) => [[answerButton(words.plain('button-address-save-anyway'), 'yes')]],
    onChoice: (_ctx, state) => ({ ...state, step: next }),
    stateIfKnown: async (ctx, state) =>
      (await similar(ctx, state)) === undefined ? { ...state, step: next } : undefined,
  });

  const nameStep = (back?: string): Step<NamingState> => ({
    back,
    ask: ({ words }, { address = '' }) => words.html('address-name-ask', { address, most: MAX_NAME_LENGTH }),
    async onText(ctx, state, text) {
      const { words } = ctx;
      const name = toPrintable(text, MAX_NAME_LENGTH + 1);
      // Rejects names that look like an address or a control word, or contain the separator of button labels.
      const isReserved = /[0-9A-Za-z]{20,}|·/.test(name) || controlWordOf(name) !== undefined;
      const isInvalid = !/\p{L}/u.test(name) || [...name].length > MAX_NAME_LENGTH || isReserved;
      if (isInvalid)
        return { ...state, problem: words.html('problem-address-name', { most: MAX_NAME_LENGTH }) };
      const other = findByName(await addressBookOf(deps, ctx), state.address, name);
      return other
        ? { ...state, problem: words.html('problem-address-name-taken', { name, address: other.address }) }
        : { ...state, name, step: 'named' };
    },
  });

  return {
    address: {
      ask: ({ words }) => words.html('address-add-ask'),
      onText({ words }, state, text) {
        const read = readAddressInput(text);
        return read.kind === 'address'
          ? { ...state, address: read.address, step: 'sure' }
          : { ...state, problem: addressProblem(words, read) };
      },
    },
    sure: lookalikeStep('name', 'address'),
    name: nameStep('address'),
    keep: lookalikeStep('rename'),
    rename: nameStep(),
  };
}
