import type { AddressBook } from '../accounts/address-book.ts';
import type { Book } from '../accounts/book.ts';
import { shortened } from '../texts/formats.ts';
import type { BotContext } from './context.ts';

/** The feature that hears the buttons of addresses. */
export const ADDRESS_BUTTONS = 'addresses';

/** The address book of this person: read together with the beginning of the update. */
export async function knownAddresses(
  { addressBook }: { addressBook: Pick<AddressBook, 'ahead'> },
  ctx: BotContext,
): Promise<Book> {
  if (ctx.from) ctx.addresses ??= addressBook.ahead(ctx.from.id);
  return (await ctx.addresses?.()) ?? { addresses: [] };
}

/**
 * Returns the last 12 characters of an address. They name a known address on a button with a token, since 64 bytes have no
 * room for the whole address. Finding another address with the same 12 takes some 2^70 attempts.
 */
export function tailOf(address: string): string {
  return address.slice(-12);
}

/** An address in a list or on a button, by the name that its user gave it: nothing is decided by it. */
export function addressLabel(address: string, { addresses, preferred }: Book): string {
  const { name } = addresses.find((one) => one.address === address) ?? {};
  const star = address === preferred ? '★ ' : '';
  return star + (name === undefined ? shortened(address) : `${name} · ${shortened(address)}`);
}
