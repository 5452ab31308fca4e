import type { NotificationSettings } from '../accounts/users.ts';
import type { ReportOffers } from '../accounts/webhook-subscriptions.ts';
import type { Texts, View } from '../i18n/texts.ts';
import { type CardContext, operationCard, operationNews, plainCard } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kind.ts';
import type { Operation } from '../operations/operation.ts';
import type { Show, Shown } from '../operations/receipt.ts';
import type { Log } from '../platform/log.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { Outbox } from './outbox.ts';

const RETRY_DELAY_MS = 5_000;
/** Delay before a reply is sent a second time after a lost response, in milliseconds. */
const UNCLEAR_MS = 15_000;

/** Result of sending or editing. `unplaced`: a new message is needed, but only edits are allowed. */
type PlaceResult = Sent | { kind: 'unplaced' };

/**
 * Shows an operation by editing its receipt. Edits don't notify users, so changes after a first outcome are
 * also sent as a reply, which later changes edit.
 */
export function createOperationMessages(deps: {
  sender: Pick<Sender, 'send' | 'edit'>;
  texts: Texts;
  kinds: Kinds;
  reported: (account: number) => Promise<boolean>;
  /** Offers of service alerts. `undefined` if the bot has no public address for the service's events. */
  offers: ReportOffers | undefined;
  outbox: Pick<Outbox, 'add'>;
  notificationSettings: Pick<NotificationSettings, 'get'>;
  supportUrl: string | undefined;
  log: Log;
}): Show {
  const { sender, texts, kinds, reported, offers, outbox, notificationSettings, supportUrl, log } = deps;

  /** Offers service alerts after a purchase, once. Repeated only if the offer couldn't be stored. */
  async function offerServiceAlerts({ user, account }: Operation): Promise<void> {
    if (offers === undefined || !(await offers.reserve(user, account))) return;
    try {
      await outbox.add({ kind: 'service-alerts-offer', id: String(account), chat: user, account, data: {} });
    } catch (err) {
      await offers.release(user, account);
      throw err;
    }
  }

  /** Returns whether the reply is muted. Outcomes of operations that were in doubt can't be muted. */
  async function isMuted({ user, state, settledBy }: Operation): Promise<boolean> {
    if (state !== 'done' || settledBy !== 'reply') return false;
    return (await notificationSettings.get(user)).muted.includes('orders');
  }

  return async (operation, allowed) => {
    const { user, id, state, account } = operation;
    const words = texts.in(operation.language);
    const isReported = state === 'done' && (operation.reported ?? (await reported(account)));
    const context: CardContext = { kind: kinds.of(operation.request), reported: isReported, supportUrl };

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
        log.error({ operation: id, reason: last.reason }, 'Telegram refused a message about an operation');
      }
      if (last.kind === 'refused' || last.kind === 'gone' || last.kind === 'blocked')
        log.warn(
          { operation: id, state, reason: last.kind },
          'the user of an operation could not be notified',
        );
      return last;
    }

    const placed = await place(operation.card, operationCard(words, operation, context));
    const card = placed.kind === 'sent' ? placed.messageId : operation.card;
    if (placed.kind !== 'sent' && placed.kind !== 'unchanged') return toShown(placed, { card });
    const isNew = operation.notified < operation.revision;
    if (isNew && state === 'done' && !isReported && context.kind.report) await offerServiceAlerts(operation);
    if (!operation.late || (await isMuted(operation))) return toShown(placed, { card });
    const news = { html: operationNews(words, operation, context), keyboard: [] };
    const reply = await place(operation.followUp, news, card);
    if (reply.kind === 'unclear' && operation.followUp === undefined) {
      log.warn({ user, operation: id, reason: reply.reason }, 'a reply may not have been delivered');
      return { kind: 'later', afterMs: UNCLEAR_MS, isUnclear: true, card };
    }
    const followUp = reply.kind === 'sent' ? reply.messageId : operation.followUp;
    return toShown(reply, { card, followUp });
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
