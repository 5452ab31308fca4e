import type { AddressAnnouncement } from '../accounts/address-announcements.ts';
import { type AddressBook, nameOf } from '../accounts/address-book.ts';
import type { Links } from '../accounts/links.ts';
import { isMuted, type NotificationSettings } from '../accounts/notification-settings.ts';
import type { Users } from '../accounts/users.ts';
import type { Texts } from '../i18n/texts.ts';
import {
  followUpButtons,
  type InvoiceLinks,
  invoiceCard,
  invoiceFollowUp,
  withPhoto,
} from '../invoices/card.ts';
import type { CardUpdateResult, UpdateCard } from '../invoices/card-updates.ts';
import {
  displayedStateOf,
  type Invoice,
  isPayable,
  isStatusKnown,
  keepsQrCode,
  reportedStatus,
  TRACKED_AFTER_EXPIRY_MS,
} from '../invoices/invoice.ts';
import {
  type CardContext,
  operationCard,
  operationFollowUp,
  plainCard,
  supportButtons,
} from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kind.ts';
import { isReportAwaited, messageForResult, type Operation } from '../operations/operation.ts';
import { isFollowed } from '../operations/order-state.ts';
import type { Show, Shown } from '../operations/receipt.ts';
import type { RenderPicture } from '../pictures/render.ts';
import type { MessageAttempts } from '../platform/attempts.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { type Log, REPORT_DEFECT } from '../platform/log.ts';
import { OPERATOR_ACCOUNT } from '../rental-api/client.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { View } from '../views/view.ts';
import { closedCard } from './address-notification.ts';
import type { Outbox } from './outbox.ts';
import type { RentalReminders } from './rental-reminders.ts';

const RETRY_DELAY_MS = 5_000;
/** Delay before a reply is sent a second time after a lost response, in milliseconds. */
const UNCLEAR_MS = 15_000;

/** Result of sending or editing. `unplaced`: a new message is needed, but only edits are allowed. */
type PlaceResult = Sent | { kind: 'unplaced' };

/** Returns whether the user has unlinked the account of an operation of which the bot would have told more. */
export type IsUnlinked = (operation: Operation) => Promise<boolean>;

export function createIsUnlinked({
  kinds,
  links,
  now,
}: Pick<OperationMessagesDeps, 'kinds' | 'now'> & { links: Pick<Links, 'canFollow'> }): IsUnlinked {
  return async (operation) => {
    const { account, request } = operation;
    if (account === OPERATOR_ACCOUNT || !isFollowed(kinds.of(request), operation, now())) return false;
    return !(await links.canFollow(operation));
  };
}

export interface OperationMessagesDeps {
  sender: Pick<Sender, 'send' | 'edit' | 'delete'>;
  texts: Texts;
  kinds: Kinds;
  reported: (account: number) => Promise<boolean>;
  notificationSettings: Pick<NotificationSettings, 'get'>;
  users: Pick<Users, 'find'>;
  rentalReminders: Pick<RentalReminders, 'schedule' | 'onReceipt'>;
  links: Pick<Links, 'canOfferSellerMode'>;
  addressBook: Pick<AddressBook, 'get'>;
  isUnlinked: IsUnlinked;
  /** Returns the hold that a cancelled withdrawal's address still has, and remembers the message of its card. */
  heldBy: (operation: Operation, message?: number) => Promise<AddressAnnouncement | undefined>;
  supportUrl: string | undefined;
  /** Whether users can turn instant alerts on. */
  canAlert: boolean;
  now: () => number;
  log: Log;
}

/**
 * Shows an operation by editing its receipt. Edits don't notify users, so a change after a first outcome is also sent as a
 * reply, which replaces the earlier one.
 */
export function createOperationMessages(deps: OperationMessagesDeps): Show {
  const { sender, texts, kinds, reported, notificationSettings, users, rentalReminders, links, log } = deps;
  const { addressBook, supportUrl, canAlert, isUnlinked, heldBy, now } = deps;

  /** Returns whether the reply is muted. Outcomes of operations that were in doubt can't be muted. */
  async function isFollowUpMuted(operation: Operation): Promise<boolean> {
    if (operation.state !== 'done' || operation.settledBy !== 'reply') return false;
    return isMuted(await notificationSettings.get(operation.user), 'orders');
  }

  return async (operation, allowed) => {
    const { user, id, state, account, receipt } = operation;
    const kind = kinds.of(operation.request);
    const elsewhere = messageForResult(kind, operation);
    if (elsewhere !== undefined) return { kind: 'shown', card: elsewhere };
    // Scheduled before the outcome counts as shown. If this fails, it is retried with the next attempt to show it.
    const [known, isReported, , reminder, offersSellerMode, hasUnlinked, book] = await Promise.all([
      users.find(user),
      (state === 'done' || isReportAwaited(operation)) && (operation.attempt.reported || reported(account)),
      rentalReminders.schedule(operation),
      rentalReminders.onReceipt(operation),
      state === 'done' && kind.isPaidByOther?.(operation.request) && links.canOfferSellerMode(user),
      isUnlinked(operation),
      addressBook.get(user),
    ]);
    // The user may have changed the language since.
    const words = texts.in(known?.language ?? operation.language);
    const context: CardContext = {
      kind,
      savedName: nameOf(book, kind.target(operation.request)),
      reported: isReported,
      reminder,
      canAlert,
      isUnlinked: hasUnlinked,
      offersSellerMode: offersSellerMode === true,
      supportUrl,
      now: now(),
    };

    /** Edits or sends the message. If Telegram refuses that, tries a plain short version. */
    async function place(existing: number | undefined, view: View, replyTo?: number): Promise<PlaceResult> {
      let message = existing;
      let last: PlaceResult = { kind: 'gone' };
      for (const compose of [() => view, () => plainCard(words, operation, context)]) {
        const content = compose();
        if (message !== undefined) last = await sender.edit(user, message, content);
        if (message !== undefined && last.kind !== 'gone' && last.kind !== 'refused') return last;
        if (last.kind === 'gone') message = undefined;
        if (allowed === 'edit') return { kind: 'unplaced' };
        last = await sender.send(user, content, replyTo);
        if (last.kind !== 'refused') break;
        const about = { operation: id, user, reason: last.reason, advice: REPORT_DEFECT };
        log.error(about, 'Telegram refused a message about an operation');
      }
      if (last.kind === 'refused' || last.kind === 'gone' || last.kind === 'blocked')
        log.warn(
          { operation: id, user, state, reason: last.kind },
          'the user of an operation could not be notified',
        );
      return last;
    }

    const held = await heldBy(operation, receipt.card);
    const view = held ? closedCard(words, held) : operationCard(words, operation, context);
    const placed = await place(receipt.card, view);
    const card = placed.kind === 'sent' ? placed.messageId : receipt.card;
    if (placed.kind !== 'sent' && placed.kind !== 'unchanged') return toShown(placed, { card });
    if (!receipt.late) return toShown(placed, { card });
    // Deleted before the new one is sent, so that a process that ends in between leaves no outdated reply.
    const undeleted = allowed === 'send' && (await deleteReply(sender, user, receipt.outdated));
    if (undeleted) return toShown(undeleted, { card });
    if (await isFollowUpMuted(operation)) return toShown(placed, { card });
    const followUpView = {
      html: operationFollowUp(words, operation, context),
      keyboard: supportButtons(words, operation, context),
    };
    const reply = await place(undefined, followUpView, card);
    if (reply.kind === 'unclear') {
      log.warn({ operation: id, user, reason: reply.reason }, 'a reply may not have been delivered');
      return { kind: 'later', afterMs: UNCLEAR_MS, isUnclear: true, card };
    }
    return toShown(reply, { card, ...(reply.kind === 'sent' && { followUp: reply.messageId }) });
  };
}

function toShown(
  sent: PlaceResult,
  where: { card: number | undefined; followUp?: number | undefined },
): Shown {
  switch (sent.kind) {
    case 'sent':
    case 'unchanged':
      return { kind: 'shown', ...where };
    case 'blocked':
    case 'gone':
    case 'refused':
      return { kind: 'impossible' };
    case 'unplaced':
      return sent;
    case 'later':
      return { kind: 'later', afterMs: sent.afterMs, card: where.card };
    case 'away':
    case 'failed':
    // Also applies to a resent receipt: a duplicate is better than a missing outcome.
    case 'unclear':
      return { kind: 'later', afterMs: RETRY_DELAY_MS, card: where.card };
  }
}

/** Deletes a reply about an earlier state, if there is one. Returns the result if that is to be tried again. */
async function deleteReply(
  sender: Pick<Sender, 'delete'>,
  chat: number,
  message: number | undefined,
): Promise<Sent | undefined> {
  if (message === undefined) return undefined;
  const deleted = await sender.delete(chat, message);
  // A reply that can't be deleted any more doesn't prevent the new one.
  return deleted.kind === 'later' || RETRIED_RESULTS.includes(deleted.kind) ? deleted : undefined;
}

/** Delay before resending after a lost response, in milliseconds. The first message may have arrived. */
const CARD_UNCLEAR_MS = 30_000;
const isUnsent = ({ kind }: Sent) => kind !== 'sent' && kind !== 'unclear';
const RETRIED_RESULTS: readonly Sent['kind'][] = ['away', 'failed', 'unclear'];
/** Results of sending a picture after which the card is sent as text. */
const PICTURE_REFUSED_RESULTS: readonly Sent['kind'][] = ['refused', 'failed'];
/** Retry interval while the user blocks the bot, in milliseconds. */
const BLOCKED_MS = 10 * MINUTE_MS;

/** `lost`: the message was deleted before it has shown the invoice. */
type CardPlaceResult = (Sent & { isText?: true }) | { kind: 'exhausted' } | { kind: 'lost' };

export interface InvoiceMessagesDeps {
  supportUrl: string | undefined;
  sender: Pick<Sender, 'send' | 'edit' | 'delete' | 'sendPhoto' | 'editPhoto'>;
  attempts: MessageAttempts;
  outbox: Pick<Outbox, 'add'>;
  texts: Texts;
  users: Pick<Users, 'find'>;
  links: (invoice: Invoice) => InvoiceLinks;
  renderPicture: RenderPicture;
  now: () => number;
  log: Log;
}

/**
 * Shows an invoice in a chat: sends the card once, then edits it. Edits don't notify users, so a payment, a delivery
 * and a failure are each also sent as a reply, which replaces the earlier one. So is the expiry, but the seller gets a
 * notification of it. If Telegram refuses the card's picture, the card is a text. For each status, a card and a reply whose
 * results got lost are each sent once more.
 */
export function createInvoiceMessages(deps: InvoiceMessagesDeps): UpdateCard {
  const { supportUrl, sender, attempts, outbox, texts, users, links, renderPicture, now, log } = deps;

  return async (invoice, card) => {
    const { chat, language, isForMaker, isRevoked } = card;
    // The user may have changed the language since.
    const words = texts.in((await users.find(chat))?.language ?? language);
    const shownAt = now();
    const about = { isForMaker, isRevoked, now: shownAt, links: links(invoice), supportUrl };
    const view = invoiceCard(words, invoice, about);
    const content = await withPhoto(view, renderPicture);
    const { photo: _, ...textContent } = content;
    const status = reportedStatus(invoice, shownAt);
    const attempted = (what: 'card' | 'reply', send: () => Promise<Sent & { isText?: true }>) =>
      attempts.send(
        { user: chat, message: `invoice-${what}-${invoice.user}-${invoice.id}-${status}` },
        { send, wasNotSent: isUnsent },
      );

    async function place(): Promise<CardPlaceResult> {
      if (card.message === undefined) return sendCard();
      const edited = await (card.isText ? editText(card.message) : editPhoto(card.message));
      if (edited.kind !== 'gone') return edited;
      if (card.fingerprint === undefined) return { kind: 'lost' };
      // A deleted card isn't sent again while the invoice is payable or unreported. Any other state is sent as a new card.
      const state = displayedStateOf({ ...invoice, isStale: false }, now());
      return isPayable(state) || state === 'unreported' ? { kind: 'unchanged' } : sendCard();
    }

    async function sendCard(): Promise<CardPlaceResult> {
      const sent = await attempted('card', send);
      return sent === 'exhausted' ? { kind: 'exhausted' } : sent;
    }

    async function send(): Promise<Sent & { isText?: true }> {
      const sent = await sender.sendPhoto(chat, content);
      if (!PICTURE_REFUSED_RESULTS.includes(sent.kind)) return sent;
      const reason = 'reason' in sent ? sent.reason : undefined;
      log.warn(
        { invoice: invoice.id, chat, reason },
        'Telegram refused the picture of an invoice; sending it as text',
      );
      return { ...(await sender.send(chat, textContent)), isText: true };
    }

    /** Turns a text card into a photo. If Telegram refuses the picture, edits the text. */
    async function editText(message: number): Promise<Sent & { isText?: true }> {
      const pictured = await sender.editPhoto(chat, message, content, false);
      if (!PICTURE_REFUSED_RESULTS.includes(pictured.kind)) return pictured;
      return { ...(await sender.edit(chat, message, textContent)), isText: true };
    }

    async function editPhoto(message: number): Promise<Sent> {
      const kept = keepsQrCode(invoice, shownAt, card)
        ? await sender.editPhoto(chat, message, content, true)
        : undefined;
      if (kept !== undefined && kept.kind !== 'refused') return kept;
      const edited = await sender.editPhoto(chat, message, content, false);
      // If Telegram refuses the new picture, at least updates the caption.
      return edited.kind === 'refused' ? sender.editPhoto(chat, message, content, true) : edited;
    }

    const placed = await place();
    if (placed.kind === 'exhausted') return { kind: 'exhausted', notifiedStatus: status };
    if (placed.kind === 'lost') return { kind: 'later', afterMs: 0, isLost: true };
    const message = placed.kind === 'sent' ? placed.messageId : card.message;
    const { isText } = isDelivered(placed) ? placed : card;
    const where = { message, ...(isText && { isText }) };

    function toRetry(sent: Sent): CardUpdateResult {
      if (sent.kind === 'later') return { kind: 'later', afterMs: sent.afterMs, ...where };
      const afterMs = sent.kind === 'unclear' && message === undefined ? CARD_UNCLEAR_MS : RETRY_DELAY_MS;
      if (RETRIED_RESULTS.includes(sent.kind))
        return { kind: 'later', afterMs, ...(sent.kind === 'unclear' && { isUnclear: true }), ...where };
      const mayReturn = sent.kind === 'blocked' && now() < invoice.expiresAt + TRACKED_AFTER_EXPIRY_MS;
      return mayReturn ? { kind: 'later', afterMs: BLOCKED_MS, ...where } : { kind: 'gone', ...where };
    }

    if (message === undefined || !isDelivered(placed)) {
      if (placed.kind === 'refused')
        log.error(
          { invoice: invoice.id, chat, reason: placed.reason, advice: REPORT_DEFECT },
          'Telegram refused the card of an invoice',
        );
      return toRetry(placed);
    }
    if (isStatusKnown(card, status)) return { kind: 'updated', ...where };
    // Sellers can have many open invoices, so this news can be muted and is grouped.
    if (isForMaker && invoice.shared && displayedStateOf(invoice, shownAt) === 'over') {
      const { id, number, energy, hours, address, note, paymentAddress } = invoice;
      const data = { id, number, energy, hours, address, note, paymentAddress, card: message };
      await outbox.add({ kind: 'invoice-expired', id, chat, data });
    }
    const html = invoiceFollowUp(words, invoice, { isForMaker, now: now(), supportUrl });
    if (html === undefined) return { kind: 'updated', ...where, notifiedStatus: status };
    // Deleted before the new one is sent, so that a process that ends in between leaves no outdated reply.
    const undeleted = await deleteReply(sender, chat, card.followUp);
    if (undeleted !== undefined) return toRetry(undeleted);
    const keyboard = followUpButtons(words, invoice, { isForMaker, now: now() });
    const reply = await attempted('reply', () =>
      sender.send(chat, { html, ...(keyboard.length > 0 && { keyboard }) }, message),
    );
    if (reply === 'exhausted') return { kind: 'updated', ...where, notifiedStatus: status };
    if (reply.kind === 'sent')
      return { kind: 'updated', ...where, followUp: reply.messageId, notifiedStatus: status };
    if (reply.kind !== 'unclear') return toRetry(reply);
    log.warn({ invoice: invoice.id, chat, reason: reply.reason }, 'a reply may not have been delivered');
    return { kind: 'later', afterMs: CARD_UNCLEAR_MS, ...where };
  };
}

function isDelivered({ kind }: Sent): boolean {
  return kind === 'sent' || kind === 'unchanged';
}
