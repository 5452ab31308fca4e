import type { InlineKeyboardButton } from 'grammy/types';
import { type AddressBook, type Book, findLookalike, isKnown } from '../accounts/address-book.ts';
import { escapeHtml, groupInFours, lines, paragraphs, shortenAddress, type Words } from '../i18n/texts.ts';
import type { Operation } from '../operations/operation.ts';
import { type AddressInput, contractNameOf } from '../rental-api/tron.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, inRows, type View, withMenuButton } from '../views/view.ts';
import { guestButtons, linkOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import { entryButton, type FeatureDeps, type MenuAudience, menuEntries } from './feature.ts';

const MAX_ADDRESS_CHOICES = 4;
const MAX_NAMED_LETTERS = 4;

/** Returns the addresses to choose between, or none unless several were given and each fits a button. */
export function addressChoicesOf(given: AddressInput): string[] {
  return given.kind === 'several' && given.addresses.length <= MAX_ADDRESS_CHOICES ? given.addresses : [];
}

/** Returns one button per address, numbered as in {@link addressProblem}. */
export function addressChoiceRows(
  words: Words,
  addresses: readonly string[],
  dataOf: (address: string) => string,
): InlineKeyboardButton[][] {
  return addresses.map((address, at) => {
    const name = contractNameOf(address);
    const contract = name === undefined ? [] : [words.plain('address-contract', { name })];
    const text = [at + 1, shortenAddress(address), ...contract].join(' · ');
    return [{ text, callback_data: dataOf(address) }];
  });
}

/** Returns why no address was accepted, in Telegram's HTML. */
export function addressProblem(words: Words, given: Exclude<AddressInput, { kind: 'address' }>): string {
  switch (given.kind) {
    case 'none':
      return words.html(`problem-address-${given.problem}`, { length: String(given.length) });
    case 'several':
      return addressChoicesOf(given).length === 0
        ? words.html('problem-address-many')
        : lines(
            words.html('problem-address-several'),
            ...given.addresses.map((address, at) => {
              const name = contractNameOf(address);
              const contract = name === undefined ? '' : ` · ${words.html('address-contract', { name })}`;
              return `${at + 1}. <code>${escapeHtml(address)}</code>${contract}`;
            }),
          );
    case 'other-chain':
      return words.html('problem-address-other-chain', { chain: given.chain });
    case 'contract':
      return words.html('problem-address-contract', { name: given.name ?? 'none' });
    case 'foreign': {
      const named = given.letters
        .slice(0, MAX_NAMED_LETTERS)
        .map(({ letter, place }) => words.plain('foreign-letter', { letter, place }));
      const more = given.letters.length > MAX_NAMED_LETTERS ? ['…'] : [];
      return words.html('problem-address-foreign', { letters: [...named, ...more].join(', ') });
    }
  }
}

const about = (button: string, address: string) => callbackData(ADDRESS_BUTTONS, button, address);

function addressHeader(words: Words, book: Book, address: string): string {
  const name = nameOf(book, address);
  const title = `<b>${name === undefined ? words.html('address-unnamed') : escapeHtml(name)}</b>`;
  const isDefault = address === book.defaultAddress;
  return lines(
    isDefault ? `★ ${title} ${words.html('address-default')}` : title,
    `<code>${escapeHtml(address)}</code>`,
  );
}

function nameOf({ addresses }: Book, address: string): string | undefined {
  return addresses.find((one) => one.address === address)?.name;
}

export async function addressActions(deps: FeatureDeps, ctx: BotContext, address: string): Promise<View> {
  const { words } = ctx;
  const [book, link] = await Promise.all([addressBookOf(deps, ctx), linkOf(deps, ctx)]);
  const to: MenuAudience[] = link ? ['linked', 'merchant'] : ['guest'];
  const startableFeatures = deps.features().filter(({ startWithAddress }) => startWithAddress);
  const actionButtons = menuEntries(startableFeatures, to, link).map(({ style: _, ...entry }) =>
    entryButton(words, entry, callbackData(entry.name, 'to', address)),
  );
  const similar = findLookalike(address, book);
  const contract = contractNameOf(address);
  const html = paragraphs(
    addressHeader(words, book, address),
    contract !== undefined && words.html('operation-contract', { name: contract }),
    similar &&
      words.html('operation-lookalike', { known: groupInFours(similar), given: groupInFours(address) }),
    words.html(actionButtons.length > 0 ? 'address-use' : 'address-use-none'),
  );
  const manageButton = isKnown(book, address)
    ? button(words, 'button-address-manage', about('one', address))
    : button(words, 'button-address-save', about('save', address));
  const guests = link ? [] : guestButtons(words, deps.accountUrl);
  return withMenuButton(words, html, ...inRows(actionButtons), ...guests, [manageButton]);
}

export async function addressSettings(deps: FeatureDeps, ctx: BotContext, address: string): Promise<View> {
  const { words } = ctx;
  const book = await addressBookOf(deps, ctx);
  const hasName = nameOf(book, address) !== undefined;
  const defaultButton =
    book.defaultAddress === address
      ? button(words, 'button-address-prefer-none', about('prefer-none', addressTail(address)))
      : button(words, 'button-address-prefer', about('prefer', addressTail(address)));
  return withMenuButton(
    words,
    paragraphs(addressHeader(words, book, address), words.html('address-managed')),
    [button(words, 'button-address-use', about('use', address), 'primary')],
    [
      button(words, hasName ? 'button-address-rename' : 'button-address-name', about('rename', address)),
      defaultButton,
    ],
    [button(words, 'button-address-remove', about('remove', address))],
    [button(words, 'button-addresses', callbackData(ADDRESS_BUTTONS, 'open'))],
  );
}

export async function removalQuestion(deps: FeatureDeps, ctx: BotContext, address: string): Promise<View> {
  const { words } = ctx;
  const header = addressHeader(words, await addressBookOf(deps, ctx), address);
  const yes = about('remove-yes', addressTail(address));
  return {
    html: paragraphs(header, words.html('address-remove-ask')),
    keyboard: [
      [button(words, 'button-address-remove-yes', yes, 'danger')],
      [button(words, 'button-back', about('one', address))],
    ],
  };
}

export const ADDRESS_BUTTONS = 'addresses';

/** Returns the user's address book. Each update reads it once. */
export async function addressBookOf(
  { addressBook }: { addressBook: Pick<AddressBook, 'readAhead'> },
  ctx: BotContext,
): Promise<Book> {
  if (ctx.from) ctx.addressBook ??= addressBook.readAhead(ctx.from.id);
  return (await ctx.addressBook?.()) ?? { addresses: [] };
}

/**
 * Returns the last 12 characters of an address, which name a known address on a button with a token: 64 bytes
 * can't hold the whole address. Finding another address with the same 12 takes some 2^70 attempts.
 */
export function addressTail(address: string): string {
  return address.slice(-12);
}

/** Returns an address's label with its name, if it has one. For display only. */
export function addressLabel(address: string, book: Book): string {
  const name = nameOf(book, address);
  const star = address === book.defaultAddress ? '★ ' : '';
  return star + (name === undefined ? shortenAddress(address) : `${name} · ${shortenAddress(address)}`);
}

/** Adds a confirmed operation's address to the address book, except lookalikes and withdrawals. */
export async function rememberAddress(
  deps: FeatureDeps,
  ctx: BotContext,
  { user, request, warnings }: Operation,
): Promise<void> {
  const kind = deps.operations.kinds.of(request);
  if (kind.withdrawalAmount !== undefined || warnings?.lookalike !== undefined) return;
  const known = await addressBookOf(deps, ctx);
  ctx.tx.afterCommit(() => deps.addressBook.remember(user, kind.target(request), { known }));
}

/** Returns the items by time (ISO 8601), latest first. Items without a time come last. */
export function latestFirst<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string | undefined,
): Item[] {
  const at = (item: Item) => Date.parse(timeOf(item) ?? '') || 0;
  return items.toSorted((one, other) => at(other) - at(one));
}
