import type { createNotices } from './account-events/account-events.ts';
import type { createAccounts } from './accounts/accounts.ts';
import { createForgetting, createLeaveForgotten } from './accounts/erase-user.ts';
import { createTellForgotten } from './bot/erase-user-views.ts';
import { createOperatorsLeft } from './bot/operators-left.ts';
import type { Texts } from './i18n/texts.ts';
import type { Invoices } from './invoices/invoices.ts';
import type { Operations } from './operations/operations.ts';
import type { Jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import type { SignedRecords } from './platform/records.ts';
import type { Storage } from './platform/storage.ts';
import type { Sender } from './telegram/sender.ts';

/**
 * Creates the erasure of a user's data. Each of `modules` erases data of one module outside the user's own keys. Call
 * before jobs start.
 */
export function createUserErasure(deps: {
  storage: Storage;
  records: SignedRecords;
  jobs: Jobs;
  accounts: ReturnType<typeof createAccounts>;
  operations: Pick<Operations, 'forgetUnconfirmed'>;
  invoices: Pick<Invoices, 'linkChanges'>;
  notices: Pick<ReturnType<typeof createNotices>, 'forget' | 'tellAdmins'>;
  sender: Sender;
  texts: Texts;
  isAdmin: (user: number) => boolean;
  log: Log;
}) {
  const { accounts, operations, invoices, notices } = deps;
  const operatorsLeft = createOperatorsLeft({ ...accounts, ...notices });
  return createForgetting({
    ...deps,
    leave: createLeaveForgotten({ ...accounts, ...invoices, operatorsLeft }),
    modules: [
      ({ user }) => accounts.people.forget(user),
      ({ user }) => accounts.forgetAnnounced(user),
      ({ user, at }, keys) => operations.forgetUnconfirmed(user, keys, at),
      ({ user }, keys) => notices.forget(user, keys),
    ],
    tell: createTellForgotten(deps),
  });
}
