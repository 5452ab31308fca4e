import type { Jobs } from '../jobs/jobs.ts';
import type { OperationRef } from './operation.ts';
import { type Operations, RECONCILE_MS } from './operations.ts';

const WATCH = 'operation-watch';
/** What fails comes due again by itself. */
const ONCE = { tries: 1 };

/** Jobs by which the reconciler is shared by all replicas. None of them sends a request. */
export function createOperationJobs({ jobs }: { jobs: Jobs }) {
  return {
    hand: (ref: OperationRef) => jobs.add(WATCH, ref),
    /** Says what the jobs do. Call before their start. */
    define({ reconciler }: Pick<Operations, 'reconciler'>, reconcileMs = RECONCILE_MS): void {
      jobs.define(WATCH, reconciler.advance, ONCE);
      jobs.every('operations-reconcile', reconcileMs, reconciler.run);
    },
  };
}
