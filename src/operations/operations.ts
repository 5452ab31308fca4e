import type { Log } from '../log.ts';
import type { Storage } from '../storage/storage.ts';
import { createAttention } from './attention.ts';
import { createDrafts, type Drafts } from './drafts.ts';
import { createSearch } from './evidence.ts';
import { createExecutor } from './executor.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { OperationsRental } from './kinds/kind.ts';
import { createLastPrices, type LastPrices } from './last-price.ts';
import type { OperationRef } from './operation.ts';
import { createOrders } from './orders.ts';
import { createRivals } from './rivals.ts';
import { createSettlement, type Settlement } from './settlement.ts';
import { createOperationStore } from './store.ts';
import { createTelling, type Show } from './telling.ts';
import { createWatch, type Watch } from './watch.ts';

/** How often the watch looks at what came due. */
export const WATCH_MS = 3_000;

export interface Operations {
  readonly drafts: Drafts;
  readonly lastPrices: LastPrices;
  readonly settlement: Settlement;
  readonly watch: Watch;
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
  const attention = createAttention({ storage });
  const orders = createOrders({ storage });
  const lastPrices = createLastPrices({ storage });
  const rivals = createRivals({ storage, store, now });
  const tell = createTelling({ store, attention, show: deps.show, now });
  const settlement = createSettlement({ store, attention, orders, rivals, lastPrices, tell, now });
  const heartbeat = createHeartbeat({ storage, now, log: deps.log });
  const search = createSearch({ rental, orders, rivals });
  const execute = createExecutor({ ...deps, store, attention, heartbeat, rivals, settlement, tell });
  const watch = createWatch({ ...deps, store, attention, heartbeat, search, settlement, execute, tell });
  return {
    drafts: createDrafts({ store, attention, now }),
    lastPrices,
    settlement,
    watch,
  };
}
