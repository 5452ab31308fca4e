import type { Operation } from '../operations/operation.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { knownAddresses } from './known-addresses.ts';

type Deps = Pick<FeatureDeps, 'addressBook' | 'operations'>;

/**
 * Adds the address of a confirmed operation to the user's address book. Skips lookalikes of known addresses. Also skips
 * withdrawals, whose addresses are added only after money was sent there.
 */
export async function rememberAddress(
  { addressBook, operations }: Deps,
  ctx: BotContext,
  { user, request, warnings }: Operation,
): Promise<void> {
  const kind = operations.kinds.of(request);
  if (kind.takesOut !== undefined || warnings?.lookalike !== undefined) return;
  const known = await knownAddresses({ addressBook }, ctx);
  ctx.tx.afterCommit(() => addressBook.remember(user, kind.target(request), { known }));
}
