import type { CallsSeen } from '../platform/recent-calls.ts';
import type { Storage } from '../platform/storage.ts';

/** Sources of the system's state. */
export interface StateSources {
  /** As observed by this process. */
  rental: () => CallsSeen;
  telegram: () => CallsSeen;
  storage: Pick<Storage, 'ping' | 'durability' | 'fsyncPolicy' | 'replicas'>;
  /** How long the oldest due item of a queue has waited, in milliseconds. `undefined` if nothing is due. */
  overdue: Readonly<Record<Queue, () => Promise<number | undefined>>>;
  version: string;
  /** Start time of this process, in epoch milliseconds. */
  startedAt: number;
}

export type Queue = 'operations' | 'invoices' | 'jobs';
