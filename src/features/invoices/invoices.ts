import type { InlineKeyboardButton } from 'grammy/types';
import { findSavedName } from '../../accounts/address-book.ts';
import { linkOf } from '../../bot/accounts.ts';
import { addressBookOf } from '../../bot/address-input.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../../bot/dialogue.ts';
import { defineFeature } from '../../bot/feature.ts';
import { sendFile, showText, showToast } from '../../bot/reply.ts';
import type { TextKey } from '../../i18n/keys.ts';
import {
  formatMoment,
  formatTime,
  LANGUAGES,
  lines,
  momentVariables,
  paragraphs,
  shortenAddress,
  type Words,
} from '../../i18n/texts.ts';
import { isNumbered, numberIn, orderIn, readInvoiceQuestion } from '../../input/invoice-text.ts';
import { isOrderWithoutAddress } from '../../input/order-text.ts';
import { containsWords, normalizeLabel } from '../../input/words.ts';
import { INVOICE_BUTTONS, INVOICE_LIST } from '../../invoices/card.ts';
import { invoicesCsv } from '../../invoices/csv.ts';
import {
  type Invoice,
  invoiceStateOf,
  isPayable,
  isRevokedFor,
  type ListedState,
  listedStateOf,
} from '../../invoices/invoice.ts';
import { MAX_LISTED_INVOICES } from '../../invoices/invoice-store.ts';
import { PAGES_PATH } from '../../invoices/invoices.ts';
import { ENERGY_RANGE } from '../../operations/kinds/energy-order.ts';
import { utcDay } from '../../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { findAddressInput } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, filterButton, inRows, pageButtons } from '../../views/view.ts';
import {
  createInvoiceMaker,
  type InvoiceDeps,
  openedInvoices,
  openLink,
  sendInvoiceCard,
} from './invoice-cards.ts';

const PAGE_SIZE = 5;
const FILTERS_PER_ROW = 3;
/** The card shows the whole note. */
const MAX_NOTE_LENGTH = 32;
const ARGUMENT_SEPARATOR = '_';
/** Maximum invoices that a search shows, and those of others that it looks at. */
const MAX_FOUND = 10;
const MAX_SOUGHT_LENGTH = 100;
/** A shorter word occurs in many notes. */
const MIN_WORD_LENGTH = 3;
/** Minimum length of a part of an address. A shorter one, such as a number, would be in most addresses. */
const MIN_ADDRESS_PART = 4;
const SOUGHT = 'sought';
const FOUND = 'found';
/** Link of an invoice, to the bot's chat or to its page: the token. */
const INVOICE_LINK = new RegExp(
  `^\\S*(?:[?&]start=invoice-|${PAGES_PATH}/)([\\w-]{16,})(?:[/?#&]\\S*)?$`,
  'u',
);
/** `Link`, `resend the link`, `пришли ссылку`. */
const LINK =
  /^(?:(?:(?:re)?send|copy|share|show|get|the|my|payment|invoice|покажи|пришли|дай|скопируй)\s+)*(?:links?(?:\s+again)?|ссылк[аиу])[.?]*$/iu;
/** Shortened address, as lists have it: its first and last characters. */
const SHORTENED = /^(T\w{3,})(?:…|\.{2,})(\w{3,})$/u;
/** `Dave`, `Зоя`. */
const NAME = /^\p{Lu}\p{Ll}+$/u;
/** Characters of a row's buttons up to which five are side by side. */
const SHORT_LABEL = 4;

/** `sought` lasts for one update only. */
type State = DialogueState & { sought?: string };

/** Filters by state. `ended`: without a delivery, which includes failed and unknown statuses. Failed ones are paid, too. */
const FILTERS = {
  all: undefined,
  open: ['open', 'ending'],
  sold: ['paid', 'late', 'delivered', 'partial'],
  paid: ['paid', 'late', 'failed'],
  delivered: ['delivered', 'partial'],
  ended: ['over', 'unreported', 'failed', 'unchecked', 'unrecognized'],
} as const satisfies Record<string, readonly ListedState[] | undefined>;

type Filter = keyof typeof FILTERS;

/** Words that name a filter. Those in {@link BARE_STATES} and its label do only below the list and in seller mode. */
const FILTER_WORDS = {
  open: [
    ...['unpaid', 'unpaid invoices', 'open invoices', 'who owes me', 'who has not paid', 'who hasn t paid'],
    ...['invoices are open', 'invoices open', 'invoices are unpaid', 'invoices unpaid'],
    ...['неоплаченные', 'неоплаченные счета', 'неоплаченный счёт', 'неоплаченный счет', 'открытые счета'],
    ...['счетов открыто', 'счета открыты', 'открытых счетов', 'неоплаченных счетов', 'счетов не оплачено'],
    ...['кто не оплатил', 'кто не заплатил', 'кто ещё не оплатил', 'кто еще не оплатил'],
  ],
  sold: [
    ...[
      'who paid',
      'who has paid',
      'paid invoices',
      'anyone paid',
      'anyone pay',
      'anybody paid',
      'anybody pay',
    ],
    ...['customer paid', 'customer pay', 'client paid', 'client pay', 'he pay', 'she pay', 'they pay'],
    ...['кто оплатил', 'кто заплатил', 'оплаченные', 'оплаченные счета', 'кто нибудь оплатил'],
    ...['что оплачено', 'клиент оплатил', 'покупатель оплатил', 'оплатил ли клиент', 'оплатил ли покупатель'],
  ],
  delivered: ['delivered invoices', 'доставленные счета'],
  ended: [
    ...['expired invoices', 'истёкшие счета', 'истекшие счета', 'просроченные счета'],
    ...['failed invoices', 'show failed invoices', 'неудачные счета', 'покажи неудачные счета'],
  ],
};
const BARE_STATES = new Map<string, Filter>([
  ['paid', 'sold'],
  ['paid today', 'sold'],
  ['оплачено', 'sold'],
  ['оплачено сегодня', 'sold'],
  ['delivered', 'delivered'],
  ['доставленные', 'delivered'],
  ['not delivered', 'paid'],
  ['undelivered', 'paid'],
  ['paid not delivered', 'paid'],
  ['paid but not delivered', 'paid'],
  ['не доставлено', 'paid'],
  ['не доставлены', 'paid'],
  ['недоставленные', 'paid'],
  ['оплачены не доставлены', 'paid'],
  ['оплачено не доставлено', 'paid'],
  ['expired', 'ended'],
  ['failed', 'ended'],
  ['неудачные', 'ended'],
  ['просроченные', 'ended'],
  ['истёкшие', 'ended'],
  ['истекшие', 'ended'],
  ['totals', 'all'],
  ['total', 'all'],
  ['итоги', 'all'],
  ['итого', 'all'],
]);

const isFilter = (name: string): name is Filter => Object.hasOwn(FILTERS, name);
const FILTER_NAMES = Object.keys(FILTERS).filter(isFilter);

/** Invoice in a list. `key`: of the button that opens it, if another user made it. */
interface Found {
  invoice: Invoice;
  key?: string;
}

export const invoicesFeature = defineFeature((deps: InvoiceDeps) => {
  const { invoices, operatorKey, isAdmin, texts, now } = deps;
  const maker = createInvoiceMaker(deps);
  const labels = LANGUAGES.flatMap((language) =>
    FILTER_NAMES.map((name) => [normalizeLabel(texts.in(language).plain(`filter-${name}`)), name] as const),
  );
  const bareStates = new Map([...labels, ...BARE_STATES]);

  /** Returns the filter that a text names. */
  function filterIn(text: string): Filter | undefined {
    const said = normalizeLabel(text);
    const named = Object.entries(FILTER_WORDS).find(([, words]) => words.includes(said))?.[0];
    return bareStates.get(said) ?? (named !== undefined && isFilter(named) ? named : undefined);
  }

  const accountOf = async (ctx: BotContext) => (await maker.of(ctx))?.account ?? OPERATOR_ACCOUNT;
  const isSoldBy = (account: number) => (one: Invoice) => one.shared && one.account === account;

  /** Returns which invoices the file has: the sales of the present account or, without one, of those linked before. */
  const inFileOf = (account: number, isSeller: boolean) => (one: Invoice) =>
    isSeller ? isSoldBy(account)(one) : one.shared;

  function entry(
    words: Words,
    invoice: Invoice,
    { user, present }: { user: number; present: number },
  ): string {
    const { energy: amount, hours, address, priceTrx: trx, priceUsdt: usdt, note, createdAt } = invoice;
    const number = words.html('invoice-number', { number: String(invoice.number) });
    const made = words.html(
      'list-time',
      momentVariables(createdAt, (at) => formatMoment(at, words.language)),
    );
    const listed = listedStateOf(invoice, now());
    const state = isPayable(listed) && isRevokedFor(invoice, user) ? 'revoked' : listed;
    const isOfPresent = invoice.user !== user || invoice.account === present;
    const account = invoice.account === OPERATOR_ACCOUNT ? 'none' : String(invoice.account);
    const by = isOfPresent ? [] : [words.html('invoices-account', { account })];
    return lines(
      [words.html(`invoices-${state}`), number, made, ...by].join(' · '),
      invoice.unchecked &&
        state !== 'unchecked' &&
        state !== 'over' &&
        words.html('invoices-unchecked-paid', {
          account: invoice.user !== user || invoice.account === OPERATOR_ACCOUNT ? 'other' : 'own',
        }),
      // The service doesn't report in which of the two currencies an invoice was paid.
      words.html('invoices-what', { amount, hours, target: shortenAddress(address), trx, usdt }),
      note !== undefined && words.html('invoices-note', { note: toPrintable(note, MAX_NOTE_LENGTH) }),
    );
  }

  async function totals({ words, from }: BotContext, account: number): Promise<string> {
    const { today, week, month, partial } = await invoices.totals(from.id, isSoldBy(account));
    const sums = { todayTrx: today.trx, weekTrx: week.trx, monthTrx: month.trx };
    const counts = { today: today.count, week: week.count, month: month.count };
    return lines(
      words.html('invoice-payee'),
      words.html('invoices-totals', { ...sums, ...counts }),
      partial && words.html('invoices-totals-partial'),
    );
  }

  /** Returns the time of a list, which stays in the chat as it was. */
  const asOf = (words: Words) => words.html('list-as-of', momentVariables(now(), formatTime));

  /** Returns the buttons of rows, each with its invoice's number. */
  function cardButtons(found: readonly Found[]): InlineKeyboardButton[][] {
    const buttons = found.map(({ invoice: { id, number }, key }) => ({
      text: String(number),
      callback_data:
        key === undefined
          ? callbackData(INVOICE_BUTTONS, 'show', id)
          : callbackData(INVOICE_BUTTONS, 'opened', key),
    }));
    const isShort = buttons.every(({ text }) => text.length <= SHORT_LABEL);
    return inRows(buttons, isShort ? PAGE_SIZE : 3);
  }

  /** Returns the user's invoices with this number, also those of others that the user opened. */
  async function withNumber(user: number, sought: number): Promise<Found[]> {
    const isSought = ({ number }: Invoice) => number === sought;
    const [own, opened] = await Promise.all([
      invoices.list(user, (read) => read.some(isSought)),
      openedInvoices(deps, user, MAX_FOUND),
    ]);
    const found: Found[] = [...own.map((invoice) => ({ invoice })), ...opened];
    return found.filter(({ invoice }) => isSought(invoice));
  }

  /**
   * Returns the user's latest invoices whose note contains the text, whose price it is, or whose addresses contain it if it is
   * long enough.
   */
  async function withText(user: number, sought: string): Promise<{ found: Found[]; isPartial: boolean }> {
    const text = sought.toLowerCase();
    const price = priceIn(sought);
    const [, first = '', last = ''] = SHORTENED.exec(sought) ?? [];
    const isPartOfAddress = (address: string) =>
      first === ''
        ? text.length >= MIN_ADDRESS_PART && address.toLowerCase().includes(text)
        : address.startsWith(first) && address.endsWith(last);
    const { invoices: found, older } = await invoices.page(user, {
      size: MAX_FOUND,
      matches: ({ note = '', address, paymentAddress, priceTrx, priceUsdt }) =>
        containsWords(note, text) ||
        (price !== undefined && [priceTrx, priceUsdt].some((one) => Number(one) === price)) ||
        [address, paymentAddress].some(isPartOfAddress),
    });
    return { found: found.map((invoice) => ({ invoice })), isPartial: older !== undefined };
  }

  async function find(user: number, sought: string) {
    const number = numberIn(sought);
    const numbered = number === undefined ? [] : await withNumber(user, number);
    if (numbered.length > 0) return { found: numbered, isPartial: false };
    return withText(user, number === undefined ? (orderIn(sought) ?? sought) : String(number));
  }

  /** Shows the only invoice that was found, or a list. `offersNew`: a list, also of one, with the button for a new invoice. */
  async function showFound(
    ctx: BotContext,
    said: string,
    result?: Awaited<ReturnType<typeof find>>,
    { offersNew = false } = {},
  ) {
    const { words, from } = ctx;
    const sought = toPrintable(String(numberIn(said) ?? said), MAX_SOUGHT_LENGTH);
    const [{ found, isPartial }, present] = await Promise.all([
      result ?? find(from.id, sought),
      accountOf(ctx),
    ]);
    const [only, another] = found;
    if (only !== undefined && another === undefined && !offersNew)
      return sendInvoiceCard(deps, ctx, only.invoice);
    const html = paragraphs(
      words.html(found.length > 0 ? 'invoices-found' : 'invoices-found-none', { sought }),
      ...found.map(({ invoice }) => entry(words, invoice, { user: from.id, present })),
      isPartial && words.html('invoices-found-latest'),
      found.length > 0 && words.html('invoices-pick'),
      found.length > 0 && asOf(words),
    );
    ctx.session.screen = INVOICE_LIST;
    const newInvoice = button(words, 'button-invoice-new', callbackData(INVOICE_BUTTONS, 'open'), 'primary');
    await showText(ctx, html, ...cardButtons(found), offersNew ? [newInvoice] : [], [
      button(words, 'button-invoices-find', callbackData(INVOICE_LIST, 'find')),
      button(words, 'button-invoices-back', callbackData(INVOICE_LIST, 'only', 'all')),
    ]);
  }

  /**
   * Shows the invoices that a text names, if that is what it means: *Invoice 7* always does. A bare number and a word of a
   * note do below the list and in seller mode, if there is such an invoice. There, a note precedes a feature's name among
   * other words.
   */
  async function readText(ctx: BotContext, text: string, isListShown: boolean): Promise<boolean> {
    if (await openByLink(ctx, text)) return true;
    const isForSeller = isListShown || (await linkOf(deps, ctx))?.isMerchant === true;
    const filter = isForSeller ? bareStates.get(normalizeLabel(text)) : undefined;
    if (filter !== undefined) {
      await page(ctx, filter);
      return true;
    }
    if (isForSeller && LINK.test(text.trim())) {
      await showLinks(ctx);
      return true;
    }
    const question = readInvoiceQuestion(text);
    const said = question?.sought ?? text.trim();
    const given = findAddressInput(said);
    const isSearch = question?.kind === 'search' || question?.kind === 'of';
    const isAbout = isSearch || question?.kind === 'payment';
    if (isAbout && (isForSeller || question?.kind === 'of') && given?.kind === 'address') {
      await showFound(ctx, given.address);
      return true;
    }
    const number = numberIn(said);
    const isOther = ctx.aside?.isExact === true || ctx.aside?.kind === 'talk';
    const isOwnOrder = isAdmin(ctx.from.id) && orderIn(said) !== undefined;
    if (number === undefined && ((isOther && !isOwnOrder) || !isWord(said))) return false;
    const hasNumber = isNumbered(said);
    if (number !== undefined && isOrderWithoutAddress(String(number))) return false;
    const result = await find(ctx.from.id, said);
    // Admins look up those of all users.
    const isLookup = isAdmin(ctx.from.id) && /\d/.test(said);
    const isNamed = isForSeller && (await isUnknownName(ctx, said));
    const isAsked =
      hasNumber || (isForSeller && (number !== undefined || isSearch)) || question?.kind === 'of' || isNamed;
    if (result.found.length === 0 && (isLookup || !isAsked)) return false;
    await showFound(ctx, said, result, { offersNew: question?.kind === 'new' && !hasNumber });
    return true;
  }

  /** Returns whether a text is one word like a name that neither a feature nor an address has. */
  async function isUnknownName(ctx: BotContext, text: string): Promise<boolean> {
    if (ctx.aside !== undefined || !NAME.test(text)) return false;
    return findSavedName(text, await addressBookOf(deps, ctx)) === undefined;
  }

  /**
   * Returns whether a text is a seller's question about invoices, which is one in any form beside an open card, too. Admins
   * with a number look up those of all users.
   */
  async function isQuestionOfSeller(text: string, ctx: BotContext): Promise<boolean> {
    const { kind = 'new' } = readInvoiceQuestion(text) ?? {};
    if (kind === 'new' && !bareStates.has(normalizeLabel(text))) return false;
    if (isAdmin(ctx.from.id) && /\d/.test(text)) return false;
    return (await linkOf(deps, ctx))?.isMerchant === true;
  }

  /** Opens the invoice whose link a text is: one of the user's own, also after its end, or another seller's. */
  async function openByLink(ctx: BotContext, text: string): Promise<boolean> {
    const token = INVOICE_LINK.exec(text.trim())?.[1];
    if (token === undefined) return false;
    const isLinked = (one: Invoice) => invoices.shares.tokenOf(one) === token;
    const own = (await invoices.list(ctx.from.id, (read) => read.some(isLinked))).find(isLinked);
    if (own) await sendInvoiceCard(deps, ctx, own);
    else await openLink(deps, ctx, token);
    return true;
  }

  /** Shows the only payable invoice of a seller, whose card has the link, or a list of the payable ones. */
  async function showLinks(ctx: BotContext): Promise<void> {
    const { invoices: payable } = await invoices.page(ctx.from.id, {
      size: PAGE_SIZE,
      matches: (one) => one.shared && isPayable(invoiceStateOf(one, now())),
    });
    const [only, another] = payable;
    await (only !== undefined && another === undefined
      ? sendInvoiceCard(deps, ctx, only)
      : page(ctx, 'open'));
  }

  /**
   * Shows what a text finds, or the invoice whose link it is. *Order 2* without the command is an order of transfers,
   * except for merchants, whose notes have such numbers.
   */
  async function findOrOrder(ctx: BotContext, text: string): Promise<unknown> {
    if (await openByLink(ctx, text)) return undefined;
    const state = bareStates.get(normalizeLabel(text));
    if (state !== undefined) return page(ctx, state);
    const sought = isNumbered(text) ? undefined : readInvoiceQuestion(text)?.sought;
    if (sought !== undefined) return showFound(ctx, sought);
    const mayBeCount = ctx.aside?.isExact === true && Number(orderIn(text)) <= ENERGY_RANGE.most;
    const isSeller = (await linkOf(deps, ctx))?.isMerchant === true;
    const featureOf = (name: string) => deps.features().find(({ command }) => command?.name === name);
    if (mayBeCount && !isSeller) return featureOf('buy')?.open?.(ctx);
    const number = orderIn(text);
    const result = await find(ctx.from.id, text);
    // Without customers, an order is the user's own.
    if (result.found.length === 0 && number !== undefined && !isSeller)
      return featureOf('history')?.onCommandText?.(ctx, number);
    return showFound(ctx, text, result);
  }

  async function page(ctx: BotContext, name: string, after?: string): Promise<void> {
    const { words, from } = ctx;
    const filter = isFilter(name) ? name : 'all';
    const states: readonly ListedState[] | undefined = FILTERS[filter];
    // An invoice that isn't tracked any more may still be paid.
    const isOpenElsewhere = (one: Invoice) =>
      filter === 'open' && one.unchecked === true && one.status === 'pending' && now() < one.expiresAt;
    const matches = (one: Invoice) =>
      states === undefined || states.includes(listedStateOf(one, now())) || isOpenElsewhere(one);
    const isFirst = after === undefined;
    const [{ invoices: found, older }, link, present, opened] = await Promise.all([
      invoices.page(from.id, { size: PAGE_SIZE, after, matches }),
      linkOf(deps, ctx),
      accountOf(ctx),
      isFirst && filter === 'all' ? openedInvoices(deps, from.id, PAGE_SIZE) : [],
    ]);
    const hasAccount = link !== undefined;
    // A guest's invoices are purchases, also after linking: totals and the file are about sales.
    const isSeller = hasAccount || isAdmin(from.id);
    const isSold = isSoldBy(present);
    const isPaged = !isFirst || older !== undefined;
    const isWholeList = !isPaged && filter === 'all';
    const hasSold =
      isSeller &&
      (found.some(isSold) ||
        (!isWholeList && (await invoices.list(from.id, (read) => read.some(isSold))).some(isSold)));
    const hasFile = isSeller ? hasSold : found.some(inFileOf(present, isSeller));
    const sums = isFirst && hasSold ? await totals(ctx, present) : undefined;
    const canMake = hasAccount || operatorKey !== undefined;
    const label = hasAccount ? 'button-invoice-new' : 'button-energy';
    const newInvoice = button(words, label, callbackData(INVOICE_BUTTONS, 'open'), 'primary');
    const isBare = isFirst && filter === 'all' && found.length === 0;
    const offersSelling = isBare && hasAccount && link.isMerchant !== true;
    const selling = button(words, 'button-seller-mode', callbackData('settings', 'sell', 'yes'));
    const html = paragraphs(
      words.html('invoices-title'),
      !isBare && sums,
      ...found.map((invoice) => entry(words, invoice, { user: from.id, present })),
      opened.length > 0 && words.html('invoices-opened'),
      ...opened.map(({ invoice }) => entry(words, invoice, { user: from.id, present })),
      found.length + opened.length > 0
        ? words.html('invoices-pick')
        : words.html(emptyKey(isBare, filter, older), { reader: hasAccount ? 'seller' : 'guest' }),
      offersSelling && words.html('seller-mode-offer'),
      found.length + opened.length > 0 && asOf(words),
    );
    // Another seller's invoice may have the same number.
    const cards = [...cardButtons(found.map((invoice) => ({ invoice }))), ...cardButtons(opened)];
    const pages = pageButtons(words, {
      newest: isFirst ? undefined : callbackData(INVOICE_LIST, 'only', filter),
      older: older && callbackData(INVOICE_LIST, 'older', `${filter}${ARGUMENT_SEPARATOR}${older}`),
    });
    const file = [
      ...(isPaged || (isSeller && found.length > 1)
        ? [button(words, 'button-invoices-find', callbackData(INVOICE_LIST, 'find'))]
        : []),
      ...(hasFile ? [button(words, 'button-csv', callbackData(INVOICE_LIST, 'csv'))] : []),
    ];
    const filters = isPaged || filter !== 'all' ? filterRows(words, filter) : [];
    ctx.session.screen = INVOICE_LIST;
    const actions = [...(canMake ? [newInvoice] : []), ...(offersSelling ? [selling] : [])];
    await showText(ctx, html, actions, ...cards, pages, ...filters, file);
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
    forSuspended: ['open', 'only', 'unpaid', 'sold', 'delivered', 'expired', 'older', 'csv'],
    startLinks: { invoices: 'button-my-invoices' },
    words: [
      ...['earnings', 'my earnings', 'did i earn', 'what did i earn', 'have i earned', 'my sales'],
      ...['сколько я заработал', 'сколько я заработала', 'мой заработок', 'мои продажи', 'выручка'],
      ...[
        'sales',
        'продажи',
        'did i sell',
        'have i sold',
        'i sold today',
        'sold today',
        'я продал',
        'я продала',
      ],
      ...[
        'сколько я продал',
        'сколько я продала',
        'сколько продано',
        'что продано',
        'продано',
        'что я продал',
      ],
    ],
    buttonWords: {
      unpaid: FILTER_WORDS.open,
      sold: FILTER_WORDS.sold,
      delivered: FILTER_WORDS.delivered,
      expired: FILTER_WORDS.ended,
      csv: [
        ...['csv', 'csv file', 'download csv', 'export csv', 'export invoices', 'export my invoices'],
        ...['скачать csv', 'выгрузить счета', 'экспорт счетов', 'выгрузка счетов'],
      ],
    },
    open: (ctx) => page(ctx, 'all'),
    textForm: {
      test: (text, ctx) =>
        isNumbered(text) ||
        INVOICE_LINK.test(text) ||
        orderIn(text) !== undefined ||
        isQuestionOfSeller(text, ctx),
    },
    onCommandText: findOrOrder,
    onText: (ctx, text) => readText(ctx, text, false),
    onScreenText: (ctx, text) => readText(ctx, text, true),
    buttons: {
      async find(ctx) {
        ctx.flowToEnter = { feature: INVOICE_LIST, start: { step: SOUGHT } satisfies State };
      },
      only: (ctx, filter) => page(ctx, filter),
      unpaid: (ctx) => page(ctx, 'open'),
      sold: (ctx) => page(ctx, 'sold'),
      delivered: (ctx) => page(ctx, 'delivered'),
      expired: (ctx) => page(ctx, 'ended'),
      older(ctx, argument) {
        const [filter = '', after] = argument.split(ARGUMENT_SEPARATOR);
        return page(ctx, filter, after);
      },
      async csv(ctx) {
        const { words, from } = ctx;
        const isSeller = isAdmin(from.id) || (await linkOf(deps, ctx)) !== undefined;
        const made = await invoices.list(from.id);
        const found = made.filter(inFileOf(await accountOf(ctx), isSeller));
        if (!isSeller && found.length === 0) return page(ctx, 'all');
        const count = found.length;
        const file = { name: `invoices-${utcDay(now())}.csv`, text: invoicesCsv(found, now()) };
        const caption = made.length < MAX_LISTED_INVOICES ? 'invoices-file' : 'invoices-file-partial';
        if (!(await sendFile(ctx, file, words.html(caption, { count })))) showToast(ctx, 'toast-file-slow');
      },
    },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [SOUGHT]: {
            asksForAny: 'text',
            ask: ({ words }) => words.html('invoices-find'),
            onText({ words }, state, text) {
              const sought = text.trim();
              return sought === '' || [...sought].length > MAX_SOUGHT_LENGTH
                ? { ...state, problem: words.html('problem-invoices-find', { max: MAX_SOUGHT_LENGTH }) }
                : { ...state, sought, step: FOUND };
            },
          },
        },
        async finish(ctx, { step, sought }) {
          const filter = step === FOUND && sought !== undefined ? filterIn(sought) : undefined;
          if (filter !== undefined) await page(ctx, filter);
          else if (step === FOUND && sought !== undefined)
            await ((await openByLink(ctx, sought)) || showFound(ctx, sought));
          else if (step === FLOW_ENDS.back) await page(ctx, 'all');
          else await showFlowEnded(ctx, step);
        },
      }),
    },
  };
});

/** Returns the price that a text consists of, in TRX or USDT. */
function priceIn(text: string): number | undefined {
  const [, said] = /^(\d{1,9}(?:[.,]\d{1,6})?)(?:\s*(?:trx|usdt))?$/iu.exec(text.trim()) ?? [];
  return said === undefined ? undefined : Number(said.replace(',', '.'));
}

/** Returns whether a text can be a part of a note. */
function isWord(text: string): boolean {
  const { length } = [...text];
  if (SHORTENED.test(text)) return true;
  return length >= MIN_WORD_LENGTH && length <= MAX_SOUGHT_LENGTH && findAddressInput(text) === undefined;
}

function filterRows(words: Words, current: Filter): InlineKeyboardButton[][] {
  const buttons = FILTER_NAMES.map((name) =>
    filterButton(words.plain(`filter-${name}`), callbackData(INVOICE_LIST, 'only', name), name === current),
  );
  return inRows(buttons, FILTERS_PER_ROW);
}

function emptyKey(isBare: boolean, filter: Filter, older: string | undefined): TextKey {
  if (older !== undefined) return 'history-further';
  if (filter === 'open') return 'invoices-none-open';
  return isBare ? 'invoices-empty' : 'invoices-none-such';
}
