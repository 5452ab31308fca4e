// Decides how fast a broadcast is sent, and when it must stop: rate limiter, stop signals, circuit breaker.

import type { DeliveryResult } from '../i18n/shared-views.ts';
import type { Log } from '../platform/log.ts';
import type { Outgoing } from '../telegram/rate-limiter.ts';
import type { Broadcast, BroadcastStore, Pause } from './store.ts';

/** Resolves after this many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

// Rate limiter

/** Rate limiter of the messages of a broadcast. */
export interface BulkRateLimiter {
  /** Returns the milliseconds until the next message may be sent. At 0, the message is counted as sent now. */
  acquire(): number;
  /** Reduces the rate after a 429. */
  onRateLimited(): void;
}

/**
 * Maximum messages per second. Telegram allows 30 per second over all chats (https://core.telegram.org/bots/faq). The
 * difference is left for replies.
 */
export const MAX_PER_SECOND = 25;
/**
 * Limit on all new messages of this process per second, from which a broadcast waits. Replies and notifications of
 * operations come first.
 */
const MAX_TOTAL_PER_SECOND = 26;
/** Factor of the rate after a 429. */
const BACKOFF_FACTOR = 0.75;
const MIN_PER_SECOND = 1;
/** Time that a late sender may catch up, in multiples of the gap between two messages. */
const MAX_CATCH_UP_GAPS = 3;
/** Time in which the rate rises by one message per second while there is no 429, in milliseconds. */
const RECOVERY_MS = 10_000;

/** Returns the shortest duration of `count` messages, in milliseconds. */
export const durationMs = (count: number): number => Math.ceil(count / MAX_PER_SECOND) * 1_000;

/**
 * Creates the rate limiter. It spaces messages evenly, because requests in progress during a 429 make the limit last
 * longer.
 */
export function createBulkRateLimiter(deps: {
  outgoing: Pick<Outgoing, 'availableFrom'>;
  now: () => number;
}): BulkRateLimiter {
  const { outgoing, now } = deps;
  let limit = { perSecond: MAX_PER_SECOND, since: now() };
  let nextAt = 0;

  const perSecond = () => Math.min(MAX_PER_SECOND, limit.perSecond + (now() - limit.since) / RECOVERY_MS);

  return {
    acquire() {
      const at = Math.max(nextAt, outgoing.availableFrom(MAX_TOTAL_PER_SECOND, now()));
      if (at > now()) return at - now();
      const gapMs = 1_000 / perSecond();
      // A late message doesn't delay the later ones, unless it is very late.
      nextAt = (now() - nextAt > MAX_CATCH_UP_GAPS * gapMs ? now() : nextAt) + gapMs;
      return 0;
    },
    onRateLimited() {
      limit = { perSecond: Math.max(MIN_PER_SECOND, BACKOFF_FACTOR * perSecond()), since: now() };
    },
  };
}

// Stop signals

/**
 * Why a broadcast ends or pauses before all recipients have a result. `shutdown`: this process ends, and another one
 * continues.
 */
export type StopReason = { kind: 'stopped' } | { kind: 'shutdown' } | { kind: 'paused'; pause: Pause };

/** Lease during which a process may work on a broadcast. */
export interface SendLease {
  /** Returns whether the lease is still held, so that no other process works on the broadcast. */
  isHeld(): boolean;
  isClosing(): boolean;
}

/** Minimum interval between throttled checks of the stop signals, in milliseconds. */
const STOP_CHECK_MS = 400;

/** Stop signals of a broadcast: control requests, shutdown, and admins who are no longer admins. */
export interface StopSignals {
  check(broadcast: Broadcast, lease: SendLease): Promise<StopReason | undefined>;
  /**
   * Returns a function that checks at most every 400 ms. It reports no stop signal while the storage is unreachable.
   */
  throttled(broadcast: Broadcast, lease: SendLease): () => Promise<StopReason | undefined>;
}

export function createStopSignals(deps: {
  store: Pick<BroadcastStore, 'controlRequest'>;
  isAdmin: (user: number) => boolean;
  now: () => number;
  log: Log;
}): StopSignals {
  const { store, isAdmin, now, log } = deps;

  async function check({ id, admin }: Broadcast, lease: SendLease): Promise<StopReason | undefined> {
    if (lease.isClosing()) return { kind: 'shutdown' };
    if (!isAdmin(admin)) return { kind: 'paused', pause: { why: 'nobody' } };
    const request = await store.controlRequest(id);
    if (request?.action === 'stop') return { kind: 'stopped' };
    return request && { kind: 'paused', pause: { why: 'admin', by: request.by } };
  }

  return {
    check,
    throttled(broadcast, lease) {
      let checkedAt = Number.NEGATIVE_INFINITY;
      return async () => {
        if (!lease.isClosing() && now() - checkedAt < STOP_CHECK_MS) return undefined;
        checkedAt = now();
        try {
          return await check(broadcast, lease);
        } catch (err) {
          log.warn({ err, broadcast: broadcast.id }, 'the control request of a broadcast could not be read');
          return undefined;
        }
      };
    },
  };
}

// Circuit breaker

/**
 * Result of an attempt.
 *
 * - `settled`: the recipient has a result. `refusal`: why Telegram refused the message.
 * - `rate-limited`: Telegram returned a 429.
 * - `retry`: nothing was sent, and the attempt is repeated after `afterMs`. `isCounted`: it is repeated only a few times.
 * - `pause`: nothing was sent, and the broadcast pauses.
 */
export type Attempt =
  | { kind: 'settled'; result: DeliveryResult; refusal?: string }
  | { kind: 'rate-limited'; afterMs: number }
  | { kind: 'retry'; afterMs: number; isCounted: boolean }
  | { kind: 'pause'; pause: Pause };

/**
 * Number of refusals without a delivery in between after which Telegram is assumed to refuse the message for all
 * recipients.
 */
const MAX_REFUSALS = 20;
/**
 * Number of lost responses without a delivery in between after which an admin must decide. These users may have the
 * message, and won't get it again.
 */
const MAX_LOST = 8;
/** Maximum wait after failures, in milliseconds. */
const MAX_BACKOFF_MS = 30_000;

/**
 * Circuit breaker. It separates failures of one recipient from failures of all, by counting the failures since the last
 * delivery.
 */
interface CircuitBreaker {
  /**
   * Counts the result of an attempt. Returns why the broadcast must pause, if it must. `waitMs`: time for which nothing
   * may be sent.
   */
  record(attempt: Attempt): { pause?: Pause; waitMs: number };
}

export function createCircuitBreaker(): CircuitBreaker {
  let refused = 0;
  let lost = 0;
  let failed = 0;
  const backoffMs = (count: number) => Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** Math.max(0, count - 4));

  return {
    record(attempt) {
      if (attempt.kind === 'pause') return { pause: attempt.pause, waitMs: 0 };
      if (attempt.kind === 'retry' && attempt.isCounted) {
        failed += 1;
        return { waitMs: backoffMs(failed) };
      }
      if (attempt.kind !== 'settled') return { waitMs: 0 };
      const { result, refusal } = attempt;
      if (result === 'sent') {
        refused = 0;
        lost = 0;
        failed = 0;
      }
      if (refusal !== undefined) refused += 1;
      if (result === 'unknown') lost += 1;
      if (lost >= MAX_LOST) return { pause: { why: 'lost' }, waitMs: 0 };
      if (refused >= MAX_REFUSALS && refusal !== undefined)
        return { pause: { why: 'refused', reason: refusal }, waitMs: 0 };
      return { waitMs: result === 'unknown' ? backoffMs(lost + 3) : 0 };
    },
  };
}
