import { printable } from '../../rental-api/printable.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

const SHORTEST = 3;
const LONGEST = 200;

/** Creates the question for a reason, typed in one line. */
export function reasonStep<State extends DialogueState>(about: {
  ask(ctx: BotContext, state: State): string;
  take(state: State, reason: string): State;
}): Step<State> {
  return {
    ask: (ctx, state) => question(ctx.words, about.ask(ctx, state), []),
    take({ words }, state, answer) {
      const said = answer.kind === 'words' ? answer.words : '';
      const reason = printable(said, LONGEST + 1);
      const { length } = [...reason];
      if (/[\r\n\u2028\u2029]/u.test(said) || length < SHORTEST || length > LONGEST)
        return { ...state, problem: words.html('problem-reason', { min: SHORTEST, max: LONGEST }) };
      return about.take(state, reason);
    },
  };
}
