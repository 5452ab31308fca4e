import type { DeliveryResult } from '../i18n/shared-views.ts';
import type { Log } from '../platform/log.ts';
import type { Outgoing } from '../telegram/sender.ts';
import type { Broadcast, BroadcastStore, Pause } from './store.ts';

/** Resolves after this many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

/** Telegram allows 30 a second (https://core.telegram.org/bots/faq); the rest is for replies. */
export const MAX_PER_SECOND = 25;
/** New messages of this process per second from which a broadcast waits: other messages come first. */
const MAX_TOTAL_PER_SECOND = 26;
/** Factor of the rate after a 429. */
const BACKOFF_FACTOR = 0.75;
const MIN_PER_SECOND = 1;
/** Time that a late sender may catch up, in multiples of the gap between two messages. */
const MAX_CATCH_UP_GAPS = 3;
/** Time in which the rate rises by one message per second without a 429, in milliseconds. */
const RECOVERY_MS = 10_000;

/** Returns the shortest duration of `count` messages, in milliseconds. */
export const durationMs = (count: number): number => Math.ceil(count / MAX_PER_SECOND) * 1_000;

export type BulkRateLimiter = ReturnType<typeof createBulkRateLimiter>;

/** Creates a broadcast's rate limiter, which spaces messages evenly: requests during a 429 prolong it. */
export function createBulkRateLimiter(deps: {
  outgoing: Pick<Outgoing, 'availableFrom'>;
  now: () => number;
}) {
  const { outgoing, now } = deps;
  let limit = { perSecond: MAX_PER_SECOND, since: now() };
  let nextAt = 0;

  const perSecond = () => Math.min(MAX_PER_SECOND, limit.perSecond + (now() - limit.since) / RECOVERY_MS);

  return {
    /** Returns the milliseconds until the next message may be sent. At 0, it is counted as sent now. */
    acquire(): number {
      const at = Math.max(nextAt, outgoing.availableFrom(MAX_TOTAL_PER_SECOND, now()));
      if (at > now()) return at - now();
      const gapMs = 1_000 / perSecond();
      // A late message doesn't delay the later ones, unless it is very late.
      nextAt = (now() - nextAt > MAX_CATCH_UP_GAPS * gapMs ? now() : nextAt) + gapMs;
      return 0;
    },
    onRateLimited(): void {
      limit = { perSecond: Math.max(MIN_PER_SECOND, BACKOFF_FACTOR * perSecond()), since: now() };
    },
  };
}

/** Why a broadcast ends or pauses early. `shutdown`: this process ends, and another one continues. */
export type StopReason = { kind: 'stopped' } | { kind: 'shutdown' } | { kind: 'paused'; pause: Pause };

export interface SendLease {
  /** Returns whether the lease is still held, so that no other process works on the broadcast. */
  isHeld(): boolean;
  isClosing(): boolean;
}

/** Minimum interval between throttled checks of the stop signals, in milliseconds. */
const STOP_CHECK_MS = 400;

export type StopSignals = ReturnType<typeof createStopSignals>;

/** Creates the stop signals of a broadcast: control requests, shutdown, and removed admins. */
export function createStopSignals(deps: {
  store: Pick<BroadcastStore, 'controlRequest'>;
  isAdmin: (user: number) => boolean;
  now: () => number;
  log: Log;
}) {
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
    /** Returns a function that checks at most every 400 ms, and finds nothing during storage outages. */
    throttled(broadcast: Broadcast, lease: SendLease) {
      let checkedAt = Number.NEGATIVE_INFINITY;
      return async (): Promise<StopReason | undefined> => {
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

/**
 * Result of an attempt. `settled`: the recipient has a result; `refusal` is Telegram's reason.
 * `rate-limited`: Telegram returned a 429. `retry`: nothing was sent; `isCounted` limits the repetitions.
 * `pause`: nothing was sent, and the broadcast pauses.
 */
export type Attempt =
  | { kind: 'settled'; result: DeliveryResult; refusal?: string }
  | { kind: 'rate-limited'; afterMs: number }
  | { kind: 'retry'; afterMs: number; isCounted: boolean }
  | { kind: 'pause'; pause: Pause };

/** Refusals without a delivery in between from which Telegram is assumed to refuse all recipients. */
const MAX_REFUSALS = 20;
/** Lost responses without a delivery in between after which an admin must decide. */
const MAX_LOST = 8;
/** Maximum wait after failures, in milliseconds. */
const MAX_BACKOFF_MS = 30_000;

/** Creates a circuit breaker, which counts failures since the last delivery. */
export function createCircuitBreaker() {
  let refused = 0;
  let lost = 0;
  let failed = 0;
  const backoffMs = (count: number) => Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** Math.max(0, count - 4));

  return {
    /** Counts an attempt. `pause`: why to pause. `waitMs`: time for which nothing may be sent. */
    record(attempt: Attempt): { pause?: Pause; waitMs: number } {
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
