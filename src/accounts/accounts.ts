import { prefixOf, type StoredData } from '../platform/records.ts';
import { createAccountReader } from '../rental-api/account-reader.ts';
import { createKeyAttempts, KEY_REFUSALS } from './account-keys.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import {
  ADDRESS_ANNOUNCEMENTS,
  ANNOUNCING_ACCOUNTS,
  createAddressAnnouncements,
  DUE_ANNOUNCEMENTS,
  ENDING_ANNOUNCEMENTS,
} from './address-announcements.ts';
import { ADDRESS_BOOK, createAddressBook } from './address-book.ts';
import { ADMIN_ACTION_RECORD, ADMIN_LOG, createAdminLog } from './admin-log.ts';
import { createBalances } from './balances.ts';
import { createDepositAddresses, DEPOSIT_ADDRESS } from './deposit-addresses.ts';
import { createUnlinkAccount, DUE_ERASURES, ERASURE } from './erase-user.ts';
import { ACCOUNT_HOLDERS, createLinks, LINK, LINKED_ACCOUNTS } from './links.ts';
import { createNotificationSettings, NOTIFICATION_SETTINGS } from './notification-settings.ts';
import { createOperator, createOperatorLimits, LAST_OPERATOR_ACCOUNT, OPERATOR_LIMITS } from './operator.ts';
import { createPendingLinks, PENDING_LINK } from './pending-links.ts';
import { USER_CELLS, USER_NUMBERS } from './user-cells.ts';
import { createUserCounts, USER_COUNT_CHECK } from './user-counts.ts';
import { createUserRecords } from './user-records.ts';
import { ALL_USERS, createUsers, ERASED_USERS, USER } from './users.ts';
import {
  createWebhookSubscriptions,
  createWebhookSwitch,
  WEBHOOK_CHANGE,
  WEBHOOK_SUBSCRIPTION,
  WEBHOOK_TOKEN,
} from './webhook-subscriptions.ts';

export const ACCOUNT_DATA: readonly StoredData[] = [
  LINK,
  PENDING_LINK,
  ACCOUNT_HOLDERS,
  LINKED_ACCOUNTS,
  KEY_REFUSALS,
  ADDRESS_BOOK,
  ADDRESS_ANNOUNCEMENTS,
  ANNOUNCING_ACCOUNTS,
  DUE_ANNOUNCEMENTS,
  ENDING_ANNOUNCEMENTS,
  DEPOSIT_ADDRESS,
  NOTIFICATION_SETTINGS,
  WEBHOOK_SUBSCRIPTION,
  WEBHOOK_TOKEN,
  WEBHOOK_CHANGE,
  LAST_OPERATOR_ACCOUNT,
  OPERATOR_LIMITS,
  USER,
  ALL_USERS,
  ERASED_USERS,
  USER_NUMBERS,
  USER_CELLS,
  USER_COUNT_CHECK,
  ADMIN_LOG,
  ADMIN_ACTION_RECORD,
  ERASURE,
  DUE_ERASURES,
];

/** Returns the users or accounts of the keys of a record. */
function idsIn(keys: readonly string[], record: Pick<StoredData, 'keys'>): number[] {
  return keys.filter((key) => key.startsWith(prefixOf(record))).map((key) => Number(/\d+/.exec(key)?.[0]));
}

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(deps: AccountsDeps) {
  const users = createUsers(deps);
  const operator = createOperator(deps);
  const links = createLinks({ ...deps, operator });
  const webhookSubscriptions = createWebhookSubscriptions(deps);
  const accountReader = createAccountReader(deps);
  const addressAnnouncements = createAddressAnnouncements(deps);
  const webhookSwitch = createWebhookSwitch({ ...deps, accountReader, webhookSubscriptions });
  return {
    links,
    pendingLinks: createPendingLinks(deps),
    webhookSubscriptions,
    operator,
    accountReader,
    webhookSwitch,
    unlinkAccount: createUnlinkAccount({
      ...{ links, webhookSubscriptions, operator, webhookSwitch, addressAnnouncements },
    }),
    keyAttempts: createKeyAttempts(deps),
    addressBook: createAddressBook(deps),
    addressAnnouncements,
    depositAddresses: createDepositAddresses(deps),
    notificationSettings: createNotificationSettings(deps),
    balances: createBalances(),
    operatorLimits: createOperatorLimits(deps),
    adminLog: createAdminLog(deps),
    userRecords: createUserRecords(deps),
    users,
    userCounts: createUserCounts({ ...deps, users, links }),
    /** Adds users and accounts to the indexes that lack them, for those of the keys that are links or announcements. */
    async repairIndexes(keys: readonly string[]): Promise<void> {
      const added = await Promise.all([
        ...idsIn(keys, LINK).map(links.addIfMissing),
        ...idsIn(keys, ADDRESS_ANNOUNCEMENTS).map(addressAnnouncements.addIfMissing),
      ]);
      const count = added.filter(Boolean).length;
      if (count > 0) deps.log.warn({ count }, 'users or accounts were missing in indexes; they were added');
    },
  };
}
