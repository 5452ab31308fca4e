import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import { callbackData } from '../i18n/callback-data.ts';
import type { HelpTopic } from '../i18n/help-topics.ts';
import { button, paragraphs, type View } from '../i18n/view.ts';
import { findAddresses } from '../rental-api/address.ts';
import { ADDRESS_BUTTONS } from './address-views.ts';
import { type Answer, answerTo, questionOf } from './answers.ts';
import type { BotContext, Flow, FlowStanding } from './context.ts';
import { removeButtons, send, show } from './reply.ts';
import { question, withHelp } from './steps/question.ts';

/** Maximum number of answers before the flow is aborted. */
const MAX_ANSWERS = 40;

/**
 * Part of the state that every dialogue stores between two questions: the current step, and the number of answers so
 * far.
 */
export const keptSchema = z.object({
  step: z.string(),
  answers: z.number().optional(),
  /** Album that the last answer began. The parts of an album arrive as separate updates but count as one answer. */
  album: z.string().optional(),
});

/** Answers so far, and the next step. */
export interface DialogueState extends z.infer<typeof keptSchema> {
  /** Problem with the last answer, in Telegram's HTML. */
  problem?: string | undefined;
}

/** One question of a flow, and how an answer changes the state. A `problem` in the state is shown first. */
export interface Step<State> {
  ask(ctx: BotContext, state: State): View | Promise<View>;
  /**
   * Returns the buttons that answer the question, besides *Back* and *Cancel*. They aren't stored: this is called again
   * when an answer arrives. It therefore makes no requests, and its labels contain no prices.
   */
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][] | Promise<InlineKeyboardButton[][]>;
  take(ctx: BotContext, state: State, answer: Answer): State | Promise<State>;
  /** Step that *Back* leads to. Without it, *Back* leaves the flow. */
  back?: string;
  /**
   * Returns the state after the question if its answer is already known. Called only on the way forward, so *Back*
   * still shows the question.
   */
  known?(ctx: BotContext, state: State): Promise<State | undefined>;
  /**
   * Returns the state after the question if the command's text doesn't contain its answer. A step with this function
   * takes all of the remaining text as its answer.
   */
  unsaid?(state: State): State;
  /** The question asks for an address. */
  takesAddress?: true;
  /** Help topic that the question links to. */
  help?: HelpTopic | undefined;
}

/** Description of a dialogue. `state.step` names the question to ask; any other name ends the flow with `finish`. */
export interface Dialogue<State> {
  /** Parses the stored part of the state. The rest of the state lasts for one update only. */
  kept: z.ZodType<State>;
  steps: Readonly<Record<string, Step<State>>>;
  /** Advances the state past questions that aren't needed. Called before each question. */
  resolve?(ctx: BotContext, state: State): Promise<State>;
  finish(ctx: BotContext, state: State): Promise<void>;
}

/** Ways to end a flow early: *Back* from its first question, *Cancel*, or too many answers. */
export const ENDS = { back: 'end-back', cancel: 'end-cancel', tooMany: 'end-too-many' } as const;

/**
 * Creates a flow from a dialogue. It only collects answers and spends nothing. `session.question` is the message with
 * the current question.
 */
export function dialogue<State extends DialogueState>(about: Dialogue<State>): Flow {
  const stepOf = ({ step }: State) => (Object.hasOwn(about.steps, step) ? about.steps[step] : undefined);

  /** Skips questions whose answers are known. */
  async function forward(ctx: BotContext, state: State): Promise<State> {
    const next = state.problem === undefined ? await stepOf(state)?.known?.(ctx, state) : undefined;
    return next === undefined ? state : forward(ctx, next);
  }

  /** Asks the next question, below the answered one or in its place. */
  async function advance(ctx: BotContext, from: State, answered?: { before: State; answer: Answer }) {
    const state = about.resolve ? await about.resolve(ctx, from) : from;
    const here = answered === undefined || staysHere(answered.before, state, answered.answer);
    const { question: asked } = ctx.session;
    delete ctx.session.question;
    if (!here && asked !== undefined) await removeButtons(ctx, asked);
    const step = stepOf(state);
    if (step === undefined) {
      await about.finish(ctx, state);
      return { kind: 'over' } as const;
    }
    const view = await step.ask(ctx, state);
    const shown =
      state.problem === undefined ? view : withProblem(ctx, view, state.problem, answered === undefined);
    ctx.session.question = await (here ? show : send)(ctx, withHelp(ctx.words, shown, step.help));
    return { kind: 'asked', state: about.kept.parse(state) } as const;
  }

  async function heard(ctx: BotContext, state: State, { choices }: Step<State>): Promise<Answer | undefined> {
    const offered = (await choices?.(ctx, state)) ?? [];
    return answerTo(questionOf(ctx.session.question, question(ctx.words, '', offered)), ctx.update);
  }

  async function taken(ctx: BotContext, state: State, step: Step<State>, answer: Answer): Promise<State> {
    if ((state.answers ?? 0) > MAX_ANSWERS) return { ...state, step: ENDS.tooMany };
    const way = answer.kind === 'choice' ? answer.value : undefined;
    if (way === 'back') return { ...state, step: step.back ?? ENDS.back };
    if (way === 'cancel') return { ...state, step: ENDS.cancel };
    return forward(ctx, await step.take(ctx, state, answer));
  }

  return {
    async begin(ctx, start) {
      const from = start as State;
      return advance(ctx, ctx.entering?.goesOn ? from : await forward(ctx, from));
    },
    async answer(ctx, kept): Promise<FlowStanding> {
      const before = kept as State;
      const step = stepOf(before);
      const answer = step && (await heard(ctx, before, step));
      if (step === undefined || answer === undefined) return { kind: 'unanswered' };
      const album = ctx.message?.media_group_id;
      if (album !== undefined && album === before.album) return { kind: 'asked', state: before };
      const counted = { ...before, album, answers: (before.answers ?? 0) + 1 };
      return advance(ctx, await taken(ctx, counted, step, answer), { before, answer });
    },
    read(kept) {
      const { data } = about.kept.safeParse(kept);
      return data !== undefined && stepOf(data) !== undefined ? data : undefined;
    },
  };
}

/**
 * Returns the problem with the question's buttons. Adds the question itself if the user hasn't seen it yet. Otherwise,
 * if the user's message contains exactly one address, adds a button to start with that address.
 */
function withProblem({ words, message }: BotContext, view: View, problem: string, isUnread: boolean): View {
  const html = isUnread ? paragraphs(problem, view.html) : problem;
  const [address, ...others] = isUnread ? [] : findAddresses(message?.text ?? message?.caption ?? '');
  const leading =
    address === undefined || others.length > 0
      ? []
      : [[button(words, 'button-address-instead', callbackData(ADDRESS_BUTTONS, 'use', address))]];
  return { html, keyboard: [...leading, ...view.keyboard] };
}

/**
 * Returns whether the tapped message shows the result: the same question again (as after *Check again*), or the end of
 * the flow.
 */
function staysHere(before: DialogueState, now: DialogueState, answer: Answer): boolean {
  if (answer.kind !== 'choice' || !answer.tapped) return false;
  return now.step === before.step || now.step === ENDS.back || now.step === ENDS.cancel;
}
