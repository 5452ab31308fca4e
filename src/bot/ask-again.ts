import type { BotContext } from './context.ts';
import { openFlow } from './conversation-storage.ts';
import type { Feature } from './features/feature.ts';
import { leaveFlow } from './leave-flow.ts';

/** Has the open flow's question asked again, where the tap was; the former one loses its buttons. Answers whether one was open. */
export function askAgain(features: readonly Feature[], ctx: BotContext): boolean {
  const open = openFlow(features, ctx);
  if (open === undefined) return false;
  leaveFlow(ctx);
  // It isn't left.
  delete ctx.lead;
  ctx.entering = open;
  return true;
}
