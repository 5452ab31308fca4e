import { type InvoiceLinks, invoiceCard, invoiceNews } from '../invoices/card.ts';
import { type Invoice, type InvoiceCard, standingOf } from '../invoices/invoice.ts';
import type { ShowInvoice, ShownInvoice } from '../invoices/shows.ts';
import type { Log } from '../log.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { Texts } from '../texts/texts.ts';

const AGAIN_MS = 5_000;

/** Whether its picture is the code to be scanned. */
const PAYABLE = ['open', 'ending'];

/**
 * Shows an invoice in a chat: its card is sent once and edited from then on. What changes is also told in a reply to it,
 * since an edit notifies nobody; that reply is edited as more follows.
 */
export function createInvoiceNews(deps: {
  sender: Sender;
  texts: Texts;
  links: (invoice: Invoice) => InvoiceLinks;
  now: () => number;
  log: Log;
}): ShowInvoice {
  const { sender, texts, links, now, log } = deps;

  async function place(invoice: Invoice, { chat, message, shown = '', own, language }: InvoiceCard) {
    const content = invoiceCard(texts.in(language), invoice, { own, now: now(), links: links(invoice) });
    if (message === undefined) return sender.sendPhoto(chat, content);
    const isPayable = PAYABLE.includes(standingOf(invoice, now()));
    const keepsPicture = PAYABLE.includes(shown.split(' ')[0] ?? '') === isPayable && isPayable;
    const edited = await sender.editPhoto(chat, message, content, keepsPicture);
    // Of the message that its author has deleted nobody can pay; one in its place says how it stands.
    return edited.kind === 'gone' && !isPayable ? sender.sendPhoto(chat, content) : edited;
  }

  async function tell(invoice: Invoice, { chat, news, language }: InvoiceCard, card: number) {
    const html = invoiceNews(texts.in(language), invoice, now());
    if (html === undefined) return undefined;
    const edited = news === undefined ? undefined : await sender.edit(chat, news, { html });
    return edited === undefined || edited.kind === 'gone' ? sender.send(chat, { html }, card) : edited;
  }

  return async (invoice, card) => {
    const placed = await place(invoice, card);
    const message = placed.kind === 'sent' ? placed.messageId : card.message;
    if (message === undefined || !isPlaced(placed)) {
      if (placed.kind === 'refused')
        log.error({ invoice: invoice.id, reason: placed.reason }, 'Telegram does not take an invoice');
      return failed(placed, { message });
    }
    if (card.told === invoice.status) return { kind: 'shown', message };
    const told = await tell(invoice, card, message);
    if (told !== undefined && !isPlaced(told)) return failed(told, { message });
    const news = told?.kind === 'sent' ? told.messageId : card.news;
    return { kind: 'shown', message, news, told: invoice.status };
  };
}

function isPlaced({ kind }: Sent): boolean {
  return kind === 'sent' || kind === 'unchanged';
}

function failed(sent: Sent, where: { message: number | undefined }): ShownInvoice {
  if (sent.kind === 'later') return { kind: 'later', afterMs: sent.afterMs, ...where };
  return sent.kind === 'failed' ? { kind: 'later', afterMs: AGAIN_MS, ...where } : { kind: 'gone', ...where };
}
