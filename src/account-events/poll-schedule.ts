import { z } from 'zod';
import type { AccountKey } from '../accounts/account-keys.ts';
import { defineRecord } from '../platform/records.ts';
import { delayBefore } from '../platform/retry.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';

export const POLL_KINDS = ['deposits', 'withdrawals', 'log', 'balance'] as const;
export type PollKind = (typeof POLL_KINDS)[number];

/** Poll target: one resource of one account. */
export interface PollTarget {
  account: number;
  kind: PollKind;
}

/** Result of a poll: the names of all known items, and whether something changed. */
export interface PollResult {
  knownItems: readonly string[];
  hasChanged: boolean;
  /** Delay until the next poll, in milliseconds, if some items must be read again soon. */
  repollInMs?: number | undefined;
  /** Maximum interval of regular polls, in milliseconds. */
  maxIntervalMs?: number | undefined;
}

/** Account that is polled, with the state before the poll. */
export interface PollBaseline extends Pick<PollState, 'since' | 'polledAt'> {
  account: number;
  knownItems: readonly string[] | undefined;
}

/** Poller of one resource of an account. To add one, add its kind to `POLL_KINDS` and the poller to `createAccountPollers`. */
export interface Poller {
  kind: PollKind;
  /** Returns whether any user needs the result. If not, the service isn't polled. */
  isNeeded?(account: number): Promise<boolean>;
  /** The response names its account, so the key needn't be checked before. */
  namesAccount?: true;
  /** Polls the service and sends notifications about new items. Safe to repeat: each notification is sent once. */
  poll(rental: Rental, apiKey: string, baseline: PollBaseline): Promise<Outcome<PollResult>>;
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

/** Maximum age of items that cause notifications at the first poll, in milliseconds, however old the link is. */
const MAX_AGE_AT_FIRST_POLL_MS = 24 * 3600_000;

/**
 * Returns the state before a poll. It starts anew if none is stored, or if all holders have linked the account since
 * the latest poll.
 */
export function stateBeforePoll(key: AccountKey, stored: PollState | undefined, now: number): PollState {
  const linkedAt = (key.kind === 'key' ? key.since : undefined) ?? Number.NEGATIVE_INFINITY;
  if (stored !== undefined && linkedAt <= stored.polledAt) return stored;
  const since =
    linkedAt === Number.NEGATIVE_INFINITY ? now : Math.max(linkedAt, now - MAX_AGE_AT_FIRST_POLL_MS);
  return { since, polledAt: since, unchangedPolls: 0, expectationPolls: 0, failedPolls: 0 };
}

/** Maximum number of items read from a list, and of names remembered for it. */
export const MAX_ITEMS = 1_000;
/** Maximum difference between the service's clock and the local one, in milliseconds. */
export const MAX_CLOCK_SKEW_MS = 60_000;

interface ListItem {
  id?: number | undefined;
  created_at?: string | undefined;
}

/**
 * Gives the newest items of a list unique names and returns the items that aren't known, oldest first. Known names stay
 * known even if the list doesn't contain them: a response may be incomplete or empty.
 */
export function findNewItems<Item extends ListItem>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  knownBefore: readonly string[] = [],
): { knownItems: string[]; newItems: { name: string; item: Item }[] } {
  const counts = new Map<string, number>();
  const oldestFirst = items.toSorted((a, b) => timeOf(a) - timeOf(b) || (a.id ?? 0) - (b.id ?? 0));
  const named = oldestFirst.map((item) => {
    const name = nameOf(item);
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return { name: count === 0 ? name : `${name}#${count}`, item };
  });
  const newest = named.slice(-MAX_ITEMS);
  const listed = new Set(newest.map(({ name }) => name));
  const known = new Set(knownBefore);
  return {
    knownItems: [...listed, ...knownBefore.filter((name) => !listed.has(name))].slice(0, MAX_ITEMS),
    newItems: newest.filter(({ name }) => !known.has(name)),
  };
}

/** Returns whether an item is from after the link. Items without a date count as such from the second poll on. */
export function isAfterLink({ created_at: at }: ListItem, { since, knownItems }: PollBaseline): boolean {
  return at === undefined ? knownItems !== undefined : Date.parse(at) >= since - MAX_CLOCK_SKEW_MS;
}

function timeOf({ created_at: at }: ListItem): number {
  return at === undefined ? 0 : Date.parse(at);
}

/** `expected`: a change is expected. `active`: changed lately. `idle`: everything else. */
type PollPriority = 'expected' | 'active' | 'idle';

const PRIORITIES: readonly PollPriority[] = ['expected', 'active', 'idle'];

/** Due indexes of poll targets, one for each priority. */
export const POLLS = {
  keys: 'polls:priority',
  content: 'When each account is polled next',
  expiry: 'none: one for all; accounts without holders are removed',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;

/** Maximum number of targets that `scheduleAllNow` reads of a priority. */
const MAX_SCHEDULED = 200_000;
/** Number of targets that `scheduleAllNow` moves concurrently. */
const SCHEDULE_BATCH = 500;

/** Due queue of poll targets with priorities, shared by all replicas. Delays count from the storage's clock. */
export interface PollSchedule {
  /** Adds an active target, or moves it forward if it is due later than in `ms`. */
  scheduleNoLaterThan(target: PollTarget, ms: number): Promise<void>;
  /** Leases a due target for `ms`. If its replica crashes, the target comes due again. Clears its expectation. */
  lease(target: PollTarget, ms: number): Promise<void>;
  /** Sets the next regular poll and keeps an expectation. */
  scheduleIn(priority: 'active' | 'idle', target: PollTarget, ms: number): Promise<void>;
  /** Marks a change as expected within `ms`. Never delays an earlier expectation. */
  expectChange(target: PollTarget, ms: number): Promise<void>;
  remove(target: PollTarget): Promise<unknown>;
  /**
   * Returns due targets: expected ones first, then active ones, then idle ones. A tenth of `limit` is reserved for idle
   * ones.
   */
  due(limit: number): Promise<{ target: PollTarget; isExpected: boolean }[]>;
  /** Makes all targets of this kind due, active ones first. */
  scheduleAllNow(kind: PollKind): Promise<void>;
}

export function createPollSchedule({ storage }: { storage: Pick<Storage, 'index'> }): PollSchedule {
  const { index } = storage;
  const indexOf = (priority: PollPriority) => keyOf(POLLS.keys, { priority });
  const removeMember = (member: string) =>
    Promise.all(PRIORITIES.map((priority) => index.remove(indexOf(priority), member)));

  return {
    async lease(target, ms) {
      await index.move(indexOf('active'), [indexOf('idle'), indexOf('expected')], memberOf(target), ms);
    },
    async scheduleIn(priority, target, ms) {
      const from = indexOf(priority === 'active' ? 'idle' : 'active');
      await index.move(indexOf(priority), [from], memberOf(target), ms);
    },
    scheduleNoLaterThan: (target, ms) => index.scheduleNoLaterThan(indexOf('active'), memberOf(target), ms),
    expectChange: (target, ms) => index.scheduleNoLaterThan(indexOf('expected'), memberOf(target), ms),
    remove: (target) => removeMember(memberOf(target)),
    async due(limit) {
      const [expected = [], active = [], idle = []] = await Promise.all(
        PRIORITIES.map((priority) => index.due(indexOf(priority), limit)),
      );
      const reserved = Math.min(idle.length, Math.ceil(limit / 10));
      const first = [...new Set([...expected, ...active])].slice(0, limit - reserved);
      const members = new Set([...first, ...idle.slice(0, limit - first.length)]);
      const targets = [...members].map((member) => ({ member, target: targetOf(member) }));
      // Malformed members would stay due forever and block the queue.
      const malformed = targets.filter(({ target }) => target === undefined);
      await Promise.all(malformed.map(({ member }) => removeMember(member)));
      const isExpected = new Set(expected);
      return targets.flatMap(({ member, target }) =>
        target ? [{ target, isExpected: isExpected.has(member) }] : [],
      );
    },
    async scheduleAllNow(kind) {
      for (const priority of ['active', 'idle'] as const) {
        const scheduled = await index.upTo(indexOf(priority), Number.MAX_VALUE, MAX_SCHEDULED);
        const members = scheduled.filter((member) => targetOf(member)?.kind === kind);
        for (let from = 0; from < members.length; from += SCHEDULE_BATCH) {
          const batch = members.slice(from, from + SCHEDULE_BATCH);
          await Promise.all(batch.map((member) => index.scheduleNoLaterThan(indexOf(priority), member, 0)));
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

const MINUTE_MS = 60_000;
/** Intervals of regular polls, in minutes, by the number of polls without a change. The last one repeats. */
const REGULAR_MINUTES = [1, 1, 1, 2, 2, 5, 5, 10, 10, 30, 60, 120, 360] as const;
/** Number of polls without a change from which on a target counts as idle. */
const IDLE_AFTER_POLLS = 5;
/**
 * Delays until the next poll for an expected change, in milliseconds. The list may show the change later than its
 * event.
 */
const EXPECTED_DELAYS_MS = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
/** Retry delays after failed polls, in milliseconds. Refused polls are retried at the regular intervals. */
const RETRY_DELAYS_MS = [2_000, 5_000, 10_000, 30_000, 60_000] as const;

/**
 * Expectation of a change before a poll. `none`: no change expected by this process. `new`: first poll for the change.
 * `unmet`: an earlier poll didn't show it.
 */
export type Expectation = 'none' | 'new' | 'unmet';

interface NextPoll {
  state: PollState;
  priority: 'active' | 'idle';
  delayMs: number;
  /** Delay until the next poll for a change that is still expected, in milliseconds. */
  expectedDelayMs: number | undefined;
}

/**
 * Returns when to poll next, and the state to store. `outcome` is `undefined` if no key opens the account at the moment.
 */
export function nextPoll(
  before: PollState,
  {
    outcome,
    expectation,
    now,
  }: { outcome: Outcome<PollResult> | undefined; expectation: Expectation; now: number },
): NextPoll {
  if (outcome?.kind !== 'accepted') {
    const { failedPolls } = before;
    const state = { ...before, failedPolls: failedPolls + 1 };
    const isRefused =
      outcome === undefined || (outcome.kind === 'rejected' && outcome.retryAfterMs === undefined);
    if (isRefused)
      return { state, priority: 'idle', delayMs: regularIntervalMs(failedPolls), expectedDelayMs: undefined };
    const retryAfterMs = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0;
    const delayMs = Math.max(retryAfterMs, delayBefore(failedPolls, RETRY_DELAYS_MS));
    return {
      state,
      priority: 'active',
      delayMs,
      expectedDelayMs: expectation === 'none' ? undefined : delayMs,
    };
  }
  const {
    knownItems,
    hasChanged,
    repollInMs = Number.POSITIVE_INFINITY,
    maxIntervalMs = Number.POSITIVE_INFINITY,
  } = outcome.value;
  const isUnmet = !hasChanged && (expectation !== 'none' || before.expectationPolls > 0);
  const expectationPolls = expectation === 'new' ? 0 : before.expectationPolls;
  const unmetDelayMs = isUnmet ? EXPECTED_DELAYS_MS[expectationPolls] : undefined;
  // Further changes are likely to follow soon.
  const unchangedPolls = hasChanged || isUnmet ? 0 : before.unchangedPolls + 1;
  const soonestMs = Math.min(repollInMs, unmetDelayMs ?? Number.POSITIVE_INFINITY);
  const expectedDelayMs = Number.isFinite(soonestMs) ? soonestMs : undefined;
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
