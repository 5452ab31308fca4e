import { z } from 'zod';
import type { AccountKey } from '../accounts/account-keys.ts';
import { delayBefore } from '../platform/async.ts';
import { createDueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { defineRecord, keyOf } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { heldBackMs, type Outcome } from '../rental-api/client.ts';

export const POLL_KINDS = ['deposits', 'withdrawals', 'log', 'balance'] as const;
export type PollKind = (typeof POLL_KINDS)[number];

/** Poll target: one resource of one account. */
export interface PollTarget {
  account: number;
  kind: PollKind;
}

export interface PollResult {
  /** Names of all known items. */
  knownItems: readonly string[];
  hasChanged: boolean;
  /** Delay until the next poll, in milliseconds, if some items must be read again soon. */
  repollInMs?: number | undefined;
  /** Maximum interval of regular polls, in milliseconds. */
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
  /** Consecutive failed polls. */
  failedPolls: z.number(),
});
export type PollState = z.infer<typeof pollStateSchema>;

/** Stored state of a poll target. Affects only which notifications are sent. Its TTL exceeds the longest poll interval. */
export const POLL_STATE = defineRecord({
  keys: 'poll-state:account:kind',
  content: 'Known deposits, withdrawals, webhook log or balance of an account',
  schema: pollStateSchema,
  ttlMs: 40 * 24 * 3600_000,
  expiry: '40 days since the last poll',
  signed: false,
  retained: { elsewhere: 'kept-account' },
});

/** Maximum age of items that cause notifications at the first poll, in milliseconds, even if the link is older. */
const MAX_AGE_AT_FIRST_POLL_MS = 24 * 3600_000;

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

/** `expected`: a change is expected. `active`: changed lately. `idle`: everything else. */
const PRIORITIES = ['expected', 'active', 'idle'] as const;
type PollPriority = (typeof PRIORITIES)[number];

const MINUTE_MS = 60_000;
/** Intervals of regular polls, in minutes, by the number of polls without a change. The last one repeats. */
const REGULAR_MINUTES = [1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360] as const;
/**
 * Delays until the next poll for an expected change, in milliseconds. The list may show the change later than its
 * event.
 */
const EXPECTED_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];

/** Longest delay of each priority, in milliseconds. */
const LONGEST_MS: Readonly<Record<PollPriority, number>> = {
  expected: Math.max(...EXPECTED_DELAYS_MS),
  active: Math.max(...EXPECTED_DELAYS_MS),
  idle: MINUTE_MS * Math.max(...REGULAR_MINUTES),
};

/** Due queues of poll targets, one for each priority. */
export const POLLS = defineDueQueue({
  keys: 'polls:priority',
  ref: { account: 'number', kind: 'string' },
  longestMs: LONGEST_MS.idle,
  content: 'When each account is polled next',
  expiry: 'none: a single key; accounts without holders are removed',
  retained: { elsewhere: 'kept-account' },
});

/** Maximum number of targets per priority that `scheduleAllNow` reads. */
const MAX_SCHEDULED = 200_000;
/** Number of targets that `scheduleAllNow` moves concurrently. */
const SCHEDULE_BATCH = 500;

/** Due queue of poll targets with priorities, shared by all replicas. Delays count from the storage's clock. */
export function createPollSchedule({ storage }: { storage: Pick<Storage, 'index'> }) {
  const definitionOf = (priority: PollPriority) => ({
    ...POLLS,
    keys: keyOf(POLLS.keys, { priority }),
    longestMs: LONGEST_MS[priority],
  });
  const [expected, active, idle] = [
    createDueQueue(definitionOf('expected'), { storage }),
    createDueQueue(definitionOf('active'), { storage }),
    createDueQueue(definitionOf('idle'), { storage }),
  ];
  const queues = [expected, active, idle];

  /** Returns due members. Removes those of an unknown kind, which would block the queue. */
  async function dueMembers(queue: (typeof queues)[number], limit: number): Promise<string[]> {
    const refs = await queue.due(limit);
    const unknown = refs.filter((ref) => targetOf(queue.memberOf(ref)) === undefined);
    await Promise.all(unknown.map(queue.remove));
    return refs.filter((ref) => !unknown.includes(ref)).map(queue.memberOf);
  }

  return {
    /** Adds an active target, or moves it forward if it is due later than in `ms`. */
    scheduleNoLaterThan: (target: PollTarget, ms: number) => active.scheduleNoLaterThan(target, ms),

    /** Adds an idle target: its first poll may take as long as that of any idle one. */
    addIdle: (target: PollTarget, ms: number) => idle.scheduleIfMissing(target, ms),

    /** Leases a due target for `ms`. If its replica crashes, the target comes due again. Clears its expectation. */
    lease: (target: PollTarget, ms: number) =>
      active.moveFrom([definitionOf('idle'), definitionOf('expected')], target, ms),

    /** Sets the next regular poll and keeps an expectation. A long delay makes the target idle. */
    scheduleIn(priority: 'active' | 'idle', target: PollTarget, ms: number) {
      return priority === 'active' && ms <= LONGEST_MS.active
        ? active.moveFrom([definitionOf('idle')], target, ms)
        : idle.moveFrom([definitionOf('active')], target, ms);
    },

    /** Marks a change as expected within `ms`. Never delays an earlier expectation. */
    expectChange: (target: PollTarget, ms: number) => expected.scheduleNoLaterThan(target, ms),

    remove: (target: PollTarget) => Promise.all(queues.map((queue) => queue.remove(target))),

    /**
     * Returns due targets: expected ones first, then active ones, then idle ones. A tenth of `limit` is reserved for
     * idle ones.
     */
    async due(limit: number): Promise<{ target: PollTarget; isExpected: boolean }[]> {
      const [expectedNow = [], activeNow = [], idleNow = []] = await Promise.all(
        queues.map((queue) => dueMembers(queue, limit)),
      );
      const reserved = Math.min(idleNow.length, Math.ceil(limit / 10));
      const first = [...new Set([...expectedNow, ...activeNow])].slice(0, limit - reserved);
      const members = [...new Set([...first, ...idleNow.slice(0, limit - first.length)])];
      const isExpected = new Set(expectedNow);
      return members.flatMap((member) => {
        const target = targetOf(member);
        return target ? [{ target, isExpected: isExpected.has(member) }] : [];
      });
    },

    /** Makes all targets of this kind due, active ones first. */
    async scheduleAllNow(kind: PollKind): Promise<void> {
      for (const queue of [active, idle]) {
        const targets = (await queue.scheduled(MAX_SCHEDULED)).filter((target) => target.kind === kind);
        for (let from = 0; from < targets.length; from += SCHEDULE_BATCH) {
          const batch = targets.slice(from, from + SCHEDULE_BATCH);
          await Promise.all(batch.map((target) => queue.scheduleNoLaterThan(target, 0)));
        }
      }
    },
  };
}

/** Returns the stored form of a target: `1001/deposits`. */
export function memberOf({ account, kind }: PollTarget): string {
  return `${account}/${kind}`;
}

/** Returns the target of a stored member; `undefined` if it is malformed. */
export function targetOf(member: string): PollTarget | undefined {
  const [account, name] = member.split('/');
  const kind = POLL_KINDS.find((known) => known === name);
  const target = kind && { account: Number(account), kind };
  // Other spellings of the same target could never be removed.
  return target && Number.isSafeInteger(target.account) && memberOf(target) === member ? target : undefined;
}

/** A target counts as idle after this many polls without a change. */
const IDLE_AFTER_POLLS = 5;
/** Retry delays after failed polls, in milliseconds. Refused polls are retried at the regular intervals. */
const RETRY_DELAYS_MS = [2_000, 5_000, 10_000, 30_000, 60_000] as const;

/**
 * Expectation of a change before a poll. `none`: no change expected by this process. `new`: first poll for the change.
 * `unmet`: an earlier poll didn't show it.
 */
export type Expectation = 'none' | 'new' | 'unmet';

/**
 * Returns when to poll next, and the state to store. `expectedDelayMs` is the delay until the next poll for a change that
 * is still expected. `outcome` is `undefined` if no key opens the account at the moment.
 */
export function nextPoll(
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
