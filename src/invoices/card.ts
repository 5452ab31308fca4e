import type { InlineKeyboardButton } from 'grammy/types';
import {
  formatCount,
  formatMoment,
  formatTime,
  groupInFours,
  lines,
  momentVariables,
  paragraphs,
  rentalEndVariables,
  shortenAddress,
  type Words,
} from '../i18n/texts.ts';
import { closedInvoiceSvg, paidInvoiceSvg } from '../pictures/invoice-picture.ts';
import { blankPicture } from '../pictures/png.ts';
import { qrCode } from '../pictures/qr-code.ts';
import type { RenderPicture } from '../pictures/render.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import { contractNameOf, ENERGY_PER_TRANSFER } from '../rental-api/tron.ts';
import { linkButton } from '../views/account-views.ts';
import { callbackData } from '../views/callback-data.ts';
import { explorerLinks } from '../views/explorer-links.ts';
import { messageHelpButton } from '../views/help-buttons.ts';
import { button, menuButton, type View } from '../views/view.ts';
import {
  type CardReader,
  type CardState,
  type CheckedInvoice,
  cardStateOf,
  displayedStateOf,
  type Invoice,
  type InvoiceCard,
  type InvoiceState,
  invoiceStateOf,
  isPast,
  isPayable,
  isTracked,
  rentedUntil,
  wasPaid,
} from './invoice.ts';

/** Name of the feature that handles the buttons of an invoice. */
export const INVOICE_BUTTONS = 'invoice';

/** Name of the feature that lists a user's invoices. */
export const INVOICE_LIST = 'invoices';

/** Token of an invoice's link, and the link as URLs of the bot's chat and of its page, if public. */
export type InvoiceLinks = { token: string; chat: string; page?: string } | undefined;

/**
 * Card with its picture: a QR code as PNG if the invoice is payable, otherwise an SVG. The code contains the payment
 * address for a payer, and the link for a merchant's customer.
 */
export interface InvoiceView extends View {
  picture: Buffer | string;
}

/**
 * Variables of the texts that address a reader. `reader`: `merchant` made the invoice for a customer, `buyer` made it to
 * pay it, and `payer` has its link. `account`: whether the reader's own account is checked for payments. Only such a
 * reader knows of the link to it.
 */
function readerOf({ shared, account }: Invoice, isForMaker: boolean) {
  const makerRole = shared ? 'merchant' : 'buyer';
  return {
    reader: isForMaker ? makerRole : 'payer',
    account: isForMaker && account !== OPERATOR_ACCOUNT ? 'own' : 'other',
  };
}

/** Returns the first line of a card: the state of the invoice. */
export function invoiceHeadline(
  words: Words,
  invoice: Invoice,
  { state, isForMaker }: { state: CardState; isForMaker: boolean },
): string {
  return words.html(`invoice-${state}`, { ...pricesOf(invoice), ...readerOf(invoice, isForMaker) });
}

interface CardContent {
  words: Words;
  invoice: Invoice;
  state: CardState;
  isForMaker: boolean;
  isRevoked: boolean | undefined;
  reader: ReturnType<typeof readerOf>;
  links: InvoiceLinks;
  supportUrl: string | undefined;
  now: number;
}

/**
 * Returns the card of an invoice, for its maker or a payer. Content that can change must be part of
 * `cardFingerprint`; otherwise the card isn't edited. A card that isn't payable has no QR code, and no payment address to
 * copy: one that was payable shows payers where they may have paid. The text is a caption of 1,024 characters at most.
 */
export function invoiceCard(
  words: Words,
  invoice: CheckedInvoice,
  {
    isForMaker,
    isRevoked,
    now,
    links,
    supportUrl,
  }: CardReader & {
    now: number;
    links: InvoiceLinks;
    supportUrl?: string | undefined;
  },
): InvoiceView {
  const state = cardStateOf(invoice, now, { isRevoked });
  const reader = readerOf(invoice, isForMaker);
  const card: CardContent = { words, invoice, state, isForMaker, isRevoked, reader, links, supportUrl, now };
  const isMerchants = reader.reader === 'merchant';
  const html = paragraphs(
    lines(invoiceHeadline(words, invoice, { state, isForMaker }), numberText(words, invoice)),
    isMerchants ? merchantText(card) : payerText(card),
    timesText(card),
  );
  if (isPayable(state)) {
    const scanned = isMerchants ? (links?.page ?? links?.chat) : invoice.paymentAddress;
    const picture = scanned === undefined ? closedInvoiceSvg() : qrCode(scanned);
    return { html, picture, keyboard: isMerchants ? saleButtons(card) : paymentButtons(card) };
  }
  const canBeChecked =
    state === 'unrecognized' ||
    state === 'stale' ||
    state === 'revoked' ||
    state === 'unreported' ||
    (state === 'over' && !invoice.unchecked);
  return {
    html,
    picture:
      state === 'paid' || state === 'delivered' || state === 'ended'
        ? paidPicture(words, invoice, state === 'paid' ? 'paid' : 'delivered')
        : closedInvoiceSvg(),
    keyboard: [...(canBeChecked ? checkButton(card) : []), ...closingButtons(card)],
  };
}

/** Renders the picture of a card. If that fails, the picture is blank, because it still has to replace the QR code. */
export async function withPhoto(
  { picture, ...view }: InvoiceView,
  renderPicture: RenderPicture,
): Promise<View & { photo: Buffer }> {
  const photo = typeof picture === 'string' ? await renderPicture(picture) : picture;
  return { ...view, photo: photo ?? blankPicture() };
}

/** Draws a paid invoice. Its price is in both currencies, because the service doesn't report in which it was paid. */
function paidPicture(words: Words, invoice: Invoice, state: 'paid' | 'delivered'): string {
  const { energy, hours } = invoice;
  return paidInvoiceSvg(state, {
    state: words.plain(`invoice-picture-${state}`),
    energy: words.plain('energy-short', { amount: formatCount(energy, words.language) }),
    duration: words.plain('invoice-picture-duration', { hours }),
    price: words.plain('invoice-price', pricesOf(invoice)),
  });
}

/** Returns a short message about the state, to send below the card; `undefined` if it needs none. */
export function invoiceFollowUp(
  words: Words,
  invoice: Invoice,
  {
    isForMaker,
    now,
    supportUrl,
  }: Pick<InvoiceCard, 'isForMaker'> & { now: number; supportUrl?: string | undefined },
): string | undefined {
  const state = invoiceStateOf(invoice, now);
  const isOver = displayedStateOf(invoice, now) === 'over';
  const { note } = invoice;
  const { reader } = readerOf(invoice, isForMaker);
  // Sellers get a notification.
  if (isOver && !invoice.unchecked && reader !== 'merchant')
    return lines(
      words.html('invoice-follow-up-over', { number: String(invoice.number) }),
      arrivedText(words, invoice),
      reader === 'buyer' && supportUrl && words.html('operation-support', { url: supportUrl }),
    );
  if (!wasPaid(invoice)) return undefined;
  return lines(
    statusText(words, invoice, { state, isForMaker, now }),
    state !== 'delivered' && (reader === 'merchant' || state !== 'paid') && orderedText(words, invoice),
    state === 'late' && lateNote(words, readerOf(invoice, isForMaker), supportUrl),
    state === 'failed' && failedNote(words, readerOf(invoice, isForMaker), supportUrl),
    state === 'failed' && words.html('invoice-failed-next', { reader }),
    state === 'partial' && partialNote(words, invoice),
    // Buyers read the price on the card above; they need it again when their money may come back.
    reader !== 'merchant' && (state === 'paid' || state === 'delivered')
      ? numberText(words, invoice)
      : `${numberText(words, invoice)} · ${priceText(words, invoice)}`,
    reader === 'merchant' && note !== undefined && words.html('invoices-note', { note }),
  );
}

/** Returns the buttons of {@link invoiceFollowUp}: the maker of an invoice that failed can make the same again. */
export function followUpButtons(
  words: Words,
  invoice: Invoice,
  { isForMaker, now }: Pick<InvoiceCard, 'isForMaker'> & { now: number },
): InlineKeyboardButton[][] {
  if (!isForMaker || invoiceStateOf(invoice, now) !== 'failed') return [];
  return [[button(words, 'invoice-again', callbackData(INVOICE_BUTTONS, 'again', invoice.id))]];
}

/** Renders what was ordered and for which address, on one line. */
function orderedText(words: Words, { energy: amount, address }: Invoice): string {
  const energy = words.html('energy-short', { amount: formatCount(amount, words.language) });
  return `${energy} → ${shortenAddress(address)}`;
}

/** Returns the first lines of a message below the card. They don't repeat the title of a failed invoice's card. */
function statusText(
  words: Words,
  invoice: Invoice,
  { state, ...about }: { state: InvoiceState; isForMaker: boolean; now: number },
): string {
  if (state === 'delivered') return deliveryText(words, invoice, about);
  const isUsers = readerOf(invoice, about.isForMaker).reader !== 'merchant';
  if (state === 'paid' && isUsers) return words.html('invoice-follow-up-paid');
  return words.html(state === 'failed' ? 'order-undelivered' : `invoice-${state}`);
}

/** Returns what was delivered, and until when it can be used, unless that is over or unknown. */
function deliveryText(
  words: Words,
  invoice: Invoice,
  { isForMaker, now }: { isForMaker: boolean; now: number },
): string {
  const { address, energy: amount, hours } = invoice;
  const until = rentedUntil(invoice);
  const isSale = readerOf(invoice, isForMaker).reader === 'merchant';
  const isOver = until === undefined || until <= now;
  const end = isOver ? undefined : rentalEndVariables(until, { hours, language: words.language });
  if (isSale || end === undefined)
    return lines(
      words.html('invoice-follow-up-delivered', { amount, address }),
      end && words.html('invoice-usable-until', end),
    );
  const enough = amount < ENERGY_PER_TRANSFER ? 'no' : 'yes';
  return lines(words.html('energy-delivered', { enough, ...end }), orderedText(words, invoice));
}

/** Returns what was sold and for how much, and what the customer can do or what happened. */
function merchantText(card: CardContent): string {
  const { words, invoice, state, reader, links } = card;
  const { note, openedAt } = invoice;
  return paragraphs(
    lines(
      words.html('invoice-sold', saleOf(invoice)),
      note !== undefined && words.html('invoice-note-shown', { note, ...reader }),
      priceText(words, invoice),
    ),
    isPayable(state)
      ? lines(
          links === undefined && words.html('invoice-link-off'),
          words.html(
            links === undefined ? 'invoice-off-until' : 'invoice-customer-until',
            deadlineOf(invoice),
          ),
          words.html('invoice-parts', reader),
        )
      : stateNote(card),
    wasPaid(invoice) ? transactionText(card) : arrivedText(words, invoice),
    openedAt !== undefined && isPayable(state) && words.html('invoice-opened'),
  );
}

/** Returns how to pay or what happened, and what is paid for. */
function payerText(card: CardContent): string {
  const { words, invoice, state, reader, now } = card;
  const { energy: amount, hours, address, note } = invoice;
  const until = rentedUntil(invoice);
  return paragraphs(
    isPayable(state) ? paymentText(card, state) : stateNote(card),
    lines(
      // Only the payment address of a payable card can be copied.
      isPayable(state)
        ? words.html('invoice-sold', { amount, hours, target: groupInFours(address) })
        : words.html('invoice-delivers', { amount, hours, address }),
      isPayable(state) && contractWarning(words, invoice),
      isPayable(state) && reader.reader === 'payer' && words.html('invoice-by-seller'),
      (wasPaid(invoice) || isPast(state)) && priceText(words, invoice),
      until !== undefined &&
        (until > now
          ? words.html('operation-use-before', rentalEndVariables(until, { hours, language: words.language }))
          : words.html(
              'invoice-rental-ended',
              momentVariables(until, (time) => formatMoment(time, words.language)),
            )),
      transactionText(card),
    ),
    isPast(state) &&
      lines(
        words.html('invoice-was-payable-to', { address: groupInFours(invoice.paymentAddress) }),
        arrivedText(words, invoice),
      ),
    note !== undefined && words.html('invoice-note-shown', { note, ...reader }),
  );
}

/** Returns the warning that the energy would be wasted because its address is a contract, or `undefined`. */
export function contractWarning(words: Words, { address }: Pick<Invoice, 'address'>): string | undefined {
  const name = contractNameOf(address);
  return name && words.html('operation-contract', { name, lost: 'resources' });
}

function pricesOf({ priceTrx: trx, priceUsdt: usdt }: Invoice) {
  return { trx, usdt };
}

/** Renders the price in both currencies, because the service doesn't report in which an invoice was paid. */
export function priceText(words: Words, invoice: Invoice): string {
  return words.html('invoice-price', pricesOf(invoice));
}

type TimeKey = 'invoice-created' | 'invoice-expired' | 'invoice-paid-at' | 'invoice-delivered-at';

/**
 * Renders when the invoice expired and, for its maker, when it was paid and delivered, as far as that is known, or when it
 * was created.
 */
function timesText({ words, invoice, state, isForMaker }: CardContent): string {
  const { createdAt, expiresAt, paidAt, delegatedAt } = invoice;
  const timeOf = (key: TimeKey, at?: number) =>
    at !== undefined &&
    words.html(
      key,
      momentVariables(at, (time) => formatMoment(time, words.language)),
    );
  const isOfMaker = isForMaker && !isPayable(state);
  return lines(
    isOfMaker && paidAt === undefined && timeOf('invoice-created', createdAt),
    (state === 'over' || state === 'late') && timeOf('invoice-expired', expiresAt),
    isOfMaker && timeOf('invoice-paid-at', paidAt),
    isOfMaker && timeOf('invoice-delivered-at', delegatedAt),
  );
}

function numberText(words: Words, { number }: Invoice): string {
  return words.html('invoice-number', { number: String(number) });
}

function saleOf({ energy: amount, hours, address }: Invoice) {
  return { amount, hours, target: shortenAddress(address) };
}

function deadlineOf({ expiresAt }: Invoice) {
  return momentVariables(expiresAt, formatTime);
}

/** Returns where to pay and until when. The headline has the amounts, and the buttons copy them. */
function paymentText({ words, invoice, reader }: CardContent, state: 'open' | 'ending'): string {
  return paragraphs(
    words.html('invoice-pay-to', { address: invoice.paymentAddress }),
    words.html(state === 'open' ? 'invoice-until' : 'invoice-ends', deadlineOf(invoice)),
    lines(words.html('invoice-parts', reader), arrivedText(words, invoice)),
  );
}

/** Links to the payment address in the explorer, because the service doesn't report part payments. */
export function arrivedText(
  words: Words,
  { paymentAddress }: Pick<Invoice, 'paymentAddress'>,
): string | undefined {
  const url = words.explorerUrl('address', paymentAddress);
  return url && words.html('invoice-arrived', { url });
}

/** Returns the explanation of a state in which the invoice isn't payable, if it needs one. */
function stateNote({ words, invoice, state, reader, supportUrl, now }: CardContent): string | undefined {
  const { unchecked, status } = invoice;
  if (state === 'revoked') return words.html('invoice-revoked-note');
  if (state === 'stale' || state === 'unreported') return words.html(`invoice-${state}-note`, reader);
  if (state === 'unrecognized')
    return words.html('invoice-unrecognized-note', { status: status || '–', ...reader });
  if (state === 'unchecked' || (unchecked && state === 'over'))
    return words.html('invoice-unchecked-note', { ...reader, number: String(invoice.account) });
  if (unchecked) return words.html('invoice-unchecked-paid', { ...reader, number: String(invoice.account) });
  if (state === 'over') {
    const key = isTracked(invoice, now) ? 'invoice-over-note' : 'invoice-over-for-good';
    return words.html(key, { ...reader, support: contactOf(reader, supportUrl) });
  }
  if (state === 'late') return lateNote(words, reader, supportUrl);
  if (state === 'paid' && reader.reader !== 'merchant') return words.html('invoice-paid-note');
  if (state === 'partial') return partialNote(words, invoice);
  return state === 'failed' ? failedNote(words, reader, supportUrl) : undefined;
}

function failedNote(
  words: Words,
  reader: ReturnType<typeof readerOf>,
  supportUrl: string | undefined,
): string {
  return lines(
    words.html('invoice-failed-note', reader),
    reader.reader === 'payer'
      ? words.html('invoice-failed-seller')
      : supportUrl && words.html('operation-support', { url: supportUrl }),
  );
}

function lateNote(words: Words, reader: ReturnType<typeof readerOf>, supportUrl: string | undefined): string {
  return words.html('invoice-late-note', { support: contactOf(reader, supportUrl) });
}

/** Returns whom a reader can ask: the seller if there is one, otherwise support at its URL, or `none`. */
function contactOf({ reader }: ReturnType<typeof readerOf>, supportUrl = 'none'): string {
  return reader === 'payer' ? 'seller' : supportUrl;
}

function partialNote(words: Words, { energy: amount, delivered = 0 }: Invoice): string {
  return words.html('invoice-partial-note', { delivered, amount });
}

/** Renders the transaction of the delivery, and links to it and to the address that got the energy. */
export function transactionText({
  words,
  invoice: { address, txHash },
}: Pick<CardContent, 'words' | 'invoice'>): string | undefined {
  if (txHash === undefined) return undefined;
  return lines(
    words.html('operation-transaction', { hash: txHash }),
    explorerLinks(words, { address, transaction: txHash }),
  );
}

/** Returns the buttons of a merchant's payable card. Merchants share their invoice and don't pay it. */
function saleButtons(card: CardContent): InlineKeyboardButton[][] {
  const [share = [], ...others] = shareButtons(card);
  return [share, ...checkButton(card), ...others, [listButton(card.words)]];
}

/**
 * Returns the buttons of a payable card for the reader that pays. Without `isForMaker` they contain neither the invoice
 * id nor its maker.
 */
function paymentButtons(card: CardContent): InlineKeyboardButton[][] {
  const { words, invoice, isForMaker, links } = card;
  const { priceTrx: trx, priceUsdt: usdt, paymentAddress } = invoice;
  const copyButton = (text: string, copied: string) => ({ text, copy_text: { text: copied } });
  return [
    [copyButton(words.plain('button-copy-address'), paymentAddress)],
    [copyButton(words.plain('button-copy-trx'), trx), copyButton(words.plain('button-copy-usdt'), usdt)],
    [...checkButton(card).flat(), messageHelpButton(words, 'invoice')],
    // To pay from another device.
    ...(isForMaker && links?.page !== undefined ? [[pageButton(words, links.page)]] : []),
    ...(isForMaker
      ? [[button(words, 'button-invoice-other', callbackData(INVOICE_BUTTONS, 'again', invoice.id))]]
      : []),
  ];
}

/** Returns the button to the page. Telegram refuses a whole message if a button leads to a host without a dot. */
function pageButton(words: Words, page: string): InlineKeyboardButton {
  const leads = new URL(page).hostname.includes('.');
  return leads
    ? { text: words.plain('button-payment-page'), url: page }
    : { text: words.plain('button-copy-page'), copy_text: { text: page } };
}

/** Returns the button that checks the payment. For a payer whose link was disabled, it has the invoice's number. */
function checkButton(card: CardContent): InlineKeyboardButton[][] {
  const { words, invoice, isForMaker, isRevoked, links } = card;
  const token = isRevoked ? undefined : links?.token;
  const [name, argument] = isForMaker ? ['check', invoice.id] : ['look', token ?? String(invoice.number)];
  return [[button(words, 'button-check-payment', callbackData(INVOICE_BUTTONS, name, argument))]];
}

function shareButtons({ words, invoice, links }: CardContent): InlineKeyboardButton[][] {
  const { id, number, note, expiresAt } = invoice;
  if (links === undefined)
    return [[button(words, 'button-share', callbackData(INVOICE_BUTTONS, 'share', id), 'primary')]];
  const shareUrl = new URL('https://t.me/share/url');
  shareUrl.searchParams.set('url', links.chat);
  const terms = words.plain('share-text', {
    number: String(number),
    ...saleOf(invoice),
    ...pricesOf(invoice),
    at: formatTime(expiresAt),
  });
  shareUrl.searchParams.set('text', lines(terms, note));
  const page =
    links.page === undefined
      ? []
      : [{ text: words.plain('button-copy-page'), copy_text: { text: links.page } }];
  const revoke = button(words, 'button-revoke', callbackData(INVOICE_BUTTONS, 'revoke', id));
  const share = { text: words.plain('button-share'), url: shareUrl.href, style: 'primary' } as const;
  return [[share, ...page], [revoke]];
}

function listButton(words: Words): InlineKeyboardButton {
  return button(words, 'button-invoices-back', callbackData(INVOICE_LIST, 'only', 'all'));
}

/** Returns whether a customer has paid the shared invoice, so that the next one may be for another customer. */
function wasPaidByCustomer({ shared, status }: Pick<Invoice, 'shared' | 'status'>): boolean {
  return shared && (status === 'paid' || status === 'delegated');
}

function closingButtons({
  words,
  invoice,
  state,
  isForMaker,
  reader,
}: CardContent): InlineKeyboardButton[][] {
  const again = button(words, 'invoice-again', callbackData(INVOICE_BUTTONS, 'again', invoice.id));
  const another = button(words, 'button-new-customer', callbackData(INVOICE_BUTTONS, 'another', invoice.id));
  const isUnsuccessful =
    state === 'over' ||
    state === 'unreported' ||
    state === 'late' ||
    state === 'failed' ||
    state === 'partial';
  // The topic is for payers.
  const hasHelp = isUnsuccessful && reader.reader !== 'merchant';
  const help = hasHelp ? [messageHelpButton(words, 'invoice')] : [];
  const repeating = [again, ...(wasPaidByCustomer(invoice) ? [another] : [])];
  return [
    ...(invoice.unchecked && reader.account === 'own' ? [[linkButton(words)]] : []),
    ...(isForMaker ? [repeating] : []),
    [...(isForMaker ? [listButton(words)] : []), menuButton(words), ...help],
  ];
}
