import { orTimeout } from './async.ts';
import { createLogThrottle, type Log } from './log.ts';

/** Polls of a process that run at the same time: enough for 200 a second if the service takes up to 300 ms. */
export const MAX_CONCURRENT = 80;
export const TICK_MS = 500;
/**
 * Polls that a process begins between two ticks. Limits them to 200 a second, so that a long queue of due polls leaves time
 * for users' updates.
 */
export const POLLS_PER_TICK = 100;
/** One of this many polls is chosen from the lowest priorities, so that none waits forever. */
const RESERVED_EVERY = 10;
/** Maximum time for which `close` waits for running polls, in milliseconds. The others come due again. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Creates the runner of a process's polls. The runner takes no more polls than it starts at once, so that other replicas can
 * take the others.
 *
 * Each poll without a response of the service halves the maximum number of concurrent polls, down to one. Each other poll
 * raises it by one. So an overloaded service gets few requests, and a single account that fails delays no other.
 *
 * @example
 * const runner = createPollRunner({ take, poll, putBack, failureMessage: 'polling failed', log });
 * await runner.tick(); // every 500 ms
 */
export function createPollRunner<Taken>(deps: {
  /**
   * Takes at most `limit` due polls, which no other replica gets, `reserved` of them from the lowest priorities. `hasRoom`:
   * polls of the lowest priority may be added, because none is due.
   */
  take: (limit: number, reserved: number) => Promise<{ polls: readonly Taken[]; hasRoom?: boolean }>;
  /** Polls. Returns whether the service responded. */
  poll: (taken: Taken) => Promise<boolean>;
  /** Makes a poll due again that was taken but won't be started. */
  putBack: (taken: Taken) => Promise<unknown>;
  /** Adds due polls of the lowest priority. Returns false if there are none to add. */
  addDuePolls?: () => Promise<boolean>;
  /** Log message for a failed poll, which comes due again. */
  failureMessage: string;
  log: Log;
}) {
  const { take, poll, putBack, addDuePolls, failureMessage, log } = deps;
  const throttle = createLogThrottle();
  const running = new Set<Promise<unknown>>();
  let maxConcurrent = MAX_CONCURRENT;
  /** Polls that this process has begun. */
  let begun = 0;
  /** Number of polls that may still begin before the next tick. */
  let permits = 0;
  let filling: Promise<void> | undefined;
  /** Whether due polls may have been left since the last `take`. */
  let mayBeDue = false;
  let isClosed = false;

  /** Number of polls that may begin now. */
  const capacity = () => Math.min(Math.floor(maxConcurrent) - running.size, permits);

  function track(work: Promise<boolean>): void {
    const tracked = work
      .then(
        (isAnswered) => {
          maxConcurrent = isAnswered
            ? Math.min(MAX_CONCURRENT, maxConcurrent + 1)
            : Math.max(1, maxConcurrent / 2);
        },
        (err: unknown) => {
          const throttled = isClosed ? undefined : throttle('poll');
          if (throttled) log.warn({ err, ...throttled }, failureMessage);
        },
      )
      .finally(() => {
        running.delete(tracked);
        wake().catch(() => undefined);
      });
    running.add(tracked);
  }

  async function fill(): Promise<void> {
    try {
      while (mayBeDue && !isClosed && capacity() > 0) {
        mayBeDue = false;
        const limit = capacity();
        const reserved = Math.floor(((begun % RESERVED_EVERY) + limit) / RESERVED_EVERY);
        const { polls, hasRoom } = await take(limit, reserved);
        if (isClosed) return void (await Promise.all(polls.map(putBack)));
        permits -= polls.length;
        begun += polls.length;
        for (const taken of polls) track(poll(taken));
        if (polls.length === limit) mayBeDue = true;
        if (hasRoom && (await addDuePolls?.())) mayBeDue = true;
      }
    } finally {
      filling = undefined;
    }
  }

  /** Starts polls that are due, if there is capacity. Rejects if the storage can't be reached; the next tick tries again. */
  async function wake(): Promise<void> {
    mayBeDue = true;
    if (isClosed || capacity() <= 0) return;
    filling ??= fill();
    await filling;
  }

  return {
    /** Starts polls that are due. Call every `TICK_MS`. */
    tick(): Promise<void> {
      permits = POLLS_PER_TICK;
      return wake();
    },
    /** Starts a poll that has just become due, beyond the limit of polls between two ticks. Never rejects. */
    startSoon(): void {
      permits += 1;
      wake().catch(() => undefined);
    },
    /** Counts a poll that was started elsewhere. */
    track,
    /** Starts nothing more. Waits for running polls, at most five seconds. */
    async close(): Promise<void> {
      isClosed = true;
      await filling?.catch(() => undefined);
      await orTimeout(Promise.all(running), CLOSE_TIMEOUT_MS);
    },
  };
}
