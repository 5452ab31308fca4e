import type { Middleware } from 'grammy';
import type { Operations } from '../../operations/operations.ts';
import type { BotContext } from '../context.ts';

/** Who had blocked the bot hears what became of their operations as soon as they are back, before anything else. */
export function tellMissed({
  operations,
}: {
  operations: Pick<Operations, 'tellMissed'>;
}): Middleware<BotContext> {
  return async (ctx, next) => {
    const hasUnblocked = ctx.myChatMember?.new_chat_member.status === 'member';
    const starts = ctx.message?.text?.startsWith('/start') === true;
    if (ctx.from && (hasUnblocked || starts)) await operations.tellMissed(ctx.from.id);
    await next();
  };
}
