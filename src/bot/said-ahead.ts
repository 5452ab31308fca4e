import { type Book, isSameName } from '../accounts/book.ts';
import { addressAmongWords, joinedFours } from '../rental/given-address.ts';
import type { BotContext } from './context.ts';
import type { Step } from './dialogue.ts';
import { CARD, type MoneyState } from './money-state.ts';

/** Of characters: a whole request takes fewer, and they are kept in the chat's record until they were used. */
const MOST = 200;
/** What is said besides an address, where none is given: numbers and their units. */
const AMOUNTS =
  /^(?:\d[\d.,'’]*[a-zа-я]?|h|hours?|hrs?|d|days?|trx|ч|час|часа|часов|д|день|дня|дней|сутки)$/iu;

/**
 * A state in which everything that stood behind a command is still to be used: what was meant as an address, also by a
 * name, and all other words.
 */
export function saidAhead(step: string, text: string, book: Book): MoneyState {
  const parts = joinedFours(text).split(/\s+/).filter(Boolean);
  const meant = parts.filter((part) => addressAmongWords(part) !== undefined);
  const said = parts.filter((part) => !meant.includes(part)).join(' ');
  const given = meant.length > 0 ? { said, to: meant.join(' ') } : byName(said, book);
  return {
    step,
    said: given.said.slice(0, MOST),
    ...(given.to !== undefined && { to: given.to.slice(0, MOST) }),
  };
}

/** Of names that begin alike the longest is meant. Words that are no amount were meant as a name: no default takes their place. */
function byName(said: string, { addresses }: Book): { said: string; to?: string } {
  const [found] = addresses
    .flatMap(({ name, address }) => (name === undefined ? [] : { name, address }))
    .filter(({ name }) => isSameName(name, said.slice(0, name.length)))
    .filter(({ name }) => /^(\s|$)/.test(said.slice(name.length)))
    .toSorted((one, other) => other.name.length - one.name.length);
  if (found) return { said: said.slice(found.name.length).trim(), to: found.address };
  const words = said.split(' ');
  const isAmounts = said === '' || words.every((word) => AMOUNTS.test(word));
  if (isAmounts) return { said };
  const amounts = words.filter((word) => AMOUNTS.test(word));
  return { said: amounts.join(' '), to: words.filter((word) => !AMOUNTS.test(word)).join(' ') };
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

  /** By as few words as are an answer, with the unit that stands behind them; the last question by all that are left. */
  async function byWords(ctx: BotContext, state: MoneyState): Promise<MoneyState> {
    const words = (state.said ?? '').split(' ');
    let found: MoneyState | undefined;
    let last: MoneyState = state;
    for (let count = 1; count <= words.length; count++) {
      const next = words[count - 1] ?? '';
      // Three digits may go on a number in groups; any others are an answer of their own.
      if (found !== undefined && /^\d/.test(next) && !/^\d{3}$/.test(next)) break;
      last = await by(ctx, state, words.slice(0, count).join(' '));
      const left = words.slice(count).join(' ');
      const isWhole = left === '' || last.step !== CARD;
      if (last.problem === undefined && isWhole) found = { ...last, said: left };
    }
    return found ?? last;
  }
}
