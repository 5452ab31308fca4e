import type { Looks } from '../looks/looks.ts';
import type { TellHolders } from '../tell-holders.ts';
import type { EventType } from './event.ts';
import { shownFields } from './fields.ts';

/** Smart Mode delivered for a transfer, or charged for something: told once the service's log has it. */
export function createSmartModeEvents({
  looks,
  tellHolders,
}: {
  looks: Pick<Looks, 'expect' | 'expectBalance'>;
  tellHolders: TellHolders;
}): EventType {
  return {
    hears: (type) => type.startsWith('smart_mode.'),
    heard: (account, _, how) =>
      Promise.all([how === 'sent' && looks.expect(account, 'log'), looks.expectBalance(account)]),
    logged: (account, { type, id, data }) =>
      tellHolders(account, { kind: 'smart-mode', id, data: { type, fields: shownFields(data) } }),
  };
}
