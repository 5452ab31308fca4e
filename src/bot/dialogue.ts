import type { InlineKeyboardButton } from 'grammy/types';
import { z } from 'zod';
import { findAddresses } from '../rental/address.ts';
import { callbackData } from '../texts/callback-data.ts';
import type { HelpTopic } from '../texts/help-topics.ts';
import { button, paragraphs, type View } from '../texts/view.ts';
import { type Answer, answerTo, questionOf } from './answers.ts';
import type { BotContext, Flow, FlowStanding } from './context.ts';
import { ADDRESS_BUTTONS } from './known-addresses.ts';
import { removeButtons, send, show } from './reply.ts';
import { question, withHelp } from './steps/question.ts';

/** Who goes round in circles is let out. */
const MOST_ANSWERS = 40;

/** What is kept of any dialogue from one question to the next: where it stands, and how many answers led there. */
export const keptSchema = z.object({
  step: z.string(),
  answers: z.number().optional(),
  /** The album whose first part was the last answer: its parts come one by one, and together they are one. */
  album: z.string().optional(),
});

/** What is known so far, and the step that comes next. */
export interface DialogueState extends z.infer<typeof keptSchema> {
  /** What was wrong with the last answer, in Telegram's HTML. */
  problem?: string | undefined;
}

/** One question of a flow, and what becomes of the state by an answer. A `problem` in the state is said first. */
export interface Step<State> {
  ask(ctx: BotContext, state: State): View | Promise<View>;
  /**
   * The buttons that answer it, besides *Back* and *Cancel*. They are not kept: this is called once more when an answer has
   * come, so it asks nobody outside; labels go without prices.
   */
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][] | Promise<InlineKeyboardButton[][]>;
  take(ctx: BotContext, state: State, answer: Answer): State | Promise<State>;
  /** The step that *Back* leads to; out of the flow unless it is said. */
  back?: string;
  /**
   * Where its answer is known without asking: what that leads to. Asked on the way forward alone, so that *Back* leads to
   * the question all the same.
   */
  known?(ctx: BotContext, state: State): Promise<State | undefined>;
  /** What a command that says nothing of it means; where this is there, it takes all that is left of the command's words. */
  unsaid?(state: State): State;
  /** It asks for an address. */
  takesAddress?: true;
  /** What Help says about it, a tap away. */
  help?: HelpTopic | undefined;
}

/** `state.step` names the question to ask; where it names none, the flow is over and `finish` shows how. */
export interface Dialogue<State> {
  /** What is kept of the state until the next answer, and how it is read then; all else is known for one update alone. */
  kept: z.ZodType<State>;
  steps: Readonly<Record<string, Step<State>>>;
  /** Moves the state on where no question is needed. Asked before each question. */
  resolve?(ctx: BotContext, state: State): Promise<State>;
  finish(ctx: BotContext, state: State): Promise<void>;
}

/** How a flow ends without reaching its aim: *Back* from its first question, *Cancel*, or too many answers. */
export const ENDS = { back: 'end-back', cancel: 'end-cancel', tooMany: 'end-too-many' } as const;

/** A dialogue as a flow: it only collects, and nothing here spends. `session.question` is the message that asks. */
export function dialogue<State extends DialogueState>(about: Dialogue<State>): Flow {
  const stepOf = ({ step }: State) => (Object.hasOwn(about.steps, step) ? about.steps[step] : undefined);

  /** On past the questions whose answers are known. */
  async function forward(ctx: BotContext, state: State): Promise<State> {
    const next = state.problem === undefined ? await stepOf(state)?.known?.(ctx, state) : undefined;
    return next === undefined ? state : forward(ctx, next);
  }

  /** Asks what comes next, below what was answered or in its place. */
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
    if ((state.answers ?? 0) > MOST_ANSWERS) return { ...state, step: ENDS.tooMany };
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
 * What was wrong, with the question's buttons; and the question itself, where it wasn't read before. Who wrote an address
 * where another thing is asked may want to begin with that.
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

/** A tap that asks the same question again, as *Check again* does, or one that ends the flow, is answered in its message. */
function staysHere(before: DialogueState, now: DialogueState, answer: Answer): boolean {
  if (answer.kind !== 'choice' || !answer.tapped) return false;
  return now.step === before.step || now.step === ENDS.back || now.step === ENDS.cancel;
}
