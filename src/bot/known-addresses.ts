import type { AddressBook, Book } from '../accounts/address-book.ts';
import { shortened } from '../i18n/formats.ts';
import type { BotContext } from './context.ts';

/** Name of the feature that handles the buttons of addresses. */
export const ADDRESS_BUTTONS = 'addresses';

/** Returns the user's address book. The update reads it once, together with its transaction. */
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

/** Returns the label of an address in a list or on a button, with its name if it has one. For display only. */
export function addressLabel(address: string, { addresses, preferred }: Book): string {
  const { name } = addresses.find((one) => one.address === address) ?? {};
  const star = address === preferred ? '★ ' : '';
  return star + (name === undefined ? shortened(address) : `${name} · ${shortened(address)}`);
}
