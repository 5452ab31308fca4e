import { formatTime, groupInFours, momentVariables, type Words } from '../i18n/texts.ts';
import { MINUTE_MS } from '../platform/clock.ts';
import { WITHDRAWAL_FEE_TRX } from '../rental-api/tron.ts';
import { callbackData, replyBelow } from '../views/callback-data.ts';
import { button, type View, withMenuButton } from '../views/view.ts';

/** Feature that handles the buttons of notifications about announced addresses. */
export const ANNOUNCED_ADDRESS_FEATURE = 'announced';

interface AddressNotification {
  id: string;
  account: number;
  address: string;
  /** Amount of the withdrawal in TRX, as a decimal string. */
  trx: string;
  /** Time from which the address is allowed, in epoch milliseconds. Irrelevant if it was rejected. */
  from?: number;
  /** Number of other holders of the account. */
  others?: number;
}

/**
 * Renders a notification about a new withdrawal address of an account without two-factor codes:
 * - `hold`: to the user who requested it, until the address is allowed.
 * - `announced`: to all other holders of the account.
 * - `offered`: the address is now allowed.
 * - `blocked`: a holder blocked the address.
 */
export function addressNotification(
  words: Words,
  kind: 'hold' | 'announced' | 'offered' | 'blocked',
  { id, account, address, trx, from = 0, others = 0 }: AddressNotification,
): View {
  // The time is shown without seconds. It must not be too early.
  const minute = Math.ceil(from / MINUTE_MS) * MINUTE_MS;
  const variables = {
    account: String(account),
    address,
    trx,
    compared: groupInFours(address),
    others,
    fee: WITHDRAWAL_FEE_TRX,
    ...momentVariables(minute, formatTime),
  };
  const html = words.html(`address-${kind}`, variables);
  const dataOf = (name: string) => callbackData(ANNOUNCED_ADDRESS_FEATURE, name, id);
  const blockButton = button(words, 'button-block-address', dataOf('block'), 'danger');
  const cancelButton = button(words, 'button-withdrawal-cancel', dataOf('cancel'));
  // No menu button. The menu would replace the only message with the button that blocks the address.
  if (kind === 'announced') return { html, keyboard: [[blockButton]] };
  if (kind === 'hold') return { html, keyboard: [[cancelButton], [blockButton]] };
  if (kind === 'blocked') return withMenuButton(words, html);
  // The card is shown below, because only this message can block the address.
  const cardButton = {
    text: words.plain('button-withdraw-now', { trx }),
    callback_data: replyBelow(dataOf('card')),
    style: 'primary' as const,
  };
  return { html, keyboard: [[cardButton], [cancelButton], [blockButton]] };
}
