import type { FeatureDefinition } from './bot/feature.ts';
import type { UpdatePace } from './bot/middleware/transaction.ts';
import type { HeartbeatPace } from './operations/execute.ts';
import type { OperationKind } from './operations/kinds/kind.ts';
import type { BullJobsOptions } from './platform/bull-jobs.ts';
import type { Connect } from './platform/connect.ts';
import type { Jobs } from './platform/jobs.ts';
import type { LeaseTimings } from './platform/leases.ts';
import type { Log } from './platform/log.ts';
import type { Storage } from './platform/storage.ts';

/** Options of the app for tests and extensions. */
export interface AppOptions {
  /** Clock of the app in epoch milliseconds. The default is the storage's clock. */
  now?: () => number;
  /** Waits between messages of a broadcast. Tests can skip the wait. */
  wait?: (ms: number) => Promise<unknown>;
  log?: Log;
  /** Replacements of the configured storage and job queue. Tests record, stop or share them. */
  storage?: Storage;
  jobs?: Jobs;
  /** Replacement of undici's connection pools. */
  connect?: Connect;
  kinds?: readonly OperationKind[];
  features?: readonly FeatureDefinition[];
  /** Folders of texts, laid out like `locales/`. */
  locales?: string[];
  /** Timings after which dead processes and hanging handlers are detected, in milliseconds. Only tests change them. */
  pace?: {
    slowMs?: number;
    updates?: UpdatePace;
    heartbeat?: HeartbeatPace;
    reconcileMs?: number;
    jobs?: BullJobsOptions['timings'];
    leases?: LeaseTimings;
  };
}
