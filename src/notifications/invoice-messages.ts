import type { Texts } from '../i18n/texts.ts';
import { type InvoiceLinks, type InvoiceView, invoiceCard, invoiceFollowUp } from '../invoices/card.ts';
import type { CardUpdateResult, UpdateCard } from '../invoices/card-updates.ts';
import {
  type CheckedInvoice,
  displayedStateOf,
  hasQrCode,
  type Invoice,
  type InvoiceCard,
  invoiceStateOf,
  isPayable,
  TRACKED_AFTER_EXPIRY_MS,
} from '../invoices/invoice.ts';
import type { Log } from '../platform/log.ts';
import type { Content, Sender, Sent } from '../telegram/sender.ts';

const RETRY_DELAY_MS = 5_000;
/**
 * Delay before the card or its reply is sent again after a lost response, in milliseconds. The first one may have
 * arrived.
 */
const UNCLEAR_MS = 30_000;
const RETRIED_RESULTS: readonly Sent['kind'][] = ['away', 'failed', 'unclear'];
/** Results of sending a picture after which the card is sent as text. */
const PICTURE_REFUSED_RESULTS: readonly Sent['kind'][] = ['refused', 'failed'];
/**
 * Retry interval while the user blocks the bot, in milliseconds. A user who unblocks it then sees the current state.
 */
const BLOCKED_MS = 10 * 60_000;

type PlaceResult = Sent & { isText?: true };

/**
 * Shows an invoice in a chat. The card is sent once and edited from then on. Changes are also sent as a reply to the
 * card, because edits don't notify the user. Further changes edit that reply. While Telegram refuses the picture of a
 * card, the card is a text.
 */
export function createInvoiceMessages(deps: {
  sender: Sender;
  texts: Texts;
  links: (invoice: Invoice) => InvoiceLinks;
  now: () => number;
  log: Log;
}): UpdateCard {
  const { sender, texts, links, now, log } = deps;

  async function place(invoice: CheckedInvoice, card: InvoiceCard): Promise<PlaceResult> {
    const { chat, message, isForMaker: own, language } = card;
    const content = invoiceCard(texts.in(language), invoice, {
      isForMaker: own,
      now: now(),
      links: links(invoice),
    });
    if (message === undefined) return send(invoice, chat, content);
    const edited = card.isText
      ? await editText(chat, message, content)
      : await editPhoto(invoice, { ...card, message }, content);
    if (edited.kind !== 'gone') return edited;
    // The user deleted the card. A payable invoice isn't shown again; any other state is sent as a new card.
    return isPayable(invoiceStateOf(invoice, now())) ? { kind: 'unchanged' } : send(invoice, chat, content);
  }

  async function send(invoice: Invoice, chat: number, content: InvoiceView): Promise<PlaceResult> {
    const sent = await sender.sendPhoto(chat, content);
    if (!PICTURE_REFUSED_RESULTS.includes(sent.kind)) return sent;
    const reason = 'reason' in sent ? sent.reason : undefined;
    log.warn(
      { invoice: invoice.id, reason },
      'Telegram refused the picture of an invoice; sending it as text',
    );
    return { ...(await sender.send(chat, toText(content))), isText: true };
  }

  /** Turns a text card into a photo. If Telegram refuses the picture, edits the text. */
  async function editText(chat: number, message: number, content: InvoiceView): Promise<PlaceResult> {
    const pictured = await sender.editPhoto(chat, message, content, false);
    if (!PICTURE_REFUSED_RESULTS.includes(pictured.kind)) return pictured;
    return { ...(await sender.edit(chat, message, toText(content))), isText: true };
  }

  async function editPhoto(
    invoice: CheckedInvoice,
    { chat, message, fingerprint: shown }: InvoiceCard & { message: number },
    content: InvoiceView,
  ): Promise<Sent> {
    const keepsPicture = isPayable(displayedStateOf(invoice, now())) && hasQrCode(shown);
    const kept = keepsPicture ? await sender.editPhoto(chat, message, content, true) : undefined;
    if (kept !== undefined && kept.kind !== 'refused') return kept;
    const edited = await sender.editPhoto(chat, message, content, false);
    // If Telegram refuses the new picture, at least updates the caption.
    return edited.kind === 'refused' ? sender.editPhoto(chat, message, content, true) : edited;
  }

  /** Sends or edits the reply to the card. Returns `undefined` if the status needs none. */
  async function sendFollowUp(
    invoice: Invoice,
    { chat, followUp, language, isForMaker }: InvoiceCard,
    card: number,
  ): Promise<Sent | undefined> {
    const html = invoiceFollowUp(texts.in(language), invoice, { isForMaker, now: now() });
    if (html === undefined) return undefined;
    const edited = followUp === undefined ? undefined : await sender.edit(chat, followUp, { html });
    if (edited !== undefined && edited.kind !== 'gone') return edited;
    const sent = await sender.send(chat, { html }, card);
    if (sent.kind === 'unclear')
      log.warn(
        { user: chat, invoice: invoice.id, reason: sent.reason },
        'a reply may not have been delivered',
      );
    return sent;
  }

  /** Returns when to try again, or `gone` if that is pointless. */
  function toRetry(
    { expiresAt }: Invoice,
    sent: Sent,
    where: Pick<CardUpdateResult, 'message' | 'isText'>,
  ): CardUpdateResult {
    if (sent.kind === 'later') return { kind: 'later', afterMs: sent.afterMs, ...where };
    if (sent.kind === 'unclear' && where.message === undefined)
      return { kind: 'later', afterMs: UNCLEAR_MS, isUnclear: true, ...where };
    if (RETRIED_RESULTS.includes(sent.kind)) return { kind: 'later', afterMs: RETRY_DELAY_MS, ...where };
    const mayReturn = sent.kind === 'blocked' && now() < expiresAt + TRACKED_AFTER_EXPIRY_MS;
    return mayReturn ? { kind: 'later', afterMs: BLOCKED_MS, ...where } : { kind: 'gone', ...where };
  }

  return async (invoice, card) => {
    const placed = await place(invoice, card);
    const message = placed.kind === 'sent' ? placed.messageId : card.message;
    const { isText } = isDelivered(placed) ? placed : card;
    const where = { message, ...(isText && { isText }) };
    if (message === undefined || !isDelivered(placed)) {
      if (placed.kind === 'refused')
        log.error({ invoice: invoice.id, reason: placed.reason }, 'Telegram refused the card of an invoice');
      return toRetry(invoice, placed, where);
    }
    if (card.notifiedStatus === invoice.status) return { kind: 'updated', ...where };
    const reply = await sendFollowUp(invoice, card, message);
    if (reply?.kind === 'unclear' && card.followUp === undefined) {
      const { status } = invoice;
      // The reply is sent at most twice.
      if (card.possiblyNotifiedStatus === status)
        return { kind: 'updated', ...where, notifiedStatus: status };
      return { kind: 'later', afterMs: UNCLEAR_MS, ...where, possiblyNotifiedStatus: status };
    }
    if (reply !== undefined && !isDelivered(reply)) return toRetry(invoice, reply, where);
    const followUp = reply?.kind === 'sent' ? reply.messageId : card.followUp;
    return { kind: 'updated', ...where, followUp, notifiedStatus: invoice.status };
  };
}

function toText({ html, keyboard }: InvoiceView): Content {
  return { html, keyboard };
}

function isDelivered({ kind }: Sent): boolean {
  return kind === 'sent' || kind === 'unchanged';
}
