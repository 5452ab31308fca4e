import type { AddressBook } from '../accounts/address-book.ts';
import type { Operation } from '../operations/operation.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './features/feature.ts';

/** The addresses that this person bought for, the latest first: read together with the beginning of the update. */
export async function knownAddresses(
  { addressBook }: { addressBook: Pick<AddressBook, 'ahead'> },
  ctx: BotContext,
): Promise<string[]> {
  if (ctx.from) ctx.addresses ??= addressBook.ahead(ctx.from.id);
  return (await ctx.addresses?.()) ?? [];
}

/** Where money was taken out to is known once that was confirmed, and not for having been on a card. */
export function createRememberTaken({
  addressBook,
  operations: { kinds },
}: Pick<FeatureDeps, 'addressBook' | 'operations'>) {
  return async (ctx: BotContext, { user, request, warnings }: Operation): Promise<void> => {
    const kind = kinds.of(request);
    // What may be a trap is never offered by a button.
    if (kind.takesOut === undefined || warnings?.lookalike !== undefined) return;
    const known = await addressBook.known(user);
    ctx.tx.afterCommit(() => addressBook.remember(user, kind.target(request), known));
  };
}
