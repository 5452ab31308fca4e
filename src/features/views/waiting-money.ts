import { ADDRESS_WAIT_MS, type AddressAnnouncement } from '../../accounts/address-announcements.ts';
import { shortenAddress, timeVariables, type Words } from '../../i18n/texts.ts';
import { operationLine } from '../../operations/card.ts';
import type { Kinds } from '../../operations/kinds/kind.ts';
import { isInProgress, isUnresolved, type Operation } from '../../operations/operation.ts';
import type { Withdrawal } from '../../rental-api/schemas.ts';

/** Renders the withdrawals that wait for the end of their security hold, or for *Confirm*. Their money is in the balance. */
export function waitingWithdrawals(
  words: Words,
  announcements: readonly AddressAnnouncement[],
  now: number,
): string[] {
  return announcements.map(({ trx, at, address }) => {
    const from = at + ADDRESS_WAIT_MS;
    const hold = now < from ? 'on' : 'over';
    return words.html('waiting-withdrawal', {
      trx,
      hold,
      address: shortenAddress(address),
      ...timeVariables(from),
    });
  });
}

/** Renders the withdrawals that the service has accepted, but not sent yet. Their money has left the balance. */
export function pendingWithdrawals(words: Words, withdrawals: readonly Withdrawal[]): string[] {
  return withdrawals
    .filter(({ status }) => status === 'pending')
    .map(({ amount_trx: trx, to_address: to }) =>
      words.html('waiting-sending', { trx, address: shortenAddress(to) }),
    );
}

/** Renders the operations of an account whose results aren't known yet. They may have left the balance. */
export function unknownPayments(
  words: Words,
  kinds: Pick<Kinds, 'of'>,
  operations: readonly Operation[],
): string[] {
  return operations.filter(isUnresolved).map((one) => {
    const outcome = isInProgress(one) ? 'going' : one.state;
    return `${words.html('waiting-unknown', { outcome })} ${operationLine(words, kinds.of(one.request), one)}`;
  });
}
