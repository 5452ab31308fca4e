import type { BroadcastDrafts } from '../../broadcasts/store.ts';
import { hashOfMessage, MAKING, type MakingState } from '../broadcast-making.ts';
import type { Step } from '../dialogue.ts';
import { question } from './question.ts';

/** Creates the question for the message of the broadcast, of any kind that can be copied as a whole. */
export function broadcastMessageStep({ drafts }: { drafts: BroadcastDrafts }): Step<MakingState> {
  return {
    back: MAKING.contents,
    ask: ({ words }, { language = 'default' }) =>
      question(words, words.html('making-message', { language }), []),
    async take(ctx, state) {
      const { words, message, from } = ctx;
      if (message?.media_group_id !== undefined) {
        return { ...state, problem: words.html('problem-making-album') };
      }
      const hash = message && hashOfMessage(message);
      if (from === undefined || message === undefined || hash === undefined) {
        return { ...state, problem: words.html('problem-making-message') };
      }
      const { language = 'default' } = state;
      ctx.tx.signal.throwIfAborted();
      await drafts.change(from.id, () => ({ source: { message: message.message_id, hash, language } }));
      return { ...state, step: MAKING.buttons };
    },
  };
}
