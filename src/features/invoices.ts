import type { InlineKeyboardButton } from 'grammy/types';
import { linkedOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { defineFeature } from '../bot/feature.ts';
import { sendFile, show } from '../bot/reply.ts';
import { formatCount, formatCsv, formatMoment, shortenAddress } from '../i18n/formats.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, withMenuButton } from '../i18n/view.ts';
import { INVOICE_BUTTONS } from '../invoices/card.ts';
import { type Invoice, type InvoiceState, invoiceStateOf } from '../invoices/invoice.ts';
import { invoiceTable, MAX_LISTED_INVOICES } from '../invoices/invoice-store.ts';

const NAME = 'invoices';
const SIZE = 5;
const FILTERS_PER_ROW = 3;
/** Maximum number of characters of a note. The card shows the whole note. */
const NOTE_SHOWN = 32;
/** Separator between the filter and the invoice after which a page begins. */
const BEHIND = '_';

/** Filters by standing. Invoices without a delivery come last: unpaid, failed, or of an unknown status. */
const FILTERS = {
  all: undefined,
  open: ['open', 'ending'],
  paid: ['paid', 'late'],
  delivered: ['delivered'],
  ended: ['over', 'failed', 'unchecked', 'unrecognized'],
} as const satisfies Record<string, readonly InvoiceState[] | undefined>;

type Filter = keyof typeof FILTERS;

const isFilter = (name: string): name is Filter => Object.hasOwn(FILTERS, name);

/**
 * Creates the feature that lists the invoices that a user has made, for customers or for themselves. Each one opens as
 * its card.
 */
export const invoicesFeature = defineFeature((deps) => {
  const { invoices, operatorKey, isAdmin, now } = deps;

  function entry(words: Words, invoice: Invoice, at: number): string {
    const { energy, hours, address, priceTrx: price, note, createdAt } = invoice;
    const number = words.html('invoice-number', { number: String(invoice.number) });
    const amount = formatCount(energy, words.language);
    const made = formatMoment(createdAt, words.language);
    const standing = invoiceStateOf(invoice, now());
    return lines(
      `${at + 1}. ${words.html(`invoices-${standing}`)} · ${number} · ${made}`,
      invoice.unchecked && standing !== 'unchecked' && words.html('invoices-unchecked-paid'),
      words.html('invoices-what', { amount, hours, target: shortenAddress(address), price }),
      note !== undefined && words.html('invoices-note', { note: inShort(note) }),
    );
  }

  async function totals({ words }: BotContext, user: number): Promise<string> {
    const { today, week, month, partial } = await invoices.totals(user);
    const count = (of: number) => formatCount(of, words.language);
    const sums = { todayTrx: today.trx, weekTrx: week.trx, monthTrx: month.trx };
    const counts = { today: count(today.count), week: count(week.count), month: count(month.count) };
    return lines(
      words.html('invoices-totals', { ...sums, ...counts }),
      partial && words.html('invoices-totals-partial'),
    );
  }

  const isLinked = async (ctx: BotContext) => (await linkedOf(deps, ctx)?.find()) !== undefined;

  async function page(ctx: BotContext, name: string, after?: string): Promise<void> {
    const { words, from } = ctx;
    if (from === undefined) return;
    const filter = isFilter(name) ? name : 'all';
    const standings: readonly InvoiceState[] | undefined = FILTERS[filter];
    const fits = (one: Invoice) => standings?.includes(invoiceStateOf(one, now())) ?? true;
    const isFirst = after === undefined;
    const [{ invoices: found, older }, hasAccount] = await Promise.all([
      invoices.page(from.id, { size: SIZE, after, matches: fits }),
      isLinked(ctx),
    ]);
    // A guest's invoices are purchases: totals and the file are for merchants.
    const isSeller = hasAccount || isAdmin(from.id);
    const sums = isFirst && isSeller ? await totals(ctx, from.id) : undefined;
    const making =
      hasAccount || operatorKey !== undefined
        ? [button(words, 'button-invoice-new', callbackData(INVOICE_BUTTONS, 'open'), 'primary')]
        : [];
    const isBare = isFirst && filter === 'all' && found.length === 0;
    const html = paragraphs(
      words.html('invoices-title'),
      !isBare && sums,
      ...found.map((invoice, at) => entry(words, invoice, at)),
      words.html(found.length > 0 ? 'invoices-pick' : emptyKey(isBare, older)),
    );
    const opening = found.map(({ id }, at) => ({
      text: String(at + 1),
      callback_data: callbackData(INVOICE_BUTTONS, 'show', id),
    }));
    const turning = [
      ...(isFirst ? [] : [button(words, 'button-newest', callbackData(NAME, 'only', filter))]),
      ...(older === undefined
        ? []
        : [button(words, 'button-older', callbackData(NAME, 'older', `${filter}${BEHIND}${older}`))]),
    ];
    const file = isSeller ? [[button(words, 'button-csv', callbackData(NAME, 'csv'))]] : [];
    const more = isBare ? [] : [...filters(words, filter), ...file];
    const rows = [making, opening, turning, ...more].filter((row) => row.length > 0);
    await show(ctx, withMenuButton(words, html, ...rows));
  }

  return {
    name: NAME,
    menu: [
      { button: 'button-invoices', place: 'main', for: 'linked', merchants: 'first' },
      ...(operatorKey === undefined
        ? []
        : [{ button: 'button-my-invoices', place: 'main', for: 'guest' } as const]),
    ],
    command: { name: 'invoices', text: 'command-invoices' },
    open: (ctx) => page(ctx, 'all'),
    buttons: {
      only: (ctx, filter) => page(ctx, filter),
      older(ctx, argument) {
        const [filter = '', after] = argument.split(BEHIND);
        return page(ctx, filter, after);
      },
      async csv(ctx) {
        const { words, from } = ctx;
        if (from === undefined) return;
        // The tapped list may have been shown before the account was unlinked.
        if (!isAdmin(from.id) && !(await isLinked(ctx))) return page(ctx, 'all');
        const found = await invoices.list(from.id);
        const count = found.length;
        const day = new Date(now()).toISOString().slice(0, 10);
        const file = { name: `invoices-${day}.csv`, text: formatCsv(invoiceTable(found, now())) };
        const caption = words.html(count < MAX_LISTED_INVOICES ? 'invoices-file' : 'invoices-file-partial', {
          count,
        });
        if (!(await sendFile(ctx, file, caption))) ctx.toast = words.plain('toast-file-slow');
      },
    },
  };
});

/** Returns the filter buttons: all invoices, or those of one standing. The current one is marked. */
function filters(words: Words, present: Filter): InlineKeyboardButton[][] {
  const buttons = Object.keys(FILTERS)
    .filter(isFilter)
    .map((name) => {
      const label = words.plain(`filter-${name}`);
      return {
        text: name === present ? `• ${label}` : label,
        callback_data: callbackData(NAME, 'only', name),
      };
    });
  return inRows(buttons, FILTERS_PER_ROW);
}

function inShort(note: string): string {
  const characters = [...note];
  return characters.length > NOTE_SHOWN ? `${characters.slice(0, NOTE_SHOWN - 1).join('')}…` : note;
}

function emptyKey(isBare: boolean, older: string | undefined): TextKey {
  if (older !== undefined) return 'invoices-further';
  return isBare ? 'invoices-empty' : 'invoices-none-such';
}
