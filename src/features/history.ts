import type { InlineKeyboardButton } from 'grammy/types';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { send, showText, showToast } from '../bot/reply.ts';
import type { TextKey } from '../i18n/keys.ts';
import { formatAmount, formatShortDay, htmlToPlainText, paragraphs, type Words } from '../i18n/texts.ts';
import { INVOICE_BUTTONS } from '../invoices/card.ts';
import { type Invoice, invoiceStateOf, wasPaid } from '../invoices/invoice.ts';
import { headline, inShort, shortTitle } from '../operations/card.ts';
import { kindText, type Result } from '../operations/kinds/kind.ts';
import { isConfirmed, isUnresolved, type Operation } from '../operations/operation.ts';
import { callbackData } from '../views/callback-data.ts';
import { leadingEmoji, renderTable } from '../views/tables.ts';
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

export const historyFeature = defineFeature(({ operations, card, invoices, now }) => {
  const { history, drafts, kinds } = operations;

  async function entryOf(operation: Operation): Promise<Entry> {
    const isMade = operation.state === 'done' && operation.result.invoice !== undefined;
    return { operation, invoice: isMade ? await invoices.read(operation) : undefined };
  }

  function tableRow(words: Words, { operation, invoice }: Entry, at: number): string[] {
    const { request } = operation;
    const kind = kinds.of(request);
    const { status, price = '', delivered }: Result = operation.state === 'done' ? operation.result : {};
    const sum = invoice ? wasPaid(invoice) && invoice.priceTrx : price;
    const hasFailed = (invoice?.status ?? status) === 'failed';
    // The operation has ended when the invoice is made. What became of the invoice is its own state.
    const state = invoice
      ? words.html(`invoices-${invoiceStateOf(invoice, now())}`)
      : headline(words, kind, operation);
    return [
      String(at + 1),
      formatShortDay(isConfirmed(operation) ? operation.claimedAt : operation.createdAt, words.language),
      status === 'pending' ? '⏳' : leadingEmoji(htmlToPlainText(state)),
      shortTitle(words, kind, request, delivered),
      formatAmount((!hasFailed && sum) || '', words.language),
    ];
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
    const [{ operations: found, unreadable, older }, isLong] = await Promise.all([
      history.page(from.id, { size: PAGE_SIZE, after, kind }),
      history.hasMoreThan(from.id, MAX_UNFILTERED_ROWS),
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
      found.length > 0 &&
        renderTable(
          ['right', 'left', 'left', 'shrinking', 'right'],
          entries.map((entry, at) => tableRow(words, entry, at)),
        ),
      unreadable > 0 && words.html('history-unreadable', { count: unreadable }),
      words.html(found.length > 0 ? 'history-open' : emptyKey(kind, older)),
    );
    const filters = isLong || kind !== undefined ? filterRows(words, filter) : [];
    await showText(ctx, html, receipts, pages, ...filters);
  }

  /** Returns an operation's receipt. While it can change, returns a short reply to its message. */
  async function receiptOf({ words }: BotContext, operation: Operation): Promise<View> {
    const isDelivering =
      operation.state === 'done' && operation.attempt.reported && operation.result.status === 'pending';
    const isOpen = isUnresolved(operation) || isDelivering;
    return isOpen ? { html: inShort(words, operation, kinds), keyboard: [] } : card(words, operation);
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
