import type { AccountKeys } from '../accounts/account-keys.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AccountsDeps } from '../accounts/accounts-deps.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { Notifications } from '../notifications/notifications.ts';
import type { Operations } from '../operations/operations.ts';
import type { GivenUp } from '../platform/given-up.ts';
import type { Log } from '../platform/log.ts';
import { TICK_MS } from '../platform/poll-runner.ts';
import type { StoredData } from '../platform/records.ts';
import type { RecurringWork } from '../platform/recurring-work.ts';
import { createEventHandlers } from './handlers.ts';
import { createEventReceiver, createInbox, DUE_EVENTS, INBOX_RECORDS } from './inbox.ts';
import { LOG_SEARCH } from './log-search.ts';
import { POLL_STATE, POLLS } from './poll-state.ts';
import { createPollers, type Pollers } from './pollers.ts';

export const ACCOUNT_EVENT_DATA: readonly StoredData[] = [
  INBOX_RECORDS,
  DUE_EVENTS,
  POLL_STATE,
  POLLS,
  LOG_SEARCH,
];

/** Interval at which due events are handled, in milliseconds. New ones are handled at once regardless. */
const EVENTS_INTERVAL_MS = 3_000;

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
      recurringWork: Pick<RecurringWork, 'every' | 'onEachReplica'>;
      accountKeys: AccountKeys;
      givenUp: Pick<GivenUp, 'note'>;
      operations: Operations;
      invoices: Invoices;
      /** Replaces the intervals of events and polls, in milliseconds. */
      runIntervalMs: number | undefined;
      log: Log;
    },
) {
  const { recurringWork, runIntervalMs, now } = deps;
  // Events about money are only hints: the facts are read from the service.
  const handlers = createEventHandlers({ ...deps, pollers: () => pollers });
  const inbox = createInbox({ ...deps, handlers });
  const pollers: Pollers = createPollers({ ...deps, inbox, handlers, startedAt: now() });
  recurringWork.every('events', runIntervalMs ?? EVENTS_INTERVAL_MS, inbox.run);
  recurringWork.onEachReplica('account-polls', runIntervalMs ?? TICK_MS, pollers.run);

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
