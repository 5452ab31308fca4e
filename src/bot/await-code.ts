import type { Operation } from '../operations/operation.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { edit } from './reply.ts';

/** Name of the feature that accepts one-time codes. */
export const CODE_INPUT = 'code';

/** Time during which a message with only a number is treated as a one-time code and deleted, in milliseconds. */
const CODES_MS = 5 * 60_000;

/** Expects the operation's one-time code in the next message. Updates the card after the commit. */
export function awaitCode(
  { card, now }: Pick<FeatureDeps, 'card' | 'now'>,
  ctx: BotContext,
  operation: Operation,
  message: number,
): void {
  ctx.session.awaiting = CODE_INPUT;
  ctx.session.code = { operation: operation.id, message, until: operation.expiresAt };
  mayBeCodes({ now }, ctx);
  ctx.tx.afterCommit(async () => edit(ctx, message, await card(ctx.words, operation)));
}

/** Stops expecting a one-time code. With `of`, only if the code is for that operation. */
export function awaitNoCode({ session }: BotContext, of?: Pick<Operation, 'id'>): void {
  if (session.code === undefined || (of && session.code.operation !== of.id)) return;
  delete session.awaiting;
  delete session.code;
}

export function mayBeCodes({ now }: Pick<FeatureDeps, 'now'>, { session }: BotContext): void {
  session.codesUntil = now() + CODES_MS;
}
