import type { InlineKeyboardButton } from 'grammy/types';
import { callbackData } from '../i18n/callback-data.ts';
import { clock, counted, inFours } from '../i18n/formats.ts';
import { helpBelow } from '../i18n/help-topics.ts';
import { qrCode } from '../i18n/qr-code.ts';
import { sign } from '../i18n/signs.ts';
import type { Words } from '../i18n/texts.ts';
import { button, lines, menuButton, paragraphs, type View } from '../i18n/view.ts';
import {
  type CheckedInvoice,
  type Invoice,
  type InvoiceCard,
  isPayable,
  type ShownStanding,
  shownStandingOf,
  standingOf,
} from './invoice.ts';

/** Name of the feature that handles the buttons of an invoice. */
export const INVOICE_BUTTONS = 'invoice';

/** Links to an invoice: its token, a link into the bot's chat, and its page if there is a public URL. */
export type InvoiceLinks = { token: string; chat: string; page?: string } | undefined;

/** View of an invoice. It has a photo in every state. */
export type InvoiceView = View & { photo: Buffer };

/**
 * Returns the card of an invoice, for the user who made it (`own`) or for a payer: state, amounts, payment address and
 * delivery. Content that can change must be part of `faceOf`; otherwise the card isn't edited. The text is a caption of
 * 1,024 characters at most. A card that isn't payable shows neither QR code nor payment address.
 */
export function invoiceCard(
  words: Words,
  invoice: CheckedInvoice,
  { own, now, links }: Pick<InvoiceCard, 'own'> & { now: number; links: InvoiceLinks },
): InvoiceView {
  const { number, priceTrx: trx, priceUsdt: usdt, note, openedAt } = invoice;
  const standing = shownStandingOf(invoice, now);
  const html = paragraphs(
    lines(
      words.html(`invoice-${standing}`, { trx, usdt }),
      own && words.html('invoice-number', { number: String(number) }),
    ),
    isPayable(standing) && payment(words, invoice, standing),
    !isPayable(standing) && remark(words, invoice, { standing, own }),
    delivers(words, invoice, standing),
    note !== undefined && words.html('invoice-note-shown', { note }),
    own && openedAt !== undefined && isPayable(standing) && words.html('invoice-opened'),
  );
  const isDone = standing === 'paid' || standing === 'delivered';
  return {
    html,
    photo: isPayable(standing) ? qrCode(invoice.paymentAddress) : sign(isDone ? 'done' : 'over'),
    keyboard: isPayable(standing)
      ? payButtons(words, invoice, { own, links })
      : [
          ...(standing === 'unrecognized' || standing === 'stale'
            ? checkButton(words, invoice, { own, links })
            : []),
          ...laterButtons(words, invoice, { own, standing }),
        ],
  };
}

/** Returns a short message about the state, to send below the card; `undefined` for states that need none. */
export function invoiceNews(
  words: Words,
  invoice: Invoice,
  { own, now }: Pick<InvoiceCard, 'own'> & { now: number },
): string | undefined {
  const standing = standingOf(invoice, now);
  if (standing !== 'paid' && standing !== 'late' && standing !== 'delivered' && standing !== 'failed')
    return undefined;
  const { number, priceTrx: trx, priceUsdt: usdt, address } = invoice;
  return lines(
    words.html(`invoice-news-${standing}`, { amount: counted(invoice.energy, words.language), address }),
    words.html(own ? 'invoice-news-own' : 'invoice-news-about', { number: String(number), trx, usdt }),
  );
}

function payment(words: Words, invoice: Invoice, standing: 'open' | 'ending'): string {
  const { priceTrx: trx, priceUsdt: usdt, paymentAddress: address, expiresAt } = invoice;
  const until = { unix: String(Math.floor(expiresAt / 1000)), at: clock(expiresAt) };
  return paragraphs(
    words.html('invoice-amounts', { trx, usdt, address, compared: inFours(address) }),
    words.html(standing === 'open' ? 'invoice-until' : 'invoice-ends', until),
  );
}

function remark(
  words: Words,
  { unchecked, status }: Invoice,
  { standing, own }: { standing: ShownStanding; own: boolean },
): string | undefined {
  const whose = { own: own ? 'yes' : 'no' };
  if (standing === 'stale') return words.html('invoice-stale-note');
  if (standing === 'unrecognized')
    return words.html('invoice-unrecognized-note', { ...whose, named: status === '' ? 'no' : 'yes', status });
  if (standing === 'unchecked') return words.html('invoice-unchecked-note', whose);
  if (unchecked) return words.html('invoice-unchecked-paid', { standing });
  if (standing === 'over') return words.html('invoice-over-note', whose);
  if (standing === 'late') return words.html('invoice-late-note');
  return standing === 'failed' ? words.html('invoice-failed-note') : undefined;
}

function delivers(
  words: Words,
  { energy, hours, address, txHash }: Invoice,
  standing: ShownStanding,
): string {
  const amount = counted(energy, words.language);
  return lines(
    words.html('invoice-delivers', { standing, amount, hours, address }),
    txHash !== undefined && words.html('invoice-transaction', { hash: txHash }),
  );
}

/**
 * Returns the buttons of a payable card. A payer's buttons contain neither the invoice id nor the user who made the
 * invoice.
 */
function payButtons(
  words: Words,
  invoice: Invoice,
  { own, links }: { own: boolean; links: InvoiceLinks },
): InlineKeyboardButton[][] {
  const { priceTrx: trx, priceUsdt: usdt, paymentAddress } = invoice;
  const copy = (text: string, copied: string) => ({ text, copy_text: { text: copied } });
  const amounts = [
    copy(words.plain('button-copy-trx', { trx }), trx),
    copy(words.plain('button-copy-usdt', { usdt }), usdt),
  ];
  const sharing = own ? shareButtons(words, invoice, links) : [];
  return [
    [copy(words.plain('button-copy-address'), paymentAddress)],
    amounts,
    ...checkButton(words, invoice, { own, links }),
    ...sharing,
  ];
}

/** Returns the row with the button that checks the payment. There is no row for a payer whose link was revoked. */
function checkButton(
  words: Words,
  { id }: Invoice,
  { own, links }: { own: boolean; links: InvoiceLinks },
): InlineKeyboardButton[][] {
  const [name, about] = own ? ['check', id] : ['look', links?.token];
  if (about === undefined) return [];
  return [[button(words, 'button-check-payment', callbackData(INVOICE_BUTTONS, name, about))]];
}

function shareButtons(
  words: Words,
  { id, priceTrx: trx, priceUsdt: usdt }: Invoice,
  links: InvoiceLinks,
): InlineKeyboardButton[][] {
  if (links === undefined)
    return [[button(words, 'button-share', callbackData(INVOICE_BUTTONS, 'share', id))]];
  const sheet = new URL('https://t.me/share/url');
  sheet.searchParams.set('url', links.chat);
  sheet.searchParams.set('text', words.plain('share-text', { trx, usdt }));
  const page =
    links.page === undefined
      ? []
      : [{ text: words.plain('button-copy-page'), copy_text: { text: links.page } }];
  const revoke = button(words, 'button-revoke', callbackData(INVOICE_BUTTONS, 'revoke', id));
  return [[{ text: words.plain('button-share'), url: sheet.href }, ...page], [revoke]];
}

/**
 * Returns whether another such invoice would be for another customer, because the shared invoice was paid. Otherwise it
 * is for the same customer.
 */
export function isSoldAgain({ shared, status }: Pick<Invoice, 'shared' | 'status'>): boolean {
  return shared && (status === 'paid' || status === 'delegated');
}

function laterButtons(
  words: Words,
  invoice: Invoice,
  { own, standing }: { own: boolean; standing: ShownStanding },
): InlineKeyboardButton[][] {
  const key = isSoldAgain(invoice) ? 'button-same-again' : 'invoice-again';
  const again = button(words, key, callbackData(INVOICE_BUTTONS, 'again', invoice.id));
  const isMissed = standing === 'over' || standing === 'late' || standing === 'failed';
  const help = isMissed ? [helpBelow(words, 'invoice')] : [];
  return [[...(own ? [again] : []), menuButton(words), ...help]];
}
