import { type Book, isKnown, lookalike } from '../accounts/address-book.ts';
import { callbackData } from '../i18n/callback-data.ts';
import { inFours } from '../i18n/formats.ts';
import { escapeHtml, type Words } from '../i18n/texts.ts';
import { button, inRows, lines, notice, paragraphs, type View } from '../i18n/view.ts';
import type { BotContext } from './context.ts';
import type { Audience } from './features/feature.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import { ADDRESS_BUTTONS, knownAddresses, tailOf } from './known-addresses.ts';
import { entries, entryButton } from './menu-entries.ts';
import { guestButtons, linkedOf } from './with-account.ts';

type Deps = Pick<FeatureDeps, 'addressBook' | 'links' | 'features' | 'accountUrl'>;

/**
 * Creates the views of one address: what it can be used for, how it can be changed, and the question before its
 * removal.
 */
export function createAddressView(deps: Deps) {
  /** Returns the full address below its name, if it has one. */
  function head(words: Words, { addresses, preferred }: Book, address: string): string {
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
    async used(ctx: BotContext, address: string): Promise<View> {
      const { words } = ctx;
      const [book, link] = await Promise.all([knownAddresses(deps, ctx), linkedOf(deps, ctx)?.find()]);
      const to: Audience[] = link ? ['linked', 'merchant'] : ['guest'];
      const taking = new Set(deps.features().flatMap(({ name, to: takes }) => (takes ? [name] : [])));
      const doing = entries(deps.features(), to, link)
        .filter(({ name }) => taking.has(name))
        .map(({ style: _, ...entry }) => entryButton(words, entry, callbackData(entry.name, 'to', address)));
      const similar = lookalike(address, book);
      const html = paragraphs(
        head(words, book, address),
        similar && words.html('operation-lookalike', { known: inFours(similar), given: inFours(address) }),
        words.html(doing.length > 0 ? 'address-use' : 'address-use-none'),
      );
      const keep = isKnown(book, address)
        ? button(words, 'button-address-manage', about('one', address))
        : button(words, 'button-address-save', about('save', address));
      const guests = link ? [] : guestButtons(words, deps.accountUrl);
      return notice(words, html, ...inRows(doing), ...guests, [keep]);
    },

    /** Returns the view that changes a saved address: its name, whether it is the default, and its removal. */
    async managed(ctx: BotContext, address: string): Promise<View> {
      const { words } = ctx;
      const book = await knownAddresses(deps, ctx);
      const { name } = book.addresses.find((one) => one.address === address) ?? {};
      const naming = name === undefined ? 'button-address-name' : 'button-address-rename';
      const [preferring, prefer] =
        book.preferred === address
          ? (['button-address-prefer-none', 'prefer-none'] as const)
          : (['button-address-prefer', 'prefer'] as const);
      return notice(
        words,
        paragraphs(head(words, book, address), words.html('address-managed')),
        [button(words, 'button-address-use', about('use', address), 'primary')],
        [
          button(words, naming, about('rename', address)),
          button(words, preferring, about(prefer, tailOf(address))),
        ],
        [button(words, 'button-address-remove', about('remove', address))],
        [button(words, 'button-addresses', callbackData(ADDRESS_BUTTONS, 'open'))],
      );
    },

    async removal(ctx: BotContext, address: string): Promise<View> {
      const { words } = ctx;
      const html = paragraphs(
        head(words, await knownAddresses(deps, ctx), address),
        words.html('address-remove-ask'),
      );
      return {
        html,
        keyboard: [
          [button(words, 'button-address-remove-yes', about('remove-yes', tailOf(address)), 'danger')],
          [button(words, 'button-back', about('one', address))],
        ],
      };
    },
  };
}
