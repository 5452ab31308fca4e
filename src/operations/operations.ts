import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { createDrafts, type Drafts } from './drafts.ts';
import { createDueIndex } from './due-index.ts';
import { createSearch } from './evidence.ts';
import { createExecutor } from './executor.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { OperationsRental } from './kinds/kind.ts';
import { createLastPrices, type LastPrices } from './last-price.ts';
import { createNotifier, type Show } from './notifier.ts';
import type { OperationRef } from './operation.ts';
import { createOrders } from './orders.ts';
import { createRecentAttempts } from './recent-attempts.ts';
import { createReconciler, type Reconciler } from './reconciler.ts';
import { createSettlement, type Settlement } from './settlement.ts';
import { createOperationStore } from './store.ts';

/** How often the watch looks at what came due. */
export const RECONCILE_MS = 3_000;

export interface Operations {
  readonly drafts: Drafts;
  readonly lastPrices: LastPrices;
  readonly settlement: Settlement;
  readonly reconciler: Reconciler;
}

/** Money: intent, one attempt, outcome, evidence (design.md, money rules). */
export function createOperations(deps: {
  storage: Storage;
  rental: OperationsRental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  reported: (account: number) => Promise<boolean>;
  show: Show;
  hand: (ref: OperationRef) => Promise<void>;
  now: () => number;
  log: Log;
}): Operations {
  const { storage, rental, now } = deps;
  const store = createOperationStore({ storage });
  const dueIndex = createDueIndex({ storage });
  const orders = createOrders({ storage });
  const lastPrices = createLastPrices({ storage });
  const recentAttempts = createRecentAttempts({ storage, store, now });
  const notify = createNotifier({ store, dueIndex, show: deps.show, now });
  const settlement = createSettlement({ store, dueIndex, orders, recentAttempts, lastPrices, notify, now });
  const heartbeat = createHeartbeat({ storage, now, log: deps.log });
  const search = createSearch({ rental, orders, recentAttempts });
  const execute = createExecutor({ ...deps, store, dueIndex, heartbeat, recentAttempts, settlement, notify });
  const reconciler = createReconciler({
    ...deps,
    store,
    dueIndex,
    heartbeat,
    search,
    settlement,
    execute,
    notify,
  });
  return {
    drafts: createDrafts({ store, dueIndex, now }),
    lastPrices,
    settlement,
    reconciler,
  };
}
