import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

/** Telegram's number of a user, or the number of an operation: eight letters and digits. */
export type PersonSought = { user: number } | { operation: string };

/** Creates the question for the user whom an admin wants to find. */
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
  // Eight digits may be the number of either. Numbers of operations usually contain letters, so they are treated as a
  // user's.
  if (/^[1-9]\d{0,15}$/.test(text)) return { user: Number(text) };
  return /^[0-9A-Za-z]{8}$/.test(text) ? { operation: text.toUpperCase() } : undefined;
}
