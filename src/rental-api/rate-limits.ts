import { createHash, randomUUID } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../platform/clock.ts';
import type { SharedRateLimiter } from '../platform/rate-limit.ts';
import type { ResponseHead } from '../platform/service-calls.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import { requestsPerMinute } from './endpoints.ts';

/**
 * Priority of a request.
 *
 * - `background`: a read that can wait, such as a poll. Stops before the last ten requests of a bucket or its last quarter,
 *   whichever is smaller.
 * - `user`: a read for a user who waits for a reply. Leaves the last few requests of a bucket to operations.
 * - `operation`: a request of a confirmed operation. Waits only if the endpoint itself has no request left.
 */
export type Priority = 'background' | 'user' | 'operation';

/** Maximum wait of a request because of a rate limit, in milliseconds. */
const MAX_HOLD_MS = MINUTE_MS;
/** Maximum wait to report, in milliseconds. A longer one is an error of the service. */
const MAX_REPORTED_WAIT_MS = HOUR_MS;
const MAX_KEYS = 5_000;

/** Age of a response from which other replicas may have used many requests since, in milliseconds. */
const STALE_MS = 5_000;
/** Maximum background reads that this process sends at once without a response that isn't stale. */
const MAX_UNINFORMED = 3;
const UNINFORMED_RETRY_MS = 1_000;
/** Delay of a background read while the storage can't count it, in milliseconds. */
const UNCOUNTED_RETRY_MS = 5_000;

/** Maximum difference between the service's clock and ours, and rounding of its reset, in milliseconds. */
const TOLERANCE_MS = 2_000;
/** Contradictions in a row after which two endpoints count as separate. */
const CONTRADICTIONS = 2;

/** Returns how many requests of a bucket this priority leaves to others. */
function reserveOf(priority: Priority, limit: number): number {
  if (priority === 'background') return Math.min(10, Math.ceil(limit / 4));
  return priority === 'user' ? Math.min(3, Math.floor(limit / 20)) : 0;
}

/** Rate limit that a response reported. */
interface Report {
  /** Requests a minute. */
  limit: number;
  remaining: number;
  /** Time of the stated reset in epoch milliseconds, at most a minute after the response. */
  until: number;
  isResetStated: boolean;
}

/** Request of this process. `begun` and `ended` are positions in the order of all beginnings and ends. */
interface OwnRequest {
  endpoint: string;
  priority: Priority;
  begunAt: number;
  begun: number;
  /** Infinity while no response has arrived. */
  ended: number;
  endedAt: number;
  /** The service has certainly counted it. */
  isCounted: boolean;
  report?: Report;
}

type Reported = OwnRequest & { report: Report };

/** Requests with an API key, and conclusions about its buckets. */
interface Buckets {
  /** Requests of the last minute, oldest first. */
  requests: OwnRequest[];
  /** Latest request with a report, by endpoint. */
  latest: Map<string, Reported>;
  /** Pairs of endpoints that have separate buckets, as `pairOf` names them. */
  separate: Set<string>;
  /** Contradictions in a row, by two endpoints in the order of their requests. `from`: the first request of the latest one. */
  contradictions: Map<string, { count: number; from: OwnRequest }>;
  /** At the stated reset all requests come back. In a sliding window it may be only the oldest one. */
  resetsInFull: boolean;
}

/**
 * Learns the service's rate limits (section 8) from its responses, and decides which requests may be sent. The specification
 * doesn't say whether endpoints have buckets of their own or share one, nor whether a window is fixed or sliding.
 *
 * **Shared or separate.** Endpoints of the same limit count as sharing a bucket until two pairs of responses in a row
 * contradict it. A response of B contradicts a bucket shared with A if all of this holds:
 *
 * - B was requested after A's latest response, and answered before the reset that A's response stated: so a fixed window
 *   didn't end in between;
 * - B has at least as many requests remaining as A had, plus those that a bucket which refills evenly regained since;
 * - B has used fewer requests than this process made to both within the last minute: so a sliding window isn't the reason.
 *
 * Requests of other replicas only lower what remains, so they can't cause a contradiction. Two in a row, with two
 * responses of A, exclude a service that states a wrong reset. A 429 revokes all conclusions about its endpoint.
 *
 * **Guarantees.** Background reads of all replicas together leave the reserve in any minute, because the shared rate limiter
 * counts them. In addition, each process stops at the reserve by its latest response of the bucket, which reflects all
 * requests of all replicas, minus its own requests since. A process without a response of the last five seconds sends at most
 * three background reads at a time. So requests of users at other replicas, which aren't counted in the storage, can cost
 * three requests of the reserve for each replica. Before the first response, the limits of the specification apply.
 *
 * Errors are on the safe side. If a stated reset brings few requests back, reports count for a minute. A wrong *shared*
 * delays background reads by a minute at most. Operations never wait for a bucket of another endpoint. Users' reads do so
 * only while that bucket has requests left to keep for operations.
 *
 * Keys are hashed. Without `sharedLimiter`, only this process counts.
 *
 * @example
 * const request = rateLimits.begin({ key, endpoint: 'buyEnergy', priority: 'operation' });
 * if (request.kind === 'held') return tryAgainIn(request.waitMs);
 * request.answered((await send()).head);
 */
export function createRateLimits(deps: {
  now: () => number;
  sharedLimiter?: Pick<SharedRateLimiter, 'acquire'> | undefined;
}) {
  const { now, sharedLimiter } = deps;
  const byKey = createTtlCache<string, Buckets>({ maxEntries: MAX_KEYS });
  let order = 0;

  function bucketsOf(key: string): Buckets {
    const found = byKey.get(key);
    if (found) return found;
    const created: Buckets = {
      requests: [],
      latest: new Map(),
      separate: new Set(),
      contradictions: new Map(),
      resetsInFull: true,
    };
    byKey.set(key, created);
    return created;
  }

  function limitOf({ latest }: Buckets, endpoint: string): number {
    return latest.get(endpoint)?.report.limit ?? requestsPerMinute(endpoint);
  }

  function areSeparate({ latest, separate }: Buckets, one: string, other: string): boolean {
    if (one === other) return false;
    if (separate.has(pairOf(one, other))) return true;
    const [first, second] = [latest.get(one)?.report.limit, latest.get(other)?.report.limit];
    // A custom limit of one endpoint says nothing about another one that wasn't requested yet.
    return first === undefined || second === undefined
      ? requestsPerMinute(one) !== requestsPerMinute(other)
      : first !== second;
  }

  /** Returns until when a report limits reads that leave requests to others. */
  function endOf({ resetsInFull }: Buckets, { report, endedAt }: Reported): number {
    return resetsInFull ? report.until : endedAt + MINUTE_MS;
  }

  /** Returns the current report of the endpoints that was received last. */
  function latestOf(buckets: Buckets, isIncluded: (endpoint: string) => boolean): Reported | undefined {
    return [...buckets.latest.values()]
      .filter((one) => isIncluded(one.endpoint) && now() < endOf(buckets, one))
      .toSorted((one, other) => other.ended - one.ended)[0];
  }

  /** Returns the requests that were left, minus those of this process since the report. */
  function leftOf(buckets: Buckets, from: Reported, isSince: (request: OwnRequest) => boolean): number {
    return from.report.remaining - buckets.requests.filter((own) => own !== from && isSince(own)).length;
  }

  /** Returns how long a request must wait, in milliseconds; 0 for not at all. */
  function waitOf(buckets: Buckets, endpoint: string, priority: Priority): number {
    const isOwn = (other: string) => other === endpoint;
    const own = latestOf(buckets, isOwn);
    if (own && now() < own.report.until) {
      const left = leftOf(buckets, own, (one) => isOwn(one.endpoint) && one.begun > own.ended);
      if (left <= 0) return own.report.until - now();
    }
    if (priority === 'operation') return 0;
    const mayShare = (other: string) => !areSeparate(buckets, endpoint, other);
    const reserve = reserveOf(priority, limitOf(buckets, endpoint));
    for (const [from, isIncluded] of [
      [own, isOwn],
      [latestOf(buckets, mayShare), mayShare],
    ] as const) {
      if (from === undefined) continue;
      // Requests that overlap the reported one may not be counted in it.
      const left = leftOf(buckets, from, (one) => isIncluded(one.endpoint) && one.ended > from.begun);
      // For a user, an exhausted bucket of another endpoint has nothing to keep.
      const hasReserve = priority === 'background' || from.report.remaining > 0;
      if (hasReserve && left <= reserve) return endOf(buckets, from) - now();
    }
    return priority === 'background' ? waitUninformed(buckets, endpoint, reserve) : 0;
  }

  /** Returns the wait of a background read if other replicas may have used more than this process knows. */
  function waitUninformed(buckets: Buckets, endpoint: string, reserve: number): number {
    const mayShare = (other: string) => !areSeparate(buckets, endpoint, other);
    const latest = latestOf(buckets, mayShare);
    if (latest !== undefined && now() - latest.endedAt < STALE_MS) return 0;
    const shared = buckets.requests.filter((own) => mayShare(own.endpoint));
    const pending = shared.filter(({ ended, priority }) => ended === Infinity && priority === 'background');
    if (pending.length >= MAX_UNINFORMED) return UNINFORMED_RETRY_MS;
    if (latest !== undefined) return 0;
    const [oldest, ...others] = shared;
    const isAtReserve = oldest && limitOf(buckets, endpoint) - 1 - others.length <= reserve;
    return isAtReserve ? Math.max(UNINFORMED_RETRY_MS, oldest.begunAt + MINUTE_MS - now()) : 0;
  }

  /** Counts a background read together with those of other replicas. Returns how long it must wait. */
  async function countShared(buckets: Buckets, key: string, endpoint: string): Promise<number> {
    const limit = limitOf(buckets, endpoint);
    const hasOwnBucket = [...buckets.separate].some((pair) => pair.split(' ').includes(endpoint));
    const name = `rental-reads:${key}:${hasOwnBucket ? endpoint : limit}`;
    const max = limit - reserveOf('background', limit);
    try {
      return (await sharedLimiter?.acquire(name, randomUUID(), { max, withinMs: MINUTE_MS })) ?? 0;
    } catch {
      return UNCOUNTED_RETRY_MS;
    }
  }

  /** Notices whether the reset that the endpoint's previous response stated has brought most requests back. */
  function noticeReset(buckets: Buckets, { endpoint, begunAt, report }: Reported): void {
    const before = buckets.latest.get(endpoint)?.report;
    if (before === undefined || begunAt < before.until || before.remaining > report.limit / 2) return;
    buckets.resetsInFull = report.remaining > (before.remaining + report.limit) / 2;
  }

  /** Forgets which endpoints don't share the bucket of this one. */
  function revoke({ separate, contradictions }: Buckets, endpoint: string): void {
    for (const names of [separate, contradictions])
      for (const name of [...names.keys()]) if (name.split(' ').includes(endpoint)) names.delete(name);
  }

  /** Compares a report with the latest ones of other endpoints (see above). */
  function compare(buckets: Buckets, given: Reported): void {
    const { endpoint, report } = given;
    const used = report.limit - report.remaining;
    for (const before of buckets.latest.values()) {
      const isComparable =
        before.endpoint !== endpoint &&
        !areSeparate(buckets, before.endpoint, endpoint) &&
        before.ended < given.begun &&
        before.report.isResetStated &&
        now() + TOLERANCE_MS < before.report.until;
      if (!isComparable) continue;
      const refilled = (report.limit * (now() - before.begunAt)) / MINUTE_MS;
      const countedBefore = buckets.requests.filter(
        (own) =>
          (own.endpoint === endpoint || own.endpoint === before.endpoint) &&
          own.isCounted &&
          own.ended < given.begun &&
          own.begunAt > now() - MINUTE_MS + TOLERANCE_MS,
      ).length;
      const name = `${before.endpoint} ${endpoint}`;
      const isContradiction =
        report.remaining - before.report.remaining >= refilled && used < countedBefore + 1;
      if (isContradiction) {
        const last = buckets.contradictions.get(name);
        const count = last === undefined ? 1 : last.count + (last.from === before ? 0 : 1);
        buckets.contradictions.set(name, { count, from: before });
        if (count >= CONTRADICTIONS) buckets.separate.add(pairOf(before.endpoint, endpoint));
      } else if (report.remaining < before.report.remaining) buckets.contradictions.delete(name);
    }
  }

  return {
    /**
     * Begins a request, or holds it back for `waitMs`. A background read must be counted before it is sent. At the end of a
     * request, call `notSent` or `answered`, unless `count` returned a wait.
     */
    begin(about: { key: string; endpoint: string; priority: Priority }) {
      const { endpoint, priority } = about;
      const key = createHash('sha256').update(about.key).digest('base64url');
      const buckets = bucketsOf(key);
      const { requests } = buckets;
      while (requests[0] && requests[0].begunAt <= now() - MINUTE_MS) requests.shift();
      const waitMs = waitOf(buckets, endpoint, priority);
      if (waitMs > 0) return { kind: 'held', waitMs } as const;
      order += 1;
      const own: OwnRequest = {
        endpoint,
        priority,
        begun: order,
        begunAt: now(),
        ended: Infinity,
        endedAt: Infinity,
        isCounted: false,
      };
      requests.push(own);
      /** Withdraws the request, of which nothing was sent. */
      const notSent = (): void => {
        const at = requests.indexOf(own);
        if (at >= 0) requests.splice(at, 1);
      };
      return {
        kind: 'begun' as const,
        notSent,
        /**
         * Counts a background read together with those of other replicas. Returns 0, or the wait in milliseconds of a read
         * that may not be sent. Never rejects.
         */
        async count(): Promise<number> {
          const waitMs = await countShared(buckets, key, endpoint);
          if (waitMs > 0) notSent();
          return waitMs;
        },
        /**
         * Ends the request. `head` is `undefined` if none arrived. `statedMs` is the wait in the text of a 429. Returns the
         * wait before the next request after a 429, in milliseconds, otherwise `undefined`.
         */
        answered(head: ResponseHead | undefined, statedMs?: number): number | undefined {
          order += 1;
          own.ended = order;
          own.endedAt = now();
          if (head === undefined) return undefined;
          const isLimited = head.status === 429;
          own.isCounted = !isLimited && head.status < 500;
          const perMinute = requestsPerMinute(endpoint);
          const reported = readRateLimit(head, { now: now(), perMinute });
          if (reported === undefined) return undefined;
          const resetMs = statedMs ?? reported.resetMs;
          const given: Reported = Object.assign(own, {
            report: {
              limit: reported.limit ?? perMinute,
              remaining: reported.remaining,
              until: now() + Math.min(resetMs, MAX_HOLD_MS),
              isResetStated: reported.isResetStated,
            },
          });
          if (isLimited) revoke(buckets, endpoint);
          else {
            noticeReset(buckets, given);
            compare(buckets, given);
          }
          buckets.latest.set(endpoint, given);
          return isLimited ? resetMs : undefined;
        },
      };
    },
  };
}

function pairOf(one: string, other: string): string {
  return [one, other].toSorted().join(' ');
}

/**
 * Reads the `X-RateLimit-*` headers and `Retry-After` of a response. The specification doesn't say whether the reset is in
 * seconds or an epoch, so its size decides. If it is missing, the reset is 60 seconds divided by `perMinute`. Returns
 * `undefined` if the response doesn't say how many requests remain.
 */
export function readRateLimit(
  { status, headers }: ResponseHead,
  { now, perMinute }: { now: number; perMinute: number },
) {
  const remaining = status === 429 ? 0 : integer(headers['x-ratelimit-remaining']);
  if (remaining === undefined) return undefined;
  const stated = status === 429 ? integer(headers['retry-after']) : undefined;
  const reset = integer(headers['x-ratelimit-reset']);
  let resetMs = Math.ceil(MINUTE_MS / perMinute);
  if (stated !== undefined) resetMs = stated * 1000;
  else if (reset !== undefined) resetMs = fromNow(reset, now);
  return {
    limit: integer(headers['x-ratelimit-limit']),
    remaining,
    resetMs: Math.min(resetMs, MAX_REPORTED_WAIT_MS),
    isResetStated: reset !== undefined,
  };
}

function fromNow(reset: number, now: number): number {
  if (reset < 1e8) return reset * 1000;
  return Math.max(0, (reset < 1e11 ? reset * 1000 : reset) - now);
}

function integer(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header.trim()) ? Number(header) : undefined;
}

const AMOUNT = String.raw`(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(ms|msecs?|millisec(?:ond)?s?|s|m|h|sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?)(?![a-z])`;
/** One or more amounts of time. Not the period of a limit, as in `60 requests per 1 minute`. */
const DURATION = new RegExp(
  String.raw`(?<![\d.,]|\b(?:per|every|each)\s*|\/\s*)${AMOUNT}(?:(?:\s*(?:,|and))?\s*${AMOUNT})*`,
  'i',
);

/** Reads the wait in the text of a 429, in milliseconds, at most an hour: `Try again in 1 minute 30 s` → 90,000. */
export function readWait(text: string): number | undefined {
  const [duration] = DURATION.exec(text) ?? [];
  if (duration === undefined) return undefined;
  const amounts = [...duration.matchAll(new RegExp(AMOUNT, 'gi'))].map(
    ([, count = '', unit = '']) => Number(count.replaceAll(',', '')) * unitMs(unit.toLowerCase()),
  );
  const waitMs = Math.ceil(amounts.reduce((sum, ms) => sum + ms, 0));
  return Math.min(waitMs, MAX_REPORTED_WAIT_MS);
}

function unitMs(unit: string): number {
  if (unit.startsWith('ms') || unit.startsWith('milli')) return 1;
  if (unit.startsWith('s')) return 1_000;
  return unit.startsWith('m') ? MINUTE_MS : 60 * MINUTE_MS;
}
