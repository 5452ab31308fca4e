import type { HelpTopic } from '../../i18n/help-topics.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

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
