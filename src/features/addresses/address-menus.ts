import type { InlineKeyboardButton } from 'grammy/types';
import { type Book, findLookalike, isKnown, nameOf } from '../../accounts/address-book.ts';
import { guestButtons, linkOf } from '../../bot/accounts.ts';
import { ADDRESS_BUTTONS, addressBookOf } from '../../bot/address-input.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  entryButton,
  type Feature,
  type FeatureDeps,
  type MenuAudience,
  maintenanceNotice,
  menuEntries,
} from '../../bot/feature.ts';
import { escapeHtml, groupInFours, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { contractNameOf } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, inRows, menuButton, type View, withMenuButton } from '../../views/view.ts';

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

/** Maximum number of buttons that start something with an address. With *Manage* and *Menu*, a message has eight. */
const MAX_ACTIONS = 6;

/** Returns the menu entries of the features that start with an address, in the order of their list. */
async function actionEntries(deps: FeatureDeps, ctx: BotContext) {
  const link = await linkOf(deps, ctx);
  const to: MenuAudience[] = link ? ['linked', 'merchant'] : ['guest'];
  const startableFeatures = deps.features().filter(({ startWithAddress }) => startWithAddress);
  return menuEntries(startableFeatures, to, link);
}

/** Returns the buttons that start something with an address. Leaves out what the user's `card` already is about. */
async function actionButtons(
  deps: FeatureDeps,
  ctx: BotContext,
  address: string,
  card: string | undefined,
): Promise<InlineKeyboardButton[]> {
  const operation = card && (await deps.operations.drafts.find({ user: ctx.from.id, id: card }));
  const begun =
    operation && deps.features().find(({ restart }) => restart?.kind === operation.request.kind)?.name;
  return (await actionEntries(deps, ctx))
    .filter(({ name }) => name !== begun)
    .map(({ style: _, ...entry }) => entryButton(ctx.words, entry, callbackData(entry.name, 'to', address)));
}

/**
 * Returns the feature that starts an order: for merchants their first action (an invoice), otherwise the first one.
 * `isOwn`: the user asks for a purchase, not for an invoice.
 */
export async function orderFeature(
  deps: FeatureDeps,
  ctx: BotContext,
  { isOwn = false } = {},
): Promise<Feature | undefined> {
  const [entries, link] = await Promise.all([actionEntries(deps, ctx), linkOf(deps, ctx)]);
  const takesInvoice = link?.isMerchant && !isOwn;
  const first = (takesInvoice && entries.find(({ merchants }) => merchants === 'first')) || entries[0];
  return deps.features().find(({ name }) => name === first?.name);
}

/** Argument of a button for an address, below the menu that the card of this operation led to. */
const beside = (address: string, card: string | undefined) =>
  card === undefined ? address : `${address}_${card}`;

/**
 * Returns the menu of an address. If it has no room for all actions, the last ones are below *More*. `card`: id of the
 * operation whose card led to the menu. *Back* shows that card as a new draft.
 */
export async function addressActions(
  deps: FeatureDeps,
  ctx: BotContext,
  address: string,
  card?: string,
): Promise<View> {
  const { words } = ctx;
  const [notice, book, link, actions] = await Promise.all([
    maintenanceNotice(deps, ctx),
    addressBookOf(deps, ctx),
    linkOf(deps, ctx),
    actionButtons(deps, ctx, address, card),
  ]);
  const moreButton = button(words, 'button-more', about('more', beside(address, card)));
  const shown = actions.length > MAX_ACTIONS ? [...actions.slice(0, MAX_ACTIONS - 1), moreButton] : actions;
  const similar = findLookalike(address, book);
  const contract = contractNameOf(address);
  const html = paragraphs(
    notice,
    addressHeader(words, book, address),
    contract !== undefined && words.html('operation-contract', { name: contract, lost: 'money' }),
    similar &&
      words.html('operation-lookalike', { known: groupInFours(similar), given: groupInFours(address) }),
    words.html(actions.length > 0 || card !== undefined ? 'address-use' : 'address-use-none'),
  );
  const manageButton = isKnown(book, address)
    ? button(words, 'button-address-manage', about('one', address))
    : button(words, 'button-address-save', about('save', beside(address, card)));
  const guests = link ? [] : guestButtons(words, deps.accountUrl);
  const last = card === undefined ? menuButton(words) : button(words, 'button-back', about('card', card));
  return { html, keyboard: [...inRows(shown), ...guests, [manageButton], [last]] };
}

/** Returns the actions for which {@link addressActions} has no room. */
export async function moreAddressActions(
  deps: FeatureDeps,
  ctx: BotContext,
  address: string,
  card?: string,
): Promise<View> {
  const { words } = ctx;
  const actions = await actionButtons(deps, ctx, address, card);
  const html = paragraphs(
    addressHeader(words, await addressBookOf(deps, ctx), address),
    words.html('address-use'),
  );
  const back = button(words, 'button-back', about('use', beside(address, card)));
  return withMenuButton(words, html, ...inRows(actions.slice(MAX_ACTIONS - 1)), [back]);
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
    paragraphs(
      addressHeader(words, book, address),
      words.html('address-managed', { default: book.defaultAddress === address ? 'yes' : 'no' }),
    ),
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
