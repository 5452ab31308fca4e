import { ADDRESS_WAIT_MS, type AddressAnnouncement } from '../../accounts/address-announcements.ts';
import { shortenAddress, timeVariables, type Words } from '../../i18n/texts.ts';
import { operationLine } from '../../operations/card.ts';
import type { Kinds } from '../../operations/kinds/kind.ts';
import { mayHaveMade, withdrawal } from '../../operations/kinds/withdrawal.ts';
import { isInProgress, isUnresolved, type Operation, wasSent } from '../../operations/operation.ts';
import type { Withdrawal } from '../../rental-api/schemas.ts';

/**
 * Renders the withdrawals that wait for the end of their security hold, or for *Confirm*. Their money is in the balance.
 * `reader`: user who sees them.
 */
export function waitingWithdrawals(
  words: Words,
  announcements: readonly AddressAnnouncement[],
  { now, reader }: { now: number; reader: number },
): string[] {
  return announcements.map(({ user, trx, at, address }) => {
    const from = at + ADDRESS_WAIT_MS;
    const hold = now < from ? 'on' : 'over';
    return words.html('waiting-withdrawal', {
      trx,
      hold,
      by: user === reader ? 'reader' : 'other',
      address: shortenAddress(address),
      ...timeVariables(from),
    });
  });
}

/** Renders the withdrawals that the service has accepted, but not sent yet. Their money has left the balance. */
export function pendingWithdrawals(words: Words, withdrawals: readonly Withdrawal[]): string[] {
  return withdrawals.map(({ amount_trx: trx, to_address: to }) =>
    words.html('waiting-sending', { trx, address: shortenAddress(to) }),
  );
}

/**
 * Returns which of an account's withdrawals of unknown result may have made which entry of the service's list, by the
 * entry's id. Each is named once: as an entry, or as a withdrawal of unknown result.
 */
export function listedUnknown(
  operations: readonly Operation[],
  listed: readonly Withdrawal[],
): Map<number, Operation> {
  const known = operations.flatMap((one) =>
    one.state === 'done' && one.request.kind === withdrawal.name ? one.result.order : [],
  );
  const found = new Map<number, Operation>();
  for (const one of operations) {
    if (!isUnresolved(one) || !wasSent(one)) continue;
    const id = mayHaveMade(one.request, one.attempt, listed).find(
      (made) => !known.includes(made) && !found.has(made),
    );
    if (id !== undefined) found.set(id, one);
  }
  return found;
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
