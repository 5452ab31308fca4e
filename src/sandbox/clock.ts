/** The sandbox's time: it runs like the real one, and can be moved forward. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Moves forward by `ms`. What is due on the way runs in its order, and sees the time at which it was due.
   * @throws RangeError when `ms` isn't a number of 0 or more.
   */
  advance(ms: number): void;
  /** Calls `listener` after each move; answers how to end that. */
  onAdvance(listener: () => void): () => void;
  /**
   * Runs `action` once this time has come, by itself or by a move, never before this call has returned;
   * answers how to call it off. Waiting for it doesn't keep the process alive.
   */
  at(epochMs: number, action: () => void): () => void;
}

interface Alarm {
  due: number;
  action: () => void;
}

/** What setTimeout can count to. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** A clock that starts at `start` (epoch milliseconds; by default now). */
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
      Math.min(Math.max(next.due - now(), 0), LONGEST_WAIT_MS),
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
    at(epochMs, action) {
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
