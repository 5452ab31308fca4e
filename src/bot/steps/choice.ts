import type { InlineKeyboardButton } from 'grammy/types';
import type { HelpTopic } from '../../i18n/help-topics.ts';
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
