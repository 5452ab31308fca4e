import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { linkOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { send, showText, showToast } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import {
  formatMoment,
  htmlToPlainText,
  lines,
  momentVariables,
  paragraphs,
  shortenAddress,
  type Words,
} from '../i18n/texts.ts';
import { INVOICE_BUTTONS } from '../invoices/card.ts';
import { type Invoice, invoiceStateOf } from '../invoices/invoice.ts';
import { inShort, shortTitle, statusSign } from '../operations/card.ts';
import { kindText, type OperationKind, type Result } from '../operations/kinds/kind.ts';
import {
  chargeOf,
  isConfirmed,
  isLikely,
  isUncertain,
  isUnresolved,
  type Operation,
} from '../operations/operation.ts';
import {
  isFailed,
  isRefundSeen,
  missingRefundOf,
  type OrderState,
  orderStateOf,
} from '../operations/order-state.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { WITHDRAWAL_FEE_TRX } from '../rental-api/tron.ts';
import { callbackData } from '../views/callback-data.ts';
import {
  filterButton,
  inRows,
  MAX_UNFILTERED_ROWS,
  numberButtons,
  pageButtons,
  type View,
} from '../views/view.ts';

const NAME = 'history';
const PAGE_SIZE = 5;
const ARGUMENT_SEPARATOR = '_';

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
  function row(words: Words, { operation, invoice }: Entry, number: number, present: number): string {
    const { request, account } = operation;
    const kind = kinds.of(request);
    const result: Result = operation.state === 'done' ? operation.result : {};
    const { order, delivered } = result;
    const state = orderStateOf(kind, operation, now());
    const isPaid = operation.state === 'done' || isLikely(operation);
    const isShown = isPaid && !invoice && (!isFailed(result) || missingRefundOf(result) !== undefined);
    const charge = isShown ? chargeOf(kind, operation) : undefined;
    // A withdrawal is done for its account when the service accepts it, and for its user when it was sent.
    const withdrawn = kind.withdrawalAmount?.(request);
    const isSending = withdrawn !== undefined && result.status === 'pending';
    const asked = withdrawn && new BigNumber(withdrawn).minus(WITHDRAWAL_FEE_TRX).toFixed();
    // The operation has ended when the invoice is made. What became of the invoice is its own state.
    const what = invoice
      ? `${htmlToPlainText(words.html(`invoices-${invoiceStateOf(invoice, now())}`))} · ${kind.shortTitle(words, request)}`
      : `${isSending ? '⏳' : statusSign(words, kind, operation, now())} ${shortTitle(words, kind, request, delivered)}`;
    const at = isConfirmed(operation) ? operation.claimedAt : operation.createdAt;
    return lines(
      words.html('history-row', {
        number: String(number),
        what: what.trimStart(),
        hours: invoice?.hours ?? kind.rentedHours?.(request) ?? 'none',
        trx: (charge && asked) ?? charge?.trx ?? 'none',
        price: charge?.isApproximate && asked === undefined ? 'card' : 'charged',
      }),
      words.html('history-row-about', {
        ...momentVariables(at, (time) => formatMoment(time, words.language)),
        maker: order === undefined || kind.listing ? 'none' : kind.isTrackedElsewhere ? 'invoice' : 'order',
        order: String(order),
        to: shortenAddress(kind.target(request)),
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

  async function page(ctx: BotContext, filter: string, after?: string): Promise<void> {
    const { words, from } = ctx;
    const kind = filter === 'all' ? undefined : filter;
    const [{ operations: found, unreadable, older }, isLong, link] = await Promise.all([
      history.page(from.id, { size: PAGE_SIZE, after, kind }),
      history.hasMoreThan(from.id, MAX_UNFILTERED_ROWS),
      linkOf(deps, ctx),
    ]);
    const entries = await Promise.all(found.map(entryOf));
    // An invoice's card says what its receipt can't: what has become of it.
    const receipts = numberButtons(
      entries.map(({ operation: { id }, invoice }) =>
        invoice ? callbackData(INVOICE_BUTTONS, 'show', id) : callbackData(NAME, 'receipt', id),
      ),
    );
    const pages = pageButtons(words, {
      newest: after === undefined ? undefined : callbackData(NAME, 'kind', filter),
      older: older && callbackData(NAME, 'older', `${filter}${ARGUMENT_SEPARATOR}${older}`),
    });
    const html = paragraphs(
      words.html('history-title'),
      ...entries.map((entry, at) => row(words, entry, at + 1, link?.account ?? OPERATOR_ACCOUNT)),
      unreadable > 0 && words.html('history-unreadable', { count: unreadable }),
      words.html(found.length > 0 ? 'history-open' : emptyKey(kind, older)),
    );
    const filters = isLong || kind !== undefined ? filterRows(words, filter) : [];
    await showText(ctx, html, receipts, pages, ...filters);
  }

  /** Returns an operation's receipt. While it can change, returns a short reply to its message. */
  async function receiptOf({ words }: BotContext, operation: Operation): Promise<View> {
    const isAwaited = orderStateOf(kinds.of(operation.request), operation, now()) === 'awaited';
    const isOpen = isUnresolved(operation) || isAwaited;
    return isOpen
      ? { html: inShort(words, operation, { kinds, now: now() }), keyboard: [] }
      : card(words, operation);
  }

  return {
    name: NAME,
    menu: { button: 'button-history', place: 'main', for: 'linked' },
    command: { name: 'history', text: 'command-history', inMenu: true },
    keepsFlow: true,
    words: ['orders', 'my orders', 'заказы', 'мои заказы'],
    open: (ctx) => page(ctx, 'all'),
    buttons: {
      kind: (ctx, kind) => page(ctx, kind),
      older(ctx, argument) {
        const [kind = '', after] = argument.split(ARGUMENT_SEPARATOR);
        return page(ctx, kind, after);
      },
      async receipt(ctx, id) {
        const operation = await drafts.find({ user: ctx.from.id, id });
        if (operation && isConfirmed(operation))
          await send(ctx, await receiptOf(ctx, operation), operation.receipt.card);
        else showToast(ctx, 'toast-no-operation');
      },
    },
  };
});

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
  if (isRefundSeen(result)) return 'probable';
  const missing = order === 'failed' ? missingRefundOf(result) : undefined;
  if (missing) return `refund-${missing}`;
  if (order === 'awaited') return 'on-its-way';
  if (order === 'unseen') return 'unseen';
  if (kind.withdrawalAmount === undefined) return 'none';
  if (result.status === 'failed') return 'given-back';
  return result.status === 'pending' ? 'processing' : 'none';
}
