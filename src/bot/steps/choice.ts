import type { InlineKeyboardButton } from 'grammy/types';
import type { HelpTopic } from '../../i18n/help-topics.ts';
import { printable } from '../../rental-api/printable.ts';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

interface Asked {
  html: string;
  shown?: InlineKeyboardButton[][];
}

/** Creates a question with choices. `words` handles typed answers that aren't one of them. */
export function choiceStep<State extends DialogueState>(about: {
  /** `shown`: the buttons, if their labels say more than those of `choices`. */
  ask(ctx: BotContext, state: State): Asked | Promise<Asked>;
  choices(ctx: BotContext): InlineKeyboardButton[][];
  take(ctx: BotContext, state: State, value: string): State | Promise<State>;
  words?(ctx: BotContext, state: State, words: string): State;
  back?: string;
  help?: HelpTopic;
}): Step<State> {
  return {
    ...(about.back !== undefined && { back: about.back }),
    help: about.help,
    choices: about.choices,
    async ask(ctx, state) {
      const { html, shown = about.choices(ctx) } = await about.ask(ctx, state);
      return question(ctx.words, html, shown);
    },
    take(ctx, state, given) {
      if (given.kind === 'choice') return about.take(ctx, state, given.value);
      return (
        about.words?.(ctx, state, given.words) ?? { ...state, problem: ctx.words.html('problem-choice') }
      );
    },
  };
}

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
