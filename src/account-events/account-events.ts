import type { AccountKeys } from '../accounts/account-keys.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AccountsDeps } from '../accounts/accounts-deps.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Operations } from '../operations/operations.ts';
import type { GivenUp } from '../platform/given-up.ts';
import type { Log } from '../platform/log.ts';
import type { StoredData } from '../platform/records.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import { createEventHandlers } from './handlers.ts';
import { createEventReceiver, createInbox, DUE_EVENTS, INBOX_RECORDS } from './inbox.ts';
import { POLL_STATE, POLLS } from './poll-state.ts';
import { createPollers, POLL_LEASE, type Pollers } from './pollers.ts';

export const ACCOUNT_EVENT_DATA: readonly StoredData[] = [
  INBOX_RECORDS,
  DUE_EVENTS,
  POLL_STATE,
  POLLS,
  POLL_LEASE,
];

/** Intervals at which due work is started, in milliseconds. New work starts at once regardless. */
const RUN_INTERVALS_MS = { events: 3_000, polls: 2_000 };

/**
 * Creates the module that receives events and polls accounts. Call before recurring work starts.
 *
 * @example
 * const accountEvents = createAccountEvents(deps);
 * await accountEvents.pollers.pollSoon(1001, 'deposits');
 */
export function createAccountEvents(
  deps: AccountsDeps &
    Accounts &
    Pick<Notifications, 'outbox' | 'notifyHolders' | 'adminAlerts' | 'eventMetrics'> & {
      recurringWork: Pick<RecurringWork, 'every'>;
      accountKeys: AccountKeys;
      givenUp: Pick<GivenUp, 'note'>;
      operations: Operations;
      invoices: Invoices;
      /** Replaces all intervals of `RUN_INTERVALS_MS`, in milliseconds. */
      runIntervalMs: number | undefined;
      log: Log;
    },
) {
  const { recurringWork, runIntervalMs, now } = deps;
  // Events about money are only hints: the facts are read from the service.
  const handlers = createEventHandlers({ ...deps, pollers: () => pollers });
  const inbox = createInbox({ ...deps, handlers });
  const pollers: Pollers = createPollers({ ...deps, inbox, handlers, startedAt: now() });
  recurringWork.every('events', runIntervalMs ?? RUN_INTERVALS_MS.events, inbox.run);
  recurringWork.every('account-polls', runIntervalMs ?? RUN_INTERVALS_MS.polls, pollers.run);

  return {
    eventReceiver: createEventReceiver({
      ...deps,
      inbox,
      onEventLost: pollers.pollAllLogs,
      onRateLimited: (account) => void pollers.pollSoon(account, 'log').catch(() => undefined),
    }),
    pollers,
    async close() {
      await inbox.close();
      await pollers.close();
    },
  };
}
