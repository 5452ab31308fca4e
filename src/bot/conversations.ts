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
import { notice } from '../i18n/view.ts';
import type { BotContext, Flow, FlowEntry } from './context.ts';
import { ENDS } from './dialogue.ts';
import type { Feature } from './feature.ts';
import { show } from './reply.ts';

/** Version of the layout stored here. A change of one flow raises that flow's own version instead. */
const VERSION = 3;

/** Stored data: the versions of the plugin and of this layout, the id of the open flow, and its state. */
const storedSchema = z.object({
  version: z.tuple([z.literal(0), z.literal(VERSION)]),
  flow: z.string(),
  state: z.unknown(),
});

/**
 * Returns the plugin's data of a flow that was just entered with `state` and waits for its first answer
 * (`flow-conversation.ts`).
 */
function enteredWith(state: unknown): ConversationData[string][number] {
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
export function openFlow(features: readonly Feature[], { tx }: BotContext): FlowEntry | undefined {
  const data = storedIn(tx);
  const feature = features.find((one) => one.flow !== undefined && flowId(one) === data?.flow);
  const start = feature?.flow?.read(data?.state);
  return feature === undefined || start === undefined
    ? undefined
    : { feature: feature.name, start, goesOn: true };
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
    const data = storedIn(tx);
    const state = data && flows.get(data.flow)?.read(data.state);
    if (data !== undefined && state !== undefined) {
      return { version: data.version, state: { [data.flow]: [enteredWith(state)] } };
    }
    tx.conversation = undefined;
    return undefined;
  }

  return {
    type: 'context',
    version: VERSION,
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

function storedIn({ conversation }: BotContext['tx']) {
  return storedSchema.safeParse(parse(conversation)).data;
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

type FlowConversation = Conversation<BotContext, Context>;

/**
 * Creates a conversation from a flow whose first question has already been asked. Only `state` is passed from one
 * answer to the next. `conversation-storage.ts` stores it instead of the plugin's log, which would grow with each
 * answer.
 */
export function flowConversation(flow: Pick<Flow, 'answer'>) {
  return async (conversation: FlowConversation, _context: Context, entered: unknown): Promise<void> => {
    let state = entered;
    for (;;) {
      await conversation.wait();
      const standing = await outside(conversation, async (ctx) => {
        const answered = await flow.answer(ctx, state);
        if (answered.kind === 'asked') ctx.flowState = answered.state;
        return answered;
      });
      if (standing.kind === 'over') return;
      if (standing.kind === 'asked') state = standing.state;
      else await conversation.skip({ next: true });
    }
  };
}

/** Calls `external` so that errors keep their class, which the error boundary needs. */
function outside<T>(conversation: FlowConversation, task: (ctx: BotContext) => Promise<T>): Promise<T> {
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
export async function showEnded(ctx: BotContext, step: string): Promise<void> {
  const why = step === ENDS.tooMany ? 'problem-too-many' : 'cancelled';
  await show(ctx, notice(ctx.words, ctx.words.html(why)));
}

/**
 * Creates the middleware that enters the flow requested by a button or a command. It runs below the flows, after an
 * open one has been left.
 */
export function enterFlow({ features }: { features: readonly Feature[] }): Middleware<BotContext> {
  return async (ctx, next) => {
    const { entering } = ctx;
    const feature = features.find(({ name }) => name === entering?.feature);
    if (entering === undefined || feature?.flow === undefined) return next();
    const standing = await feature.flow.begin(ctx, entering.start);
    if (standing.kind !== 'asked') return;
    ctx.flowState = standing.state;
    await ctx.conversation.enter(flowId(feature), standing.state);
  };
}
