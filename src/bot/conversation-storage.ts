import type { ConversationData, ConversationStorage } from '@grammyjs/conversations';
import type { BotContext } from './context.ts';

/** Raised whenever the steps of a flow change: what was begun under another one is forgotten, not replayed wrongly. */
const VERSION = 1;

/** An open flow is a part of its chat's transaction: read with it, written by its commit. */
export const conversationStorage: ConversationStorage<BotContext, ConversationData> = {
  type: 'context',
  version: VERSION,
  adapter: {
    read: ({ tx }) => (tx.conversation === undefined ? undefined : JSON.parse(tx.conversation)),
    write: ({ tx }, state) => {
      tx.conversation = JSON.stringify(state);
    },
    delete: ({ tx }) => {
      tx.conversation = undefined;
    },
  },
};
