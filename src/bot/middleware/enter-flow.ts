import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';
import { flowId } from '../conversation-storage.ts';
import type { Feature } from '../features/feature.ts';

/**
 * Creates the middleware that enters the flow requested by a button or a command. It runs below the flows, after an
 * open one has been left.
 */
export function enterFlow({ features }: { features: readonly Feature[] }): Middleware<BotContext> {
  return async (ctx, next) => {
    const { entering } = ctx;
    const feature = features.find(({ name }) => name === entering?.feature);
    if (entering === undefined || feature?.flow === undefined) return next();
    const standing = await feature.flow.begin(ctx, entering.start);
    if (standing.kind !== 'asked') return;
    ctx.flowState = standing.state;
    await ctx.conversation.enter(flowId(feature), standing.state);
  };
}
