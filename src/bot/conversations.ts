import {
  type Conversation,
  type ConversationData,
  type ConversationStorage,
  create,
  mutate,
  type VersionedState,
} from '@grammyjs/conversations';
import type { Context, Middleware } from 'grammy';
import { z } from 'zod';
import { callbackData, withMenuButton } from '../i18n/view.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import type { PlacedCard } from '../operations/confirm.ts';
import type { BotContext, Flow, FlowEntry } from './context.ts';
import { FLOW_ENDS } from './dialogue.ts';
import type { Feature } from './feature.ts';
import { removeButtons, show } from './reply.ts';
import type { Router } from './router.ts';

/** Version of the layout stored here. A change of one flow raises that flow's own version instead. */
const LAYOUT_VERSION = 3;

/** Stored data: the versions of the plugin and of this layout, the id of the open flow, and its state. */
const storedSchema = z.object({
  version: z.tuple([z.literal(0), z.literal(LAYOUT_VERSION)]),
  flow: z.string(),
  state: z.unknown(),
});

/**
 * Returns the plugin's data of a flow that was just entered with `state` and waits for its first answer
 * ({@link flowConversation}).
 */
function conversationWaitingWith(state: unknown): ConversationData[string][number] {
  const replay = create();
  const log = mutate(replay);
  log.done(log.op('wait'), { update_id: 0 });
  return { args: JSON.stringify([state]), interrupts: [log.op('wait')], replay };
}

/**
 * Returns the id under which a flow is stored. It contains the flow's version, so states of other versions aren't
 * found.
 */
export function flowId({ name, flow }: Feature): string {
  return `${name}@${flow?.version}`;
}

/** Returns the open flow, to be entered again at its current question, or `undefined`. */
function openFlow(features: readonly Feature[], { tx }: BotContext): FlowEntry | undefined {
  const data = storedFlowOf(tx);
  const feature = features.find((one) => one.flow !== undefined && flowId(one) === data?.flow);
  const start = feature?.flow?.parse(data?.state);
  return feature === undefined || start === undefined
    ? undefined
    : { feature: feature.name, start, isContinued: true };
}

/**
 * Creates the plugin's storage, which uses the chat's transaction: an open flow is read with it and written by its
 * commit. Only the state of the current question is stored, not the plugin's log. A flow that is read looks as if it
 * had just been entered with that state.
 */
export function conversationStorage(
  features: readonly Feature[],
): ConversationStorage<BotContext, ConversationData> {
  const flows = new Map(
    features.flatMap((feature) => (feature.flow ? [[flowId(feature), feature.flow]] : [])),
  );

  /** Discards the flow if its version is outdated, so that no later message is taken for its answer. */
  function read({ tx }: BotContext): VersionedState<ConversationData> | undefined {
    const data = storedFlowOf(tx);
    const state = data && flows.get(data.flow)?.parse(data.state);
    if (data !== undefined && state !== undefined) {
      return { version: data.version, state: { [data.flow]: [conversationWaitingWith(state)] } };
    }
    tx.conversation = undefined;
    return undefined;
  }

  return {
    type: 'context',
    version: LAYOUT_VERSION,
    adapter: {
      read,
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

function storedFlowOf({ conversation }: BotContext['tx']) {
  return storedSchema.safeParse(parseJson(conversation)).data;
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

type FlowConversation = Conversation<BotContext, Context>;

/**
 * Creates a conversation from a flow whose first question has already been asked. Only `state` is passed from one
 * answer to the next. {@link conversationStorage} stores it instead of the plugin's log, which would grow with each
 * answer.
 */
export function flowConversation(flow: Pick<Flow, 'answer'>) {
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

/** Calls `external` so that errors keep their class, which the error boundary needs. */
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

/** Shows that a flow was ended early, by *Cancel* or by too many answers. */
export async function showFlowEnded(ctx: BotContext, step: string): Promise<void> {
  const why = step === FLOW_ENDS.tooMany ? 'problem-too-many' : 'cancelled';
  await show(ctx, withMenuButton(ctx.words, ctx.words.html(why)));
}

/**
 * Creates the middleware that enters the flow requested by a button or a command. It runs below the flows, after an
 * open one has ended.
 */
export function enterFlow({ features }: { features: readonly Feature[] }): Middleware<BotContext> {
  return async (ctx, next) => {
    const { flowToEnter } = ctx;
    const feature = features.find(({ name }) => name === flowToEnter?.feature);
    if (flowToEnter === undefined || feature?.flow === undefined) return next();
    const result = await feature.flow.begin(ctx, flowToEnter.start);
    if (result.kind !== 'asked') return;
    ctx.flowState = result.state;
    await ctx.conversation.enter(flowId(feature), result.state);
  };
}

/**
 * Leaves everything that waits for an answer: a flow, the request for a secret, a card with typed answers. If a flow or
 * a request for a secret was open, the next view says so, and the function returns `true`.
 */
export function endFlow(ctx: BotContext): boolean {
  const { question, awaiting } = ctx.session;
  const inFlow = ctx.tx.conversation !== undefined;
  ctx.tx.conversation = undefined;
  const { code } = ctx.session;
  delete ctx.session.awaiting;
  delete ctx.session.code;
  delete ctx.session.question;
  delete ctx.session.card;
  const tapped = ctx.callbackQuery?.message?.message_id;
  if (question !== undefined && question !== tapped) {
    ctx.tx.afterCommit(() => removeButtons(ctx, question));
  }
  if (inFlow) ctx.headerHtml = ctx.words.html('left-flow');
  else if (awaiting !== undefined)
    ctx.headerHtml = ctx.words.html(code === undefined ? 'left-secret' : 'left-code');
  return inFlow || awaiting !== undefined;
}

/** Cancels a card whose question has ended, like a tap on its *Cancel*. Returns whether it could be cancelled. */
export async function cancelCard(
  ctx: BotContext,
  router: Pick<Router, 'routeTap'>,
  card: PlacedCard | undefined,
): Promise<boolean> {
  const cancel = card && router.routeTap(callbackData(CARD_BUTTONS, 'cancel', card.operation), ctx);
  if (card && (await cancel?.press(ctx, card.message)) !== undefined) return true;
  // The toast is only for a tap on the card itself.
  delete ctx.toast;
  return false;
}

/**
 * Calls {@link endFlow} and cancels a card that waits for a one-time code. Otherwise that card would keep asking for
 * a code that is no longer accepted.
 */
export async function endFlowAndCodeCard(ctx: BotContext, router: Pick<Router, 'routeTap'>): Promise<void> {
  const { code } = ctx.session;
  endFlow(ctx);
  await cancelCard(ctx, router, code);
}

/**
 * Makes the open flow ask its question again, in the tapped message. The earlier message of the question loses its
 * buttons. Returns whether a flow was open.
 */
export function repeatQuestion(features: readonly Feature[], ctx: BotContext): boolean {
  const open = openFlow(features, ctx);
  if (open === undefined) return false;
  endFlow(ctx);
  // The flow continues, so the user must not read that it has ended.
  delete ctx.headerHtml;
  ctx.flowToEnter = open;
  return true;
}
