import type { Rental } from '../rental/client.ts';
import type { Seal } from '../storage/seal.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';
import type { Turns } from '../storage/turns.ts';
import { createAddressBook } from './address-book.ts';
import { createAdminLog } from './admin-log.ts';
import { createAnnouncedAddresses } from './announced-addresses.ts';
import { createBalances } from './balances.ts';
import { createEventHooks } from './event-hooks.ts';
import { createEventReceiving } from './event-receiving.ts';
import { createForgetAnnounced } from './forget-announced.ts';
import { createKeyAttempts } from './key-attempts.ts';
import { createLeaveAccount } from './leaving.ts';
import { createLinkedAt } from './linked-at.ts';
import { createLinks } from './links.ts';
import { createNoticeSettings } from './notice-settings.ts';
import { createOperator } from './operator.ts';
import { createOperatorAccess } from './operator-access.ts';
import { createOperatorLimits } from './operator-limits.ts';
import { createOwnRecords } from './own-records.ts';
import { createPeople } from './people.ts';
import { createCountPeople } from './people-figures.ts';

/** Who is linked to what, and what is known of them. */
export function createAccounts(deps: {
  storage: Storage;
  records: SignedRecords;
  seal: Seal;
  turns: Turns;
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
