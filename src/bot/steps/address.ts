import type { InlineKeyboardButton } from 'grammy/types';
import type { AddressBook } from '../../accounts/address-book.ts';
import { type AddressProblem, findAddresses, readAddress } from '../../rental/address.ts';
import { shortened } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { knownAddresses } from '../known-addresses.ts';
import { answer, question } from './question.ts';

/** An address as it was copied in groups of four, as some show it. */
const IN_FOURS = /^(\w{4}\s){8}\w{2}$/;

/** Asks for an address; those that were used before stand as buttons. */
export function addressStep<State extends DialogueState>(about: {
  addressBook: AddressBook;
  /** `known`: whether there are addresses to choose from. */
  ask(words: Words, known: 'yes' | 'no'): string;
  /** Why an address that is one can't be taken, in Telegram's HTML. */
  refuse?(ctx: BotContext, address: string): Promise<string | undefined>;
  take(state: State, address: string): State;
  back?: string;
}): Step<State> {
  async function choices(ctx: BotContext): Promise<InlineKeyboardButton[][]> {
    const known = await knownAddresses(about, ctx);
    return known.map((address) => [answer(shortened(address), address)]);
  }

  return {
    ...(about.back !== undefined && { back: about.back }),
    choices,
    async ask(ctx) {
      const known = await choices(ctx);
      return question(ctx.words, about.ask(ctx.words, known.length > 0 ? 'yes' : 'no'), known);
    },
    async take(ctx, state, given) {
      const read = addressIn(given.kind === 'choice' ? given.value : given.words);
      if ('address' in read) {
        const problem = await about.refuse?.(ctx, read.address);
        return problem === undefined ? about.take(state, read.address) : { ...state, problem };
      }
      return {
        ...state,
        problem: ctx.words.html(`problem-address-${read.problem}`, { length: read.length }),
      };
    },
  };
}

/** The one address in what somebody wrote: alone, in a sentence, or in a link. */
function addressIn(
  text: string,
): { address: string } | { problem: AddressProblem | 'several'; length: string } {
  const trimmed = text.trim();
  const whole = IN_FOURS.test(trimmed) ? trimmed.replace(/\s/g, '') : trimmed;
  const [found, ...others] = findAddresses(whole);
  if (found !== undefined && others.length === 0) return { address: found };
  if (found !== undefined) return { problem: 'several', length: '' };
  // What looks most like one, so that what is said is about that.
  const meant = /(?<![0-9A-Za-z])T[0-9A-Za-z]{19,60}/.exec(whole)?.[0] ?? whole;
  const read = readAddress(meant);
  return { problem: read.ok ? 'checksum' : read.problem, length: String(meant.length) };
}
