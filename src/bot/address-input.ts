import { type AddressBook, type Book, findSavedName, nameOf } from '../accounts/address-book.ts';
import { shortenAddress } from '../i18n/texts.ts';
import { findAddressInput } from '../rental-api/tron.ts';
import type { BotContext } from './context.ts';

/** Feature that handles the buttons of addresses. */
export const ADDRESS_BUTTONS = 'addresses';

/** Returns the user's address book. Each update reads it once. */
export async function addressBookOf(
  { addressBook }: { addressBook: Pick<AddressBook, 'readAhead'> },
  ctx: BotContext,
): Promise<Book> {
  ctx.addressBook ??= addressBook.readAhead(ctx.from.id);
  return ctx.addressBook();
}

/** Returns a text without an address with the one whose saved name it has, or `undefined` if it has none. */
export async function withSavedAddress(ctx: BotContext, text: string): Promise<string | undefined> {
  const book = findAddressInput(text) ? undefined : await ctx.addressBook?.();
  return book && findSavedName(text, book)?.text;
}

/** Returns an address's label with its name, if it has one. For display only. */
export function addressLabel(address: string, book: Book): string {
  const name = nameOf(book, address);
  const star = address === book.defaultAddress ? '★ ' : '';
  return star + (name === undefined ? shortenAddress(address) : `${name} · ${shortenAddress(address)}`);
}
