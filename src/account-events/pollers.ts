import { randomUUID } from 'node:crypto';
import type { AccountKey, AccountKeys } from '../accounts/account-keys.ts';
import type { Link, Links } from '../accounts/links.ts';
import { createWorkQueue, orTimeout } from '../platform/async.ts';
import { HOUR_MS, isRecent, MINUTE_MS } from '../platform/clock.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { createPollSchedule } from '../platform/poll-schedule.ts';
import { createSharedRateLimiter, type RateLimit } from '../platform/rate-limit.ts';
import { keyOf, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import { isKeyRefused, type Outcome } from '../rental-api/client.ts';
import { type AccountPollerDeps, createAccountPollers, KEY_NOT_VERIFIED } from './account-pollers.ts';
import {
  type Expectation,
  nextPollOfTarget,
  POLL_KINDS,
  POLL_STATE,
  POLLS,
  type PollKind,
  type PollResult,
  type PollState,
  type PollTarget,
  stateBeforePoll,
} from './poll-state.ts';

export const POLL_LEASE = defineLease({
  keys: 'polling:account:kind',
  content: 'Lease of the polling process',
  retained: { elsewhere: 'kept-account' },
});

/**
 * Polls allowed per minute for each resource of an account. The service allows 60 reads of each kind (specification,
 * section 8). The rest is left for requests of users.
 */
const POLL_RATE_LIMIT: RateLimit = { max: 30, withinMs: MINUTE_MS };
/** Delay until the first regular poll of an account that was just linked, in milliseconds. */
const FIRST_POLL_MS = MINUTE_MS;
/** Period over which the first polls are spread at the start of the application, in seconds. */
const SPREAD_SECONDS = 3_600;
/** Maximum time that linking waits for the lists, in milliseconds. */
const LINKING_TIMEOUT_MS = 1_500;
/** Lists with events that a user would miss: read while linking and when a user opens the menu. */
const LISTS = ['deposits', 'withdrawals', 'log'] as const;
/** Delay until a change is polled for that was expected while another process was polling, in milliseconds. */
const POLLED_ELSEWHERE_MS = 1_500;
/** Poll interval while no user needs the result, in milliseconds. Setting a threshold polls at once. */
const UNNEEDED_MS = 6 * HOUR_MS;
/** Minimum time between two polls of an account because of user activity, in milliseconds. */
const USER_ACTIVITY_MS = 30_000;
/** Time for which a process remembers whether any user needs the balance of an account, in milliseconds. */
const BALANCE_NEEDED_TTL_MS = MINUTE_MS;
/** Minimum time between two attempts to find out the operator's account, in milliseconds. */
const OPERATOR_RETRY_MS = MINUTE_MS;
const OPERATOR_TIMEOUT_MS = 1_500;
/** Due targets of a run, and how many of them are chosen from the lowest priorities. */
const [BATCH, RESERVED] = [200, 20];
/** Maximum number of targets per priority that `scheduleAllLogs` reads. */
const MAX_SCHEDULED = 200_000;
const SCHEDULE_BATCH = 500;
const CONCURRENCY = 16;
const MAX_WAITING = 2_000;

/** Polls accounts for changes: when an event indicates one, at the start, and regularly, active accounts first. */
export type Pollers = ReturnType<typeof createPollers>;

export function createPollers(
  deps: AccountPollerDeps & {
    storage: Storage;
    records: SignedRecords;
    leases: Leases;
    links: Pick<Links, 'linkedAccounts'>;
    accountKeys: AccountKeys;
    log: Log;
  },
) {
  const { accountKeys, links, operator, leases, now, log } = deps;
  const pollers = createAccountPollers(deps);
  const schedule = createPollSchedule(POLLS, deps);
  const { memberOf } = schedule;
  const { expected, active, idle } = schedule.queues;
  const rateLimiter = createSharedRateLimiter(deps);
  const states = deps.records.store(POLL_STATE);

  /** Changes that this process expects, by poll target. */
  const expectations = new Map<string, Expectation>();
  /** Poll targets whose user was active since their last poll. */
  const activeTargets = new Set<string>();
  const balanceNeeded = createTtlCache<number, boolean>({ ttlMs: BALANCE_NEEDED_TTL_MS, now });
  const recentlyActive = createTtlCache<number, true>({ ttlMs: USER_ACTIVITY_MS, now });
  /** Initially true: events that were sent while no replica was running are only in the logs. */
  let mustPollAllLogs = true;
  let areLinkedAccountsAdded = false;
  let isOperatorAdded = false;
  let operatorAttemptedAt = Number.NEGATIVE_INFINITY;

  const workQueue = createWorkQueue({
    work: async (member) => {
      const target = schedule.parse(member);
      if (target) await pollUnderLease(target);
    },
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    failureMessage: 'polling an account failed; it will be retried',
    log,
  });

  /**
   * Polls with one key after another until one isn't refused. Returns `undefined` if no key opens the account. A key
   * may have been reassigned to another account. So its account is checked first, unless the response itself names the
   * account, and again before anything is reported.
   */
  async function pollWithKeys(
    { account, kind }: PollTarget,
    key: AccountKey,
    state: PollState,
  ): Promise<Outcome<PollResult> | undefined> {
    if (key.kind !== 'key') return undefined;
    const { namesAccount, poll } = pollers[kind];
    const opens = namesAccount || key.user === undefined || (await accountKeys.isValid(key.user, account));
    let outcome: Outcome<PollResult> | undefined = opens === undefined ? KEY_NOT_VERIFIED : undefined;
    if (opens) {
      const polled = await poll(key.apiKey, { ...state, account }, () => accountKeys.opensNow(key, account));
      outcome = polled.kind === 'other-account' ? undefined : polled;
      if (outcome) accountKeys.recordRead(key.user, account, outcome);
      if (outcome && !isKeyRefused(outcome)) return outcome;
    }
    const next = await accountKeys.select(account);
    const isOtherKey = next.kind === 'key' && next.apiKey !== key.apiKey;
    return isOtherKey ? pollWithKeys({ account, kind }, next, state) : outcome;
  }

  /** Returns the state of an account that its user linked again. It is unchanged, even if this poll fails. */
  function stateOfRelinked(key: AccountKey, { linkedAt }: Link, stored: PollState | undefined): PollState {
    const firstKey = key.kind === 'key' ? { ...key, since: Math.min(key.since ?? linkedAt, linkedAt) } : key;
    return { ...stateBeforePoll(firstKey, stored, now()), polledAt: now() };
  }

  async function poll(target: PollTarget, expectation: Expectation, relinked?: Link): Promise<unknown> {
    const { account, kind } = target;
    const member = memberOf(target);
    // A change that is expected from here on belongs to the next poll, because this one may miss it.
    await schedule.lease(target);
    const [key, stored, isNeeded] = await Promise.all([
      accountKeys.select(account),
      states.get(target),
      pollers[kind].isNeeded?.(account),
    ]);
    if (key.kind === 'no-holder') {
      await states.delete(target);
      return schedule.release(target);
    }
    if (isNeeded === false) return schedule.release(target, { priority: 'idle', inMs: UNNEEDED_MS });
    const waitMs = await rateLimiter.acquire(`polls:${member}`, randomUUID(), POLL_RATE_LIMIT);
    if (waitMs > 0) {
      await schedule.release(target, { priority: 'active', inMs: waitMs });
      return expectation === 'none' ? undefined : expected.scheduleNoLaterThan(target, waitMs);
    }
    const begun = relinked ? stateOfRelinked(key, relinked, stored) : stateBeforePoll(key, stored, now());
    const { isForAdmins } = pollers[kind];
    const state = isForAdmins
      ? { ...begun, knownItems: begun.knownItems ?? stored?.knownItems?.filter(isForAdmins) }
      : begun;
    const outcome = await pollWithKeys(target, key, state);
    const isUserActive = activeTargets.delete(member);
    const before = isUserActive ? { ...state, unchangedPolls: 0 } : state;
    const next = nextPollOfTarget(before, { outcome, expectation, now: now() });
    await states.set(target, next.state);
    await schedule.release(target, { priority: next.priority, inMs: next.delayMs });
    if (next.expectedDelayMs !== undefined) await expected.scheduleNoLaterThan(target, next.expectedDelayMs);
    return undefined;
  }

  async function pollUnderLease(target: PollTarget, relinked?: Link): Promise<void> {
    const member = memberOf(target);
    const expectation = expectations.get(member) ?? 'none';
    expectations.delete(member);
    try {
      const key = keyOf(POLL_LEASE.keys, { ...target });
      const result = await leases.withLease(key, () => poll(target, expectation, relinked));
      // The process that polls it now started before this change was expected.
      if (result === 'busy' && expectation !== 'none')
        await expected.scheduleNoLaterThan(target, POLLED_ELSEWHERE_MS);
    } catch (err) {
      if (expectation !== 'none' && !expectations.has(member)) expectations.set(member, expectation);
      throw err;
    }
  }

  async function pollSoon(account: number, kind: PollKind): Promise<void> {
    const target = { account, kind };
    await expected.scheduleNoLaterThan(target, 0);
    expectations.set(memberOf(target), 'new');
    workQueue.enqueue(memberOf(target), 'urgent');
  }

  /** Schedules the targets of linked accounts that were never polled. */
  async function addLinkedAccounts(): Promise<void> {
    if (areLinkedAccountsAdded) return;
    for (const account of await links.linkedAccounts()) {
      const targets = POLL_KINDS.map((kind) => ({ account, kind }));
      const stored = await Promise.all(targets.map((target) => states.get(target)));
      const missing = targets.filter((_, at) => stored[at] === undefined);
      const delayMs = FIRST_POLL_MS + (account % SPREAD_SECONDS) * 1_000;
      await Promise.all(missing.map((target) => idle.scheduleIfMissing(target, delayMs)));
    }
    areLinkedAccountsAdded = true;
  }

  /** Starts polling the balance of the operator's account, once that account is known. No user needs to hold it. */
  async function addOperatorAccount(): Promise<void> {
    if (isOperatorAdded || isRecent(operatorAttemptedAt, OPERATOR_RETRY_MS, now())) return;
    operatorAttemptedAt = now();
    const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
    if (account === undefined) return;
    await active.scheduleNoLaterThan({ account, kind: 'balance' }, 0);
    isOperatorAdded = true;
  }

  async function scheduleAllLogs(): Promise<void> {
    if (!mustPollAllLogs) return;
    // Reset first, so that a call of `pollAllLogs` in the meantime isn't lost.
    mustPollAllLogs = false;
    try {
      for (const queue of [active, idle]) {
        const logs = (await queue.scheduled(MAX_SCHEDULED)).filter(({ kind }) => kind === 'log');
        for (let from = 0; from < logs.length; from += SCHEDULE_BATCH) {
          const batch = logs.slice(from, from + SCHEDULE_BATCH);
          await Promise.all(batch.map((target) => queue.scheduleNoLaterThan(target, 0)));
        }
      }
    } catch (err) {
      mustPollAllLogs = true;
      throw err;
    }
  }

  return {
    /**
     * Starts polling an account that was just linked, until no user holds it. Reads its lists at once, for at most 1.5
     * seconds. Entries that this read returns are known; later ones cause notifications, even without a date. If a list
     * can't be read, it is read again within seconds, and the first successful read counts instead. If others hold the
     * account, its known state is kept, so that they are notified of changes. `relinked` is the user's former link to the
     * same account.
     *
     * @example await pollers.addAccount(account, { user, relinked: before?.account === account ? before : undefined });
     */
    async addAccount(account: number, { user, relinked }: { user: number; relinked?: Link | undefined }) {
      // The screen after linking doesn't count as user activity.
      if (recentlyActive.get(account) === undefined) recentlyActive.set(account, true);
      // Linking has just read the profile with this key.
      accountKeys.recordOpened(user, account);
      await Promise.all(
        POLL_KINDS.map((kind) => active.scheduleNoLaterThan({ account, kind }, FIRST_POLL_MS)),
      );
      const polls = LISTS.map((kind) => pollUnderLease({ account, kind }, relinked));
      await orTimeout(Promise.allSettled(polls), LINKING_TIMEOUT_MS);
    },
    /** Polls a resource at once because a change is expected. Resolves once the expectation is stored. */
    pollSoon,
    /** Polls the balance because it may have changed. Does nothing if no user needs it; this is cached for a minute. */
    async pollBalanceIfNeeded(account: number) {
      let isNeeded = balanceNeeded.get(account);
      if (isNeeded === undefined) {
        isNeeded = (await pollers.balance.isNeeded?.(account)) ?? false;
        balanceNeeded.set(account, isNeeded);
      }
      if (isNeeded) await pollSoon(account, 'balance');
    },
    /** Polls the lists of an account whose user is active, and polls them more often for a while. */
    async onUserActive(account: number) {
      if (recentlyActive.get(account)) return;
      recentlyActive.set(account, true);
      for (const kind of LISTS) {
        const target = { account, kind };
        activeTargets.add(memberOf(target));
        await active.scheduleNoLaterThan(target, 0);
        workQueue.enqueue(memberOf(target));
      }
    },
    /** Makes the next `run` poll all webhook logs, because events may have been lost. */
    pollAllLogs() {
      mustPollAllLogs = true;
    },
    /** Starts polling all targets that are due. The first call makes all webhook logs due. */
    async run() {
      await addLinkedAccounts();
      await addOperatorAccount();
      await scheduleAllLogs();
      for (const { ref, priority } of await schedule.due(BATCH, RESERVED)) {
        const member = memberOf(ref);
        const isExpected = priority === 'expected';
        if (isExpected && !expectations.has(member)) expectations.set(member, 'unmet');
        workQueue.enqueue(member, isExpected ? 'urgent' : undefined);
      }
    },
    close: workQueue.close,
  };
}
