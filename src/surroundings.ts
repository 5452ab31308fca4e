import type { CreateFeature } from './bot/features/feature-deps.ts';
import type { UpdatePace } from './bot/middleware/transaction.ts';
import type { HeartbeatPace } from './operations/attempts.ts';
import type { OperationKind } from './operations/kinds/kind.ts';
import type { BullJobsOptions } from './platform/bull-jobs.ts';
import type { Connect } from './platform/connect.ts';
import type { Jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import type { Storage } from './platform/storage.ts';

/** What surrounds the app, and what it can be extended with from outside. */
export interface Surroundings {
  /** Clock of the app in epoch milliseconds: the storage's unless a test moves its own. */
  now?: () => number;
  /** How a broadcast waits for its pace: a test needn't. */
  wait?: (ms: number) => Promise<unknown>;
  log?: Log;
  /** Used instead of the storage and the job queue that the configuration names: tests record, stop or share them. */
  storage?: Storage;
  jobs?: Jobs;
  /** Connects to an origin instead of undici's pools. */
  connect?: Connect;
  kinds?: readonly OperationKind[];
  features?: readonly CreateFeature[];
  /** Folders of texts, laid out like `locales/`. */
  locales?: string[];
  /** How soon a lost process or a handler that hangs is noticed, in milliseconds: nobody but a test is in a hurry. */
  pace?: {
    slowMs?: number;
    updates?: UpdatePace;
    heartbeat?: HeartbeatPace;
    reconcileMs?: number;
    jobs?: BullJobsOptions['timings'];
  };
}
