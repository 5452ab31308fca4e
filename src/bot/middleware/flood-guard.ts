import { limit } from '@grammyjs/ratelimiter';
import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';
import type { FloodAnswers } from '../flood-answers.ts';

const WINDOW_MS = 5_000;
const UPDATES = 40;

/** Creates the middleware that drops a user's updates above a rate limit, before the storage is used. */
export function floodGuard({ drop }: FloodAnswers): Middleware<BotContext> {
  const within = limit<BotContext, never>({
    timeFrame: WINDOW_MS,
    limit: UPDATES,
    keyGenerator: (ctx) => ctx.from?.id.toString(),
    onLimitExceeded: () => undefined,
  });
  return async (ctx, next) => {
    let passed = false;
    await within(ctx, () => {
      passed = true;
      return next();
    });
    if (!passed) drop(ctx.update);
  };
}
