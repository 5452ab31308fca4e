import { hooksRenewals } from './accounts/account-hooks.ts';
import { ADDRESSES } from './accounts/address-book.ts';
import { ADMIN_LOG_ACTS } from './accounts/admin-log.ts';
import { ANNOUNCED } from './accounts/announced-addresses.ts';
import { ERASURES } from './accounts/forgetting.ts';
import { linksRenewal } from './accounts/link.ts';
import { NOTICE_SETTINGS } from './accounts/notice-settings.ts';
import { OPERATOR_LIMITS } from './accounts/operator-limits.ts';
import {
  BROADCAST_AUDIENCES,
  BROADCAST_ENDS,
  BROADCAST_SHOWN,
  BROADCAST_WISHES,
  BROADCASTS,
} from './broadcast/broadcast-store.ts';
import { BROADCAST_DRAFTS } from './broadcast/drafts.ts';
import { INVOICES } from './invoices/invoice-store.ts';
import { SHARES } from './invoices/shares.ts';
import { EVENTS } from './notices/inbox/inbox.ts';
import { NOTICES } from './notices/outbox/outbox-store.ts';
import { ATTEMPTS } from './operations/attempts.ts';
import { OPERATOR_SPENT, WITHDRAWN } from './operations/daily-cap.ts';
import { MAINTENANCE } from './operations/maintenance.ts';
import { ORDERS, REPORTS } from './operations/orders.ts';
import { PROPOSALS } from './operations/proposals.ts';
import { OPERATIONS } from './operations/store.ts';
import type { Renewal } from './storage/renewal.ts';
import type { Seal } from './storage/seal.ts';

/** Every kind of signed record that there is: what is missing here is lost with the key that signed it. */
export function renewals(seal: Seal): Renewal[] {
  const signedAlone = [
    ADDRESSES,
    ADMIN_LOG_ACTS,
    ANNOUNCED,
    ERASURES,
    NOTICE_SETTINGS,
    OPERATOR_LIMITS,
    EVENTS,
    NOTICES,
    WITHDRAWN,
    OPERATOR_SPENT,
    INVOICES,
    SHARES,
    OPERATIONS,
    ATTEMPTS,
    ORDERS,
    REPORTS,
    BROADCASTS,
    BROADCAST_AUDIENCES,
    BROADCAST_ENDS,
    BROADCAST_DRAFTS,
    BROADCAST_SHOWN,
    BROADCAST_WISHES,
    PROPOSALS,
    MAINTENANCE,
  ];
  return [linksRenewal(seal), ...hooksRenewals(seal), ...signedAlone.map((prefix) => ({ prefix }))];
}
