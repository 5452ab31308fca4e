import type { BotContext } from './context.ts';
import { openFlow } from './conversations.ts';
import type { Feature } from './feature.ts';
import { leaveFlow } from './leave-flow.ts';

/**
 * Makes the open flow ask its question again, in the tapped message. The earlier message of the question loses its
 * buttons. Returns whether a flow was open.
 */
export function askAgain(features: readonly Feature[], ctx: BotContext): boolean {
  const open = openFlow(features, ctx);
  if (open === undefined) return false;
  leaveFlow(ctx);
  // The flow continues, so the user must not read that it was left.
  delete ctx.lead;
  ctx.entering = open;
  return true;
}
