import type { Conversation } from '@grammyjs/conversations';
import type { Context } from 'grammy';
import type { BotContext, Flow } from './context.ts';

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
