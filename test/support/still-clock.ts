import { onTestFinished, vi } from 'vitest';
import { type Clock, createClock } from '../../src/sandbox/clock.ts';

/** Creates a clock of the sandbox that moves only when the running test advances it. Stops `Date` too. */
export function createStillClock(start: number): Clock {
  vi.setSystemTime(start);
  onTestFinished(() => void vi.useRealTimers());
  return createClock();
}
