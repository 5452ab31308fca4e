import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { type Book, isSameName } from '../accounts/address-book.ts';
import { linkOf } from '../bot/accounts.ts';
import { addressBookOf, addressLabel } from '../bot/address-input.ts';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { addHeader, send, showText, showToast } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import {
  formatMoment,
  formatTime,
  htmlToPlainText,
  lines,
  momentVariables,
  paragraphs,
  type Words,
} from '../i18n/texts.ts';
import { readOrderQuestion } from '../input/order-question.ts';
import { isOrderWithoutAddress } from '../input/order-text.ts';
import { INVOICE_BUTTONS, INVOICE_LIST } from '../invoices/card.ts';
import { type Invoice, listedStateOf } from '../invoices/invoice.ts';
import { inShort, shortTitle, statusSign } from '../operations/card.ts';
import { kindText, type OperationKind, type Result } from '../operations/kinds/kind.ts';
import { withdrawal } from '../operations/kinds/withdrawal.ts';
import {
  type Charge,
  chargeOf,
  isConfirmed,
  isLikely,
  isUncertain,
  isUnresolved,
  type Operation,
} from '../operations/operation.ts';
import {
  isBackAsBefore,
  isFailed,
  isRefundLost,
  isRefundSeen,
  isRefundUnclear,
  missingRefundOf,
  type OrderState,
  orderStateOf,
} from '../operations/order-state.ts';
import { DAY_MS, utcDay } from '../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import { findAddressInput, WITHDRAWAL_FEE_TRX } from '../rental-api/tron.ts';
import { linkButton } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import {
  filterButton,
  inRows,
  MAX_UNFILTERED_ROWS,
  numberButtons,
  pageButtons,
  type View,
} from '../views/view.ts';
import { press } from './views/press.ts';
import { PEOPLE } from './views/search-results.ts';
import { waitingWithdrawals } from './views/waiting-money.ts';

const NAME = 'history';
const PAGE_SIZE = 5;
const ARGUMENT_SEPARATOR = '_';
const MAX_SEARCH_LENGTH = 40;
/** Maximum operations that are searched for the one that a question is about. */
const MAX_SEARCHED = 20;
/** Maximum operations of a day that are added up. */
const MAX_COUNTED = 200;
/** Number of characters at the end of an address that a search compares. A button has no room for more. */
const ADDRESS_TAIL = 12;
/** A reference or the number of an order or invoice, as a receipt or a row of the history shows it. */
const REFERENCE =
  /^(?:(?:ref|order|invoice|заказ|сч[её]т|номер|код)[.:]?\s*)?[#№]?\s*([0-9a-hjkmnp-tv-z]{8}|\d{1,12})$/iu;

/** Operation with the invoice that it made. */
interface Entry {
  operation: Operation;
  invoice: Invoice | undefined;
}

export const historyFeature = defineFeature((deps) => {
  const { operations, card, invoices, now } = deps;
  const { history, drafts, kinds } = operations;

  async function entryOf(operation: Operation): Promise<Entry> {
    const isMade = operation.state === 'done' && operation.result.invoice !== undefined;
    return { operation, invoice: isMade ? await invoices.read(operation) : undefined };
  }

  /** Renders an operation in two or three lines. Names its account unless that is the present one. */
  function row(
    words: Words,
    { operation, invoice }: Entry,
    number: number,
    { present, addresses }: { present: number } & Pick<Book, 'addresses'>,
  ): string {
    const { request, account } = operation;
    const kind = kinds.of(request);
    const result: Result = operation.state === 'done' ? operation.result : {};
    const { order, delivered } = result;
    const state = orderStateOf(kind, operation, now());
    const charge = invoice ? undefined : paidFor(operation);
    // A withdrawal is done for its account when the service accepts it, and for its user when it was sent.
    const withdrawn = kind.withdrawalAmount?.(request);
    const isSending = withdrawn !== undefined && result.status === 'pending';
    const asked = withdrawn && new BigNumber(withdrawn).minus(WITHDRAWAL_FEE_TRX).toFixed();
    // The operation has ended when the invoice is made. What became of the invoice is its own state.
    const what = invoice
      ? `${htmlToPlainText(words.html(`invoices-${listedStateOf(invoice, now())}`))} · ${kind.shortTitle(words, request)}`
      : `${isSending ? '⏳' : statusSign(words, kind, operation, now())} ${shortTitle(words, kind, request, delivered)}`;
    const at = isConfirmed(operation) ? operation.claimedAt : operation.createdAt;
    const isNumbered = numberOf(operation) !== undefined;
    return lines(
      words.html('history-row', {
        number: String(number),
        what: what.trimStart(),
        hours: invoice?.hours ?? kind.rentedHours?.(request) ?? 'none',
        trx: asked ?? charge?.trx ?? 'none',
        price: charge?.isApproximate && asked === undefined ? 'card' : 'charged',
      }),
      words.html('history-row-about', {
        ...momentVariables(at, (time) => formatMoment(time, words.language)),
        maker: isNumbered ? (kind.isTrackedElsewhere ? 'invoice' : 'order') : 'ref',
        order: isNumbered ? String(order) : operation.id,
        to: addressLabel(kind.target(request), { addresses }),
        note: noteOf(operation, kind, state),
        account: account === present ? 'same' : account === OPERATOR_ACCOUNT ? 'none' : String(account),
      }),
      // The service doesn't report in which of the two currencies an invoice was paid.
      invoice && words.html('invoice-either', { trx: invoice.priceTrx, usdt: invoice.priceUsdt }),
    );
  }

  function filterRows(words: Words, current: string): InlineKeyboardButton[][] {
    const filter = (name: string, key: TextKey) =>
      filterButton(words.plain(key), callbackData(NAME, 'kind', name), name === current);
    const ofKinds = kinds.all.map((kind) => filter(kind.name, kindText(kind, 'filter')));
    return inRows([filter('all', 'filter-all'), ...ofKinds]);
  }

  /** Returns the number of an operation's order or invoice, as its row shows it. */
  function numberOf(operation: Operation): number | undefined {
    const isNumbered = operation.state === 'done' && kinds.of(operation.request).listing === undefined;
    return isNumbered ? operation.result.order : undefined;
  }

  /** Returns whether a search for a reference, a number or an address finds an operation. */
  const isFoundBy = (search: string) => (operation: Operation) =>
    operation.id === search ||
    String(numberOf(operation)) === search ||
    (search.length >= ADDRESS_TAIL && kinds.of(operation.request).target(operation.request).endsWith(search));

  /** `filter`: the name of an operation kind, or `all`. `search`: a reference, a number or an address. */
  async function page(
    ctx: BotContext,
    {
      filter = 'all',
      search,
      after,
    }: { filter?: string; search?: string | undefined; after?: string | undefined },
  ): Promise<void> {
    const { words, from } = ctx;
    const kind = filter === 'all' ? undefined : filter;
    const isWhole = filter === 'all' && search === undefined && after === undefined;
    const [{ operations: found, unreadable, older }, isLong, link, { addresses }] = await Promise.all([
      history.page(from.id, {
        size: PAGE_SIZE,
        after,
        kind,
        isWanted: search ? isFoundBy(search) : undefined,
      }),
      history.hasMoreThan(from.id, MAX_UNFILTERED_ROWS),
      linkOf(deps, ctx),
      addressBookOf(deps, ctx),
    ]);
    const entries = await Promise.all(found.map(entryOf));
    const account = link?.account;
    const announced =
      isWhole && account !== undefined
        ? await deps.addressAnnouncements.waitingOf({ user: from.id, account })
        : [];
    const waiting = waitingWithdrawals(words, announced, { now: now(), reader: from.id });
    // An invoice's card says what its receipt can't: what has become of it.
    const receipts = numberButtons(
      entries.map(({ operation: { id }, invoice }) =>
        invoice ? callbackData(INVOICE_BUTTONS, 'show', id) : callbackData(NAME, 'receipt', id),
      ),
    );
    const next = older && [search?.slice(-ADDRESS_TAIL) ?? filter, older].join(ARGUMENT_SEPARATOR);
    const pages = pageButtons(words, {
      newest: after === undefined && search === undefined ? undefined : callbackData(NAME, 'kind', filter),
      older: next && callbackData(NAME, search === undefined ? 'older' : 'found', next),
    });
    const html = paragraphs(
      words.html('history-title'),
      lines(...waiting),
      ...entries.map((entry, at) =>
        row(words, entry, at + 1, { present: link?.account ?? OPERATOR_ACCOUNT, addresses }),
      ),
      unreadable > 0 && words.html('history-unreadable', { count: unreadable }),
      found.length === 0 && search !== undefined && older === undefined
        ? words.html('history-none-found', { search })
        : (found.length > 0 || waiting.length === 0) &&
            words.html(found.length > 0 ? 'history-open' : emptyKey(kind, older)),
      found.length + waiting.length > 0 && words.html('list-as-of', momentVariables(now(), formatTime)),
    );
    const hasFilters = search === undefined && (isLong || kind !== undefined);
    const filters = hasFilters ? filterRows(words, filter) : [];
    await showText(ctx, html, receipts, pages, ...filters);
  }

  /** Returns the address that a text gives, also by its name, or the reference or number. */
  async function searchIn(ctx: BotContext, text: string): Promise<string | undefined> {
    const { addresses } = await addressBookOf(deps, ctx);
    const named = addresses.find(({ name }) => isSameName(name, text));
    const given = findAddressInput(text);
    if (named) return named.address;
    return given?.kind === 'address' ? given.address : referenceIn(text);
  }

  /**
   * Shows the entries of a reference or an order's number that stands alone and isn't an amount. Returns whether there are
   * any. The number of an invoice alone is small, and may mean anything.
   */
  async function findAlone(ctx: BotContext, text: string): Promise<boolean> {
    const search = referenceIn(text);
    if (search === undefined || isOrderWithoutAddress(text)) return false;
    const isFound = isFoundBy(search);
    const isWanted = (operation: Operation) =>
      isFound(operation) && (operation.id === search || !kinds.of(operation.request).isTrackedElsewhere);
    const found = await history.page(ctx.from.id, { size: 1, isWanted });
    if (found.operations.length === 0) return false;
    await page(ctx, { search });
    return true;
  }

  /**
   * Shows the receipt of the user's order that a question is about. One that isn't the user's may be a customer's, and an
   * admin may mean any user's.
   */
  async function showAsked(ctx: BotContext, search: string): Promise<unknown> {
    const { operations: found } = await history.page(ctx.from.id, { size: 2, isWanted: isFoundBy(search) });
    const [only, another] = found;
    if (only && !another) return send(ctx, await receiptOf(ctx, only), only.receipt.card);
    const isSeller = (await linkOf(deps, ctx))?.isMerchant === true;
    const others = deps.isAdmin(ctx.from.id) ? PEOPLE : isSeller ? INVOICE_LIST : undefined;
    const of = deps.features().find(({ name }) => name === others);
    return found.length === 0 && of?.onCommandText
      ? of.onCommandText(ctx, `order ${search}`)
      : page(ctx, { search });
  }

  /** Returns an operation's receipt. While it can change, returns a short reply to its message. */
  async function receiptOf({ words }: BotContext, operation: Operation): Promise<View> {
    const isAwaited = orderStateOf(kinds.of(operation.request), operation, now()) === 'awaited';
    const isOpen = isUnresolved(operation) || isAwaited;
    return isOpen
      ? { html: inShort(words, operation, { kinds, now: now() }), keyboard: [] }
      : card(words, operation);
  }

  /** Shows the balance with open deposits and withdrawals, or to users without an account their latest order. */
  async function showMoney(ctx: BotContext): Promise<void> {
    const isLinked = (await linkOf(deps, ctx)) !== undefined;
    const answer = isLinked
      ? { feature: 'menu', button: 'balance' }
      : { feature: 'questions', button: 'paid' };
    await press(deps, ctx, answer);
  }

  /**
   * Shows the receipt of the latest operation because of which the user may miss money now, or else the balance below the
   * orders that may still fail, and those that may not have arrived. Only without any, what an order that is over may have cost.
   */
  async function showMissing(ctx: BotContext): Promise<void> {
    const recent = await history.since(ctx.from.id, now() - DAY_MS, MAX_SEARCHED);
    const link = await linkOf(deps, ctx);
    // The balance names the operations of unknown result.
    if (link && recent.some(isUncertain)) return showMoney(ctx);
    const open = recent.filter((operation) => isUnderWay(operation, kinds.of(operation.request)));
    const withdrawals = await history.page(ctx.from.id, { size: MAX_SEARCHED, kind: withdrawal.name });
    const sending = withdrawals.operations.filter(
      (one) => one.account === (link?.account ?? one.account) && isSending(one, kinds.of(one.request)),
    );
    if (link === undefined) {
      const left = [...sending, ...open.filter(({ id }) => !sending.some((one) => one.id === id))];
      const own = left.filter(({ account }) => account !== OPERATOR_ACCOUNT);
      return own.length > 0 ? showLeft(ctx, own) : showMoney(ctx);
    }
    const isOver = (operation: Operation) =>
      orderStateOf(kinds.of(operation.request), operation, now()) === 'over';
    const missing = recent.find(
      (operation) =>
        isMoneyOpen(operation, kinds.of(operation.request)) && (open.length === 0 || !isOver(operation)),
    );
    // The balance names all of them.
    if (sending.length > 1 && sending.some(({ id }) => id === (missing?.id ?? id))) return showMoney(ctx);
    if (missing) return void (await send(ctx, await receiptOf(ctx, missing), missing.receipt.card));
    const lost = recent.filter((one) => one.state === 'done' && isOver(one) && isRefundLost(one.result));
    if (open.length + lost.length === 0) return showMoney(ctx);
    const entries = await Promise.all([...open, ...lost].slice(0, PAGE_SIZE).map(entryOf));
    const { addresses } = await addressBookOf(deps, ctx);
    const rows = entries.map((entry, at) =>
      row(ctx.words, entry, at + 1, { present: link.account, addresses }),
    );
    addHeader(ctx, paragraphs(...rows));
    await showMoney(ctx);
  }

  /** Shows the operations that were open when their account was unlinked, and how the user learns what becomes of them. */
  async function showLeft(ctx: BotContext, left: readonly Operation[]): Promise<void> {
    const { words } = ctx;
    const entries = await Promise.all(left.slice(0, PAGE_SIZE).map(entryOf));
    const { addresses } = await addressBookOf(deps, ctx);
    const about = { present: OPERATOR_ACCOUNT, addresses } as const;
    const accounts = [...new Set(left.map(({ account }) => String(account)))];
    const html = paragraphs(
      ...entries.map((entry, at) => row(words, entry, at + 1, about)),
      words.html('history-left', { account: accounts.join(', ') }),
    );
    await showText(ctx, html, [linkButton(words)]);
  }

  /** Shows the history below the sum of what today's purchases have cost the account. */
  async function showSpent(ctx: BotContext): Promise<void> {
    const link = await linkOf(deps, ctx);
    if (link === undefined) return showMoney(ctx);
    const today = await history.since(ctx.from.id, Date.parse(utcDay(now())), MAX_COUNTED);
    const charges = today.flatMap((operation) => {
      const kind = kinds.of(operation.request);
      const isPurchase = !kind.isTrackedElsewhere && kind.withdrawalAmount === undefined;
      return isPurchase && operation.account === link.account ? (paidFor(operation)?.trx ?? []) : [];
    });
    const trx = BigNumber.sum(0, ...charges).toFixed();
    const isPartial = today.length === MAX_COUNTED ? 'yes' : 'no';
    addHeader(ctx, ctx.words.html('history-spent', { trx, count: charges.length, partial: isPartial }));
    await page(ctx, {});
  }

  /** Returns what an operation has cost as far as that is known. `undefined` if it was free, not made, or given back. */
  function paidFor(operation: Operation): Charge | undefined {
    const kind = kinds.of(operation.request);
    const result: Result = operation.state === 'done' ? operation.result : {};
    const isPaid = operation.state === 'done' || isLikely(operation);
    const isKept = !isFailed(result) || missingRefundOf(result) !== undefined;
    return isPaid && isKept ? chargeOf(kind, operation) : undefined;
  }

  const isUnderWay = (operation: Operation, kind: OperationKind) => {
    const order = orderStateOf(kind, operation, now());
    return isUnresolved(operation) || order === 'awaited' || order === 'unseen';
  };

  const isSending = (operation: Operation, kind: OperationKind) =>
    kind.withdrawalAmount !== undefined &&
    operation.state === 'done' &&
    operation.result.status === 'pending';

  /** Returns whether the user may miss money because of an operation. */
  const isMoneyOpen = (operation: Operation, kind: OperationKind) => {
    if (operation.state !== 'done') return isUnresolved(operation);
    const { refund } = operation.result;
    return (
      isSending(operation, kind) ||
      missingRefundOf(operation.result) !== undefined ||
      refund?.balance === 'either'
    );
  };

  return {
    name: NAME,
    menu: { button: 'button-history', place: 'main', for: 'linked' },
    command: { name: 'history', text: 'command-history', inMenu: true },
    keepsFlow: true,
    forSuspended: true,
    words: [
      ...['orders', 'my orders', 'where is my withdrawal', 'where s my withdrawal', 'my withdrawal'],
      ...['заказы', 'мои заказы', 'где мой вывод', 'где вывод', 'покупки', 'мои покупки', 'что я купил'],
      ...['purchases', 'my purchases', 'what did i buy', 'what have i bought', 'what i bought'],
    ],
    buttonWords: {
      spent: [
        ...['did i pay', 'did i spend', 'have i paid', 'have i spent', 'i spent today', 'i paid today'],
        ...['spent today', 'paid today', 'my spending', 'мои расходы', 'мои траты', 'сколько потрачено'],
        ...['я потратил', 'я потратила', 'сколько я заплатил', 'сколько я заплатила', 'сколько я сегодня'],
        ...['сколько сегодня потратил', 'сколько сегодня заплатил'],
      ],
    },
    open: (ctx) => page(ctx, {}),
    textForm: { test: (text) => readOrderQuestion(text) !== undefined },
    async onCommandText(ctx, text) {
      const asked = readOrderQuestion(text);
      if (asked !== undefined) return showAsked(ctx, asked);
      const search = await searchIn(ctx, text);
      if (search !== undefined) return page(ctx, { search });
      const said = toPrintable(text, MAX_SEARCH_LENGTH);
      return showText(ctx, ctx.words.html('history-none-found', { search: said }));
    },
    onText: findAlone,
    buttons: {
      money: showMissing,
      spent: showSpent,
      kind: (ctx, filter) => page(ctx, { filter }),
      older(ctx, argument) {
        const [filter, after] = argument.split(ARGUMENT_SEPARATOR);
        return page(ctx, { filter, after });
      },
      found(ctx, argument) {
        const [search, after] = argument.split(ARGUMENT_SEPARATOR);
        return page(ctx, { search, after });
      },
      async receipt(ctx, id) {
        const operation = await drafts.find({ user: ctx.from.id, id });
        if (operation?.state === 'done' && missingRefundOf(operation.result))
          await operations.settlement.recheckRefund(operation);
        if (operation && isConfirmed(operation))
          await send(ctx, await receiptOf(ctx, operation), operation.receipt.card);
        else showToast(ctx, 'toast-no-operation');
      },
    },
  };
});

function referenceIn(text: string): string | undefined {
  return REFERENCE.exec(text.trim())?.[1]?.toUpperCase();
}

function emptyKey(kind: string | undefined, older: string | undefined): TextKey {
  if (older !== undefined) return 'history-further';
  return kind === undefined ? 'history-empty' : 'history-none-of-kind';
}

type Note =
  | 'reported'
  | 'probable'
  | 'uncharged'
  | 'given-back'
  | 'on-its-way'
  | 'processing'
  | 'unseen'
  | 'refund-awaited'
  | 'refund-none'
  | 'refund-unclear'
  | 'refund-shared'
  | 'likely'
  | 'unknown'
  | 'none';

/** Returns what a row says about the operation's money and outcome beside its emoji. `order`: the state of an order. */
function noteOf(operation: Operation, kind: OperationKind, order: OrderState | undefined): Note {
  if (operation.state === 'refused') return operation.decided ? 'none' : 'uncharged';
  if (isLikely(operation)) return 'likely';
  if (isUncertain(operation) || operation.state === 'closed') return 'unknown';
  if (isUnresolved(operation)) return 'on-its-way';
  if (operation.state !== 'done') return 'none';
  const { result } = operation;
  if (result.refunded !== undefined) return 'reported';
  // As its receipt says.
  if (kind.withdrawalAmount && isBackAsBefore(operation)) return 'reported';
  if (isRefundSeen(result)) return 'probable';
  const missing = order === 'failed' ? missingRefundOf(result) : undefined;
  if (missing) return `refund-${missing}`;
  if (result.refund?.balance === 'either') return 'refund-shared';
  if (order === 'awaited') return 'on-its-way';
  if (isRefundUnclear(result, order)) return 'refund-unclear';
  if (order === 'unseen' || order === 'over') return 'unseen';
  if (kind.withdrawalAmount === undefined) return 'none';
  if (result.status === 'failed') return 'given-back';
  return result.status === 'pending' ? 'processing' : 'none';
}
