/** Sandbox clock. Runs at real speed and can be moved forward. */
export interface Clock {
  /** Returns the time in epoch milliseconds. */
  now(): number;
  /**
   * Moves the clock forward by `ms`. Actions due in between run in order, each at its due time.
   * @throws RangeError if `ms` isn't a finite number of 0 or more.
   */
  advance(ms: number): void;
  /** Calls `listener` after each move. Returns a function that removes the listener. */
  onAdvance(listener: () => void): () => void;
  /**
   * Schedules `action` for this time. It never runs before this call returns. Returns a function that cancels it. The timer
   * doesn't keep the process alive.
   */
  scheduleAt(epochMs: number, action: () => void): () => void;
}

interface Alarm {
  due: number;
  action: () => void;
}

/** Maximum delay of setTimeout. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Creates a clock that starts at `start` (epoch milliseconds, default now). */
export function createClock(start = Date.now()): Clock {
  let skew = start - Date.now();
  let alarms: Alarm[] = [];
  let timer: NodeJS.Timeout | undefined;
  const listeners = new Set<() => void>();

  const now = () => Date.now() + skew;
  const remove = (alarm: Alarm) => {
    alarms = alarms.filter((other) => other !== alarm);
  };

  const arm = () => {
    clearTimeout(timer);
    const [next] = alarms;
    if (!next) return;
    timer = setTimeout(
      () => runUntil(now()),
      Math.min(Math.max(next.due - now(), 0), MAX_TIMEOUT_MS),
    ).unref();
  };

  const runUntil = (target: number) => {
    for (let next = alarms[0]; next && next.due <= target; next = alarms[0]) {
      skew += Math.max(next.due - now(), 0);
      remove(next);
      next.action();
    }
    skew += Math.max(target - now(), 0);
    arm();
  };

  return {
    now,
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError('the clock only moves forward');
      runUntil(now() + ms);
      for (const listener of [...listeners]) listener();
    },
    onAdvance(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    scheduleAt(epochMs, action) {
      const alarm = { due: epochMs, action };
      alarms = [...alarms, alarm].sort((a, b) => a.due - b.due);
      arm();
      return () => {
        remove(alarm);
        arm();
      };
    },
  };
}
