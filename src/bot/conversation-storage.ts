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

/** The layout of what is stored here; a flow's own changes raise its own version. */
const VERSION = 3;

/** The versions as the plugin writes them, its own and ours; the open flow by its id, and the state that it stands at. */
const storedSchema = z.object({
  version: z.tuple([z.literal(0), z.literal(VERSION)]),
  flow: z.string(),
  state: z.unknown(),
});

/** A flow that was just entered with `state`: it waits for its first answer (`flow-conversation.ts`). */
function enteredWith(state: unknown): ConversationData[string][number] {
  const replay = create();
  const log = mutate(replay);
  log.done(log.op('wait'), { update_id: 0 });
  return { args: JSON.stringify([state]), interrupts: [log.op('wait')], replay };
}

/** What a flow is stored as: under another version of it nothing is found. */
export function flowId({ name, flow }: Feature): string {
  return `${name}@${flow?.version}`;
}

/** The open flow, to be entered anew at its present question. */
export function openFlow(features: readonly Feature[], { tx }: BotContext): FlowEntry | undefined {
  const data = storedIn(tx);
  const feature = features.find((one) => one.flow !== undefined && flowId(one) === data?.flow);
  const start = feature?.flow?.read(data?.state);
  return feature === undefined || start === undefined
    ? undefined
    : { feature: feature.name, start, goesOn: true };
}

/**
 * An open flow is a part of its chat's transaction: read with it, written by its commit. Kept is the state of its present
 * question, and no log: it is read as if it had just been entered with that state.
 */
export function conversationStorage(
  features: readonly Feature[],
): ConversationStorage<BotContext, ConversationData> {
  const flows = new Map(
    features.flatMap((feature) => (feature.flow ? [[flowId(feature), feature.flow]] : [])),
  );

  /** What isn't of the present versions is forgotten at once, so that nothing waits for its answer. */
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
        // An update that answered nothing leaves it as it is.
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
