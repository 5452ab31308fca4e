import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClock } from '../../src/sandbox/clock.ts';

const START = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ now: 5_000_000_000 }));
afterEach(() => void vi.useRealTimers());

describe('the clock', () => {
  it('starts at the real time and runs with it', () => {
    const clock = createClock();
    expect(clock.now()).toBe(5_000_000_000);
    vi.advanceTimersByTime(250);
    expect(clock.now()).toBe(5_000_000_250);
  });

  it('starts at a given time', () => {
    const clock = createClock(START);
    vi.advanceTimersByTime(10);
    expect(clock.now()).toBe(START + 10);
  });

  it('moves forward and notifies listeners until they unsubscribe', () => {
    const clock = createClock(START);
    const seen: number[] = [];
    const unsubscribe = clock.onAdvance(() => seen.push(clock.now()));
    clock.advance(500);
    unsubscribe();
    clock.advance(500);
    expect(seen).toEqual([START + 500]);
    expect(clock.now()).toBe(START + 1_000);
  });

  it('refuses to move back', () => {
    const clock = createClock(START);
    expect(() => clock.advance(-1)).toThrow(RangeError);
    expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
  });

  it('runs an action once, when real time reaches it', () => {
    const clock = createClock(START);
    const action = vi.fn();
    clock.scheduleAt(START + 1_000, action);
    vi.advanceTimersByTime(999);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10_000);
    clock.advance(10_000);
    expect(action).toHaveBeenCalledTimes(1);
  });

  it('runs an action when a move reaches it, and earlier in real time after a move towards it', () => {
    const clock = createClock(START);
    const reached = vi.fn();
    const nearer = vi.fn();
    clock.scheduleAt(START + 1_000, reached);
    clock.scheduleAt(START + 5_000, nearer);
    clock.advance(1_000);
    expect(reached).toHaveBeenCalledTimes(1);
    expect(nearer).not.toHaveBeenCalled();
    vi.advanceTimersByTime(4_000);
    expect(nearer).toHaveBeenCalledTimes(1);
  });

  it('runs due actions in order, each at its own time, including those that actions add', () => {
    const clock = createClock(START);
    const seen: [string, number][] = [];
    const daily = () => {
      seen.push(['daily', clock.now() - START]);
      clock.scheduleAt(clock.now() + 100, daily);
    };
    clock.scheduleAt(START + 150, () => seen.push(['once', clock.now() - START]));
    clock.scheduleAt(START + 100, daily);
    clock.advance(350);
    expect(seen).toEqual([
      ['daily', 100],
      ['once', 150],
      ['daily', 200],
      ['daily', 300],
    ]);
    expect(clock.now()).toBe(START + 350);
  });

  it('runs an overdue action soon, but not within the call that schedules it', () => {
    const clock = createClock(START);
    const action = vi.fn();
    clock.scheduleAt(START - 1, action);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(action).toHaveBeenCalledTimes(1);
  });

  it('cancels an action', () => {
    const clock = createClock(START);
    const action = vi.fn();
    const cancel = clock.scheduleAt(START + 10, action);
    cancel();
    clock.advance(20);
    expect(action).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits longer than the maximum of a timer', () => {
    const clock = createClock(START);
    const action = vi.fn();
    const days = 40 * 24 * 3_600_000;
    clock.scheduleAt(START + days, action);
    vi.advanceTimersByTime(days - 1);
    expect(action).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(action).toHaveBeenCalledTimes(1);
  });
});
