import type { Looks } from '../looks/looks.ts';
import type { EventType } from './event.ts';

/** A withdrawal was sent: a hint, upon which the service is asked for the account's withdrawals. */
export function createWithdrawalEvents({
  looks,
}: {
  looks: Pick<Looks, 'expect' | 'expectBalance'>;
}): EventType {
  return {
    hears: (type) => type.startsWith('withdrawal.'),
    heard: (account) => Promise.all([looks.expect(account, 'withdrawals'), looks.expectBalance(account)]),
  };
}
