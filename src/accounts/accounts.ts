import type { Seal } from '../platform/encryption.ts';
import type { Leases } from '../platform/leases.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import { createAddressBook } from './address-book.ts';
import { createAdminLog } from './admin-log.ts';
import { createAnnouncedAddresses, createForgetAnnounced } from './announced-addresses.ts';
import { createBalances } from './balances.ts';
import { createLeaveAccount } from './erase-user.ts';
import { createKeyAttempts } from './key-attempts.ts';
import { createLinkedAt, createLinks } from './links.ts';
import { createNoticeSettings } from './notice-settings.ts';
import { createOperator, createOperatorAccess, createOperatorLimits } from './operator.ts';
import { createOwnRecords } from './own-records.ts';
import { createCountPeople, createPeople } from './users.ts';
import { createEventHooks, createEventReceiving } from './webhook-subscriptions.ts';

/** Creates the stores of users, their links to accounts and their settings. */
export function createAccounts(deps: {
  storage: Storage;
  records: SignedRecords;
  seal: Seal;
  leases: Leases;
  rental: Rental;
  operatorKey: string | undefined;
  isAdmin: (user: number) => boolean;
  now: () => number;
}) {
  const people = createPeople(deps);
  const operator = createOperator(deps);
  const links = createLinks({ ...deps, operatorAccess: createOperatorAccess({ ...deps, operator }) });
  const hooks = createEventHooks(deps);
  const eventReceiving = createEventReceiving({ ...deps, hooks });
  return {
    ...{ links, hooks, operator, eventReceiving },
    leaveAccount: createLeaveAccount({ links, hooks, operator, eventReceiving }),
    linkedAt: createLinkedAt(deps),
    forgetAnnounced: createForgetAnnounced(deps),
    keyAttempts: createKeyAttempts(deps),
    addressBook: createAddressBook(deps),
    announced: createAnnouncedAddresses(deps),
    noticeSettings: createNoticeSettings(deps),
    balances: createBalances(),
    operatorLimits: createOperatorLimits(deps),
    adminLog: createAdminLog(deps),
    ownRecords: createOwnRecords(deps),
    people,
    countPeople: createCountPeople({ ...deps, people, links }),
  };
}
