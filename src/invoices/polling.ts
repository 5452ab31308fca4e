import { randomUUID } from 'node:crypto';
import { BigNumber } from 'bignumber.js';
import type { Contradiction, Difference } from '../operations/kinds/kind.ts';
import { delayBefore, orTimeout } from '../platform/async.ts';
import { isRecent, MINUTE_MS, SECOND_MS } from '../platform/clock.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import type { Log } from '../platform/log.ts';
import { createPollRunner, TICK_MS } from '../platform/poll-runner.ts';
import { createPollSchedule, definePollSchedule } from '../platform/poll-schedule.ts';
import type { RateLimit, SharedRateLimiter } from '../platform/rate-limit.ts';
import { keyOf } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import { createTtlCache } from '../platform/ttl-cache.ts';
import type { AccountOutcome } from '../rental-api/account-reader.ts';
import {
  hasNoResponse,
  heldBackMs,
  isKeyRefused,
  OPERATOR_ACCOUNT,
  type OperatorInvoices,
  type Outcome,
  type RentalCalls,
} from '../rental-api/client.ts';
import type { Priority } from '../rental-api/rate-limits.ts';
import type { Invoice as ReportedInvoice } from '../rental-api/schemas.ts';
import {
  type CheckedInvoice,
  type Invoice,
  type InvoiceRef,
  isFinal,
  isTracked,
  isWronglyExpired,
  needsCheck,
  TRACKED_AFTER_EXPIRY_MS,
} from './invoice.ts';
import type { InvoiceStore, UserInvoices } from './invoice-store.ts';

/**
 * Time between two turns of an account that always has due polls, in milliseconds. A turn begins with a tick, which may be
 * late.
 */
const TURN_INTERVAL_MS = 3 * SECOND_MS - TICK_MS / 5;
/** Intervals are this much shorter than those between ticks, so that the tick at their end finds the invoice due. */
const TICK_TOLERANCE_MS = TICK_MS;
/**
 * Intervals between polls of an invoice that may be paid or delivered at any moment: while it is active, and later.
 * They are long if the service sends events.
 */
const INTERVALS_MS = {
  polled: { active: 3 * SECOND_MS - TICK_TOLERANCE_MS, later: 15 * SECOND_MS - TICK_TOLERANCE_MS },
  reported: { active: 15 * SECOND_MS, later: MINUTE_MS },
};
/** Time for which an invoice is active after its creation, its last opening or check, or a change. */
const ACTIVE_MS = 10 * MINUTE_MS;
/**
 * Time after which opening or checking an invoice again gives its poll the highest priority again, in milliseconds.
 * Without this limit, a user who taps constantly would delay the polls of others.
 */
const REOPENED_MS = 30 * SECOND_MS;
/** Minimum intervals after polls without a response. The last one repeats. */
const FAILURE_INTERVALS_MS = [0, 5 * SECOND_MS, 10 * SECOND_MS, 20 * SECOND_MS, 30 * SECOND_MS] as const;
/** Intervals after expiry. Each one applies once the same time has passed since then. */
const EXPIRED_INTERVALS_MS = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** Time until another process polls if one dies during a poll, in milliseconds. */
const LEASE_MS = 8 * SECOND_MS;

/**
 * When invoices are polled. `opened`: the invoice was just created or opened, or an event or its expiry is about to change
 * it. `active`: a user probably waits for the payment or the delivery. `regular`: any other poll within a minute. `rare`:
 * later polls, because no change is expected.
 */
const INVOICE_POLLS = definePollSchedule({
  keys: 'invoice-polls:account:priority',
  ref: { user: 'number', id: 'string' },
  priorities: {
    opened: INTERVALS_MS.reported.later,
    active: INTERVALS_MS.reported.active,
    regular: INTERVALS_MS.reported.later,
    rare: Math.max(...EXPIRED_INTERVALS_MS),
  },
  leaseMs: LEASE_MS,
  content:
    'When the service is polled for each invoice, by priority: `opened`, `active`, `regular` or `rare`; `leased` while it is polled',
  expiry: 'none: five for each account; finished invoices are removed',
  retained: { elsewhere: 'kept-under-way' },
});
/** When accounts have their next turn: with each priority, once the first poll of this priority is due. */
const POLLED_ACCOUNTS = definePollSchedule({
  keys: 'invoice-polled-accounts:priority',
  ref: { account: 'number' },
  priorities: INVOICE_POLLS.priorities,
  leaseMs: TURN_INTERVAL_MS,
  content:
    'When invoices of each account are polled next, by the same priorities; `leased` during a turn of the account, and until the next one if more polls are due',
  expiry: 'none: five keys; accounts without scheduled polls are removed',
  retained: { elsewhere: 'kept-under-way' },
});

const INVOICE_POLL_LEASE = defineLease({
  keys: 'polling-invoice:{user}:id',
  content: 'Lease of the process that polls the service for an invoice',
  retained: { own: 'kept-under-way' },
});

export const POLLING_DATA = [INVOICE_POLL_LEASE, INVOICE_POLLS, POLLED_ACCOUNTS] as const;

interface NextPoll {
  inMs: number;
  priority: keyof typeof INVOICE_POLLS.priorities;
}

type ScheduledInvoice = InvoiceRef & { account: number };
type InvoiceSchedule = ReturnType<typeof createInvoiceSchedule>;

/**
 * Creates the schedule of invoice polls. Accounts have turns, each on one replica. A turn polls a few of the account's
 * invoices, so that the polls of one account don't delay those of another.
 */
export function createInvoiceSchedule({ storage }: { storage: Pick<Storage, 'index'> }) {
  const accounts = createPollSchedule(POLLED_ACCOUNTS, { storage });
  const pollsOf = (account: number) => createPollSchedule(INVOICE_POLLS, { storage }, { account });

  /** Schedules the account after the poll: a turn in between would find nothing and end the account's turns. */
  async function schedule(invoice: ScheduledInvoice, next: NextPoll): Promise<void> {
    const { account } = invoice;
    await pollsOf(account).schedule(invoice, next);
    await accounts.schedule({ account }, next);
  }

  return {
    /** Schedules a poll, unless an earlier one is scheduled with this priority. */
    schedule,
    /** Begins a poll, in place of all that are scheduled. */
    lease: (invoice: ScheduledInvoice) => pollsOf(invoice.account).lease(invoice),
    /** Ends a poll. Keeps what was scheduled since its begin. */
    async release(invoice: ScheduledInvoice, next: NextPoll | undefined): Promise<void> {
      if (next) await schedule(invoice, next);
      await pollsOf(invoice.account).release(invoice);
    },
    /** Takes at most `limit` accounts with due polls, each for a turn of this process only. */
    async takeTurns(limit: number, reserved: number): Promise<number[]> {
      return (await accounts.take(limit, reserved)).map(({ ref }) => ref.account);
    },
    /** Ends a turn without a poll. The next one may begin at once. */
    putBackTurn: (account: number) => accounts.release({ account }, { priority: 'opened', inMs: 0 }),
    /** Ends a turn after its polls, `tookMs` after its begin, and schedules the next one. */
    async endTurn(account: number, tookMs: number): Promise<void> {
      const restMs = TURN_INTERVAL_MS - tookMs;
      const firstDue = [...(await pollsOf(account).firstDueInMs())];
      const isMoreDue = firstDue.some(([, ms]) => ms < restMs);
      await Promise.all(
        firstDue.map(([priority, ms]) => {
          const next = { inMs: Math.max(ms, restMs) };
          // A leased poll comes due if its process dies.
          return accounts.schedule(
            { account },
            { ...next, priority: priority === 'leased' ? 'regular' : priority },
          );
        }),
      );
      // Otherwise the lease delays the next turn, which an opened invoice would bring forward. After `TURN_INTERVAL_MS`
      // another replica may hold the lease.
      if (!isMoreDue && restMs > 0) await accounts.release({ account });
    },
    /** Returns how long the most overdue turn has been due, in milliseconds; `undefined` if none is. */
    overdueMs: accounts.overdueMs,
    /** Returns due invoices of an account. `reserved` of them are chosen from the lowest priorities. */
    async due(account: number, limit: number, reserved: number): Promise<ScheduledInvoice[]> {
      const due = await pollsOf(account).due(limit, reserved);
      return due.map(({ ref }) => ({ ...ref, account }));
    },
  };
}

/** Returns whether an opening, a check or an event was so recent that another opening needs no poll. */
export function wasJustOpened({ changeExpectedAt = 0 }: Invoice, now: number): boolean {
  return isRecent(changeExpectedAt, REOPENED_MS, now);
}

/** Returns `undefined` if the invoice is no longer tracked. `hasEvents`: the service sends events of the account. */
function nextPollOfInvoice(invoice: Invoice, now: number, hasEvents: boolean): NextPoll | undefined {
  if (!isTracked(invoice, now)) return undefined;
  const { status, createdAt, expiresAt, changeExpectedAt = createdAt, failedPolls = 0 } = invoice;
  const isActive = isRecent(changeExpectedAt, ACTIVE_MS, now);
  const failureMs = delayBefore(failedPolls, FAILURE_INTERVALS_MS);
  const untilExpiryMs = status === 'paid' ? Number.POSITIVE_INFINITY : expiresAt - now;
  // Polling continues after expiry, because a payment in the last moment may arrive late.
  if (untilExpiryMs <= 0) {
    // While only the clock says so, it may be wrong.
    if (status === 'pending' && -untilExpiryMs < INVOICE_POLLS.priorities.rare)
      return { inMs: MINUTE_MS, priority: 'regular' };
    const inMs = EXPIRED_INTERVALS_MS.findLast((interval) => interval <= -untilExpiryMs && !isActive);
    return { inMs: inMs ?? MINUTE_MS, priority: 'regular' };
  }
  const intervalMs = INTERVALS_MS[hasEvents ? 'reported' : 'polled'][isActive ? 'active' : 'later'];
  const inMs = Math.max(intervalMs, failureMs);
  if (inMs >= untilExpiryMs) return { inMs: untilExpiryMs, priority: 'opened' };
  return { inMs, priority: isActive ? 'active' : 'regular' };
}

/** Rate limit of polls, and the prefix of its name for each account. `readPriority` applies to the service's own limits. */
interface PollLimit {
  name: string;
  readPriority: Priority;
  rateLimit: RateLimit;
  /** Limit for the invoices that one user has made on the operator account, which all guests share. */
  perMaker?: RateLimit;
}

/**
 * Polls of an account in one turn: 40 a minute. So two active invoices are polled in every turn, and more of them one after
 * another. Every fourth turn polls one more invoice, of the lowest priority, so that no invoice waits forever.
 */
const POLLS_PER_TURN = 2;
const TURNS_PER_EXTRA_POLL = 4;
/**
 * Polls by schedule and after events, out of an account's 60 reads of invoices a minute (specification, section 8):
 * slightly more than the turns need, because their intervals vary.
 */
const SCHEDULED_POLLS: PollLimit = {
  name: 'invoice-polls',
  readPriority: 'background',
  rateLimit: { max: 48, withinMs: MINUTE_MS },
};
/** Polls for a user who waits. Separate, so that neither kind blocks the other. */
const CHECKS: PollLimit = {
  name: 'invoice-checks',
  readPriority: 'user',
  rateLimit: { max: 10, withinMs: MINUTE_MS },
  perMaker: { max: 5, withinMs: MINUTE_MS },
};
/** Maximum wait for a poll, in milliseconds. It continues in the background. */
const POLL_TIMEOUT_MS = 2_500;
/** Minimum time between polls of one invoice before it is shown, in milliseconds. */
const RECHECK_MS = 10_000;
/** Maximum age of a response that is used for a user's check, in milliseconds. */
const RECENT_MS = 3_000;
/**
 * Interval of polls that only detect whether a missing key is back, in milliseconds. Guests wait for the operator's key.
 */
const KEYLESS_INTERVAL_MS = { operator: MINUTE_MS, own: 10 * MINUTE_MS };
/** Status of the response about an invoice that the account doesn't have. */
const NOT_FOUND = 404;
/** Delay after a failed poll, in milliseconds, so that it doesn't block others. */
const FAILURE_DELAY_MS = MINUTE_MS;

export type InvoicePoller = ReturnType<typeof createInvoicePoller>;

export interface InvoicePollerDeps {
  store: InvoiceStore;
  pollSchedule: InvoiceSchedule;
  rateLimiter: SharedRateLimiter;
  leases: Leases;
  rental: { withPriority: (priority: Priority) => Pick<RentalCalls, 'invoice' | 'profile'> };
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Reports that the service's invoice contradicts the one that was made. */
  reportContradiction: (contradiction: Contradiction) => Promise<unknown>;
  /** Called before a changed invoice is written, so that its cards are updated even if the process dies. */
  beforeChange: (invoice: Invoice) => Promise<unknown>;
  afterChange: (invoice: Invoice) => Promise<unknown>;
  /** Returns whether the service sends events of the account to the bot. */
  hasEvents: (account: number) => Promise<boolean>;
  /** Returns when the present history of the stored data began, in epoch milliseconds. */
  dataSince: () => Promise<number>;
  log: Log;
  now: () => number;
}

export function createInvoicePoller(deps: InvoicePollerDeps) {
  const { store, pollSchedule, dataSince, now } = deps;
  const { poll, markUnchecked } = createPolls(deps);
  const limitedPolls = createLimitedPolls(deps, poll);
  const { pollNow } = limitedPolls;
  const turns = createTurns(deps, limitedPolls);

  async function pollSoon(invoice: Invoice): Promise<void> {
    if (!isFinal(invoice)) await pollSchedule.schedule(invoice, { inMs: 0, priority: 'opened' });
  }

  /**
   * Marks the invoice as active and schedules a poll for the next turn of its account, unless `skipIf` returns true. Returns
   * the invoice.
   */
  async function expectChange(
    ref: InvoiceRef,
    skipIf: (invoice: Invoice) => boolean = () => false,
  ): Promise<Invoice | undefined> {
    let isChanged = false;
    const invoice = await store.update(ref, (present) => {
      isChanged = !isFinal(present) && !skipIf(present);
      return isChanged ? { ...present, changeExpectedAt: now() } : undefined;
    });
    if (invoice && isChanged) await pollSoon(invoice);
    return invoice;
  }

  return {
    /** Starts polls of invoices that are due. Call every `TICK_MS`, on each replica. */
    pollDue: turns.tick,
    close: turns.close,
    /**
     * Returns the invoice as it may be shown. If it is payable and the last response older than a minute,
     * or if there was none since the deadline, polls the service first, for 2.5 seconds at most. Without a response, the
     * result is stale.
     */
    async checkBeforePayment(invoice: Invoice): Promise<CheckedInvoice> {
      const since = await dataSince();
      if (!needsCheck(invoice, now(), since)) return invoice;
      if (!isRecent(invoice.askedAt ?? 0, RECHECK_MS, now())) await pollNow(invoice, CHECKS);
      const present = (await store.read(invoice)) ?? invoice;
      return needsCheck(present, now(), since) ? { ...present, isStale: true } : present;
    },
    /**
     * Polls the service because a user asks whether the invoice was paid, unless it was polled just now. Returns
     * `undefined` if the service didn't respond in time or the limit is used up. Then one of the account's next turns polls.
     */
    async checkPayment(ref: InvoiceRef): Promise<Invoice | undefined> {
      const startedAt = now();
      const wasRecent = (at = 0) => isRecent(at, RECENT_MS, startedAt);
      const invoice = await expectChange(ref, (present) => wasJustOpened(present, now()));
      if (invoice === undefined || isFinal(invoice)) return invoice;
      if (!wasRecent(invoice.askedAt)) await pollNow(invoice, CHECKS);
      const present = await store.read(ref);
      const isChecked = present && (isFinal(present) || present.unchecked || wasRecent(present.checkedAt));
      return isChecked ? present : undefined;
    },
    /** Polls the service because an event reports a change. If the limit is used up, the account's next turn polls. */
    async pollAfterEvent(ref: InvoiceRef): Promise<void> {
      const invoice = await expectChange(ref);
      if (invoice && !isFinal(invoice)) await pollNow(invoice, SCHEDULED_POLLS);
    },
    /** Schedules a poll for the account's next turn, before those of its other invoices. */
    pollSoon,
    /** Schedules a poll within a minute. */
    pollInMinute: (invoice: Invoice) =>
      pollSchedule.schedule(invoice, { inMs: MINUTE_MS, priority: 'regular' }),
    markUnchecked,
  };
}

/** Creates the function that reads an invoice from the service. It returns `undefined` without a key to the account. */
function createRead({ rental, operatorInvoices, apiKey }: InvoicePollerDeps) {
  return async function read(
    { user, account, number }: Invoice,
    priority: Priority,
  ): Promise<AccountOutcome<ReportedInvoice> | undefined> {
    if (account === OPERATOR_ACCOUNT) return operatorInvoices?.read(number, priority);
    const key = await apiKey(user, account);
    if (key === undefined) return undefined;
    const reads = rental.withPriority(priority);
    const outcome = await reads.invoice(key, { invoice_id: number });
    if (outcome.kind !== 'rejected' || outcome.status !== NOT_FOUND) return outcome;
    // The invoice exists. The service may have assigned the key to another account.
    const profile = await reads.profile(key);
    return profile.kind === 'accepted' && profile.value.id !== account ? { kind: 'other-account' } : outcome;
  };
}

/** Creates polls: each reads an invoice from the service, stores the changes and schedules the next poll. */
function createPolls(deps: InvoicePollerDeps) {
  const { store, pollSchedule, reportContradiction, beforeChange, afterChange, hasEvents, now } = deps;
  const read = createRead(deps);

  /** Polls, and returns whether the service responded. Without a need to poll, returns true. */
  async function poll(scheduled: ScheduledInvoice, readPriority: Priority): Promise<boolean> {
    await pollSchedule.lease(scheduled);
    const before = await store.read(scheduled);
    if (before === undefined) {
      await pollSchedule.release(scheduled, undefined);
      return true;
    }
    const askedAt = now();
    const [outcome, isReported] = await Promise.all([read(before, readPriority), hasEvents(before.account)]);
    await applyOutcome(before, { askedAt, outcome, isReported });
    return outcome?.kind === 'other-account' || !hasNoResponse(outcome);
  }

  async function applyOutcome(
    before: Invoice,
    polled: Omit<LastPoll, 'outcome'> & { outcome: AccountOutcome<ReportedInvoice> | undefined },
  ): Promise<void> {
    const { askedAt, outcome, isReported } = polled;
    if (outcome === undefined) return pollRarely(before);
    const heldMs = heldBackMs(outcome);
    const next = nextPollOfInvoice(before, now(), isReported);
    if (heldMs !== undefined) return pollSchedule.release(before, next && { ...next, inMs: heldMs });
    if (outcome.kind === 'other-account' || isKeyRefused(outcome)) return pollRarely(before);
    const after = await storeReport(before, askedAt, await checkReport(before, outcome));
    if (after === undefined) return;
    await pollSchedule.release(after, pollAfter(after, { askedAt, isReported, outcome }, now()));
    if (hasChanged(before, after) || isWronglyExpired(after, now())) await afterChange(after);
  }

  /**
   * Returns the service's invoice if it is the one that was made. Any other counts as not read, because it is neither
   * payable nor delivered. Reports a contradiction.
   */
  async function checkReport(
    invoice: Invoice,
    outcome: Outcome<ReportedInvoice>,
  ): Promise<ReportedInvoice | undefined> {
    if (outcome.kind !== 'accepted' || !isSame(invoice, outcome.value)) return undefined;
    const difference = differenceOf(invoice, outcome.value);
    if (difference === undefined) return outcome.value;
    const { account, number: order, id: operation } = invoice;
    const contradiction = { account, namespace: 'invoice', order, operation, difference };
    await reportContradiction(contradiction).catch(() => undefined);
    return undefined;
  }

  /** Stores the result of a request that began at `askedAt`. Without `reported`, it counts as a failed poll. */
  async function storeReport(
    before: Invoice,
    askedAt: number,
    reported: ReportedInvoice | undefined,
  ): Promise<Invoice | undefined> {
    // An invoice that was marked as unchecked during this request has lost its key since, so the mark stays.
    const isKeyBack = before.unchecked === true && reported !== undefined;
    const expected = withReport(before, reported, isKeyBack);
    if (hasChanged(before, expected)) await beforeChange(expected);
    return store.update(before, (present) => {
      const { createdAt } = present;
      const {
        failedPolls = 0,
        changeExpectedAt = createdAt,
        ...next
      } = withReport(present, reported, isKeyBack);
      // The next change, a delivery, is expected soon.
      const latestAt = hasChanged(present, next) ? Math.max(changeExpectedAt, askedAt) : changeExpectedAt;
      // After the clock was set back, the change counts as expected just now.
      const expectedAt = Math.min(latestAt, now());
      return {
        ...next,
        askedAt,
        ...(reported ? { checkedAt: askedAt } : { failedPolls: failedPolls + 1 }),
        ...(expectedAt !== createdAt && { changeExpectedAt: expectedAt }),
      };
    });
  }

  /** Marks an invoice whose key is gone as unchecked. Cards and pages show this until a key is back. */
  async function markUnchecked(ref: InvoiceRef): Promise<void> {
    const before = await store.read(ref);
    if (before === undefined || isFinal(before) || before.unchecked) return;
    await beforeChange({ ...before, unchecked: true });
    const after = await store.update(ref, (present) =>
      isFinal(present) || present.unchecked ? undefined : { ...present, unchecked: true },
    );
    if (after) await afterChange(after);
  }

  /** Marks the invoice as unchecked and schedules rare polls that detect a new key. */
  async function pollRarely(invoice: Invoice): Promise<void> {
    await markUnchecked(invoice);
    const whose = invoice.account === OPERATOR_ACCOUNT ? 'operator' : 'own';
    const next = { inMs: KEYLESS_INTERVAL_MS[whose], priority: 'regular' } as const;
    await pollSchedule.release(invoice, isTracked(invoice, now()) ? next : undefined);
  }

  return { poll, markUnchecked };
}

/** Poll that began at `askedAt`. `isReported`: the service sends events of the account. */
interface LastPoll {
  askedAt: number;
  isReported: boolean;
  outcome: Outcome<unknown>;
}

/** Returns the poll after one that was just stored; `undefined` if the invoice is no longer tracked. */
function pollAfter(
  invoice: Invoice,
  { askedAt, isReported, outcome }: LastPoll,
  now: number,
): NextPoll | undefined {
  const next = nextPollOfInvoice(invoice, now, isReported);
  if (next === undefined) return undefined;
  const retryAfterMs = ('retryAfterMs' in outcome && outcome.retryAfterMs) || 0;
  // Intervals are measured between requests, so that a slow response doesn't delay the next one. The clock may have
  // been set back during the request.
  const tookMs = Math.max(0, now - askedAt);
  return { ...next, inMs: Math.max(0, next.inMs - tookMs, retryAfterMs) };
}

/** Creates polls within a limit, at most one of an invoice at a time. */
function createLimitedPolls(
  { leases, rateLimiter }: InvoicePollerDeps,
  poll: ReturnType<typeof createPolls>['poll'],
) {
  /** Polls in progress in this process, as long as a card or page waits for them. By `user/id`. */
  const pending = new Map<string, Promise<unknown>>();
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;

  async function acquirePoll(
    { user, account }: ScheduledInvoice,
    { name, rateLimit, perMaker }: PollLimit,
  ): Promise<boolean> {
    const use = randomUUID();
    if (perMaker && account === OPERATOR_ACCOUNT) {
      const waitMs = await rateLimiter.acquire(`${name}:{${user}}`, use, perMaker);
      if (waitMs > 0) return false;
    }
    return (await rateLimiter.acquire(`${name}:${account}`, use, rateLimit)) === 0;
  }

  /**
   * Polls unless a poll of the invoice is in progress or the limit is used up. Returns false if the service didn't respond.
   */
  async function pollWithLimit(invoice: ScheduledInvoice, limit: PollLimit): Promise<boolean> {
    const key = nameOf(invoice);
    if (pending.has(key)) return true;
    let isAnswered = true;
    const polling = leases.withLease(keyOf(INVOICE_POLL_LEASE.keys, invoice), async () => {
      if (await acquirePoll(invoice, limit)) isAnswered = await poll(invoice, limit.readPriority);
    });
    const waiting = orTimeout(
      polling.finally(() => pending.delete(key)),
      POLL_TIMEOUT_MS,
    );
    // Prevents an unhandled rejection. Every caller that awaits the promise gets the error.
    waiting.catch(() => undefined);
    pending.set(key, waiting);
    await polling;
    return isAnswered;
  }

  /** Waits for a poll of the invoice, up to a maximum. Concurrent callers share one poll. */
  const pollNow = (invoice: Invoice, limit: PollLimit) =>
    pending.get(nameOf(invoice)) ?? orTimeout(pollWithLimit(invoice, limit), POLL_TIMEOUT_MS);

  return { pollWithLimit, pollNow };
}

/** Creates the turns of accounts. In a turn, a process polls due invoices of the account. */
function createTurns(
  { pollSchedule, log, now }: InvoicePollerDeps,
  { pollWithLimit }: ReturnType<typeof createLimitedPolls>,
) {
  /** Number of an account's turns here. */
  const turns = createTtlCache<number, number>({ ttlMs: MINUTE_MS, now });

  async function poll(invoice: ScheduledInvoice): Promise<boolean> {
    try {
      return await pollWithLimit(invoice, SCHEDULED_POLLS);
    } catch (error) {
      const next = { inMs: FAILURE_DELAY_MS, priority: 'regular' } as const;
      await pollSchedule.release(invoice, next).catch(() => undefined);
      throw error;
    }
  }

  /** Returns whether the service responded to all polls. */
  async function takeTurn(account: number): Promise<boolean> {
    const begunAt = now();
    const turn = (turns.get(account) ?? 0) + 1;
    turns.set(account, turn);
    const extra = turn % TURNS_PER_EXTRA_POLL === 0 ? 1 : 0;
    const due = await pollSchedule.due(account, POLLS_PER_TURN + extra, extra);
    const polls = await Promise.allSettled(due.map(poll));
    // The clock may have been set back during the polls.
    await pollSchedule.endTurn(account, Math.max(0, now() - begunAt));
    throwFirst(polls);
    return polls.every((polled) => polled.status === 'fulfilled' && polled.value);
  }

  return createPollRunner<number>({
    take: async (limit, reserved) => ({ polls: await pollSchedule.takeTurns(limit, reserved) }),
    poll: takeTurn,
    putBack: pollSchedule.putBackTurn,
    failureMessage: 'polling invoices of an account failed; it will be retried',
    log,
  });
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Payment addresses are unique (specification, section 4), so an invoice of another account is never taken for this one. */
function isSame(invoice: Invoice, reported: ReportedInvoice): boolean {
  return reported.invoice_id === invoice.number && reported.payment_address === invoice.paymentAddress;
}

/**
 * Returns in which fact the service's invoice contradicts the one that was made. Less energy is no contradiction once it
 * was delivered. The price only matters until the payment.
 */
function differenceOf(invoice: Invoice, reported: ReportedInvoice): Difference | undefined {
  const { address, energy_amount: energy, duration_hours: hours, status } = reported;
  const isPart = status === 'delegated' && Number.isInteger(energy) && energy > 0 && energy < invoice.energy;
  if (address !== invoice.address) return { fact: 'address', ordered: invoice.address, reported: address };
  if (energy !== invoice.energy && !isPart)
    return { fact: 'amount', ordered: String(invoice.energy), reported: String(energy) };
  if (hours !== invoice.hours)
    return { fact: 'hours', ordered: String(invoice.hours), reported: String(hours) };
  if (status !== 'pending') return undefined;
  for (const [ordered, price] of [
    [invoice.priceTrx, reported.price_trx],
    [invoice.priceUsdt, reported.price_usdt],
  ] as const)
    if (price !== undefined && !new BigNumber(price).eq(ordered))
      return { fact: 'price', ordered, reported: price };
  return undefined;
}

function hasChanged(before: Invoice, after: Invoice): boolean {
  return (
    after.status !== before.status || after.txHash !== before.txHash || after.unchecked !== before.unchecked
  );
}

/** Order of statuses. A delayed response doesn't revert a later status. */
const STATUS_ORDER = ['pending', 'expired', 'paid'];

/**
 * Applies the service's response. Final statuses stay, and a delayed response doesn't make a paid invoice
 * payable again. `isKeyBack` removes the mark `unchecked`.
 */
function withReport(present: Invoice, reported: ReportedInvoice | undefined, isKeyBack: boolean): Invoice {
  if (reported === undefined || isFinal(present)) return present;
  const { unchecked: _, ...checked } = present;
  const invoice: Invoice = isKeyBack || isFinal(reported) ? checked : present;
  const { tx_hash: txHash, paid_at, delegated_at } = reported;
  // An expired invoice with a payment was paid too late.
  const status = reported.status === 'expired' && paid_at ? 'paid' : reported.status;
  if (STATUS_ORDER.includes(status) && STATUS_ORDER.indexOf(status) < STATUS_ORDER.indexOf(invoice.status))
    return invoice;
  // A response without a status only makes a pending invoice not payable.
  if (status === '' && invoice.status !== 'pending') return invoice;
  return {
    ...invoice,
    status,
    ...(txHash && { txHash }),
    ...(paid_at && { paidAt: Date.parse(paid_at) }),
    ...(delegated_at && { delegatedAt: Date.parse(delegated_at) }),
    ...(status === 'delegated' &&
      reported.energy_amount < invoice.energy && { delivered: reported.energy_amount }),
  };
}

const LINK_CHANGE_CONCURRENCY = 50;
/** Maximum wait for these writes, in milliseconds. The remaining ones continue in the background. */
const LINK_CHANGE_TIMEOUT_MS = 500;
const MAX_RESUMED = 500;

/** User and account of a link. The account is never `OPERATOR_ACCOUNT`. */
interface AccountLink {
  user: number;
  account: number;
}

export type LinkChanges = ReturnType<typeof createLinkChanges>;

/** Creates the updates of a user's invoices when the link to an account ends or is made again. */
export function createLinkChanges(deps: {
  list: UserInvoices['list'];
  poller: Pick<InvoicePoller, 'pollSoon' | 'pollInMinute' | 'markUnchecked'>;
  now: () => number;
}) {
  const { list, poller, now } = deps;

  async function trackedInvoices({ user, account }: AccountLink): Promise<Invoice[]> {
    // No invoice is tracked that long after it was made.
    const isOld = ({ createdAt }: Invoice) => createdAt < now() - 2 * TRACKED_AFTER_EXPIRY_MS;
    const invoices = await list(user, (read) => read.some(isOld));
    return invoices.filter((invoice) => invoice.account === account && isTracked(invoice, now()));
  }

  async function forEach(
    invoices: readonly Invoice[],
    work: (invoice: Invoice) => Promise<unknown>,
  ): Promise<void> {
    for (let from = 0; from < invoices.length; from += LINK_CHANGE_CONCURRENCY)
      await Promise.all(invoices.slice(from, from + LINK_CHANGE_CONCURRENCY).map(work));
  }

  return {
    trackedInvoices,
    /**
     * Calls `removeKey` and marks the user's invoices as unchecked. Returns their number without those that stay expired. If
     * the process dies in between, scheduled polls do the same; rare polls are moved to within a minute for this.
     */
    async endLink<T>(
      link: AccountLink,
      removeKey: () => Promise<T>,
    ): Promise<{ result: T; unchecked: number }> {
      const invoices = await trackedInvoices(link);
      const rarelyPolled = invoices.filter(({ expiresAt }) => now() >= expiresAt);
      await forEach(rarelyPolled, poller.pollInMinute);
      const result = await removeKey();
      await orTimeout(forEach(invoices, poller.markUnchecked), LINK_CHANGE_TIMEOUT_MS);
      return { result, unchecked: invoices.filter(({ status }) => status !== 'expired').length };
    },
    /** Schedules polls of the user's invoices, because there is a key again or another one. */
    async resumeTracking({ user, account }: AccountLink): Promise<void> {
      const invoices = await list(user, (read) => read.length >= MAX_RESUMED);
      // Includes unchecked invoices that are no longer tracked. They are polled once.
      const resumed = invoices.filter(
        (invoice) =>
          invoice.account === account &&
          (isTracked(invoice, now()) || (invoice.unchecked && !isFinal(invoice))),
      );
      await orTimeout(forEach(resumed, poller.pollSoon), LINK_CHANGE_TIMEOUT_MS);
    },
  };
}
