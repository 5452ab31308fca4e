import { EVENTS } from './account-events/inbox.ts';
import { ADDRESSES } from './accounts/address-book.ts';
import { ADMIN_LOG_ACTS } from './accounts/admin-log.ts';
import { ANNOUNCED } from './accounts/announced-addresses.ts';
import { ERASURES } from './accounts/erase-user.ts';
import { LINKS, linksRotation } from './accounts/links.ts';
import { NOTICE_SETTINGS } from './accounts/notice-settings.ts';
import { OPERATOR_LIMITS } from './accounts/operator.ts';
import { ACCOUNT_HOOKS, HOOKS, hooksRotations } from './accounts/webhook-subscriptions.ts';
import {
  BROADCAST_AUDIENCES,
  BROADCAST_DRAFTS,
  BROADCAST_ENDS,
  BROADCAST_SHOWN,
  BROADCAST_WISHES,
  BROADCASTS,
} from './broadcasts/store.ts';
import { INVOICES, PAID_INVOICES } from './invoices/invoice-store.ts';
import { SHARES } from './invoices/share-links.ts';
import { NOTICES } from './notifications/outbox-store.ts';
import { ATTEMPTS } from './operations/attempts.ts';
import { OPERATOR_SPENT, WITHDRAWN } from './operations/limits.ts';
import { MAINTENANCE } from './operations/maintenance.ts';
import { PROPOSALS } from './operations/manual-resolution.ts';
import { ORDERS, REPORTS } from './operations/orders.ts';
import { OPERATIONS } from './operations/store.ts';
import type { Seal } from './platform/encryption.ts';
import type { KeyRotation } from './platform/key-rotation.ts';
import type { RecordFormats } from './platform/records.ts';

/**
 * Content versions of all signed records, by key prefix. Raise a version with every change that an older release would
 * misread. A kind that is missing here becomes unreadable when the key that signed it is removed.
 */
export const RECORD_FORMATS = {
  [LINKS]: 1,
  [HOOKS]: 1,
  [ACCOUNT_HOOKS]: 1,
  [ADDRESSES]: 1,
  [ADMIN_LOG_ACTS]: 1,
  [ANNOUNCED]: 1,
  [ERASURES]: 1,
  [NOTICE_SETTINGS]: 1,
  [OPERATOR_LIMITS]: 1,
  [EVENTS]: 1,
  [NOTICES]: 1,
  [WITHDRAWN]: 1,
  [OPERATOR_SPENT]: 1,
  [INVOICES]: 1,
  [PAID_INVOICES]: 1,
  [SHARES]: 1,
  [OPERATIONS]: 1,
  [ATTEMPTS]: 1,
  [ORDERS]: 1,
  [REPORTS]: 1,
  [BROADCASTS]: 1,
  [BROADCAST_AUDIENCES]: 1,
  [BROADCAST_ENDS]: 1,
  [BROADCAST_DRAFTS]: 1,
  [BROADCAST_SHOWN]: 1,
  [BROADCAST_WISHES]: 1,
  [PROPOSALS]: 1,
  [MAINTENANCE]: 1,
} satisfies RecordFormats;

/**
 * Returns the keyRotations for a change of `SECRET_KEY`. All records are signed again, and the secrets in them are sealed
 * again.
 */
export function keyRotations(seal: Seal): KeyRotation[] {
  const resealing = [linksRotation(seal), ...hooksRotations(seal)];
  const others = Object.keys(RECORD_FORMATS).filter((prefix) =>
    resealing.every((renewal) => renewal.prefix !== prefix),
  );
  return [...resealing, ...others.map((prefix) => ({ prefix }))];
}
