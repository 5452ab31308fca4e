import type { Texts } from '../i18n/texts.ts';
import { type InvoiceLinks, type InvoiceView, invoiceCard, invoiceNews } from '../invoices/card.ts';
import type { ShowInvoice, ShownInvoice } from '../invoices/cards.ts';
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
import type { Log } from '../platform/log.ts';
import type { Content, Sender, Sent } from '../telegram/sender.ts';

const AGAIN_MS = 5_000;
/** Delay before another card, or the reply below it, is sent if Telegram's answer got lost: the first one may have arrived. */
const UNCLEAR_MS = 30_000;
const AGAIN: readonly Sent['kind'][] = ['away', 'failed', 'unclear'];
/** Answers to a picture after which the card is sent as text. */
const NOT_TAKEN: readonly Sent['kind'][] = ['refused', 'failed'];
/** Whoever blocks the bot may come back, and finds then how it stands. */
const BLOCKED_MS = 10 * 60_000;

type Placed = Sent & { isText?: true };

/**
 * Shows an invoice in a chat: its card is sent once and edited from then on. What changes is also told in a reply to it,
 * since an edit notifies nobody; that reply is edited as more follows. If Telegram doesn't take the picture of a card, the
 * card is a text until it does.
 */
export function createInvoiceNews(deps: {
  sender: Sender;
  texts: Texts;
  links: (invoice: Invoice) => InvoiceLinks;
  now: () => number;
  log: Log;
}): ShowInvoice {
  const { sender, texts, links, now, log } = deps;

  async function place(invoice: CheckedInvoice, card: InvoiceCard): Promise<Placed> {
    const { chat, message, own, language } = card;
    const content = invoiceCard(texts.in(language), invoice, { own, now: now(), links: links(invoice) });
    if (message === undefined) return send(invoice, chat, content);
    const edited = card.isText
      ? await editText(chat, message, content)
      : await editPhoto(invoice, { ...card, message }, content);
    if (edited.kind !== 'gone') return edited;
    // A message that was deleted nobody can pay by, and nobody wants it back; what comes of it is told in another.
    return isPayable(standingOf(invoice, now())) ? { kind: 'unchanged' } : send(invoice, chat, content);
  }

  async function send(invoice: Invoice, chat: number, content: InvoiceView): Promise<Placed> {
    const sent = await sender.sendPhoto(chat, content);
    if (!NOT_TAKEN.includes(sent.kind)) return sent;
    const reason = 'reason' in sent ? sent.reason : undefined;
    log.warn({ invoice: invoice.id, reason }, 'Telegram does not take the picture of an invoice');
    return { ...(await sender.send(chat, textOf(content))), isText: true };
  }

  /** Adds the picture to a text: an edit makes a photo of it. */
  async function editText(chat: number, message: number, content: InvoiceView): Promise<Placed> {
    const pictured = await sender.editPhoto(chat, message, content, false);
    if (!NOT_TAKEN.includes(pictured.kind)) return pictured;
    return { ...(await sender.edit(chat, message, textOf(content))), isText: true };
  }

  async function editPhoto(
    invoice: CheckedInvoice,
    { chat, message, shown }: InvoiceCard & { message: number },
    content: InvoiceView,
  ): Promise<Sent> {
    const keepsPicture = isPayable(shownStandingOf(invoice, now())) && showsCode(shown);
    const kept = keepsPicture ? await sender.editPhoto(chat, message, content, true) : undefined;
    if (kept !== undefined && kept.kind !== 'refused') return kept;
    const edited = await sender.editPhoto(chat, message, content, false);
    // If Telegram refuses the new picture, the words at least say how the invoice stands.
    return edited.kind === 'refused' ? sender.editPhoto(chat, message, content, true) : edited;
  }

  async function tell(invoice: Invoice, { chat, news, language, own }: InvoiceCard, card: number) {
    const html = invoiceNews(texts.in(language), invoice, { own, now: now() });
    if (html === undefined) return undefined;
    const edited = news === undefined ? undefined : await sender.edit(chat, news, { html });
    if (edited !== undefined && edited.kind !== 'gone') return edited;
    const sent = await sender.send(chat, { html }, card);
    if (sent.kind === 'unclear')
      log.warn(
        { user: chat, invoice: invoice.id, reason: sent.reason },
        'a reply may not have been delivered',
      );
    return sent;
  }

  function failed(
    { expiresAt }: Invoice,
    sent: Sent,
    where: Pick<ShownInvoice, 'message' | 'isText'>,
  ): ShownInvoice {
    if (sent.kind === 'later') return { kind: 'later', afterMs: sent.afterMs, ...where };
    if (sent.kind === 'unclear' && where.message === undefined)
      return { kind: 'later', afterMs: UNCLEAR_MS, isUnclear: true, ...where };
    if (AGAIN.includes(sent.kind)) return { kind: 'later', afterMs: AGAIN_MS, ...where };
    const mayReturn = sent.kind === 'blocked' && now() < expiresAt + FOLLOWED_MS;
    return mayReturn ? { kind: 'later', afterMs: BLOCKED_MS, ...where } : { kind: 'gone', ...where };
  }

  return async (invoice, card) => {
    const placed = await place(invoice, card);
    const message = placed.kind === 'sent' ? placed.messageId : card.message;
    const { isText } = isPlaced(placed) ? placed : card;
    const where = { message, ...(isText && { isText }) };
    if (message === undefined || !isPlaced(placed)) {
      if (placed.kind === 'refused')
        log.error({ invoice: invoice.id, reason: placed.reason }, 'Telegram does not take an invoice');
      return failed(invoice, placed, where);
    }
    if (card.told === invoice.status) return { kind: 'shown', ...where };
    const told = await tell(invoice, card, message);
    if (told?.kind === 'unclear' && card.news === undefined) {
      const { status } = invoice;
      // It is sent twice at most.
      if (card.perhapsTold === status) return { kind: 'shown', ...where, told: status };
      return { kind: 'later', afterMs: UNCLEAR_MS, ...where, perhapsTold: status };
    }
    if (told !== undefined && !isPlaced(told)) return failed(invoice, told, where);
    const news = told?.kind === 'sent' ? told.messageId : card.news;
    return { kind: 'shown', ...where, news, told: invoice.status };
  };
}

function textOf({ html, keyboard }: InvoiceView): Content {
  return { html, keyboard };
}

function isPlaced({ kind }: Sent): boolean {
  return kind === 'sent' || kind === 'unchanged';
}
