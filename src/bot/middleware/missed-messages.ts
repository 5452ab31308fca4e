import type { Middleware } from 'grammy';
import type { Operations } from '../../operations/operations.ts';
import type { BotContext } from '../context.ts';
import { readAhead } from '../read-ahead.ts';

/**
 * Creates the middleware that notifies users who had blocked the bot about their operations. It does so as soon as they
 * are back, before anything else.
 */
export function tellMissed({ operations }: { operations: Pick<Operations, 'missed' | 'tellMissed'> }): {
  ahead: (ctx: BotContext) => void;
  tell: Middleware<BotContext>;
} {
  const missed = readAhead(async ({ from }) => (from ? operations.missed.of(from.id) : []));
  return {
    ahead(ctx) {
      if (mayBeBack(ctx)) missed.begin(ctx, '');
    },
    async tell(ctx, next) {
      if (mayBeBack(ctx)) await operations.tellMissed(await missed.of(ctx, ''));
      await next();
    },
  };
}

function mayBeBack({ myChatMember, message }: BotContext): boolean {
  const hasUnblocked = myChatMember?.new_chat_member.status === 'member';
  return hasUnblocked || message?.text?.startsWith('/start') === true;
}
