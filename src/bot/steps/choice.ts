import type { InlineKeyboardButton } from 'grammy/types';
import type { HelpTopic } from '../../i18n/shared-views.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import type { BotContext } from '../context.ts';
import { type DialogueState, questionView, type Step } from '../dialogue.ts';

interface ChoiceQuestion {
  html: string;
  buttons?: InlineKeyboardButton[][];
}

/** Creates a question with choices. `words` handles typed answers that aren't one of them. */
export function choiceStep<State extends DialogueState>(about: {
  /** `shown`: the buttons, if their labels say more than those of `choices`. */
  ask(ctx: BotContext, state: State): ChoiceQuestion | Promise<ChoiceQuestion>;
  choices(ctx: BotContext): InlineKeyboardButton[][];
  onChoice(ctx: BotContext, state: State, value: string): State | Promise<State>;
  onText?(ctx: BotContext, state: State, words: string): State;
  back?: string;
  help?: HelpTopic;
}): Step<State> {
  return {
    ...(about.back !== undefined && { back: about.back }),
    help: about.help,
    choices: about.choices,
    async ask(ctx, state) {
      const { html, buttons = about.choices(ctx) } = await about.ask(ctx, state);
      return questionView(ctx.words, html, buttons);
    },
    onAnswer(ctx, state, given) {
      if (given.kind === 'choice') return about.onChoice(ctx, state, given.value);
      return (
        about.onText?.(ctx, state, given.text) ?? { ...state, problem: ctx.words.html('problem-choice') }
      );
    },
  };
}

const MIN_REASON_LENGTH = 3;
const MAX_REASON_LENGTH = 200;

/** Creates the question for a reason, typed in one line. */
export function reasonStep<State extends DialogueState>(about: {
  ask(ctx: BotContext, state: State): string;
  onAnswer(state: State, reason: string): State;
}): Step<State> {
  return {
    ask: (ctx, state) => questionView(ctx.words, about.ask(ctx, state), []),
    onAnswer({ words }, state, answer) {
      const said = answer.kind === 'text' ? answer.text : '';
      const reason = toPrintable(said, MAX_REASON_LENGTH + 1);
      const { length } = [...reason];
      if (/[\r\n\u2028\u2029]/u.test(said) || length < MIN_REASON_LENGTH || length > MAX_REASON_LENGTH)
        return {
          ...state,
          problem: words.html('problem-reason', { min: MIN_REASON_LENGTH, max: MAX_REASON_LENGTH }),
        };
      return about.onAnswer(state, reason);
    },
  };
}

/** Telegram's number of a user, or the number of an operation: eight letters and digits. */
export type UserSearch = { user: number } | { operation: string };

/** Creates the question for the user whom an admin wants to find. */
export function userSearchStep<State extends DialogueState>(about: {
  onAnswer(state: State, sought: UserSearch): State;
}): Step<State> {
  return {
    ask: ({ words }) => questionView(words, words.html('people-ask'), []),
    onAnswer({ words }, state, given) {
      const sought = given.kind === 'text' ? parseUserSearch(given.text) : undefined;
      return sought ? about.onAnswer(state, sought) : { ...state, problem: words.html('problem-person') };
    },
  };
}

function parseUserSearch(said: string): UserSearch | undefined {
  const text = said.trim().replace(/^[#№]/u, '');
  // Eight digits may be the number of either. Numbers of operations usually contain letters, so they are treated as a
  // user's.
  if (/^[1-9]\d{0,15}$/.test(text)) return { user: Number(text) };
  return /^[0-9A-Za-z]{8}$/.test(text) ? { operation: text.toUpperCase() } : undefined;
}
