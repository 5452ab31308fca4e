import type { Looks } from '../looks/looks.ts';
import type { EventType } from './event.ts';

/** Something came in: a hint, upon which the service is asked for the account's deposits. */
export function createDepositEvents({
  looks,
}: {
  looks: Pick<Looks, 'expect' | 'expectBalance'>;
}): EventType {
  return {
    hears: (type) => type.startsWith('deposit.'),
    heard: (account) => Promise.all([looks.expect(account, 'deposits'), looks.expectBalance(account)]),
  };
}
