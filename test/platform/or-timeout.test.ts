import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { orTimeout } from '../../src/platform/retry.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => undefined);

test('resolves with a result in time and clears the timer', async () => {
  expect(await orTimeout(Promise.resolve('yes'), 1_000, () => 'late')).toBe('yes');
  expect(vi.getTimerCount()).toBe(0);
});

test('rejects if the work fails in time, and clears the timer', async () => {
  await expect(orTimeout(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no');
  expect(vi.getTimerCount()).toBe(0);
});

test('resolves with undefined once the time has passed, and not before', async () => {
  const settled = vi.fn();
  const answer = orTimeout(never, 1_000).then(settled);
  await vi.advanceTimersByTimeAsync(999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await answer;
  expect(settled).toHaveBeenCalledWith(undefined);
});

test('resolves with the fallback value once the time has passed', async () => {
  const answer = orTimeout(never, 1_000, () => 'late');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answer).toBe('late');
});

test('rejects if the fallback throws', async () => {
  const answer = orTimeout(never, 1_000, () => {
    throw new Error('too late');
  });
  const failed = expect(answer).rejects.toThrow('too late');
  await vi.advanceTimersByTimeAsync(1_000);
  await failed;
});

test('ignores a rejection after the time has passed', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  let fail = (_: Error) => {};
  const answer = orTimeout(new Promise<string>((_, reject) => (fail = reject)), 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answer).toBeUndefined();
  fail(new Error('after all'));
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('does not keep the process alive with its timer', () => {
  vi.useRealTimers();
  const timeout = vi.spyOn(globalThis, 'setTimeout');
  void orTimeout(never, 60_000);
  const timer = timeout.mock.results[0]?.value;
  expect(timer?.hasRef()).toBe(false);
  clearTimeout(timer);
  timeout.mockRestore();
});
