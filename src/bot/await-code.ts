import type { Operation } from '../operations/operation.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { edit } from './reply.ts';

/** The feature that takes one-time codes. */
export const CODE_INPUT = 'code';

/** So long after one was asked for, or taken, a lone number of six digits is taken for a code, and deleted. */
const CODES_MS = 5 * 60_000;

/** The next message is the operation's one-time code. Its card says so once the update's commit stands. */
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

/** No code is waited for any more: of this operation, or of any. */
export function awaitNoCode({ session }: BotContext, of?: Pick<Operation, 'id'>): void {
  if (session.code === undefined || (of && session.code.operation !== of.id)) return;
  delete session.awaiting;
  delete session.code;
}

export function mayBeCodes({ now }: Pick<FeatureDeps, 'now'>, { session }: BotContext): void {
  session.codesUntil = now() + CODES_MS;
}
