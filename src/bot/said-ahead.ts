import { type Book, isSameName } from '../accounts/address-book.ts';
import { addressAmongWords } from '../rental/given-address.ts';
import { addressProblem } from './address-problem.ts';
import type { BotContext } from './context.ts';
import type { Step } from './dialogue.ts';
import { CARD, type MoneyState } from './money-state.ts';

/** More than a whole request takes; what is said ahead is kept until it was used. */
const MOST = 200;

/**
 * A state in which everything that stood behind a command is still to be used: its one address, or the name of one at its
 * beginning, and its other words.
 */
export function saidAhead({ words }: BotContext, step: string, text: string, book: Book): MoneyState {
  const parts = text.split(/\s+/).filter(Boolean);
  const given = addressAmongWords(text);
  const said = parts
    .filter((part) => addressAmongWords(part) === undefined)
    .join(' ')
    .slice(0, MOST);
  if (given === undefined) return { step, ...byName(said, book) };
  return given.kind === 'address'
    ? { step, said, to: given.address }
    : { step, problem: addressProblem(words, given) };
}

/** Of names that begin alike the longest is meant. */
function byName(said: string, { addresses }: Book): Pick<MoneyState, 'said' | 'to'> {
  const found = addresses
    .filter(({ name }) => name !== undefined && isSameName(name, said.slice(0, name.length)))
    .filter(({ name = '' }) => /^(\s|$)/.test(said.slice(name.length)))
    .toSorted((one, other) => (other.name ?? '').length - (one.name ?? '').length)[0];
  return found?.name === undefined
    ? { said }
    : { said: said.slice(found.name.length).trim(), to: found.address };
}

/** The same question, answered by what was said ahead where there is something; before all else that is known of it. */
export function answeredAhead(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    async known(ctx, state) {
      if (state.said && !step.takesAddress) return step.unsaid ? whole(ctx, state) : byWords(ctx, state);
      return (
        (await step.known?.(ctx, state)) ?? (state.said === undefined ? undefined : step.unsaid?.(state))
      );
    },
  };

  async function by(ctx: BotContext, { said, ...state }: MoneyState, words: string) {
    return step.take(ctx, state, { kind: 'words', words });
  }

  /** What may be left out takes all that is left. */
  async function whole(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const next = await by(ctx, state, state.said ?? '');
    return { ...next, said: '' };
  }

  /** By as few words as are an answer; the last question by all that are left. */
  async function byWords(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const words = (state.said ?? '').split(' ');
    let last: MoneyState = state;
    for (let count = 1; count <= words.length; count++) {
      last = await by(ctx, state, words.slice(0, count).join(' '));
      const left = words.slice(count).join(' ');
      if (last.problem === undefined && (left === '' || last.step !== CARD)) return { ...last, said: left };
    }
    return last;
  }
}
