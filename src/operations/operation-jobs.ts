import type { Jobs } from '../jobs/jobs.ts';
import type { OperationRef } from './operation.ts';
import { type Operations, RECONCILE_MS } from './operations.ts';
import { SENDS_AT_ONCE } from './sends.ts';

const WATCH = 'operation-watch';
const SEND = 'operation-send';
/** What fails comes due again by itself. */
const ONCE = { tries: 1 };

/** Who watches operations and who sends them: workers of their own each, so that telling never waits behind sending. */
export function createOperationJobs({ jobs }: { jobs: Jobs }) {
  return {
    hand: (ref: OperationRef) => jobs.add(WATCH, JSON.stringify(ref), { id: `${ref.user}/${ref.id}` }),
    carryOut: (ref: OperationRef) => jobs.add(SEND, JSON.stringify(ref)),
    /** Says what the jobs do. Call before their start. */
    define({ reconciler, sends }: Operations, reconcileMs = RECONCILE_MS): void {
      jobs.define(WATCH, (ref) => reconciler.advance(JSON.parse(ref)), ONCE);
      jobs.define(SEND, (ref) => sends.send(JSON.parse(ref)), { ...ONCE, concurrency: SENDS_AT_ONCE });
      jobs.every('operations-reconcile', reconcileMs, reconciler.run);
    },
  };
}
