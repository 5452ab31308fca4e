import {
  type Conversation,
  type ConversationData,
  type ConversationStorage,
  conversations,
  create,
  createConversation,
  mutate,
} from '@grammyjs/conversations';
import { Composer, type Context, type Middleware } from 'grammy';
import type { InlineKeyboardButton, Update } from 'grammy/types';
import { z } from 'zod';
import { paragraphs, shortenAddress, type Words } from '../i18n/texts.ts';
import { CONTROL_WORDS, controlWordOf, normalizeLabel } from '../input/words.ts';
import { readJson } from '../platform/records.ts';
import { type AddressInput, findAddressInput } from '../rental-api/tron.ts';
import { textOf } from '../telegram/message-content.ts';
import { addressProblem } from '../views/address-problem.ts';
import { answerData, callbackData, readAnswer } from '../views/callback-data.ts';
import { questionHelpButton } from '../views/help-buttons.ts';
import { button, menuButton, type View } from '../views/view.ts';
import { ADDRESS_BUTTONS } from './address-input.ts';
import type { Aside, BotContext, Flow, FlowResult } from './context.ts';
import type { Feature } from './feature.ts';
import { addHeader, isReplaced, remove, show, showText } from './reply.ts';

/** Returns a question with its choices, *Back*, *Cancel* and the button for a help topic. */
export function questionView(
  words: Words,
  html: string,
  choices: InlineKeyboardButton[][],
  help?: string,
): View {
  const way = [
    button(words, 'button-back', answerData('back')),
    button(words, 'button-cancel', answerData('cancel')),
    ...(help ? [questionHelpButton(words, help)] : []),
  ];
  return { html, keyboard: [...choices, way] };
}

export function answerButton(text: string, value: string | number): InlineKeyboardButton {
  return { text, callback_data: answerData(String(value)) };
}

/** Answer of a user: a choice (tapped or typed), or any other text. */
type Answer = { kind: 'choice'; value: string; tapped?: true } | { kind: 'text'; text: string };

/**
 * Returns the answer that an update gives to a question with this keyboard. Returns `undefined` for taps on
 * other messages or buttons, and for updates without a message.
 */
export function answerTo(
  { message, keyboard }: { message: number | undefined; keyboard: InlineKeyboardButton[][] },
  update: Update,
): Answer | undefined {
  const choices = keyboard.flat().flatMap((button) => {
    const value = 'callback_data' in button ? readAnswer(button.callback_data) : undefined;
    return value === undefined ? [] : [{ value, label: normalizeLabel(button.text) }];
  });
  const tap = update.callback_query;
  if (tap) {
    const value = readAnswer(tap.data);
    const isOffered = tap.message?.message_id === message && choices.some((one) => one.value === value);
    return isOffered && value !== undefined ? { kind: 'choice', value, tapped: true } : undefined;
  }
  if (!update.message) return undefined;
  const text = textOf(update.message).trim();
  const label = normalizeLabel(text);
  const value = choices.find((one) => one.label === label)?.value ?? CONTROL_WORDS.get(label);
  const isOffered = choices.some((one) => one.value === value);
  return isOffered && value !== undefined ? { kind: 'choice', value } : { kind: 'text', text };
}

const MAX_ANSWERS = 40;

export const dialogueStateSchema = z.object({
  step: z.string(),
  answers: z.number().optional(),
  /** Album that the last answer began. Its parts arrive as separate updates but count as one answer. */
  album: z.string().optional(),
});

/** State while an update is handled. Flows extend it with the values of the answers. */
export interface DialogueState extends z.infer<typeof dialogueStateSchema> {
  /** Problem with the last answer, in Telegram's HTML. */
  problem?: string | undefined;
  /** Button for what the last message asked for instead of answering. */
  instead?: InlineKeyboardButton | undefined;
}

/** Question in Telegram's HTML. `buttons`: shown instead of the step's `choices`, with longer labels. */
type Question = string | { html: string; buttons: InlineKeyboardButton[][] };

/** One question of a flow. A `problem` in the state is shown first. */
export interface Step<State> {
  ask(ctx: BotContext, state: State): Question | Promise<Question>;
  /** Returns the answer buttons. Called again when the answer arrives, so it must make no requests and show no prices. */
  choices?(ctx: BotContext, state: State): InlineKeyboardButton[][] | Promise<InlineKeyboardButton[][]>;
  /** Handles a choice, tapped or typed. Without this function, `onText` gets its value. */
  onChoice?(ctx: BotContext, state: State, value: string, isTapped: boolean): State | Promise<State>;
  /** Handles any other text. Without this function, the user is asked to choose. */
  onText?(ctx: BotContext, state: State, text: string): State | Promise<State>;
  /** Step that *Back* leads to. Without it, *Back* leaves the flow. */
  back?: string | undefined;
  /** Returns the state after the question if its answer is known. Not called after *Back*. */
  stateIfKnown?(ctx: BotContext, state: State): Promise<State | undefined>;
  /**
   * Returns the state after the question if the command's text doesn't contain its answer. A step with this
   * function takes all of the remaining text as its answer.
   */
  stateIfOmitted?(state: State): State;
  asksForAddress?: true;
  /** Whether any text, or any message, is meant as the answer. Then small talk isn't told apart from it. */
  asksForAny?: 'text' | 'message';
  /** A tapped answer may set a toast, so the tap is answered with the next view. In other steps, taps are answered at once. */
  mayShowToast?: true;
  /** Help topic whose button is beside *Back* and *Cancel*. */
  help?: string | undefined;
}

/** Dialogue. `state.step` names the question to ask; any other name ends the flow with `finish`. */
export interface Dialogue<State> {
  /** Parses the stored part of the state. The rest lasts for one update only. */
  stateSchema: z.ZodType<State>;
  steps: Readonly<Record<string, Step<State>>>;
  /** Advances the state past questions that aren't needed. Called before each question. */
  resolve?(ctx: BotContext, state: State): Promise<State>;
  finish(ctx: BotContext, state: State): Promise<void>;
}

/** Ways to end a flow early: *Back* from its first question, *Cancel*, or too many answers. */
export const FLOW_ENDS = { back: 'end-back', cancel: 'end-cancel', tooMany: 'end-too-many' } as const;

/** Creates a flow from a dialogue. It only collects answers. `session.question` is its current message. */
export function dialogue<State extends DialogueState>(about: Dialogue<State>): Flow {
  const stepOf = ({ step }: State) => (Object.hasOwn(about.steps, step) ? about.steps[step] : undefined);

  async function skipKnown(ctx: BotContext, state: State): Promise<State> {
    const next = state.problem === undefined ? await stepOf(state)?.stateIfKnown?.(ctx, state) : undefined;
    return next === undefined ? state : skipKnown(ctx, next);
  }

  /** Asks in place of the answered question or, after a typed answer, below it. Then deletes the old question. */
  async function advance(ctx: BotContext, from: State): Promise<FlowResult> {
    const state = about.resolve ? await about.resolve(ctx, from) : from;
    const { question: answered } = ctx.session;
    const step = stepOf(state);
    const asked = step && (await ask(ctx, state, step));
    if (step === undefined) await about.finish(ctx, state);
    // `finish` may have ended the question itself.
    const isLeft = answered !== undefined && ctx.session.question === answered;
    delete ctx.session.question;
    if (asked !== undefined) ctx.session.question = asked;
    if (isLeft && !isReplaced(ctx, answered)) removeQuestion(ctx, answered);
    return asked === undefined ? { kind: 'ended' } : { kind: 'asked', state: about.stateSchema.parse(state) };
  }

  async function ask(ctx: BotContext, state: State, step: Step<State>): Promise<number> {
    const question = await step.ask(ctx, state);
    const html = typeof question === 'string' ? question : question.html;
    const buttons = typeof question === 'string' ? await step.choices?.(ctx, state) : question.buttons;
    const isRejected = state.problem !== undefined && ctx.session.question !== undefined;
    const given = isRejected ? findAddressInput(textOf(ctx.message)) : undefined;
    const isOtherChain = given?.kind === 'other-chain' && !step.asksForAddress;
    const withProblem = paragraphs(isOtherChain && addressProblem(ctx.words, given), state.problem, html);
    const instead = state.instead ? [[state.instead]] : otherAddressRows(ctx, given);
    const rows = [...instead, ...(buttons ?? [])];
    return show(ctx, questionView(ctx.words, withProblem, rows, step.help));
  }

  async function readAnswerTo(ctx: BotContext, state: State, step: Step<State>): Promise<Answer | undefined> {
    const { keyboard } = questionView(ctx.words, '', (await step.choices?.(ctx, state)) ?? []);
    return answerTo({ message: ctx.session.question, keyboard }, ctx.update);
  }

  async function nextState(ctx: BotContext, state: State, step: Step<State>, answer: Answer): Promise<State> {
    if ((state.answers ?? 0) > MAX_ANSWERS) return { ...state, step: FLOW_ENDS.tooMany };
    const choice = answer.kind === 'choice' ? answer.value : undefined;
    if (choice === 'back') return { ...state, step: step.back ?? FLOW_ENDS.back };
    if (choice === 'cancel') return { ...state, step: FLOW_ENDS.cancel };
    return skipKnown(ctx, await applyAnswer(ctx, state, step, answer));
  }

  /** Replies to a message that is no answer, and asks the question again. */
  async function replyToAside(ctx: BotContext, state: State, step: Step<State>, aside: Aside) {
    const { words } = ctx;
    if (aside.kind === 'talk') return advance(ctx, { ...state, problem: words.html(aside.reply) });
    if (aside.explain && step.help !== undefined) {
      await aside.explain(step.help)(ctx);
      return { kind: 'asked', state } as const;
    }
    const { name, menuButton: label, hasFlow, open, keepsFlow } = aside;
    const opens = keepsFlow || hasFlow;
    if (opens) await open(ctx);
    const { flowToEnter } = ctx;
    delete ctx.flowToEnter;
    const isSame = flowToEnter !== undefined && isFlowOpen(ctx, flowToEnter.feature);
    if (isSame || (opens && flowToEnter === undefined)) return advance(ctx, state);
    const instead = label ? button(words, label, callbackData(name, 'open')) : menuButton(words);
    return advance(ctx, { ...state, instead, problem: words.html('talk-other') });
  }

  return {
    questions: about.steps,
    async begin(ctx, start) {
      const from: State = { ...(start as State), album: ctx.message?.media_group_id };
      return advance(ctx, ctx.flowToEnter?.isContinued ? from : await skipKnown(ctx, from));
    },
    async answer(ctx, stored) {
      const before = stored as State;
      const step = stepOf(before);
      const answer = step && (await readAnswerTo(ctx, before, step));
      if (step === undefined || answer === undefined) return { kind: 'unanswered' };
      const album = ctx.message?.media_group_id;
      if (album !== undefined && album === before.album) return { kind: 'asked', state: before };
      const counted = { ...before, album, answers: (before.answers ?? 0) + 1 };
      if (step.mayShowToast !== true) ctx.answerTap();
      const next = await nextState(ctx, counted, step, answer);
      const isRejected = answer.kind === 'text' && next.problem !== undefined;
      const isMeant =
        step.asksForAny === 'message' || (step.asksForAny === 'text' && textOf(ctx.message) !== '');
      // *Yes* to a choice must not read as if it had been made.
      const isAgreement = controlWordOf(textOf(ctx.message)) === 'confirm';
      if (!isRejected || isMeant || isAgreement || ctx.aside === undefined) return advance(ctx, next);
      return replyToAside(ctx, counted, step, ctx.aside);
    },
    parse(stored) {
      const { data } = about.stateSchema.safeParse(stored);
      return data !== undefined && stepOf(data) !== undefined ? data : undefined;
    },
  };
}

export async function applyAnswer<State extends DialogueState>(
  ctx: BotContext,
  state: State,
  { onChoice, onText }: Step<State>,
  answer: Answer,
): Promise<State> {
  if (answer.kind === 'choice' && onChoice) return onChoice(ctx, state, answer.value, answer.tapped === true);
  if (onText) return onText(ctx, state, answer.kind === 'choice' ? answer.value : answer.text);
  return { ...state, problem: ctx.words.html('problem-choice') };
}

/** Returns a button for what else can be done with the address in an answer that wasn't accepted, if it has exactly one. */
function otherAddressRows({ words }: BotContext, given: AddressInput | undefined) {
  if (given?.kind !== 'address') return [];
  const text = words.plain('button-address-instead', { address: shortenAddress(given.address) });
  return [[{ text, callback_data: callbackData(ADDRESS_BUTTONS, 'use', given.address) }]];
}

/** Version of the layout stored here. A change of one flow raises that flow's own version instead. */
const LAYOUT_VERSION = 3;

/** Versions of the plugin and of this layout, the id of the open flow, and its state. */
const storedSchema = z.object({
  version: z.tuple([z.literal(0), z.literal(LAYOUT_VERSION)]),
  flow: z.string(),
  state: z.unknown(),
});

/** Returns the plugin's data of a flow that was entered with `state` and waits for its first answer. */
function conversationWaitingWith(state: unknown): ConversationData[string][number] {
  const replay = create();
  const log = mutate(replay);
  log.done(log.op('wait'), { update_id: 0 });
  return { args: JSON.stringify([state]), interrupts: [log.op('wait')], replay };
}

/** Returns the id under which a flow is stored. It contains the version, so that states of other versions aren't found. */
function flowId({ name, flow }: Feature): string {
  return `${name}@${flow?.version}`;
}

/** Returns the stored flow of the chat with the name of its feature, whatever its version. */
function storedFlow({ tx }: BotContext) {
  const stored = readJson(storedSchema, tx.conversation);
  return stored && { ...stored, name: stored.flow.split('@', 1).join() };
}

/** Returns `undefined` without an open flow that this version can continue. */
export function openFlow(features: readonly Feature[], ctx: BotContext) {
  const stored = storedFlow(ctx);
  const feature = features.find((one) => one.flow !== undefined && flowId(one) === stored?.flow);
  const state = feature?.flow?.parse(stored?.state);
  return stored && feature && state !== undefined ? { ...stored, feature, state } : undefined;
}

/** Returns whether the open question takes any text as its answer. */
export function asksForAny(features: readonly Feature[], ctx: BotContext): boolean {
  const { feature, state } = openFlow(features, ctx) ?? {};
  const { step = '' } = dialogueStateSchema.safeParse(state).data ?? {};
  return feature?.flow?.questions[step]?.asksForAny !== undefined;
}

/**
 * Creates the plugin's storage, which uses the chat's transaction. Only the state of the current question is
 * stored, not the plugin's log. A flow that is read back looks to the plugin as if it had just been entered with that state.
 */
function conversationStorage(
  features: readonly Feature[],
): ConversationStorage<BotContext, ConversationData> {
  return {
    type: 'context',
    version: LAYOUT_VERSION,
    adapter: {
      // Discards a flow of an outdated version, so that no later message is taken for its answer.
      read(ctx) {
        const open = openFlow(features, ctx);
        if (open)
          return { version: open.version, state: { [open.flow]: [conversationWaitingWith(open.state)] } };
        ctx.tx.conversation = undefined;
        return undefined;
      },
      write({ tx, flowState }, { version, state }) {
        const [flow] = Object.keys(state);
        // An update that didn't answer the question leaves the stored state unchanged.
        if (flowState !== undefined) tx.conversation = JSON.stringify({ version, flow, state: flowState });
      },
      delete({ tx }) {
        tx.conversation = undefined;
      },
    },
  };
}

type FlowConversation = Conversation<BotContext, Context>;

/**
 * Creates a conversation from a flow whose first question was asked. Only `state` passes from one answer to
 * the next; the plugin's log would grow with each answer.
 */
function flowConversation(flow: Pick<Flow, 'answer'>) {
  return async (conversation: FlowConversation, _context: Context, entered: unknown): Promise<void> => {
    let state = entered;
    for (;;) {
      await conversation.wait();
      const result = await runExternally(conversation, async (ctx) => {
        const answered = await flow.answer(ctx, state);
        if (answered.kind === 'asked') ctx.flowState = answered.state;
        return answered;
      });
      if (result.kind === 'ended') return;
      if (result.kind === 'asked') state = result.state;
      else await conversation.skip({ next: true });
    }
  };
}

/** Runs a task outside of the conversation's replay. Errors keep their class, which the error boundary needs. */
function runExternally<T>(conversation: FlowConversation, task: (ctx: BotContext) => Promise<T>): Promise<T> {
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

export async function showFlowEnded(ctx: BotContext, step: string): Promise<void> {
  const why = step === FLOW_ENDS.tooMany ? 'problem-too-many' : 'cancelled';
  await showText(ctx, ctx.words.html(why));
}

/**
 * Creates the middleware of all flows: the open one handles the update as an answer, and then the one in
 * `ctx.flowToEnter` begins. Other updates go to the next middleware, which may set `ctx.flowToEnter`.
 */
export function handleFlows(features: readonly Feature[]): Middleware<BotContext> {
  const registrations = new Map(
    features.flatMap((feature) =>
      feature.flow
        ? [[flowId(feature), createConversation(flowConversation(feature.flow), flowId(feature))] as const]
        : [],
    ),
  );

  /** Enters the flow in `ctx.flowToEnter`, if any. Returns whether it exists. */
  async function enter(ctx: BotContext): Promise<boolean> {
    const { flowToEnter } = ctx;
    const feature = features.find(({ name }) => name === flowToEnter?.feature);
    if (flowToEnter === undefined || feature?.flow === undefined) return false;
    const result = await feature.flow.begin(ctx, flowToEnter.start);
    if (result.kind !== 'asked') return true;
    ctx.flowState = result.state;
    const id = flowId(feature);
    await registrations.get(id)?.(ctx, () => ctx.conversation.enter(id, result.state));
    return true;
  }

  const composer = new Composer<BotContext>();
  composer.use(conversations({ storage: conversationStorage(features) }));
  composer.use(async (ctx, next) => {
    // Only the flows that are needed are registered with the plugin, because each one costs time in every update.
    const [openId] = Object.keys(ctx.conversation.active());
    let isEntered = false;
    const enterOnce = async () => {
      isEntered ||= await enter(ctx);
      return isEntered;
    };
    const enterOrPass = async () => {
      if (await enterOnce()) return;
      await next();
      await enterOnce();
    };
    const answer = openId === undefined ? undefined : registrations.get(openId);
    await (answer ? answer(ctx, enterOrPass) : enterOrPass());
    // The flow that has ended may lead to another one.
    await enterOnce();
  });
  return composer;
}

/** Deletes an ended question after the commit. Nothing waits for the deletion, and its failure changes nothing. */
function removeQuestion(ctx: BotContext, message: number): void {
  const over = { html: ctx.words.html('question-over'), keyboard: [] };
  ctx.tx.afterCommit(async () => void remove(ctx, message, over).catch(() => undefined));
}

/**
 * Ends everything that waits for an answer: a flow, a request for a secret, a card with typed answers.
 * Returns `true` if a flow or request for a secret was open. After a request for a one-time code, the next view says
 * that nothing was withdrawn.
 */
export function endFlow(ctx: BotContext): boolean {
  const { question, awaiting } = ctx.session;
  const inFlow = ctx.tx.conversation !== undefined;
  ctx.tx.conversation = undefined;
  const { code } = ctx.session;
  delete ctx.session.awaiting;
  delete ctx.session.code;
  delete ctx.session.pendingLink;
  delete ctx.session.question;
  delete ctx.session.card;
  const tapped = ctx.callbackQuery?.message?.message_id;
  if (question !== undefined && question !== tapped) removeQuestion(ctx, question);
  if (awaiting !== undefined && code !== undefined) ctx.headerHtml = ctx.words.html('left-code');
  return inFlow || awaiting !== undefined;
}

/**
 * Ends everything that waits for an answer, and says so above the next view, unless a code was awaited: {@link endFlow}
 * reports that.
 */
export function leaveFlow(ctx: BotContext): void {
  const isCodeAwaited = ctx.session.code !== undefined;
  if (endFlow(ctx) && !isCodeAwaited) addHeader(ctx, ctx.words.html('flow-left'));
}

/** Returns whether a flow waits for an answer. */
export function isAnyFlowOpen(ctx: BotContext): boolean {
  return storedFlow(ctx) !== undefined;
}

/** Returns whether the question that is open belongs to the flow of this feature. */
export function isFlowOpen(ctx: BotContext, feature: string): boolean {
  return storedFlow(ctx)?.name === feature;
}

/**
 * Asks the open question of a flow, or for a secret, again: in the tapped message or in a new one. A flow's question
 * follows with {@link handleFlows}. Returns whether a question was open.
 */
export async function repeatQuestion(features: readonly Feature[], ctx: BotContext): Promise<boolean> {
  const open = openFlow(features, ctx);
  const { awaiting } = ctx.session;
  const { pendingLink } = ctx.session;
  const ask = features.find(({ name }) => name === awaiting)?.secretInput?.repeatQuestion;
  if (open === undefined && ask === undefined) return false;
  endFlow(ctx);
  if (open) ctx.flowToEnter = { feature: open.feature.name, start: open.state, isContinued: true };
  else {
    delete ctx.headerHtml;
    if (pendingLink !== undefined) ctx.session.pendingLink = pendingLink;
    await ask?.(ctx);
  }
  return true;
}
