import type { InlineKeyboardButton } from 'grammy/types';
import { type AddressBook, type Book, findLookalike, isKnown } from '../accounts/address-book.ts';
import { groupInFours, shortenAddress } from '../i18n/formats.ts';
import { escapeHtml, type Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import type { Operation } from '../operations/operation.ts';
import type { AddressInput } from '../rental-api/address.ts';
import { guestButtons, linkedOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import type { Audience, FeatureDeps } from './feature.ts';
import { entryButton, menuEntries } from './menu.ts';

/** Maximum number of addresses in one message that the user can choose between. */
const MAX_ADDRESS_CHOICES = 4;
/** Maximum number of foreign letters that are named. */
const MAX_NAMED_LETTERS = 4;

/** Returns the addresses to choose between. Empty unless several were given, and few enough for one button each. */
export function addressChoicesOf(given: AddressInput): string[] {
  return given.kind === 'several' && given.addresses.length <= MAX_ADDRESS_CHOICES ? given.addresses : [];
}

/** Returns one button per address, numbered as in {@link addressProblem}. */
export function addressChoiceRows(
  addresses: readonly string[],
  dataOf: (address: string) => string,
): InlineKeyboardButton[][] {
  return addresses.map((address, at) => [
    { text: `${at + 1} · ${shortenAddress(address)}`, callback_data: dataOf(address) },
  ]);
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
            ...given.addresses.map((address, at) => `${at + 1}. <code>${escapeHtml(address)}</code>`),
          );
    case 'foreign': {
      const named = given.letters
        .slice(0, MAX_NAMED_LETTERS)
        .map(({ letter, place, script }) => words.plain('foreign-letter', { letter, place, script }));
      return words.html('problem-address-foreign', {
        letters: named.join(', '),
        more: given.letters.length > MAX_NAMED_LETTERS ? 'yes' : 'no',
        count: given.letters.length,
      });
    }
  }
}

type Deps = Pick<FeatureDeps, 'addressBook' | 'links' | 'features' | 'accountUrl'>;

/**
 * Creates the views of one address: what it can be used for, how it can be changed, and the question before its
 * removal.
 */
export function createAddressView(deps: Deps) {
  /** Returns the full address below its name, if it has one. */
  function addressHeader(
    words: Words,
    { addresses, defaultAddress: preferred }: Book,
    address: string,
  ): string {
    const { name } = addresses.find((one) => one.address === address) ?? {};
    const isDefault = address === preferred;
    return lines(
      [
        isDefault && '★',
        `<b>${name === undefined ? words.html('address-unnamed') : escapeHtml(name)}</b>`,
        isDefault && words.html('address-default'),
      ]
        .filter(Boolean)
        .join(' '),
      `<code>${escapeHtml(address)}</code>`,
    );
  }

  const about = (button: string, address: string) => callbackData(ADDRESS_BUTTONS, button, address);

  return {
    /**
     * Returns the view of an address with the actions that take it. They depend on whether the user has linked an
     * account.
     */
    async actions(ctx: BotContext, address: string): Promise<View> {
      const { words } = ctx;
      const [book, link] = await Promise.all([addressBookOf(deps, ctx), linkedOf(deps, ctx)?.find()]);
      const to: Audience[] = link ? ['linked', 'merchant'] : ['guest'];
      const startableFeatures = new Set(
        deps.features().flatMap(({ name, startWithAddress: takes }) => (takes ? [name] : [])),
      );
      const actionButtons = menuEntries(deps.features(), to, link)
        .filter(({ name }) => startableFeatures.has(name))
        .map(({ style: _, ...entry }) => entryButton(words, entry, callbackData(entry.name, 'to', address)));
      const similar = findLookalike(address, book);
      const html = paragraphs(
        addressHeader(words, book, address),
        similar &&
          words.html('operation-lookalike', { known: groupInFours(similar), given: groupInFours(address) }),
        words.html(actionButtons.length > 0 ? 'address-use' : 'address-use-none'),
      );
      const manageButton = isKnown(book, address)
        ? button(words, 'button-address-manage', about('one', address))
        : button(words, 'button-address-save', about('save', address));
      const guests = link ? [] : guestButtons(words, deps.accountUrl);
      return withMenuButton(words, html, ...inRows(actionButtons), ...guests, [manageButton]);
    },

    /** Returns the view that changes a saved address: its name, whether it is the default, and its removal. */
    async settings(ctx: BotContext, address: string): Promise<View> {
      const { words } = ctx;
      const book = await addressBookOf(deps, ctx);
      const { name } = book.addresses.find((one) => one.address === address) ?? {};
      const nameButtonText = name === undefined ? 'button-address-name' : 'button-address-rename';
      const [preferring, prefer] =
        book.defaultAddress === address
          ? (['button-address-prefer-none', 'prefer-none'] as const)
          : (['button-address-prefer', 'prefer'] as const);
      return withMenuButton(
        words,
        paragraphs(addressHeader(words, book, address), words.html('address-managed')),
        [button(words, 'button-address-use', about('use', address), 'primary')],
        [
          button(words, nameButtonText, about('rename', address)),
          button(words, preferring, about(prefer, addressTail(address))),
        ],
        [button(words, 'button-address-remove', about('remove', address))],
        [button(words, 'button-addresses', callbackData(ADDRESS_BUTTONS, 'open'))],
      );
    },

    async removalQuestion(ctx: BotContext, address: string): Promise<View> {
      const { words } = ctx;
      const html = paragraphs(
        addressHeader(words, await addressBookOf(deps, ctx), address),
        words.html('address-remove-ask'),
      );
      return {
        html,
        keyboard: [
          [button(words, 'button-address-remove-yes', about('remove-yes', addressTail(address)), 'danger')],
          [button(words, 'button-back', about('one', address))],
        ],
      };
    },
  };
}

/** Name of the feature that handles the buttons of addresses. */
export const ADDRESS_BUTTONS = 'addresses';

/** Returns the user's address book. The update reads it once, together with its transaction. */
export async function addressBookOf(
  { addressBook }: { addressBook: Pick<AddressBook, 'readAhead'> },
  ctx: BotContext,
): Promise<Book> {
  if (ctx.from) ctx.addressBook ??= addressBook.readAhead(ctx.from.id);
  return (await ctx.addressBook?.()) ?? { addresses: [] };
}

/**
 * Returns the last 12 characters of an address. They name a known address on a button with a token, since 64 bytes have no
 * room for the whole address. Finding another address with the same 12 takes some 2^70 attempts.
 */
export function addressTail(address: string): string {
  return address.slice(-12);
}

/** Returns the label of an address in a list or on a button, with its name if it has one. For display only. */
export function addressLabel(address: string, { addresses, defaultAddress: preferred }: Book): string {
  const { name } = addresses.find((one) => one.address === address) ?? {};
  const star = address === preferred ? '★ ' : '';
  return star + (name === undefined ? shortenAddress(address) : `${name} · ${shortenAddress(address)}`);
}

type RememberDeps = Pick<FeatureDeps, 'addressBook' | 'operations'>;

/**
 * Adds the address of a confirmed operation to the user's address book. Skips lookalikes of known addresses. Also skips
 * withdrawals, whose addresses are added only after money was sent there.
 */
export async function rememberAddress(
  { addressBook, operations }: RememberDeps,
  ctx: BotContext,
  { user, request, warnings }: Operation,
): Promise<void> {
  const kind = operations.kinds.of(request);
  if (kind.withdrawalAmount !== undefined || warnings?.lookalike !== undefined) return;
  const known = await addressBookOf({ addressBook }, ctx);
  ctx.tx.afterCommit(() => addressBook.remember(user, kind.target(request), { known }));
}

/** Returns the items by time (ISO 8601), latest first. Items without a time come last, in their original order. */
export function latestFirst<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string | undefined,
): Item[] {
  const at = (item: Item) => Date.parse(timeOf(item) ?? '') || 0;
  return items.toSorted((one, other) => at(other) - at(one));
}
