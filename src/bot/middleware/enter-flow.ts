import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';

/** Enters the flow that a button or command asked for. Stands below the flows, where any that was open has been left. */
export const enterFlow: Middleware<BotContext> = async (ctx, next) => {
  if (ctx.entering === undefined) return next();
  await ctx.conversation.enter(ctx.entering.name, ctx.entering.start);
};
