import { hooksRenewals } from './accounts/account-hooks.ts';
import { ADDRESSES } from './accounts/address-book.ts';
import { ANNOUNCED } from './accounts/announced-addresses.ts';
import { linksRenewal } from './accounts/links.ts';
import { NOTICE_SETTINGS } from './accounts/notice-settings.ts';
import { BROADCAST_DRAFTS } from './broadcast/drafts.ts';
import { INVOICES } from './invoices/invoice-store.ts';
import { SHARES } from './invoices/shares.ts';
import { EVENTS } from './notices/inbox/inbox.ts';
import { NOTICES } from './notices/outbox/outbox-store.ts';
import { ATTEMPTS } from './operations/attempts.ts';
import { WITHDRAWN } from './operations/daily-cap.ts';
import { ORDERS, REPORTS } from './operations/orders.ts';
import { OPERATIONS } from './operations/store.ts';
import type { Renewal } from './storage/renewal.ts';
import type { Seal } from './storage/seal.ts';

/** Every kind of signed record that there is: what is missing here is lost with the key that signed it. */
export function renewals(seal: Seal): Renewal[] {
  const signedAlone = [
    ADDRESSES,
    ANNOUNCED,
    NOTICE_SETTINGS,
    EVENTS,
    NOTICES,
    WITHDRAWN,
    INVOICES,
    SHARES,
    OPERATIONS,
    ATTEMPTS,
    ORDERS,
    REPORTS,
    BROADCAST_DRAFTS,
  ];
  return [linksRenewal(seal), ...hooksRenewals(seal), ...signedAlone.map((prefix) => ({ prefix }))];
}
