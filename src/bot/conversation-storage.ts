import {
  type ConversationData,
  type ConversationStorage,
  create,
  mutate,
  type VersionedState,
} from '@grammyjs/conversations';
import { z } from 'zod';
import type { BotContext, FlowEntry } from './context.ts';
import type { Feature } from './features/feature.ts';

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
