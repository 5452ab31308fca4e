import type { InlineKeyboardButton, Update } from 'grammy/types';
import { z } from 'zod';
import { type HelpTopic, questionHelpButton } from '../i18n/shared-views.ts';
import type { Words } from '../i18n/texts.ts';
import { answerData, button, callbackData, paragraphs, readAnswer, type View } from '../i18n/view.ts';
import { findAddresses } from '../rental-api/address.ts';
import { ADDRESS_BUTTONS } from './address-views.ts';
import type { BotContext, Flow, FlowResult } from './context.ts';
import { removeButtons, send, show } from './reply.ts';

/** Returns a question with its choices, followed by *Back* and *Cancel*. */
export function questionView(words: Words, html: string, choices: InlineKeyboardButton[][]): View {
  const way = [
    button(words, 'button-back', answerData('back')),
    button(words, 'button-cancel', answerData('cancel')),
  ];
  return { html, keyboard: [...choices, way] };
}

/** Adds the button for a help topic beside *Back* and *Cancel*. */
function withHelpButton(words: Words, view: View, topic: HelpTopic | undefined): View {
  if (topic === undefined) return view;
  const way = [...(view.keyboard.at(-1) ?? []), questionHelpButton(words, topic)];
  return { ...view, keyboard: [...view.keyboard.slice(0, -1), way] };
}

export function answerButton(text: string, value: string | number): InlineKeyboardButton {
  return { text, callback_data: answerData(String(value)) };
}

/** Question that a message shows, with the answers of its buttons. */
interface ShownQuestion {
  message: number | undefined;
  choices: { value: string; label: string }[];
}

/** Answer of a user: a choice (tapped or typed), or any other text. */
export type Answer = { kind: 'choice'; value: string; tapped?: true } | { kind: 'text'; text: string };

/** Typed words that are understood in every language, whatever the labels of the buttons are. */
const CONTROL_WORDS = new Map<string, ControlWord>([
  ['confirm', 'confirm'],
  ['подтвердить', 'confirm'],
  ['yes', 'confirm'],
  ['да', 'confirm'],
  ['back', 'back'],
  ['назад', 'back'],
  ['cancel', 'cancel'],
  ['отмена', 'cancel'],
]);

type ControlWord = 'confirm' | 'back' | 'cancel';

/** Returns whether a text means *Confirm*, *Back* or *Cancel*; `undefined` for any other text. */
export function controlWordOf(text: string): ControlWord | undefined {
  return CONTROL_WORDS.get(normalizeLabel(text));
}

export function shownQuestion(message: number | undefined, view: View): ShownQuestion {
  const choices = view.keyboard.flat().flatMap((button) => {
    const value = 'callback_data' in button ? readAnswer(button.callback_data) : undefined;
    return value === undefined ? [] : [{ value, label: normalizeLabel(button.text) }];
  });
  return { message, choices };
}

/**
 * Returns the answer that an update gives to `question`. Returns `undefined` if the tap is on another message, if its
 * data isn't one of the choices, or if the update has no message.
 */
export function answerTo(question: ShownQuestion, update: Update): Answer | undefined {
  const tap = update.callback_query;
  if (tap) {
    const value = readAnswer(tap.data);
    const meant =
      tap.message?.message_id === question.message && question.choices.some((c) => c.value === value);
    return meant && value !== undefined ? { kind: 'choice', value, tapped: true } : undefined;
  }
  if (!update.message) return undefined;
  const words = update.message.text?.trim() ?? update.message.caption?.trim() ?? '';
  const label = normalizeLabel(words);
  const choice = question.choices.find((c) => c.label === label)?.value ?? CONTROL_WORDS.get(label);
  const offered = question.choices.some((c) => c.value === choice);
  return offered && choice !== undefined ? { kind: 'choice', value: choice } : { kind: 'text', text: words };
}

/** Normalizes a label to what a user would type: without price, capitals and signs at its ends. */
function normalizeLabel(label: string): string {
  const [name = ''] = label.split(' · ');
  return name.toLowerCase().replace(/^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '');
}

/** Maximum number of answers before the flow is aborted. */
const MAX_ANSWERS = 40;

/**
 * Part of the state that every dialogue stores between two questions: the current step, and the number of answers so
 * far.
 */
export const dialogueStateSchema = z.object({
  step: z.string(),
  answers: z.number().optional(),
  /** Album that the last answer began. The parts of an album arrive as separate updates but count as one answer. */
  album: z.string().optional(),
});

/** Answers so far, and the next step. */
export interface DialogueState extends z.infer<typeof dialogueStateSchema> {
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
  onAnswer(ctx: BotContext, state: State, answer: Answer): State | Promise<State>;
  /** Step that *Back* leads to. Without it, *Back* leaves the flow. */
  back?: string;
  /**
   * Returns the state after the question if its answer is already known. Called only on the way forward, so *Back*
   * still shows the question.
   */
  stateIfKnown?(ctx: BotContext, state: State): Promise<State | undefined>;
  /**
   * Returns the state after the question if the command's text doesn't contain its answer. A step with this function
   * takes all of the remaining text as its answer.
   */
  stateIfOmitted?(state: State): State;
  /** The question asks for an address. */
  asksForAddress?: true;
  /** Help topic that the question links to. */
  help?: HelpTopic | undefined;
}

/** Description of a dialogue. `state.step` names the question to ask; any other name ends the flow with `finish`. */
export interface Dialogue<State> {
  /** Parses the stored part of the state. The rest of the state lasts for one update only. */
  stateSchema: z.ZodType<State>;
  steps: Readonly<Record<string, Step<State>>>;
  /** Advances the state past questions that aren't needed. Called before each question. */
  resolve?(ctx: BotContext, state: State): Promise<State>;
  finish(ctx: BotContext, state: State): Promise<void>;
}

/** Ways to end a flow early: *Back* from its first question, *Cancel*, or too many answers. */
export const FLOW_ENDS = { back: 'end-back', cancel: 'end-cancel', tooMany: 'end-too-many' } as const;

/**
 * Creates a flow from a dialogue. It only collects answers and spends nothing. `session.question` is the message with
 * the current question.
 */
export function dialogue<State extends DialogueState>(about: Dialogue<State>): Flow {
  const stepOf = ({ step }: State) => (Object.hasOwn(about.steps, step) ? about.steps[step] : undefined);

  /** Skips questions whose answers are known. */
  async function skipKnown(ctx: BotContext, state: State): Promise<State> {
    const next = state.problem === undefined ? await stepOf(state)?.stateIfKnown?.(ctx, state) : undefined;
    return next === undefined ? state : skipKnown(ctx, next);
  }

  /** Asks the next question, below the answered one or in its place. */
  async function advance(ctx: BotContext, from: State, answered?: { before: State; answer: Answer }) {
    const state = about.resolve ? await about.resolve(ctx, from) : from;
    const staysInPlace = answered === undefined || staysInMessage(answered.before, state, answered.answer);
    const { question: questionMessage } = ctx.session;
    delete ctx.session.question;
    if (!staysInPlace && questionMessage !== undefined) await removeButtons(ctx, questionMessage);
    const step = stepOf(state);
    if (step === undefined) {
      await about.finish(ctx, state);
      return { kind: 'ended' } as const;
    }
    const view = await step.ask(ctx, state);
    const viewWithProblem =
      state.problem === undefined ? view : withProblem(ctx, view, state.problem, answered === undefined);
    ctx.session.question = await (staysInPlace ? show : send)(
      ctx,
      withHelpButton(ctx.words, viewWithProblem, step.help),
    );
    return { kind: 'asked', state: about.stateSchema.parse(state) } as const;
  }

  async function readAnswerTo(
    ctx: BotContext,
    state: State,
    { choices }: Step<State>,
  ): Promise<Answer | undefined> {
    const offered = (await choices?.(ctx, state)) ?? [];
    return answerTo(shownQuestion(ctx.session.question, questionView(ctx.words, '', offered)), ctx.update);
  }

  async function applyAnswer(
    ctx: BotContext,
    state: State,
    step: Step<State>,
    answer: Answer,
  ): Promise<State> {
    if ((state.answers ?? 0) > MAX_ANSWERS) return { ...state, step: FLOW_ENDS.tooMany };
    const choice = answer.kind === 'choice' ? answer.value : undefined;
    if (choice === 'back') return { ...state, step: step.back ?? FLOW_ENDS.back };
    if (choice === 'cancel') return { ...state, step: FLOW_ENDS.cancel };
    return skipKnown(ctx, await step.onAnswer(ctx, state, answer));
  }

  return {
    async begin(ctx, start) {
      const from = start as State;
      return advance(ctx, ctx.flowToEnter?.isContinued ? from : await skipKnown(ctx, from));
    },
    async answer(ctx, stored): Promise<FlowResult> {
      const before = stored as State;
      const step = stepOf(before);
      const answer = step && (await readAnswerTo(ctx, before, step));
      if (step === undefined || answer === undefined) return { kind: 'unanswered' };
      const album = ctx.message?.media_group_id;
      if (album !== undefined && album === before.album) return { kind: 'asked', state: before };
      const counted = { ...before, album, answers: (before.answers ?? 0) + 1 };
      return advance(ctx, await applyAnswer(ctx, counted, step, answer), { before, answer });
    },
    parse(stored) {
      const { data } = about.stateSchema.safeParse(stored);
      return data !== undefined && stepOf(data) !== undefined ? data : undefined;
    },
  };
}

/**
 * Returns the problem with the question's buttons. Adds the question itself if the user hasn't seen it yet. Otherwise,
 * if the user's message contains exactly one address, adds a button to start with that address.
 */
function withProblem(
  { words, message }: BotContext,
  view: View,
  problem: string,
  isFirstQuestion: boolean,
): View {
  const html = isFirstQuestion ? paragraphs(problem, view.html) : problem;
  const [address, ...others] = isFirstQuestion ? [] : findAddresses(message?.text ?? message?.caption ?? '');
  const addressRow =
    address === undefined || others.length > 0
      ? []
      : [[button(words, 'button-address-instead', callbackData(ADDRESS_BUTTONS, 'use', address))]];
  return { html, keyboard: [...addressRow, ...view.keyboard] };
}

/**
 * Returns whether the tapped message shows the result: the same question again (as after *Check again*), or the end of
 * the flow.
 */
function staysInMessage(before: DialogueState, now: DialogueState, answer: Answer): boolean {
  if (answer.kind !== 'choice' || !answer.tapped) return false;
  return now.step === before.step || now.step === FLOW_ENDS.back || now.step === FLOW_ENDS.cancel;
}
