import { z } from 'zod';
import type { AddressBook } from '../../accounts/address-book.ts';
import { lookalike, NAME_LENGTH, namedAlike } from '../../accounts/address-book.ts';
import { inFours } from '../../i18n/formats.ts';
import { paragraphs } from '../../i18n/view.ts';
import { readGivenAddress } from '../../rental-api/address.ts';
import { printable } from '../../rental-api/printable.ts';
import { addressProblem } from '../address-problem.ts';
import { wayOf } from '../answers.ts';
import type { BotContext } from '../context.ts';
import { type DialogueState, keptSchema, type Step } from '../dialogue.ts';
import { knownAddresses } from '../known-addresses.ts';
import { choiceStep } from './choice.ts';
import { answer, question } from './question.ts';

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
