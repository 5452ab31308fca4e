import {
  ADDRESS_WAIT_MS,
  type AddressAnnouncement,
  CONFIRMABLE_MS,
  confirmableUntil,
} from '../accounts/address-announcements.ts';
import type { Links } from '../accounts/links.ts';
import {
  formatMoment,
  formatTime,
  groupInFours,
  momentVariables,
  paragraphs,
  timeVariables,
  type Words,
} from '../i18n/texts.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { contractNameOf, WITHDRAWAL_FEE_TRX } from '../rental-api/tron.ts';
import { callbackData, replyBelow } from '../views/callback-data.ts';
import { button, type View, withMenuButton } from '../views/view.ts';

/** Feature that handles the buttons of notifications about announced addresses. */
export const ANNOUNCED_ADDRESS_FEATURE = 'announced';

const askBlockData = (id: string) => callbackData(ANNOUNCED_ADDRESS_FEATURE, 'ask-block', id);

export type AddressNotificationKind = 'announced' | 'blocked' | 'expired' | 'offered';

interface AddressNotification {
  id: string;
  account: number;
  address: string;
  /** Amount of the withdrawal in TRX, as a decimal string. */
  trx: string;
  /** Time from which the address is allowed, in epoch milliseconds. If it is blocked, the end of the block. */
  from?: number;
  /** Number of other holders of the account. */
  others?: number;
  /** Whether the reader blocked the address. */
  isByReader?: boolean;
  /** Whether nothing was sent to the address before it was blocked. */
  isUnsent?: boolean | undefined;
  /** Whether the address was blocked recently. */
  wasBlocked?: boolean | undefined;
}

/**
 * Renders a notification about a new withdrawal address of an account without two-factor codes:
 * - `hold`: to the user who requested it, until the address is allowed.
 * - `announced`: to all other holders of the account.
 * - `offered`: the address is now allowed.
 * - `blocked`: a holder blocked the address.
 * - `expired`: to the user who requested it and didn't confirm the withdrawal in time.
 */
export function addressNotification(
  words: Words,
  kind: 'hold' | AddressNotificationKind,
  { id, account, address, trx, from = 0, others = 0, isByReader, isUnsent, wasBlocked }: AddressNotification,
): View {
  const variables = {
    account: String(account),
    address,
    trx,
    compared: groupInFours(address),
    others,
    fee: WITHDRAWAL_FEE_TRX,
    by: isByReader ? 'reader' : 'other',
    withdrawal: isUnsent ? 'cancelled' : 'none',
    reason: wasBlocked ? 'blocked' : 'new',
    ...(kind === 'blocked' ? blockEndVariables(words, from) : timeVariables(from)),
  };
  const contract = contractNameOf(address);
  const html = paragraphs(
    words.html(`address-${kind}`, variables),
    kind === 'offered' &&
      words.html(
        'address-offered-until',
        momentVariables(from + CONFIRMABLE_MS, (at) => formatMoment(at, words.language)),
      ),
    kind !== 'blocked' &&
      kind !== 'expired' &&
      contract !== undefined &&
      words.html('operation-contract', { name: contract, lost: 'money' }),
  );
  if (kind === 'blocked') return withMenuButton(words, html);
  if (kind === 'expired') return withMenuButton(words, html, [againButton(words, address)]);
  // Asks first. No menu button: the menu would replace the only message with the button that blocks the address.
  if (kind === 'announced')
    return { html, keyboard: [[button(words, 'button-block-address', askBlockData(id), 'danger')]] };
  const ownButtons = [[cancelButton(words, id)], [button(words, 'button-not-mine', askBlockData(id))]];
  if (kind === 'hold') return { html, keyboard: ownButtons };
  return { html, keyboard: [[reviewButton(words, id)], ...ownButtons] };
}

/** Returns the variables of a text with the end of a block. It isn't shown too early, so it is rounded up to the minute. */
export function blockEndVariables({ language }: Words, until: number): { unix: string; at: string } {
  const minute = Math.ceil(until / MINUTE_MS) * MINUTE_MS;
  return momentVariables(minute, (at) => formatMoment(at, language));
}

/** Shows the card of a withdrawal whose hold is over, in a new message: only the tapped one can block the address. */
const reviewButton = (words: Words, id: string) => ({
  text: words.plain('button-review-withdrawal'),
  callback_data: replyBelow(callbackData(ANNOUNCED_ADDRESS_FEATURE, 'card', id)),
  style: 'primary' as const,
});

const cancelButton = (words: Words, id: string) =>
  button(words, 'button-withdrawal-cancel', callbackData(ANNOUNCED_ADDRESS_FEATURE, 'cancel', id));

/** Renders a card that was closed while its withdrawal can still be confirmed. */
export function closedCard(words: Words, announcement: AddressAnnouncement): View {
  const { id, address, trx } = announcement;
  const until = momentVariables(confirmableUntil(announcement), (at) => formatMoment(at, words.language));
  return {
    html: words.html('address-card-closed', { address, trx, ...until }),
    keyboard: [[reviewButton(words, id)], [cancelButton(words, id)]],
  };
}

/** Begins another withdrawal to the address, in a new message. */
function againButton(words: Words, address: string) {
  const data = callbackData(ANNOUNCED_ADDRESS_FEATURE, 'again', address);
  return button(words, 'button-withdraw-again', replyBelow(data));
}

/** Renders an announced address with its buttons. */
export async function announcementView(
  { links }: { links: Pick<Links, 'holders'> },
  words: Words,
  kind: 'hold' | 'announced' | 'offered',
  announcement: AddressAnnouncement,
): Promise<View> {
  const { account, user, at } = announcement;
  const holders = kind === 'hold' ? await links.holders(account) : [];
  const others = holders.filter((holder) => holder !== user).length;
  return addressNotification(words, kind, { ...announcement, from: at + ADDRESS_WAIT_MS, others });
}

/**
 * Renders an announcement whose withdrawal was sent, cancelled, blocked or not confirmed. Another holder than its user can
 * still block the address of one that was sent. `reader`: id of the user who sees it.
 */
export function endedAnnouncement(words: Words, announcement: AddressAnnouncement, reader: number): View {
  const { id, account, user, address, trx, abandonedAt, cancelledAt, firstUsedAt } = announcement;
  const stopped = abandonedAt !== undefined ? 'cancelled' : cancelledAt !== undefined ? 'blocked' : undefined;
  const isExpired = abandonedAt !== undefined && abandonedAt >= confirmableUntil(announcement);
  const how = firstUsedAt === undefined ? (isExpired ? 'expired' : stopped) : 'sent';
  const moment = momentVariables(firstUsedAt ?? 0, formatTime);
  if (reader !== user) {
    const shown = { how: cancelledAt === undefined ? (how ?? 'none') : 'none', account: String(account) };
    const block = button(words, 'button-block-address', askBlockData(id), 'danger');
    const html = words.html('address-announced-ended', { ...shown, address, trx, ...moment });
    return { html, keyboard: shown.how === 'sent' ? [[block]] : [] };
  }
  const html = words.html('address-ended', { how: how ?? 'none', address, trx, ...moment });
  return { html, keyboard: isExpired ? [[againButton(words, address)]] : [] };
}
