import type { View } from '../texts/view.ts';
import { type Answer, answerTo, type Question, questionOf } from './answers.ts';
import type { BotContext, Flow } from './context.ts';
import { removeButtons, send, show } from './reply.ts';

/** A flow's replay log grows with every answer (docs/facts.md, grammY): who goes round in circles is let out. */
const MOST_ANSWERS = 40;
/** The same by size, in characters of JSON: nobody's open flow takes more than about this of the storage. */
const MOST_LOGGED = 64 * 1024;

/** What is known so far, and the step that comes next. */
export interface DialogueState {
  step: string;
  /** What was wrong with the last answer, in Telegram's HTML. */
  problem?: string | undefined;
}

/** One question of a flow, and what becomes of the state by an answer. A `problem` in the state is said first. */
export interface Step<State> {
  ask(ctx: BotContext, state: State): View | Promise<View>;
  take(ctx: BotContext, state: State, answer: Answer): State | Promise<State>;
  /** The step that *Back* leads to; out of the flow unless it is said. */
  back?: string;
}

/** `state.step` names the question to ask; where it names none, the flow is over and `finish` shows how. */
export interface Dialogue<State> {
  steps: Readonly<Record<string, Step<State>>>;
  /** Moves the state on where no question is needed. Asked before each question. */
  resolve?(ctx: BotContext, state: State): Promise<State>;
  finish(ctx: BotContext, state: State): Promise<void>;
}

/** How a flow ends without reaching its aim: *Back* from its first question, *Cancel*, or too many answers. */
export const ENDS = { back: 'end-back', cancel: 'end-cancel', tooMany: 'end-too-many' } as const;

/** Where the flow stands after an update: what it waits for, or nothing once it is over. */
interface Standing<State> {
  state: State;
  question: Question | undefined;
}

/**
 * Runs a dialogue as a conversation. It replays from its start on every update, so that all that reads, sends or
 * writes is inside `external`, and nothing here spends.
 */
export function dialogue<State extends DialogueState>(about: Dialogue<State>): Flow<State> {
  /** Takes the answer, if there is one yet, and asks what comes next. */
  async function advance(
    ctx: BotContext,
    before: State,
    answered?: { question: Question; answer: Answer },
  ): Promise<Standing<State>> {
    const taken = answered ? await take(ctx, before, answered.answer) : before;
    const state = about.resolve ? await about.resolve(ctx, taken) : taken;
    const here = answered === undefined || staysHere(before, state, answered.answer);
    delete ctx.session.question;
    if (!here) await removeButtons(ctx, answered.question.message);
    const step = about.steps[state.step];
    // The problem was said: it isn't kept.
    const kept = { ...state, problem: undefined };
    if (step === undefined) {
      await about.finish(ctx, state);
      return { state: kept, question: undefined };
    }
    const view = await step.ask(ctx, state);
    const shown = state.problem === undefined ? view : { ...view, html: state.problem };
    const message = await (here ? show : send)(ctx, shown);
    ctx.session.question = message;
    return { state: kept, question: questionOf(message, view) };
  }

  async function take(ctx: BotContext, before: State, answer: Answer): Promise<State> {
    const state = { ...before, problem: undefined };
    const step = about.steps[state.step];
    if (step === undefined) return state;
    const way = answer.kind === 'choice' ? answer.value : undefined;
    if (way === 'back') return { ...state, step: step.back ?? ENDS.back };
    return way === 'cancel' ? { ...state, step: ENDS.cancel } : step.take(ctx, state, answer);
  }

  return async (conversation, _context, start) => {
    let { state, question } = await outside(conversation, (ctx) => advance(ctx, start));
    let answers = 0;
    let logged = 0;
    while (question !== undefined) {
      const { update } = await conversation.wait();
      const asked: Question = question;
      const answer = answerTo(asked, update);
      if (answer === undefined) await conversation.skip({ next: true });
      else {
        answers += 1;
        logged += JSON.stringify([update, state, question]).length;
        const isTooMuch = answers > MOST_ANSWERS || logged > MOST_LOGGED;
        const before = isTooMuch ? { ...state, step: ENDS.tooMany } : state;
        ({ state, question } = await outside(conversation, (ctx) =>
          advance(ctx, before, { question: asked, answer }),
        ));
      }
    }
  };
}

/** A tap that asks the same question again, as *Check again* does, or one that ends the flow, is answered in its message. */
function staysHere(before: DialogueState, now: DialogueState, answer: Answer): boolean {
  if (answer.kind !== 'choice' || !answer.tapped) return false;
  return now.step === before.step || now.step === ENDS.back || now.step === ENDS.cancel;
}

/** `external`, whose errors keep their class: the boundary must know what failed. */
function outside<T>(conversation: Parameters<Flow>[0], task: (ctx: BotContext) => Promise<T>): Promise<T> {
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
