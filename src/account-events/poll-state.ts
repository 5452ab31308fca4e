import { z } from 'zod';
import type { AccountKey } from '../accounts/account-keys.ts';
import { delayBefore } from '../platform/async.ts';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import { definePollSchedule } from '../platform/poll-schedule.ts';
import { defineRecord } from '../platform/records.ts';
import { heldBackMs, type Outcome } from '../rental-api/client.ts';

export const POLL_KINDS = ['deposits', 'withdrawals', 'log', 'balance', 'subscriptions'] as const;
export type PollKind = (typeof POLL_KINDS)[number];

export interface PollTarget {
  account: number;
  kind: PollKind;
}

export interface PollResult {
  knownItems: readonly string[];
  hasChanged: boolean;
  /** Delay until the next poll, in milliseconds, if some items must be read again soon. */
  repollInMs?: number | undefined;
  maxIntervalMs?: number | undefined;
}

const pollStateSchema = z.object({
  /** Epoch milliseconds: earlier items cause no notification. */
  since: z.number(),
  /** Epoch milliseconds of the latest poll. Remains the same until the result of the next one is stored. */
  polledAt: z.number(),
  /** Names of the known items. `undefined` until the first successful poll. */
  knownItems: z.array(z.string()).optional(),
  /** Consecutive polls without a change, except polls for an expected change. */
  unchangedPolls: z.number(),
  /** Consecutive polls that didn't show the expected change. */
  expectationPolls: z.number(),
  failedPolls: z.number(),
  /** Epoch milliseconds of the latest regular profile check. `undefined` if the key that was selected first failed since. */
  verifiedAt: z.number().optional(),
});
export type PollState = z.infer<typeof pollStateSchema>;

/** Stored state of a poll target. Affects only which notifications are sent. Its TTL exceeds the longest poll interval. */
export const POLL_STATE = defineRecord({
  keys: 'poll-state:account:kind',
  content: 'Known deposits, withdrawals, webhook log, balance or Smart Mode subscriptions of an account',
  schema: pollStateSchema,
  ttlMs: 40 * DAY_MS,
  expiry: '40 days since the last poll',
  signed: false,
  retained: { elsewhere: 'kept-account' },
});

/** Minimum delay until the first regular poll of an account, in milliseconds. */
export const FIRST_POLL_MS = MINUTE_MS;

/** Maximum age of items that cause notifications at the first poll, in milliseconds, even if the link is older. */
const MAX_AGE_AT_FIRST_POLL_MS = DAY_MS;

/**
 * Returns the state before a poll. It starts anew if none is stored, or if all holders have linked the account since
 * the latest poll.
 */
export function stateBeforePoll(key: AccountKey, stored: PollState | undefined, now: number): PollState {
  const linkedAt = (key.kind === 'key' ? key.since : undefined) ?? Number.NEGATIVE_INFINITY;
  // After the clock was set back, a link in the future was made before this poll, and `since` counts as now.
  if (stored !== undefined && (linkedAt <= stored.polledAt || linkedAt > now))
    return { ...stored, since: Math.min(stored.since, now) };
  const isRecentLink = linkedAt !== Number.NEGATIVE_INFINITY && linkedAt <= now;
  const since = isRecentLink ? Math.max(linkedAt, now - MAX_AGE_AT_FIRST_POLL_MS) : now;
  return { since, polledAt: since, unchangedPolls: 0, expectationPolls: 0, failedPolls: 0 };
}

/** Intervals of regular polls, in minutes, by the number of polls without a change. The last one repeats. */
const REGULAR_MINUTES = [1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360] as const;
/**
 * Delays until the next poll for an expected change, in milliseconds. The list may show the change later than its
 * event.
 */
const EXPECTED_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS];

/**
 * When targets are polled. `announced`: something indicates a change. `expected`: an announced change wasn't there yet.
 * `opened`: the user has opened the menu. `active`: changed lately. `idle`: everything else.
 */
export const POLLS = definePollSchedule({
  keys: 'polls:priority',
  ref: { account: 'number', kind: POLL_KINDS },
  priorities: {
    announced: Math.max(...EXPECTED_DELAYS_MS),
    expected: Math.max(...EXPECTED_DELAYS_MS),
    opened: Math.max(...EXPECTED_DELAYS_MS),
    active: Math.max(...EXPECTED_DELAYS_MS),
    idle: MINUTE_MS * Math.max(...REGULAR_MINUTES),
  },
  leaseMs: 20_000,
  content:
    'When each account is polled next, by priority: `announced`, `expected`, `opened`, `active` or `idle`; `leased` while it is polled',
  expiry: 'none: six keys; accounts without holders are removed',
  retained: { elsewhere: 'kept-account' },
});

const IDLE_AFTER_POLLS = 5;
/** Retry delays after failed polls, in milliseconds. Refused polls are retried at the regular intervals. */
const RETRY_DELAYS_MS = [2_000, 5_000, 10_000, 30_000, MINUTE_MS] as const;

/** Priority with which a target is scheduled. */
export type PollPriority = keyof typeof POLLS.priorities;

/** Expectation of a change before a poll. `new`: first poll for the change. `unmet`: an earlier poll didn't show it. */
export type Expectation = 'none' | 'new' | 'unmet';

/**
 * Returns when to poll next, and the state to store. `expectedDelayMs` is the delay until the next poll for a change that
 * is still expected. `outcome` is `undefined` if no key opens the account at the moment.
 */
export function nextPollOfTarget(
  before: PollState,
  poll: { outcome: Outcome<PollResult> | undefined; expectation: Expectation; now: number },
): { state: PollState; priority: 'active' | 'idle'; delayMs: number; expectedDelayMs: number | undefined } {
  const { outcome, expectation, now } = poll;
  const heldMs = heldBackMs(outcome);
  if (heldMs !== undefined) {
    const expectedDelayMs = expectation === 'none' ? undefined : heldMs;
    return { state: before, priority: 'active', delayMs: heldMs, expectedDelayMs };
  }
  if (outcome?.kind !== 'accepted') {
    const { failedPolls } = before;
    const state = { ...before, failedPolls: failedPolls + 1 };
    const retryAfterMs = outcome && 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
    const isRefused = outcome === undefined || (outcome.kind === 'rejected' && retryAfterMs === undefined);
    if (isRefused)
      return { state, priority: 'idle', delayMs: regularIntervalMs(failedPolls), expectedDelayMs: undefined };
    const delayMs = Math.max(retryAfterMs ?? 0, delayBefore(failedPolls, RETRY_DELAYS_MS));
    const expectedDelayMs = expectation === 'none' ? undefined : delayMs;
    return { state, priority: 'active', delayMs, expectedDelayMs };
  }
  const { knownItems, hasChanged, repollInMs, maxIntervalMs = Number.POSITIVE_INFINITY } = outcome.value;
  const isUnmet = !hasChanged && (expectation !== 'none' || before.expectationPolls > 0);
  const expectationPolls = expectation === 'new' ? 0 : before.expectationPolls;
  const unmetDelayMs = isUnmet ? EXPECTED_DELAYS_MS[expectationPolls] : undefined;
  const [expectedDelayMs] = [repollInMs, unmetDelayMs]
    .filter((ms) => ms !== undefined)
    .toSorted((a, b) => a - b);
  // Further changes are likely to follow soon.
  const unchangedPolls = hasChanged || isUnmet ? 0 : before.unchangedPolls + 1;
  const intervalMs = Math.min(regularIntervalMs(Math.max(0, unchangedPolls - 1)), maxIntervalMs);
  return {
    state: {
      since: before.since,
      polledAt: now,
      knownItems: [...knownItems],
      unchangedPolls,
      expectationPolls: unmetDelayMs === undefined ? 0 : expectationPolls + 1,
      failedPolls: 0,
    },
    priority: unchangedPolls < IDLE_AFTER_POLLS ? 'active' : 'idle',
    delayMs: Math.max(intervalMs, expectedDelayMs ?? 0),
    expectedDelayMs,
  };
}

function regularIntervalMs(unchangedPolls: number): number {
  return delayBefore(unchangedPolls, REGULAR_MINUTES) * MINUTE_MS;
}
