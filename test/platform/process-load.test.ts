import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readMemory, watchEventLoop } from '../../src/platform/process-load.ts';

/** Blocks the event loop, and then lets it take samples. */
async function block(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

test('measures how long the event loop was stuck, once', async () => {
  const watch = watchEventLoop();
  onTestFinished(watch.stop);
  // The first sample begins the measurement.
  await block(150);
  await block(700);
  expect(watch.longestMs()).toBeGreaterThan(600);
  expect(watch.meanMs()).toBeGreaterThan(100);
  expect([watch.longestMs(), watch.meanMs()]).toEqual([0, 0]);
});

test('measures the share of the memory that is used', () => {
  const { percent, maxBytes } = readMemory();
  expect(percent).toBeGreaterThanOrEqual(0);
  expect(percent).toBeLessThan(100);
  expect(maxBytes).toBeGreaterThan(process.memoryUsage().heapUsed);
});
