import type { Log } from '../log.ts';
import type { Rental } from '../rental/client.ts';
import type { Storage } from '../storage/storage.ts';
import { createTurns } from '../storage/turns.ts';
import { type AlreadyDone, createAlreadyDone } from './already-done.ts';
import { createDrafts, type Drafts } from './drafts.ts';
import { createDueIndex } from './due-index.ts';
import { createSearch } from './evidence.ts';
import { createExecutor } from './executor.ts';
import { createHeartbeat, type HeartbeatPace } from './heartbeat.ts';
import type { Kinds } from './kinds/kinds.ts';
import { createLastPrices, type LastPrices } from './last-price.ts';
import { createMissed } from './missed.ts';
import { createNotifier, type Show } from './notifier.ts';
import { createOperationSchema, type OperationRef } from './operation.ts';
import { createOrders } from './orders.ts';
import { createRecentAttempts } from './recent-attempts.ts';
import { createReconciler, type Reconciler } from './reconciler.ts';
import { createSettlement, type Settlement } from './settlement.ts';
import { createOperationStore } from './store.ts';
import { createTellMissed, type TellMissed } from './tell-missed.ts';

/** How often the reconciler looks at what came due. */
export const RECONCILE_MS = 3_000;

export interface Operations {
  readonly kinds: Kinds;
  readonly drafts: Drafts;
  readonly lastPrices: LastPrices;
  readonly alreadyDone: AlreadyDone;
  readonly settlement: Settlement;
  readonly reconciler: Reconciler;
  readonly tellMissed: TellMissed;
}

export interface OperationsDeps {
  storage: Storage;
  rental: Rental;
  kinds: Kinds;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  reported: (account: number) => Promise<boolean>;
  show: Show;
  hand: (ref: OperationRef) => Promise<void>;
  heartbeat?: HeartbeatPace | undefined;
  now: () => number;
  log: Log;
}

/** Money: intent, one attempt, outcome, evidence (docs/architecture.md, money). */
export function createOperations(deps: OperationsDeps): Operations {
  const { storage, rental, kinds, now, log } = deps;
  const store = createOperationStore({ storage, schema: createOperationSchema(kinds) });
  const dueIndex = createDueIndex({ storage });
  const orders = createOrders({ storage });
  const lastPrices = createLastPrices({ storage, kinds });
  const alreadyDone = createAlreadyDone({ storage, kinds });
  const recentAttempts = createRecentAttempts({ storage, store, now });
  const heartbeat = createHeartbeat({ storage, pace: deps.heartbeat, now, log });
  const search = createSearch({ rental, kinds, orders, recentAttempts });
  const missed = createMissed({ storage });
  const notify = createNotifier({
    turns: createTurns({ storage }),
    missed,
    store,
    dueIndex,
    show: deps.show,
    now,
  });
  const shared = { ...deps, store, dueIndex, recentAttempts, alreadyDone, notify, heartbeat };
  const settlement = createSettlement({ ...shared, orders, lastPrices });
  const execute = createExecutor({ ...shared, settlement });
  return {
    kinds,
    drafts: createDrafts(shared),
    lastPrices,
    alreadyDone,
    settlement,
    tellMissed: createTellMissed({ ...shared, missed }),
    reconciler: createReconciler({ ...shared, search, settlement, execute }),
  };
}
