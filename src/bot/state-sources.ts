import type { CallsSeen } from '../recent-calls.ts';
import type { Storage } from '../storage/storage.ts';

/** Where the state of the whole is read. */
export interface StateSources {
  /** As this process knows them. */
  rental: () => CallsSeen;
  telegram: () => CallsSeen;
  storage: Pick<Storage, 'ping' | 'durability' | 'fsyncPolicy' | 'replicas'>;
  /** For how long what is due the longest has waited, in milliseconds; `undefined` where nothing is due. */
  overdue: Readonly<Record<Queue, () => Promise<number | undefined>>>;
  version: string;
  /** When this process started, in epoch milliseconds. */
  startedAt: number;
}

export type Queue = 'operations' | 'invoices' | 'jobs';
