import {
  type Book,
  canAddName,
  findSavedName,
  isKnown,
  type KnownAddress,
  MAX_NAMED,
} from '../../accounts/address-book.ts';
import { linkOf } from '../../bot/accounts.ts';
import { ADDRESS_BUTTONS, addressBookOf, addressLabel } from '../../bot/address-input.ts';
import type { BotContext } from '../../bot/context.ts';
import { dialogue, endFlow, FLOW_ENDS, leaveFlow, showFlowEnded } from '../../bot/dialogue.ts';
import { type ButtonHandler, changes, closedFor, defineFeature, QUESTION_TTL_MS } from '../../bot/feature.ts';
import { addHeader, show, showText, showToast } from '../../bot/reply.ts';
import { termsBesideAddress } from '../../bot/steps/energy-order.ts';
import { escapeHtml, lines, paragraphs } from '../../i18n/texts.ts';
import { withoutWish } from '../../input/energy-terms.ts';
import {
  isOrderWithoutAddress,
  isOwnPurchase,
  isQuestion,
  isRequest,
  readBandwidthOrder,
} from '../../input/order-text.ts';
import { CARD_BUTTONS } from '../../operations/card.ts';
import {
  type AddressInput,
  findAddresses,
  findAddressInput,
  joinAddressPieces,
  readAddress,
} from '../../rental-api/tron.ts';
import { textOf } from '../../telegram/message-content.ts';
import { addressChoiceRows, addressChoicesOf, addressProblem } from '../../views/address-problem.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, inRows, pageButtons } from '../../views/view.ts';
import { press } from '../views/press.ts';
import {
  addressActions,
  addressSettings,
  addressTail,
  moreAddressActions,
  orderFeature,
  removalQuestion,
} from './address-menus.ts';
import { type NamingState, namingSchema, namingSteps } from './naming.ts';

const PAGE = 6;
/** Feature in which the default address is chosen. */
const SETTINGS = 'settings';
/** Feature that buys bandwidth. */
const BANDWIDTH = 'bandwidth';

export const addressesFeature = defineFeature((deps) => {
  const { addressBook } = deps;

  async function list(ctx: BotContext, from = 0): Promise<void> {
    const { words } = ctx;
    const book = await addressBookOf(deps, ctx);
    const shown = book.addresses.slice(from, from + PAGE);
    const html = paragraphs(
      words.html('addresses-title'),
      ...shown.map((one, at) => entry(one, book, from + at + 1)),
      words.html(shown.length > 0 ? 'addresses-pick' : 'addresses-none'),
    );
    const picks = shown.map((one) => ({
      text: addressLabel(one.address, book),
      callback_data: callbackData(ADDRESS_BUTTONS, 'one', one.address),
    }));
    const next = from + PAGE;
    const pages = pageButtons(words, {
      newest: from > 0 ? callbackData(ADDRESS_BUTTONS, 'open') : undefined,
      older: next < book.addresses.length ? callbackData(ADDRESS_BUTTONS, 'page', next) : undefined,
    });
    const add = button(words, 'button-address-add', callbackData(ADDRESS_BUTTONS, 'add'));
    await showText(ctx, html, ...inRows(picks, 1), pages, [add]);
  }

  type AddressHandler = (ctx: BotContext, address: string, card?: string) => Promise<unknown>;

  /**
   * Wraps the handler of a button that names an address, and maybe the card from which the user came. A modified client
   * can name any.
   */
  const anyAddress =
    (handle: AddressHandler): ButtonHandler =>
    async (ctx, argument) => {
      const [given = '', card] = argument.split('_');
      const read = readAddress(given);
      return read.ok ? handle(ctx, read.address, card) : showToast(ctx, 'toast-over');
    };

  async function handleKnown(ctx: BotContext, address: string | undefined, handle: AddressHandler) {
    if (address !== undefined) return handle(ctx, address);
    showToast(ctx, 'toast-address-gone');
    return list(ctx);
  }

  const known = (handle: AddressHandler): ButtonHandler =>
    anyAddress(async (ctx, address) => {
      const book = await addressBookOf(deps, ctx);
      return handleKnown(ctx, isKnown(book, address) ? address : undefined, handle);
    });

  /** Declares a button that changes a known address, which it names by {@link addressTail}. */
  const changesKnown = (handle: AddressHandler, ttlMs?: number) =>
    changes(async (ctx, tail) => {
      const { addresses } = await addressBookOf(deps, ctx);
      const found = addresses.find(({ address }) => addressTail(address) === tail);
      return handleKnown(ctx, found?.address, handle);
    }, ttlMs);

  /** Changes the address book. The next view reads it again. */
  async function change<Result>(ctx: BotContext, by: (user: number) => Promise<Result>) {
    ctx.tx.signal.throwIfAborted();
    const result = await by(ctx.from.id);
    delete ctx.addressBook;
    return result;
  }

  const setDefault = (isDefault: boolean) =>
    changesKnown(async (ctx, address) => {
      await change(ctx, (user) => addressBook.setDefault(user, isDefault ? address : undefined));
      await manage(ctx, address);
    });

  async function showNewDefault(ctx: BotContext, address: string | undefined): Promise<void> {
    await change(ctx, (user) => addressBook.setDefault(user, address));
    ctx.headerHtml = ctx.words.html('address-default-set', { is: address === undefined ? 'none' : 'set' });
    await (address === undefined ? list(ctx) : manage(ctx, address));
  }

  /** Shows what can be done with an address. An amount or duration that is typed next is an order for it. */
  async function showActions(ctx: BotContext, address: string, card?: string): Promise<void> {
    await show(ctx, await addressActions(deps, ctx, address, card));
    Object.assign(ctx.session, { screen: ADDRESS_BUTTONS, menuAddress: address });
  }

  const manage = async (ctx: BotContext, address: string) =>
    show(ctx, await addressSettings(deps, ctx, address));

  async function ask(ctx: BotContext, start: NamingState): Promise<void> {
    const { words } = ctx;
    const toList = button(words, 'button-addresses', callbackData(ADDRESS_BUTTONS, 'open'));
    const canAdd = canAddName(await addressBookOf(deps, ctx), start.address);
    if (canAdd) ctx.flowToEnter = { feature: ADDRESS_BUTTONS, start };
    else await showText(ctx, words.html('addresses-full', { most: MAX_NAMED }), [toList]);
  }

  async function finish(
    ctx: BotContext,
    { step, address, name, card, isFromSettings }: NamingState,
  ): Promise<void> {
    if (step === 'named' && address !== undefined && name !== undefined) {
      const naming = await change(ctx, (user) => addressBook.setName(user, address, name));
      if (naming === 'named' && card !== undefined) {
        endFlow(ctx);
        addHeader(ctx, ctx.words.html('address-saved', { name }));
        await showCard(ctx, card);
      } else if (naming === 'named') await manage(ctx, address);
      // The name is in use now, or the address book is full. The list shows both.
      else await list(ctx);
    } else if (step === 'preferred') await showNewDefault(ctx, address);
    else if (step === FLOW_ENDS.back && isFromSettings) await openSettings(ctx);
    else if (step === FLOW_ENDS.back) await back(ctx, address, card);
    else await showFlowEnded(ctx, step);
  }

  async function openSettings(ctx: BotContext): Promise<void> {
    await deps
      .features()
      .find(({ name }) => name === SETTINGS)
      ?.open?.(ctx);
  }

  /** Shows the view where the flow began: the list, or an address that isn't in the book. */
  async function back(ctx: BotContext, address?: string, card?: string): Promise<void> {
    const isPasted = address !== undefined && !isKnown(await addressBookOf(deps, ctx), address);
    await (isPasted ? showActions(ctx, address, card) : list(ctx));
  }

  /** Shows the order again that led to the menu of its address, as a new card. */
  async function showCard(ctx: BotContext, id: string): Promise<void> {
    await press(deps, ctx, { feature: CARD_BUTTONS, button: 'again', argument: id });
  }

  /** Starts with the address in a text, or asks which one it means. Returns whether the text has any. */
  async function startWithAddresses(ctx: BotContext, text: string): Promise<boolean> {
    const given = findAddressInput(text);
    if (given === undefined) return false;
    if (given.kind === 'address') await order(ctx, given.address);
    else if (!(await orderForOneOf(ctx, given))) {
      const picks = addressChoiceRows(ctx.words, addressChoicesOf(given), (one) =>
        callbackData(ADDRESS_BUTTONS, 'order', one),
      );
      await showText(ctx, addressProblem(ctx.words, given), ...picks);
    }
    return true;
  }

  /** Asks which of several addresses an order with terms or a note is for, and keeps these. Returns whether it could. */
  async function orderForOneOf(ctx: BotContext, given: AddressInput): Promise<boolean> {
    const text = textOf(ctx.message);
    const choices = addressChoicesOf(given).join(' ');
    if (choices === '' || (await closedFor(deps, ctx)) !== undefined) return false;
    if (await startWithBandwidth(ctx, text, choices)) return true;
    const isOwn = !ctx.message?.forward_origin && isOwnPurchase(text);
    const takesNote = !isOwn && (await linkOf(deps, ctx))?.isMerchant === true;
    const terms = termsBesideAddress(ctx, text, {}, { takesNote });
    const isOrder = Object.keys(terms).length > 0;
    const start = isOrder ? (await orderFeature(deps, ctx, { isOwn }))?.startWithAddress : undefined;
    await start?.(ctx, choices, terms);
    return start !== undefined;
  }

  /**
   * Shows the card of an order for the address. Shows what can be done with it while nothing can be ordered, and if the
   * user sees no address: then it was hidden in a link by the author of a forwarded message.
   */
  async function order(ctx: BotContext, address: string, text = textOf(ctx.message)): Promise<void> {
    const isSeen = ctx.message === undefined || findAddresses(joinAddressPieces(text)).includes(address);
    const isOwn = !ctx.message?.forward_origin && isOwnPurchase(text);
    if (isSeen && (await startWithBandwidth(ctx, text, address))) return;
    const [feature, closed, link] = await Promise.all([
      orderFeature(deps, ctx, { isOwn }),
      closedFor(deps, ctx),
      linkOf(deps, ctx),
    ]);
    const start = feature?.startWithAddress;
    const takesNote = link?.isMerchant === true && !isOwn;
    if (start && isSeen && closed === undefined)
      await start(ctx, address, termsBesideAddress(ctx, text, {}, { takesNote }));
    else await showActions(ctx, address);
  }

  /** Starts an order for bandwidth if the text is one, with its amount and duration. Returns whether it is. */
  async function startWithBandwidth(ctx: BotContext, text: string, address = ''): Promise<boolean> {
    const terms = readBandwidthOrder(text);
    if (terms === undefined) return false;
    const bandwidth = deps.features().find(({ name }) => name === BANDWIDTH);
    await bandwidth?.onCommandText?.(ctx, `${address} ${terms}`.trim());
    return bandwidth !== undefined;
  }

  /**
   * Starts an order for the address whose saved name is in a text. Returns whether there is one. Other words than those of
   * an order are a question about it, or a merchant's note.
   */
  async function startWithName(ctx: BotContext, text: string): Promise<boolean> {
    const named = findSavedName(text, await addressBookOf(deps, ctx));
    if (named === undefined) return false;
    const isNote = async () => !isQuestion(text) && (await linkOf(deps, ctx))?.isMerchant === true;
    if (!isRequest(named.rest) && readBandwidthOrder(text) === undefined && !(await isNote())) return false;
    await order(ctx, named.address, named.text);
    return true;
  }

  /** Starts an order with the amount in a text, which then asks for the address. Returns whether it could. */
  async function startWithAmount(ctx: BotContext, text: string): Promise<boolean> {
    if (/\d/.test(text) && !isQuestion(text) && (await startWithBandwidth(ctx, text))) return true;
    const start = isOrderWithoutAddress(text) ? (await orderFeature(deps, ctx))?.onCommandText : undefined;
    await start?.(ctx, withoutWish(text));
    return start !== undefined;
  }

  return {
    name: ADDRESS_BUTTONS,
    menu: { button: 'button-addresses', place: 'more', for: 'linked' },
    command: { name: 'addresses', text: 'command-addresses' },
    keepsFlow: true,
    open: (ctx) => list(ctx),
    async onCommandText(ctx, text) {
      if (!(await startWithAddresses(ctx, text))) await list(ctx);
    },
    onText: async (ctx, text) =>
      (await startWithAddresses(ctx, text)) || (await startWithName(ctx, text)) || startWithAmount(ctx, text),
    async onScreenText(ctx, text) {
      const { menuAddress } = ctx.session;
      if (menuAddress === undefined || !isOrderWithoutAddress(text)) return false;
      await order(ctx, menuAddress, `${text} ${menuAddress}`);
      return true;
    },
    buttons: {
      page: (ctx, from) => list(ctx, Number(from) || 0),
      one: known(manage),
      order: anyAddress((ctx, address) => order(ctx, address)),
      use: anyAddress(async (ctx, address, card) => {
        // The menu replaces the question, so the next text must not answer it.
        if (ctx.callbackQuery?.message?.message_id === ctx.session.question) leaveFlow(ctx);
        await showActions(ctx, address, card);
      }),
      more: anyAddress(async (ctx, address, card) =>
        show(ctx, await moreAddressActions(deps, ctx, address, card)),
      ),
      card: showCard,
      add: (ctx) => ask(ctx, { step: 'address' }),
      async default(ctx) {
        const start: NamingState = { step: 'default', isFromSettings: true };
        ctx.flowToEnter = { feature: ADDRESS_BUTTONS, start };
      },
      save: anyAddress((ctx, address, card) => ask(ctx, { step: 'keep', address, card })),
      rename: known((ctx, address) => ask(ctx, { step: 'rename', address })),
      prefer: setDefault(true),
      'prefer-none': setDefault(false),
      remove: known(async (ctx, address) => show(ctx, await removalQuestion(deps, ctx, address))),
      'remove-yes': changesKnown(async (ctx, address) => {
        await change(ctx, (user) => addressBook.remove(user, address));
        ctx.headerHtml = ctx.words.html('address-removed', { address });
        await list(ctx);
      }, QUESTION_TTL_MS),
    },
    flow: {
      version: 1,
      ...dialogue<NamingState>({ stateSchema: namingSchema, steps: namingSteps(deps), finish }),
    },
  };
});

/** Shows the full address, because two addresses can look alike in short form. */
function entry({ address, name }: KnownAddress, { defaultAddress }: Book, number: number): string {
  const star = address === defaultAddress ? ' ★' : '';
  const bold = name === undefined ? '' : ` <b>${escapeHtml(name)}</b>`;
  return lines(`${number}.${star}${bold}`, `<code>${escapeHtml(address)}</code>`);
}
