import { type Book, findLookalike, isKnown } from '../../accounts/address-book.ts';
import { guestButtons, linkOf } from '../../bot/accounts.ts';
import { ADDRESS_BUTTONS, addressBookOf, nameOf } from '../../bot/address-views.ts';
import type { BotContext } from '../../bot/context.ts';
import { entryButton, type FeatureDeps, type MenuAudience, menuEntries } from '../../bot/feature.ts';
import {
  button,
  callbackData,
  escapeHtml,
  groupInFours,
  inRows,
  lines,
  paragraphs,
  type View,
  type Words,
  withMenuButton,
} from '../../i18n/texts.ts';
import { contractNameOf } from '../../rental-api/tron.ts';

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

/**
 * Returns the last 12 characters of an address, which name a known address on a button with a token: 64 bytes
 * can't hold the whole address. Finding another address with the same 12 takes some 2^70 attempts.
 */
export function addressTail(address: string): string {
  return address.slice(-12);
}
