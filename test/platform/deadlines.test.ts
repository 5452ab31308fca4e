import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadlines } from '../../src/platform/deadlines.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('expire with one timer, never early and at most 0.2 seconds late, unless they are cleared', async () => {
  const setDeadline = createDeadlines();
  const latenesses: number[] = [];
  const set = (ms: number) => {
    const at = performance.now() + ms;
    return setDeadline(ms, () => void latenesses.push(performance.now() - at));
  };
  for (const ms of [8_000, 400, 1_010]) set(ms);
  await vi.advanceTimersByTimeAsync(30);
  const clears = [400, 450, 8_000].map(set);
  set(8_010);
  for (const clear of clears) clear();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(latenesses).toHaveLength(4);
  expect(Math.min(...latenesses)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...latenesses)).toBeLessThanOrEqual(200);
  expect(vi.getTimerCount()).toBe(0);
});

test('expire in time if they are short, and may be set again', async () => {
  const setDeadline = createDeadlines();
  for (let times = 0; times < 2; times++) {
    const [short, long] = [vi.fn(), vi.fn()];
    setDeadline(399, short);
    setDeadline(5_000, long);
    setDeadline(10, long)();
    await vi.advanceTimersByTimeAsync(399);
    expect(short).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(long).toHaveBeenCalledOnce();
  }
});
