/** Interval at which deadlines are checked while any is set, in milliseconds. */
const CHECK_MS = 100;
/** Shorter deadlines have a timer of their own, because the checks would be too coarse for them. */
const SHORT_MS = 4 * CHECK_MS;

/** Calls `expire` after `ms`, unless the returned function is called before. `expire` must not throw. */
export type SetDeadline = (ms: number, expire: () => void) => () => void;

/** Sets a deadline with a timer of its own. It doesn't prevent the process from exiting. */
export const setTimer: SetDeadline = (ms, expire) => {
  const timer = setTimeout(expire, ms).unref();
  return () => clearTimeout(timer);
};

/**
 * Creates deadlines that share one timer. For limits that are set often and rarely reached, such as those of requests: each
 * timer costs more than an entry in a set. A deadline is never early and at most 0.2 seconds late.
 *
 * `expire` runs outside of the asynchronous context in which the deadline was set, so it should only reject or abort
 * something.
 *
 * @example
 * const setDeadline = createDeadlines();
 * const clear = setDeadline(8_000, () => cutOff.abort());
 */
export function createDeadlines(): SetDeadline {
  const open = new Set<{ at: number; expire: () => void }>();
  let isChecking = false;

  function check(): void {
    const now = performance.now();
    for (const deadline of open) {
      if (deadline.at > now) continue;
      open.delete(deadline);
      deadline.expire();
    }
    isChecking = open.size > 0;
    if (isChecking) setTimer(CHECK_MS, check);
  }

  return (ms, expire) => {
    if (ms < SHORT_MS) return setTimer(ms, expire);
    const deadline = { at: performance.now() + ms, expire };
    open.add(deadline);
    if (!isChecking) {
      isChecking = true;
      setTimer(CHECK_MS, check);
    }
    return () => void open.delete(deadline);
  };
}
