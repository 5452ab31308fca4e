import type { View } from '../texts/view.ts';
import { type Answer, answerTo, type Question, questionOf } from './answers.ts';
import type { BotContext, Flow } from './context.ts';
import { retire, show } from './screen.ts';

/** A flow's replay log grows with every answer (facts.md, grammY): who goes round in circles is let out. */
const MOST_ANSWERS = 40;

/** One question of a flow, and what becomes of the state by an answer. A `problem` in the state is said first. */
export interface Step<State> {
  ask(ctx: BotContext, state: State): View | Promise<View>;
  take(ctx: BotContext, state: State, answer: Answer): State | Promise<State>;
}

/** `state.step` names the question to ask; where it names none, the flow is over and `finish` shows how. */
export interface Dialogue<State> {
  step(state: State): Step<State> | undefined;
  finish(ctx: BotContext, state: State): Promise<void>;
  giveUp(ctx: BotContext): Promise<void>;
}

/**
 * Runs a dialogue as a conversation. It replays from its start on every update, so that all that reads, sends or
 * writes is inside `external`, and nothing here spends.
 */
export function dialogue<State extends { problem?: string | undefined }>(
  about: Dialogue<State>,
): Flow<State> {
  async function ask(ctx: BotContext, state: State): Promise<Question | undefined> {
    const step = about.step(state);
    if (step === undefined) {
      await about.finish(ctx, state);
      return undefined;
    }
    const view = await step.ask(ctx, state);
    const shown = state.problem === undefined ? view : { ...view, html: state.problem };
    const message = await show(ctx, shown);
    ctx.session.question = message;
    return questionOf(message, view);
  }

  async function take(ctx: BotContext, state: State, question: Question, answer: Answer): Promise<State> {
    await retire(ctx, question.message);
    delete ctx.session.question;
    const step = about.step(state);
    return step === undefined ? state : step.take(ctx, { ...state, problem: undefined }, answer);
  }

  return async (conversation, _context, start) => {
    let state = start;
    for (let answers = 0; answers < MOST_ANSWERS; answers++) {
      const question = await outside(conversation, (ctx) => ask(ctx, state));
      if (question === undefined) return;
      const { update } = await conversation.wait();
      const answer = answerTo(question, update);
      if (answer === undefined) await conversation.skip({ next: true });
      else state = await outside(conversation, (ctx) => take(ctx, state, question, answer));
    }
    await outside(conversation, (ctx) => about.giveUp(ctx));
  };
}

/** `external`, whose errors keep their class: the boundary must know what failed. */
function outside<T>(
  conversation: Parameters<Flow<unknown>>[0],
  task: (ctx: BotContext) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  return conversation.external({
    task,
    beforeStoreError: (error) => {
      failure = error;
      return String(error);
    },
    afterLoadError: () => failure,
  });
}
