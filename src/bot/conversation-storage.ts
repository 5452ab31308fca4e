import type { ConversationData, ConversationStorage, VersionedState } from '@grammyjs/conversations';
import { z } from 'zod';
import type { BotContext } from './context.ts';
import type { Feature } from './features/feature.ts';

/** The layout of what is stored here; a flow's own changes raise its own version. */
const VERSION = 2;

/** As the plugin writes it: its own version and ours, and the open conversations by id. */
const storedSchema = z.object({
  version: z.tuple([z.number(), z.literal(VERSION)]),
  state: z.record(z.string(), z.array(z.unknown())),
});

/** What a flow is stored as: under another version of it nothing is found. */
export function flowId({ name, flow }: Feature): string {
  return `${name}@${flow?.version}`;
}

/** An open flow is a part of its chat's transaction: read with it, written by its commit. */
export function conversationStorage(
  features: readonly Feature[],
): ConversationStorage<BotContext, ConversationData> {
  const known = new Set(features.filter(({ flow }) => flow !== undefined).map(flowId));

  /** What isn't of the present versions is forgotten at once, so that nothing waits for its answer. */
  function read({ tx }: BotContext) {
    const { data } = storedSchema.safeParse(parse(tx.conversation));
    const isPresent = data !== undefined && Object.keys(data.state).every((id) => known.has(id));
    if (isPresent) return data as VersionedState<ConversationData>;
    tx.conversation = undefined;
    return undefined;
  }

  return {
    type: 'context',
    version: VERSION,
    adapter: {
      read,
      write({ tx }, state) {
        tx.conversation = JSON.stringify(state);
      },
      delete({ tx }) {
        tx.conversation = undefined;
      },
    },
  };
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
