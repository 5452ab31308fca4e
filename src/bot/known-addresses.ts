import type { AddressBook } from '../accounts/address-book.ts';
import type { BotContext } from './context.ts';

/** The addresses that this person bought for, the latest first: read together with the beginning of the update. */
export async function knownAddresses(
  { addressBook }: { addressBook: Pick<AddressBook, 'ahead'> },
  ctx: BotContext,
): Promise<string[]> {
  if (ctx.from) ctx.addresses ??= addressBook.ahead(ctx.from.id);
  return (await ctx.addresses?.()) ?? [];
}
