import { randomUUID } from 'node:crypto';
import type { AccountKey, AccountKeys } from '../accounts/account-keys.ts';
import type { Link, Links } from '../accounts/links.ts';
import { orTimeout } from '../platform/async.ts';
import { HOUR_MS, isRecent, MINUTE_MS } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { createPollRunner } from '../platform/poll-runner.ts';
import { createPollSchedule } from '../platform/poll-schedule.ts';
import { createSharedRateLimiter, type RateLimit } from '../platform/rate-limit.ts';
import type { SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import { hasNoResponse, isKeyRefused, type Outcome } from '../rental-api/client.ts';
import { type AccountPollerDeps, createAccountPollers } from './account-pollers.ts';
import { createLogSearch } from './log-search.ts';
import {
  type Expectation,
  FIRST_POLL_MS,
  nextPollOfTarget,
  POLL_KINDS,
  POLL_STATE,
  POLLS,
  type PollKind,
  type PollPriority,
  type PollResult,
  type PollState,
  type PollTarget,
  stateBeforePoll,
} from './poll-state.ts';

/**
 * Polls allowed per minute for each resource of an account. The service allows 60 reads of each kind (specification,
 * section 8). The rest is left for requests of users.
 */
const POLL_RATE_LIMIT: RateLimit = { max: 30, withinMs: MINUTE_MS };
/** Maximum time that linking waits for the lists, in milliseconds. */
const LINKING_TIMEOUT_MS = 1_500;
/** Lists with events that a user would miss: read while linking and when a user opens the menu. */
const LISTS = ['deposits', 'withdrawals', 'log'] as const;
/** Poll interval while no user needs the result, in milliseconds. Setting a threshold polls at once. */
const UNNEEDED_MS = 6 * HOUR_MS;
/** Minimum time between two polls of an account because of user activity, in milliseconds. */
const USER_ACTIVITY_MS = 30_000;
/** Time for which a process remembers whether any user needs the balance of an account, in milliseconds. */
const BALANCE_NEEDED_TTL_MS = MINUTE_MS;
/** Minimum time between two attempts to find out the operator's account, in milliseconds. */
const OPERATOR_RETRY_MS = MINUTE_MS;
const OPERATOR_TIMEOUT_MS = 1_500;
/** Interval of profile checks while nothing changes, in milliseconds. */
const PROFILE_CHECK_MS = HOUR_MS;
/** Maximum age of a profile that confirms the account before an item is reported, in milliseconds. */
const CONFIRMED_MS = 10_000;

/** Polls accounts for changes: when an event indicates one, at the start, and regularly, active accounts first. */
export type Pollers = ReturnType<typeof createPollers>;

/** Poll that this process has begun. `leased`: its former process didn't end it. */
interface Taken {
  ref: PollTarget;
  priority: PollPriority | 'leased';
}

export function createPollers(
  deps: AccountPollerDeps & {
    storage: Storage;
    records: SignedRecords;
    links: Pick<Links, 'linkedAccounts'>;
    accountKeys: AccountKeys;
    log: Log;
  },
) {
  const { accountKeys, operator, now, log } = deps;
  const pollers = createAccountPollers(deps);
  const schedule = createPollSchedule(POLLS, deps);
  const { memberOf } = schedule;
  const { announced, expected, opened, active, idle } = schedule.queues;
  const rateLimiter = createSharedRateLimiter(deps);
  const states = deps.records.store(POLL_STATE);
  const logSearch = createLogSearch({ ...deps, idle });
  // Events that were sent while no replica was running are only in the logs.
  logSearch.request();

  /** Priorities of polls that failed here. They come due as `leased`. */
  const interrupted = createTtlCache<string, PollPriority>({ ttlMs: 2 * POLLS.leaseMs, now });
  const balanceNeeded = createTtlCache<number, boolean>({ ttlMs: BALANCE_NEEDED_TTL_MS, now });
  const recentlyActive = createTtlCache<number, true>({ ttlMs: USER_ACTIVITY_MS, now });
  let isOperatorAdded = false;
  let operatorAttemptedAt = Number.NEGATIVE_INFINITY;

  const runner = createPollRunner<Taken>({
    async take(limit, reserved) {
      const polls = await schedule.take(limit, reserved);
      const isIdleDue = polls.some(({ priority }) => priority === 'idle');
      return { polls, hasRoom: polls.length < limit || (reserved > 0 && !isIdleDue) };
    },
    poll: pollTaken,
    putBack: ({ ref, priority }) => schedule.release(ref, { priority: priorityOf(priority), inMs: 0 }),
    addDuePolls: logSearch.addDueLogs,
    failureMessage: 'polling an account failed; it will be retried',
    log,
  });

  /**
   * Polls with one key after another until one isn't refused. The outcome is `undefined` if no key opens the account.
   *
   * The service may have assigned a key to another account. So unless the response itself names the account, the profile is
   * read once an hour, at the same time as the list, and again before anything is reported.
   */
  async function pollWithKeys(
    { account, kind }: PollTarget,
    key: AccountKey,
    state: PollState,
  ): Promise<{ outcome: Outcome<PollResult> | undefined; verifiedAt?: number | undefined }> {
    if (key.kind !== 'key') return { outcome: undefined };
    const { namesAccount, poll } = pollers[kind];
    let confirmed: { at: number; profile: ReturnType<AccountKeys['readProfile']> } | undefined;
    const confirmAccount = () => {
      if (confirmed === undefined || !isRecent(confirmed.at, CONFIRMED_MS, now()))
        confirmed = { at: now(), profile: accountKeys.readProfile(key, account) };
      return confirmed.profile;
    };
    const isVerified = isRecent(state.verifiedAt ?? Number.NEGATIVE_INFINITY, PROFILE_CHECK_MS, now());
    const [polled, isValid] = await Promise.all([
      poll(key.apiKey, { ...state, account }, confirmAccount),
      namesAccount || isVerified || key.user === undefined || accountKeys.isValid(key.user, account),
    ]);
    if (polled.kind !== 'other-account') accountKeys.recordRead(key.user, account, polled);
    const outcome = polled.kind === 'other-account' || isValid === false ? undefined : polled;
    // If the service doesn't say which account the key opens, the next poll checks again. Nothing was reported without a check.
    if (outcome && !isKeyRefused(outcome))
      return { outcome, verifiedAt: isValid && !isVerified ? now() : state.verifiedAt };
    const next = await accountKeys.select(account);
    if (next.kind !== 'key' || next.apiKey === key.apiKey) return { outcome };
    // Not verified: the next poll checks the key again that is selected first.
    const { outcome: other } = await pollWithKeys({ account, kind }, next, {
      ...state,
      verifiedAt: undefined,
    });
    return { outcome: other };
  }

  /** Returns the state of an account that its user linked again. It is unchanged, even if this poll fails. */
  function stateOfRelinked(key: AccountKey, { linkedAt }: Link, stored: PollState | undefined): PollState {
    const firstKey = key.kind === 'key' ? { ...key, since: Math.min(key.since ?? linkedAt, linkedAt) } : key;
    return { ...stateBeforePoll(firstKey, stored, now()), polledAt: now() };
  }

  /** Polls a target that this process has leased. Returns whether the service responded. */
  async function poll({ ref: target, priority }: Taken, linking?: Linking): Promise<boolean> {
    const { account, kind } = target;
    const [key, stored, isNeeded] = await Promise.all([
      accountKeys.select(account),
      states.get(target),
      pollers[kind].isNeeded?.(account),
    ]);
    if (key.kind === 'no-holder') {
      await states.delete(target);
      await schedule.release(target);
      return true;
    }
    if (isNeeded === false) {
      await schedule.release(target, { priority: 'idle', inMs: UNNEEDED_MS });
      return true;
    }
    const waitMs = await rateLimiter.acquire(`polls:${memberOf(target)}`, randomUUID(), POLL_RATE_LIMIT);
    if (waitMs > 0) {
      await schedule.release(target, { priority: priorityOf(priority), inMs: waitMs });
      return true;
    }
    const relinked = linking?.relinked;
    const begun = relinked ? stateOfRelinked(key, relinked, stored) : stateBeforePoll(key, stored, now());
    const { isForAdmins } = pollers[kind];
    const state = isForAdmins
      ? { ...begun, knownItems: begun.knownItems ?? stored?.knownItems?.filter(isForAdmins) }
      : begun;
    // Linking has just read the profile with this key.
    if (key.kind === 'key' && linking?.user === key.user) state.verifiedAt = now();
    const { outcome, verifiedAt } = await pollWithKeys(target, key, state);
    const before = priority === 'opened' ? { ...state, unchangedPolls: 0 } : state;
    const next = nextPollOfTarget(before, { outcome, expectation: expectationOf(priority), now: now() });
    await states.set(target, { ...next.state, verifiedAt });
    await schedule.release(target, { priority: next.priority, inMs: next.delayMs });
    if (next.expectedDelayMs !== undefined) await expected.scheduleNoLaterThan(target, next.expectedDelayMs);
    return !hasNoResponse(outcome);
  }

  async function pollTaken({ ref, priority: due }: Taken): Promise<boolean> {
    const member = memberOf(ref);
    const priority = due === 'leased' ? (interrupted.get(member) ?? due) : due;
    interrupted.delete(member);
    try {
      return await poll({ ref, priority });
    } catch (err) {
      if (priority !== 'leased') interrupted.set(member, priority);
      throw err;
    }
  }

  async function pollSoon(account: number, kind: PollKind): Promise<void> {
    await announced.scheduleNoLaterThan({ account, kind }, 0);
    runner.startSoon();
  }

  /** Starts polling the operator's account, once that account is known. No user needs to hold it. */
  async function addOperatorAccount(): Promise<void> {
    if (isOperatorAdded || isRecent(operatorAttemptedAt, OPERATOR_RETRY_MS, now())) return;
    operatorAttemptedAt = now();
    const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
    if (account === undefined) return;
    for (const kind of ['balance', 'log'] as const) await active.scheduleNoLaterThan({ account, kind }, 0);
    isOperatorAdded = true;
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
    async addAccount(account: number, linking: Linking) {
      // The screen after linking doesn't count as user activity.
      if (recentlyActive.get(account) === undefined) recentlyActive.set(account, true);
      // Linking has just read the profile with this key.
      accountKeys.recordOpened(linking.user, account);
      await active.scheduleAll(
        'no-later-than',
        POLL_KINDS.map((kind) => [{ account, kind }, FIRST_POLL_MS]),
      );
      const polls = LISTS.map(async (kind) => {
        const ref = { account, kind };
        if (!(await schedule.takeNow(ref))) return;
        const polling = poll({ ref, priority: 'active' }, linking);
        runner.track(polling);
        await polling;
      });
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
      await opened.scheduleAll(
        'no-later-than',
        LISTS.map((kind) => [{ account, kind }, 0]),
      );
      for (const _ of LISTS) runner.startSoon();
    },
    /** Makes the next `run` begin to poll all webhook logs, because events may have been lost. */
    pollAllLogs() {
      logSearch.request();
      isOperatorAdded = false;
    },
    /** Starts polls that are due. The first call begins to poll all webhook logs. */
    async run() {
      await Promise.all([addOperatorAccount(), logSearch.begin().then(runner.tick)]);
    },
    close: runner.close,
  };
}

/** User who has just linked the account, and the user's former link to the same account. */
interface Linking {
  user: number;
  relinked?: Link | undefined;
}

function priorityOf(priority: Taken['priority']): PollPriority {
  return priority === 'leased' ? 'active' : priority;
}

function expectationOf(priority: Taken['priority']): Expectation {
  if (priority === 'announced') return 'new';
  return priority === 'expected' ? 'unmet' : 'none';
}
