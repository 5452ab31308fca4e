import type { createAccountEvents } from './account-events/account-events.ts';
import type { createAccounts } from './accounts/accounts.ts';
import { createUnlinkForErasure, createUserErasure } from './accounts/erase-user.ts';
import { createErasureNotifier } from './bot/erase-user-views.ts';
import { createOperatorUnlinkedNotifier } from './bot/link-account.ts';
import type { Texts } from './i18n/texts.ts';
import type { Invoices } from './invoices/invoices.ts';
import type { Operations } from './operations/operations.ts';
import type { Jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import type { SignedRecords } from './platform/records.ts';
import type { Storage } from './platform/storage.ts';
import { retainedKinds } from './stored-data.ts';
import type { Sender } from './telegram/sender.ts';

/**
 * Creates the erasure of a user's data. Each of `modules` erases data of one module outside the user's own keys. Call
 * before jobs start.
 */
export function composeUserErasure(deps: {
  storage: Storage;
  records: SignedRecords;
  jobs: Jobs;
  accounts: ReturnType<typeof createAccounts>;
  operations: Pick<Operations, 'eraseUnconfirmed'>;
  invoices: Pick<Invoices, 'linkChanges'>;
  accountEvents: Pick<ReturnType<typeof createAccountEvents>, 'eraseUser' | 'adminAlerts'>;
  sender: Sender;
  texts: Texts;
  isAdmin: (user: number) => boolean;
  /** Erases what features store about the user. */
  eraseInFeatures: (user: number) => Promise<unknown>;
  log: Log;
}) {
  const { accounts, operations, invoices, accountEvents, eraseInFeatures } = deps;
  const notifyOperatorUnlinked = createOperatorUnlinkedNotifier({ ...accounts, ...accountEvents });
  return createUserErasure({
    ...deps,
    retainedKinds: retainedKinds(),
    unlink: createUnlinkForErasure({ ...accounts, ...invoices, notifyOperatorUnlinked }),
    modules: [
      ({ user }) => accounts.users.erase(user),
      ({ user }) => accounts.addressAnnouncements.eraseUser(user),
      ({ user, at }, keys) => operations.eraseUnconfirmed(user, keys, at),
      ({ user }, keys) => accountEvents.eraseUser(user, keys),
      ({ user }) => eraseInFeatures(user),
    ],
    notify: createErasureNotifier(deps),
  });
}
