import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

/** Telegram's number of a user, or an operation's of eight letters and digits. */
export type PersonSought = { user: number } | { operation: string };

/** Asks whom an admin looks for. */
export function personStep<State extends DialogueState>(about: {
  take(state: State, sought: PersonSought): State;
}): Step<State> {
  return {
    ask: ({ words }) => question(words, words.html('people-ask'), []),
    take({ words }, state, given) {
      const sought = given.kind === 'words' ? readSought(given.words) : undefined;
      return sought ? about.take(state, sought) : { ...state, problem: words.html('problem-person') };
    },
  };
}

function readSought(said: string): PersonSought | undefined {
  const text = said.trim().replace(/^[#№]/u, '');
  // Operations have letters among their signs, mostly: a number of eight digits may be either, and is more often a user's.
  if (/^[1-9]\d{0,15}$/.test(text)) return { user: Number(text) };
  return /^[0-9A-Za-z]{8}$/.test(text) ? { operation: text.toUpperCase() } : undefined;
}
