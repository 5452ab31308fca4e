import type { InlineKeyboardButton } from 'grammy/types';
import { linkOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import { defineFeature } from '../../bot/feature.ts';
import { sendFile, showText, showToast } from '../../bot/reply.ts';
import type { TextKey } from '../../i18n/keys.ts';
import {
  formatMoment,
  lines,
  momentVariables,
  paragraphs,
  shortenAddress,
  type Words,
} from '../../i18n/texts.ts';
import { INVOICE_BUTTONS, INVOICE_LIST } from '../../invoices/card.ts';
import { invoicesCsv } from '../../invoices/csv.ts';
import { type Invoice, type InvoiceState, invoiceStateOf } from '../../invoices/invoice.ts';
import { MAX_LISTED_INVOICES } from '../../invoices/invoice-store.ts';
import { utcDay } from '../../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { callbackData } from '../../views/callback-data.ts';
import {
  button,
  filterButton,
  inRows,
  MAX_UNFILTERED_ROWS,
  numberButtons,
  pageButtons,
} from '../../views/view.ts';
import { createInvoiceMaker, openedInvoices } from './invoice-cards.ts';

const PAGE_SIZE = 5;
const FILTERS_PER_ROW = 3;
/** The card shows the whole note. */
const MAX_NOTE_LENGTH = 32;
const ARGUMENT_SEPARATOR = '_';

/** Filters by state. `ended`: without a delivery, which includes failed and unknown statuses. */
const FILTERS = {
  all: undefined,
  open: ['open', 'ending'],
  paid: ['paid', 'late'],
  delivered: ['delivered', 'partial'],
  ended: ['over', 'failed', 'unchecked', 'unrecognized'],
} as const satisfies Record<string, readonly InvoiceState[] | undefined>;

type Filter = keyof typeof FILTERS;

const isFilter = (name: string): name is Filter => Object.hasOwn(FILTERS, name);

export const invoicesFeature = defineFeature((deps) => {
  const { invoices, operatorKey, isAdmin, now } = deps;
  const maker = createInvoiceMaker(deps);

  const accountOf = async (ctx: BotContext) => (await maker.of(ctx))?.account ?? OPERATOR_ACCOUNT;
  const isSoldBy = (account: number) => (one: Invoice) => one.shared && one.account === account;

  function entry(
    words: Words,
    invoice: Invoice,
    { number: row, user, present }: { number: number; user: number; present: number },
  ): string {
    const { energy: amount, hours, address, priceTrx: trx, priceUsdt: usdt, note, createdAt } = invoice;
    const number = words.html('invoice-number', { number: String(invoice.number) });
    const made = words.html(
      'list-time',
      momentVariables(createdAt, (at) => formatMoment(at, words.language)),
    );
    const state = invoiceStateOf(invoice, now());
    const isOfPresent = invoice.user !== user || invoice.account === present;
    const account = invoice.account === OPERATOR_ACCOUNT ? 'none' : String(invoice.account);
    const by = isOfPresent ? [] : [words.html('invoices-account', { account })];
    return lines(
      [`${row}. ${words.html(`invoices-${state}`)}`, number, made, ...by].join(' · '),
      invoice.unchecked &&
        state !== 'unchecked' &&
        words.html('invoices-unchecked-paid', {
          account: invoice.user !== user || invoice.account === OPERATOR_ACCOUNT ? 'other' : 'own',
        }),
      // The service doesn't report in which of the two currencies an invoice was paid.
      words.html('invoices-what', { amount, hours, target: shortenAddress(address), trx, usdt }),
      note !== undefined && words.html('invoices-note', { note: shortenNote(note) }),
    );
  }

  async function totals({ words, from }: BotContext, account: number): Promise<string> {
    const { today, week, month, partial } = await invoices.totals(from.id, isSoldBy(account));
    const sums = { todayTrx: today.trx, weekTrx: week.trx, monthTrx: month.trx };
    const counts = { today: today.count, week: week.count, month: month.count };
    return lines(
      words.html('invoices-totals', { ...sums, ...counts }),
      partial && words.html('invoices-totals-partial'),
    );
  }

  const isLinked = async (ctx: BotContext) => (await linkOf(deps, ctx)) !== undefined;

  async function page(ctx: BotContext, name: string, after?: string): Promise<void> {
    const { words, from } = ctx;
    const filter = isFilter(name) ? name : 'all';
    const states: readonly InvoiceState[] | undefined = FILTERS[filter];
    const matches = (one: Invoice) => states?.includes(invoiceStateOf(one, now())) ?? true;
    const isFirst = after === undefined;
    const [{ invoices: found, older }, isLong, hasAccount, present, opened] = await Promise.all([
      invoices.page(from.id, { size: PAGE_SIZE, after, matches }),
      invoices.hasMoreThan(from.id, MAX_UNFILTERED_ROWS),
      isLinked(ctx),
      accountOf(ctx),
      isFirst && filter === 'all' ? openedInvoices(deps, from.id, PAGE_SIZE) : [],
    ]);
    // A guest's invoices are purchases, also after linking: totals and the file are about sales.
    const isSeller = hasAccount || isAdmin(from.id);
    const isSold = isSoldBy(present);
    const hasSold =
      isSeller &&
      (found.some(isSold) || (await invoices.list(from.id, (read) => read.some(isSold))).some(isSold));
    const sums = isFirst && hasSold ? await totals(ctx, present) : undefined;
    const canMake = hasAccount || operatorKey !== undefined;
    const label = isSeller ? 'button-invoice-new' : 'button-energy';
    const newInvoice = button(words, label, callbackData(INVOICE_BUTTONS, 'open'), 'primary');
    const isBare = isFirst && filter === 'all' && found.length === 0;
    const html = paragraphs(
      words.html('invoices-title'),
      !isBare && sums,
      ...found.map((invoice, at) => entry(words, invoice, { number: at + 1, user: from.id, present })),
      opened.length > 0 && words.html('invoices-opened'),
      ...opened.map(({ invoice }, at) =>
        entry(words, invoice, { number: found.length + at + 1, user: from.id, present }),
      ),
      found.length + opened.length > 0
        ? words.html('invoices-pick')
        : words.html(emptyKey(isBare, older), { reader: isSeller ? 'seller' : 'guest' }),
    );
    // The numbers of the rows, as in all lists. A row contains its invoice's number.
    const cards = inRows(
      numberButtons([
        ...found.map(({ id }) => callbackData(INVOICE_BUTTONS, 'show', id)),
        ...opened.map(({ token }) => callbackData(INVOICE_BUTTONS, 'opened', token)),
      ]),
      PAGE_SIZE,
    );
    const pages = pageButtons(words, {
      newest: isFirst ? undefined : callbackData(INVOICE_LIST, 'only', filter),
      older: older && callbackData(INVOICE_LIST, 'older', `${filter}${ARGUMENT_SEPARATOR}${older}`),
    });
    const file = hasSold ? [button(words, 'button-csv', callbackData(INVOICE_LIST, 'csv'))] : [];
    const filters = isLong || filter !== 'all' ? filterRows(words, filter) : [];
    await showText(ctx, html, canMake ? [newInvoice] : [], ...cards, pages, ...filters, file);
  }

  return {
    name: INVOICE_LIST,
    menu: [
      { button: 'button-invoices', place: 'main', for: 'linked', merchants: 'first' },
      ...(operatorKey === undefined
        ? []
        : [{ button: 'button-my-invoices', place: 'main', for: 'guest' } as const]),
    ],
    command: { name: 'invoices', text: 'command-invoices', inMenu: true },
    keepsFlow: true,
    startLinks: { invoices: 'button-my-invoices' },
    open: (ctx) => page(ctx, 'all'),
    buttons: {
      only: (ctx, filter) => page(ctx, filter),
      older(ctx, argument) {
        const [filter = '', after] = argument.split(ARGUMENT_SEPARATOR);
        return page(ctx, filter, after);
      },
      async csv(ctx) {
        const { words, from } = ctx;
        // The tapped list may have been shown before the account was unlinked.
        if (!isAdmin(from.id) && !(await isLinked(ctx))) return page(ctx, 'all');
        const made = await invoices.list(from.id);
        const found = made.filter(isSoldBy(await accountOf(ctx)));
        const count = found.length;
        const file = { name: `invoices-${utcDay(now())}.csv`, text: invoicesCsv(found, now()) };
        const caption = made.length < MAX_LISTED_INVOICES ? 'invoices-file' : 'invoices-file-partial';
        if (!(await sendFile(ctx, file, words.html(caption, { count })))) showToast(ctx, 'toast-file-slow');
      },
    },
  };
});

function filterRows(words: Words, current: Filter): InlineKeyboardButton[][] {
  const filters = Object.keys(FILTERS).filter(isFilter);
  const buttons = filters.map((name) =>
    filterButton(words.plain(`filter-${name}`), callbackData(INVOICE_LIST, 'only', name), name === current),
  );
  return inRows(buttons, FILTERS_PER_ROW);
}

function shortenNote(note: string): string {
  const characters = [...note];
  return characters.length > MAX_NOTE_LENGTH ? `${characters.slice(0, MAX_NOTE_LENGTH - 1).join('')}…` : note;
}

function emptyKey(isBare: boolean, older: string | undefined): TextKey {
  if (older !== undefined) return 'history-further';
  return isBare ? 'invoices-empty' : 'invoices-none-such';
}
