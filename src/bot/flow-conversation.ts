import type { Conversation } from '@grammyjs/conversations';
import type { Context } from 'grammy';
import type { BotContext, Flow } from './context.ts';

type FlowConversation = Conversation<BotContext, Context>;

/**
 * A flow as a conversation, whose first question was asked before it is entered. From one answer to the next only `state`
 * goes on: that is what `conversation-storage.ts` keeps, in place of a log that would grow with each answer.
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

/** `external`, whose errors keep their class: the boundary must know what failed. */
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
