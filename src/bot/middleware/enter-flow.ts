import type { Middleware } from 'grammy';
import type { BotContext } from '../context.ts';
import { flowId } from '../conversation-storage.ts';
import type { Feature } from '../features/feature.ts';

/** Enters the flow that a button or command asked for. Stands below the flows, where any that was open has been left. */
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
