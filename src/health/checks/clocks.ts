import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import type { Storage } from '../../platform/storage.ts';
import { defineCheck } from '../check.ts';

export interface ClockCheckDeps {
  /** Differences from the clock of this process in milliseconds, positive if the other clock is ahead. */
  clockDifferences(): Promise<Record<'telegram' | 'service', number | undefined>>;
  storage: Pick<Storage, 'inspect'>;
}

/** Difference that matters, in milliseconds. A one-time code is valid for 30 seconds. */
const MAX_DIFFERENCE_MS = 10 * SECOND_MS;

const common = { everyMs: MINUTE_MS, scope: 'replica' } as const;

export const PROCESS_CLOCK = defineCheck({
  ...{ ...common, name: 'process-clock', problems: { 'process-clock-wrong': 'warning' } },
  async measure({ clockDifferences }: ClockCheckDeps) {
    const { telegram, service } = await clockDifferences();
    return foundIf(0, telegram ?? service, (values) => ({ problem: 'process-clock-wrong', values }));
  },
});

/** All replicas use the clock of Redis, also for the time at which a one-time code was sent. */
export const REDIS_CLOCK = defineCheck({
  ...{ ...common, name: 'redis-clock', problems: { 'redis-clock-wrong': 'error' } },
  async measure({ clockDifferences, storage }: ClockCheckDeps) {
    const condition = await storage.inspect();
    if (condition === undefined) return undefined;
    const { telegram, service } = await clockDifferences();
    return foundIf(condition.clockAheadMs, telegram ?? service, (values) => ({
      problem: 'redis-clock-wrong',
      values,
    }));
  },
});

export const SERVICE_CLOCK = defineCheck({
  ...{ ...common, name: 'service-clock', problems: { 'service-clock-wrong': 'warning' } },
  async measure({ clockDifferences }: ClockCheckDeps) {
    const { telegram, service } = await clockDifferences();
    return service === undefined
      ? 'unmeasured'
      : foundIf(service, telegram, (values) => ({ problem: 'service-clock-wrong', values }));
  },
});

/** Compares a clock with a right one. Both are differences from the clock of this process. */
function foundIf<Result>(
  clock: number,
  right: number | undefined,
  found: (values: { seconds: number; direction: string }) => Result,
): Result | 'unmeasured' | undefined {
  if (right === undefined) return 'unmeasured';
  const ms = clock - right;
  if (Math.abs(ms) <= MAX_DIFFERENCE_MS) return undefined;
  return found({ seconds: Math.round(Math.abs(ms) / SECOND_MS), direction: ms < 0 ? 'behind' : 'ahead' });
}
