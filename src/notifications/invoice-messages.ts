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

const RETRY_DELAY_MS = 5_000;
/**
 * Delay before the card or its reply is sent again after a lost response, in milliseconds. The first one may have
 * arrived.
 */
const UNCLEAR_MS = 30_000;
const AGAIN: readonly Sent['kind'][] = ['away', 'failed', 'unclear'];
/** Results of sending a picture after which the card is sent as text. */
const NOT_TAKEN: readonly Sent['kind'][] = ['refused', 'failed'];
/**
 * Retry interval while the user blocks the bot, in milliseconds. A user who unblocks it then sees the current state.
 */
const BLOCKED_MS = 10 * 60_000;

type Placed = Sent & { isText?: true };

/**
 * Shows an invoice in a chat. The card is sent once and edited from then on. Changes are also sent as a reply to the
 * card, because edits don't notify the user. Further changes edit that reply. While Telegram refuses the picture of a
 * card, the card is a text.
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
    // The user deleted the card. A payable invoice isn't shown again; any other state is sent as a new card.
    return isPayable(standingOf(invoice, now())) ? { kind: 'unchanged' } : send(invoice, chat, content);
  }

  async function send(invoice: Invoice, chat: number, content: InvoiceView): Promise<Placed> {
    const sent = await sender.sendPhoto(chat, content);
    if (!NOT_TAKEN.includes(sent.kind)) return sent;
    const reason = 'reason' in sent ? sent.reason : undefined;
    log.warn(
      { invoice: invoice.id, reason },
      'Telegram refused the picture of an invoice; sending it as text',
    );
    return { ...(await sender.send(chat, textOf(content))), isText: true };
  }

  /** Turns a text card into a photo. If Telegram refuses the picture, edits the text. */
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
    // If Telegram refuses the new picture, at least updates the caption.
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
    if (AGAIN.includes(sent.kind)) return { kind: 'later', afterMs: RETRY_DELAY_MS, ...where };
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
        log.error({ invoice: invoice.id, reason: placed.reason }, 'Telegram refused the card of an invoice');
      return failed(invoice, placed, where);
    }
    if (card.told === invoice.status) return { kind: 'shown', ...where };
    const told = await tell(invoice, card, message);
    if (told?.kind === 'unclear' && card.news === undefined) {
      const { status } = invoice;
      // The reply is sent at most twice.
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
