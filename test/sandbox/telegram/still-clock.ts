import type { Clock } from '../../../src/sandbox/clock.ts';

/** Creates a clock that moves only when a test advances it. */
export function createStillClock(start = Date.UTC(2030, 0, 1)): Clock {
  let time = start;
  let alarms: { due: number; action: () => void }[] = [];
  const listeners = new Set<() => void>();
  return {
    now: () => time,
    scheduleAt(due, action) {
      const alarm = { due, action };
      alarms.push(alarm);
      return () => {
        alarms = alarms.filter((other) => other !== alarm);
      };
    },
    onAdvance(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    advance(ms) {
      time += ms;
      const due = alarms.filter((alarm) => alarm.due <= time);
      alarms = alarms.filter((alarm) => alarm.due > time);
      for (const { action } of due) action();
      for (const listener of listeners) listener();
    },
  };
}
