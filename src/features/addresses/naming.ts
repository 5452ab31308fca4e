import { z } from 'zod';
import { findByName, findLookalike, isKnown, MAX_NAME_LENGTH } from '../../accounts/address-book.ts';
import { addressBookOf, addressLabel } from '../../bot/address-input.ts';
import type { BotContext } from '../../bot/context.ts';
import { answerButton, type DialogueState, dialogueStateSchema, type Step } from '../../bot/dialogue.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { groupInFours, paragraphs } from '../../i18n/texts.ts';
import { controlWordOf } from '../../input/words.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { readAddressInput } from '../../rental-api/tron.ts';
import { addressProblem } from '../../views/address-problem.ts';

export const namingSchema = dialogueStateSchema.extend({
  address: z.string().optional(),
  name: z.string().optional(),
  /** Id of the operation whose card led to the address. The flow ends with that card. */
  card: z.string().optional(),
  /** The flow was opened in the settings, where *Back* leads. */
  isFromSettings: z.boolean().optional(),
});

export type NamingState = DialogueState & z.infer<typeof namingSchema>;

/** Maximum number of known addresses that the question about the default address offers. */
const MAX_CHOICES = 5;

/**
 * Creates the questions for an address and its name. A flow starts with `address`, with `keep` for a given
 * address, or with `rename` for a known one. `named` comes after the last question. A flow that starts with `default` ends
 * with `preferred`, without an address if there should be no default.
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
    asksForAny: 'text',
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
    default: {
      async ask(ctx) {
        const book = await addressBookOf(deps, ctx);
        const { defaultAddress: present } = book;
        const label = present === undefined ? 'none' : addressLabel(present, book);
        return ctx.words.html('address-default-ask', { label });
      },
      async choices(ctx) {
        const book = await addressBookOf(deps, ctx);
        const others = book.addresses.filter(({ address }) => address !== book.defaultAddress);
        const picks = others
          .slice(0, MAX_CHOICES)
          .map(({ address }) => [answerButton(addressLabel(address, book), address)]);
        const none = answerButton(ctx.words.plain('button-address-prefer-none'), 'none');
        return book.defaultAddress === undefined ? picks : [...picks, [none]];
      },
      async onChoice(ctx, state, value) {
        if (value === 'none') return { ...state, address: undefined, step: 'preferred' };
        const isOffered = isKnown(await addressBookOf(deps, ctx), value);
        return { ...state, address: value, step: isOffered ? 'preferred' : 'default' };
      },
      onText({ words }, state, text) {
        const read = readAddressInput(text);
        return read.kind === 'address'
          ? { ...state, address: read.address, step: 'sure-default' }
          : { ...state, problem: addressProblem(words, read) };
      },
    },
    'sure-default': lookalikeStep('preferred', 'default'),
    sure: lookalikeStep('name', 'address'),
    name: nameStep('address'),
    keep: lookalikeStep('rename'),
    rename: nameStep(),
  };
}
