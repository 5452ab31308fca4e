import type { ContinuityWatch } from '../../operations/continuity.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { defineCheck } from '../check.ts';

export interface PaymentsCheckDeps {
  /** Absent if nothing outlives the process. */
  continuity: Pick<ContinuityWatch, 'obstacle'> | undefined;
}

/** Reasons for closed payments that no other check reports: those of durability are checks of Redis. */
export const PAYMENTS = defineCheck({
  ...{ name: 'payments', everyMs: 10 * SECOND_MS, scope: 'installation', onlyRunning: true },
  problems: { 'payments-data-lost': 'error', 'payments-no-run-id': 'error' },
  async measure({ continuity }: PaymentsCheckDeps) {
    const by = (await continuity?.obstacle())?.by;
    if (by === undefined) return undefined;
    return { problem: by === 'data-lost' ? 'payments-data-lost' : 'payments-no-run-id' };
  },
});
