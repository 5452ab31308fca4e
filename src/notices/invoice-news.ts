import { type InvoiceLinks, invoiceCard, invoiceNews } from '../invoices/card.ts';
import {
  type CheckedInvoice,
  FOLLOWED_MS,
  type Invoice,
  type InvoiceCard,
  isPayable,
  shownStandingOf,
  showsCode,
  standingOf,
} from '../invoices/invoice.ts';
import type { ShowInvoice, ShownInvoice } from '../invoices/shows.ts';
import type { Log } from '../log.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { Texts } from '../texts/texts.ts';
import { orTold } from './or-told.ts';

const AGAIN_MS = 5_000;
const AGAIN: readonly Sent['kind'][] = ['away', 'failed', 'unclear'];
/** Whoever blocks the bot may come back, and finds then how it stands. */
const BLOCKED_MS = 10 * 60_000;

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

  async function place(invoice: CheckedInvoice, { chat, message, shown, own, language }: InvoiceCard) {
    const content = invoiceCard(texts.in(language), invoice, { own, now: now(), links: links(invoice) });
    if (message === undefined) return sender.sendPhoto(chat, content);
    const keepsPicture = isPayable(shownStandingOf(invoice, now())) && showsCode(shown);
    const kept = keepsPicture ? await sender.editPhoto(chat, message, content, true) : undefined;
    // What was sent without its picture has no caption to be edited.
    const isUsable = kept !== undefined && kept.kind !== 'refused';
    const edited = isUsable ? kept : await sender.editPhoto(chat, message, content, false);
    if (edited.kind !== 'gone') return edited;
    // A message that was deleted nobody can pay by, and nobody wants it back; what comes of it is told in another.
    return isPayable(standingOf(invoice, now()))
      ? { kind: 'unchanged' as const }
      : sender.sendPhoto(chat, content);
  }

  async function tell(invoice: Invoice, { chat, news, language, own }: InvoiceCard, card: number) {
    const html = invoiceNews(texts.in(language), invoice, { own, now: now() });
    if (html === undefined) return undefined;
    const edited = news === undefined ? undefined : await sender.edit(chat, news, { html });
    if (edited !== undefined && edited.kind !== 'gone') return edited;
    return orTold(await sender.send(chat, { html }, card), { user: chat, log });
  }

  function failed({ expiresAt }: Invoice, sent: Sent, where: { message: number | undefined }): ShownInvoice {
    if (sent.kind === 'later') return { kind: 'later', afterMs: sent.afterMs, ...where };
    if (AGAIN.includes(sent.kind)) return { kind: 'later', afterMs: AGAIN_MS, ...where };
    const mayReturn = sent.kind === 'blocked' && now() < expiresAt + FOLLOWED_MS;
    return mayReturn ? { kind: 'later', afterMs: BLOCKED_MS, ...where } : { kind: 'gone', ...where };
  }

  return async (invoice, card) => {
    const placed = await place(invoice, card);
    const message = placed.kind === 'sent' ? placed.messageId : card.message;
    if (message === undefined || !isPlaced(placed)) {
      if (placed.kind === 'refused')
        log.error({ invoice: invoice.id, reason: placed.reason }, 'Telegram does not take an invoice');
      return failed(invoice, placed, { message });
    }
    if (card.told === invoice.status) return { kind: 'shown', message };
    const told = await tell(invoice, card, message);
    if (told !== undefined && !isPlaced(told)) return failed(invoice, told, { message });
    const news = told?.kind === 'sent' ? told.messageId : card.news;
    return { kind: 'shown', message, news, told: invoice.status };
  };
}

function isPlaced({ kind }: Sent): boolean {
  return kind === 'sent' || kind === 'unchanged';
}
