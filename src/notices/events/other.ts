import type { Looks } from '../looks/looks.ts';
import type { TellHolders } from '../tell-holders.ts';
import type { EventType } from './event.ts';
import { shownFields } from './fields.ts';

/** What the service may come to send: nothing is known of it, so it is shown as it is, once the service's log has it. */
export function createOtherEvents({
  looks,
  tellHolders,
}: {
  looks: Pick<Looks, 'expect'>;
  tellHolders: TellHolders;
}): EventType {
  return {
    hears: () => true,
    async heard(account, _, how) {
      if (how === 'sent') await looks.expect(account, 'log');
    },
    logged: (account, { type, id, data }) =>
      tellHolders(account, { kind: 'event', id, data: { type, fields: shownFields(data) } }),
  };
}
