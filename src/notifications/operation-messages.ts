import type { NotificationSettings } from '../accounts/users.ts';
import type { ReportOffers } from '../accounts/webhook-subscriptions.ts';
import type { Texts } from '../i18n/texts.ts';
import type { View } from '../i18n/view.ts';
import { type CardContext, operationCard, operationNews, plainCard } from '../operations/card.ts';
import type { Kinds } from '../operations/kinds/kinds.ts';
import type { Operation } from '../operations/operation.ts';
import type { Show, Shown } from '../operations/receipt.ts';
import type { Log } from '../platform/log.ts';
import type { Sender, Sent } from '../telegram/sender.ts';
import type { Outbox } from './outbox.ts';

const RETRY_DELAY_MS = 5_000;
/** Delay before a reply is sent a second time after a lost response, in milliseconds. */
const UNCLEAR_MS = 15_000;
const UNPLACED = { kind: 'unplaced' } as const;

type Permission = Parameters<Show>[1];
/** Result of sending or editing a message. `unplaced`: a new message is needed, but only edits are allowed. */
type PlaceResult = Sent | typeof UNPLACED;

interface OperationMessageDeps {
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
}

/** Message to edit or send. */
interface Placement {
  /** ID of the existing message, if any. */
  message: number | undefined;
  content: View;
  /** Returns a short version without formatting. Rarely needed. */
  plain: () => View;
  may: Permission;
  send(content: View): Promise<Sent>;
}

/**
 * Shows an operation to its user by editing its receipt. Changes after a first outcome are also sent as a reply to the
 * receipt, because edits don't notify the user. Further changes edit that reply.
 */
export function createOperationMessages(deps: OperationMessageDeps): Show {
  const { sender, texts, kinds, reported, offers, outbox, notificationSettings, supportUrl, log } = deps;

  /**
   * Edits the message if there is one. If it can't be edited, sends a new one. If Telegram refuses both, does the same
   * with the plain version.
   */
  async function place(operation: Operation, placement: Placement): Promise<PlaceResult> {
    const { user, id } = operation;
    let { message } = placement;
    let last: PlaceResult = { kind: 'gone' };
    for (const compose of [() => placement.content, placement.plain]) {
      const content = compose();
      if (message !== undefined) last = await sender.edit(user, message, content);
      if (message !== undefined && !isUneditable(last)) return last;
      if (last.kind === 'gone') message = undefined;
      if (placement.may === 'edit') return UNPLACED;
      last = await placement.send(content);
      if (last.kind !== 'refused') break;
      log.error({ operation: id, reason: last.reason }, 'Telegram refused a message about an operation');
    }
    if (last.kind === 'refused' || last.kind === 'gone' || last.kind === 'blocked') {
      log.warn(
        { operation: id, state: operation.state, reason: last.kind },
        'the user of an operation could not be notified',
      );
    }
    return last;
  }

  /**
   * Offers service alerts after a purchase, when the user can judge their use. Repeated only if the offer couldn't be
   * stored.
   */
  async function offerServiceAlerts({ user, account }: Operation): Promise<void> {
    if (offers === undefined || !(await offers.reserve(user, account))) return;
    try {
      await outbox.add({ kind: 'service-alerts-offer', id: String(account), chat: user, account, data: {} });
    } catch (err) {
      await offers.release(user, account);
      throw err;
    }
  }

  /**
   * Returns whether the reply is muted. The receipt shows the outcome in any case. Outcomes of operations that were in
   * doubt can't be muted.
   */
  async function isMuted({ user, state, settledBy }: Operation): Promise<boolean> {
    if (state !== 'done' || settledBy !== 'reply') return false;
    return (await notificationSettings.get(user)).muted.includes('orders');
  }

  return async (operation, may) => {
    const words = texts.in(operation.language);
    const isReported =
      operation.state === 'done' && (operation.reported ?? (await reported(operation.account)));
    const context: CardContext = {
      kind: kinds.of(operation.request),
      reported: isReported,
      supportUrl,
    };
    const { user } = operation;
    const plain = () => plainCard(words, operation, context);
    const placed = await place(operation, {
      message: operation.card,
      content: operationCard(words, operation, context),
      plain,
      may,
      send: (content) => sender.send(user, content),
    });
    const card = placed.kind === 'sent' ? placed.messageId : operation.card;
    if (!isDelivered(placed)) return toShown(placed, { card });
    const isNew = operation.notified < operation.revision;
    if (isNew && operation.state === 'done' && !isReported && context.kind.report)
      await offerServiceAlerts(operation);
    if (!operation.late || (await isMuted(operation))) return toShown(placed, { card });
    const reply = await place(operation, {
      message: operation.followUp,
      content: { html: operationNews(words, operation, context), keyboard: [] },
      plain,
      may,
      send: (content) => sender.send(user, content, card),
    });
    if (reply.kind === 'unclear' && operation.followUp === undefined) {
      log.warn(
        { user, operation: operation.id, reason: reply.reason },
        'a reply may not have been delivered',
      );
      return { kind: 'later', afterMs: UNCLEAR_MS, isUnclear: true, card };
    }
    const followUp = reply.kind === 'sent' ? reply.messageId : operation.followUp;
    return toShown(reply, { card, followUp });
  };
}

/** Returns whether the message can't be edited, at least not to this text. */
function isUneditable({ kind }: PlaceResult): boolean {
  return kind === 'gone' || kind === 'refused';
}

function isDelivered({ kind }: PlaceResult): boolean {
  return kind === 'sent' || kind === 'unchanged';
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
    // Also applies to a resent receipt that may have arrived: a duplicate is better than a missing outcome.
    case 'unclear':
      return { kind: 'later', afterMs: RETRY_DELAY_MS, card: where.card };
  }
}
