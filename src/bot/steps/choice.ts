import type { InlineKeyboardButton } from 'grammy/types';
import type { BotContext } from '../context.ts';
import type { DialogueState, Step } from '../dialogue.ts';
import { question } from './question.ts';

interface Choices {
  html: string;
  choices: InlineKeyboardButton[][];
}

/** Asks for one of some choices; what is written instead is understood where `words` understands it. */
export function choiceStep<State extends DialogueState>(about: {
  ask(ctx: BotContext, state: State): Choices | Promise<Choices>;
  take(ctx: BotContext, state: State, value: string): State | Promise<State>;
  words?(ctx: BotContext, state: State, words: string): State;
  back?: string;
}): Step<State> {
  return {
    ...(about.back !== undefined && { back: about.back }),
    async ask(ctx, state) {
      const { html, choices } = await about.ask(ctx, state);
      return question(ctx.words, html, choices);
    },
    take(ctx, state, given) {
      if (given.kind === 'choice') return about.take(ctx, state, given.value);
      return (
        about.words?.(ctx, state, given.words) ?? { ...state, problem: ctx.words.html('problem-choice') }
      );
    },
  };
}
