import { randomUUID } from 'node:crypto';
import { delayBefore, orTimeout } from '../platform/async.ts';
import { createDueQueue, type DueQueue, defineDueQueue } from '../platform/due-queue.ts';
import { defineLease, type Leases } from '../platform/leases.ts';
import type { RateLimit, SharedRateLimiter } from '../platform/rate-limit.ts';
import { keyOf } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import {
  isKeyRefused,
  OPERATOR_ACCOUNT,
  type OperatorInvoices,
  type Outcome,
  type Rental,
} from '../rental-api/client.ts';
import type { Invoice as ReportedInvoice } from '../rental-api/schemas.ts';
import {
  type CheckedInvoice,
  type Invoice,
  type InvoiceRef,
  isFinal,
  isTracked,
  needsCheck,
  TRACKED_AFTER_EXPIRY_MS,
} from './invoice.ts';
import type { InvoiceStore, UserInvoices } from './invoice-store.ts';

const definePollQueue = (keys: string, content: string) =>
  defineDueQueue({
    keys,
    ref: { user: 'number', id: 'string' },
    content,
    expiry: 'none: one for each account; finished invoices are removed',
    retained: { elsewhere: 'kept-under-way' },
  });
const PRIORITY_POLLS = definePollQueue(
  'invoice-polls-priority:account',
  'When the service is polled for each invoice that was opened or paid or is about to expire',
);
const REGULAR_POLLS = definePollQueue(
  'invoice-polls-regular:account',
  'When the service is polled for each invoice without priority',
);
const POLLED_ACCOUNTS = defineDueQueue({
  keys: 'invoice-polled-accounts',
  ref: { account: 'number' },
  content: 'Accounts with scheduled polls of invoices, and when a poll of each was last scheduled',
  expiry: 'none: one for all; accounts without scheduled polls are removed',
  retained: { elsewhere: 'kept-under-way' },
});

const INVOICE_POLL_LEASE = defineLease({
  keys: 'polling-invoice:{user}:id',
  content: 'Lease of the process that polls the service for an invoice',
  retained: { own: 'kept-under-way' },
});

export const POLLING_DATA = [INVOICE_POLL_LEASE, PRIORITY_POLLS, REGULAR_POLLS, POLLED_ACCOUNTS] as const;

const MAX_ACCOUNTS = 10_000;
const MAX_EXAMINED_ACCOUNTS = 100;
/** Priority polls per regular poll, so that regular polls aren't starved. */
const PRIORITY_POLLS_PER_REGULAR = 3;

/** `isPriority`: the invoice was just opened or paid or is about to expire, so its poll goes first. */
interface NextPoll {
  inMs: number;
  isPriority: boolean;
}

type PollSchedule = ReturnType<typeof createPollSchedule>;

/** Creates the schedule of invoice polls. The polls of one account don't delay those of another. */
export function createPollSchedule({ storage }: { storage: Pick<Storage, 'index'> }) {
  const polledAccounts = createDueQueue(POLLED_ACCOUNTS, { storage });
  const queueOf = (definition: typeof PRIORITY_POLLS, account: number) =>
    createDueQueue({ ...definition, keys: keyOf(definition.keys, { account }) }, { storage });
  const queuesOf = (account: number): [priority: DueQueue<InvoiceRef>, regular: DueQueue<InvoiceRef>] => [
    queueOf(PRIORITY_POLLS, account),
    queueOf(REGULAR_POLLS, account),
  ];

  async function hasPolls(account: number): Promise<boolean> {
    const refs = await Promise.all(queuesOf(account).map((queue) => queue.scheduled(1)));
    return refs.flat().length > 0;
  }

  return {
    async schedule(account: number, ref: InvoiceRef, { inMs, isPriority }: NextPoll): Promise<void> {
      const [priority, regular] = queuesOf(account);
      await Promise.all([
        (isPriority ? priority : regular).scheduleIn(ref, inMs),
        (isPriority ? regular : priority).remove(ref),
      ]);
      // Written last: a concurrent `remove` that drops the account examines it once more afterwards.
      await polledAccounts.scheduleIn({ account }, 0);
    },
    async remove(account: number, ref: InvoiceRef): Promise<void> {
      await Promise.all(queuesOf(account).map((queue) => queue.remove(ref)));
      if (await hasPolls(account)) return;
      await polledAccounts.remove({ account });
      if (await hasPolls(account)) await polledAccounts.scheduleIn({ account }, 0);
    },
    async accounts(): Promise<number[]> {
      return (await polledAccounts.scheduled(MAX_ACCOUNTS)).map(({ account }) => account);
    },
    /**
     * Returns how long the most overdue poll has been due, in milliseconds; `undefined` if none is. Examines
     * a bounded number of accounts, those least recently scheduled first.
     */
    async overdueMs(): Promise<number | undefined> {
      const accounts = await polledAccounts.scheduled(MAX_EXAMINED_ACCOUNTS);
      const queues = accounts.flatMap(({ account }) => queuesOf(account));
      const overdue = await Promise.all(queues.map((queue) => queue.overdueMs()));
      const found = overdue.filter((ms) => ms !== undefined);
      return found.length > 0 ? Math.max(...found) : undefined;
    },
    async due(account: number, limit: number): Promise<InvoiceRef[]> {
      const [priority = [], regular = []] = await Promise.all(
        queuesOf(account).map((queue) => queue.due(limit)),
      );
      return interleave(priority, regular).slice(0, limit);
    },
  };
}

/** Puts one regular poll behind every {@link PRIORITY_POLLS_PER_REGULAR} priority polls. */
function interleave(priority: readonly InvoiceRef[], regular: readonly InvoiceRef[]): InvoiceRef[] {
  const remaining = [...regular];
  const mixed = priority.flatMap((ref, at) => {
    const isLastOfGroup = at % PRIORITY_POLLS_PER_REGULAR === PRIORITY_POLLS_PER_REGULAR - 1;
    return isLastOfGroup ? [ref, ...remaining.splice(0, 1)] : [ref];
  });
  return [...mixed, ...remaining];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Intervals between polls of an unpaid and of a paid invoice. The last one repeats. */
const UNPAID_INTERVALS_MS = [
  10 * SECOND_MS,
  20 * SECOND_MS,
  30 * SECOND_MS,
  45 * SECOND_MS,
  MINUTE_MS,
] as const;
const PAID_INTERVALS_MS = [5 * SECOND_MS, 5 * SECOND_MS, 10 * SECOND_MS, 20 * SECOND_MS, MINUTE_MS] as const;
/** Intervals after expiry. Each one applies once the same time has passed since then. */
const EXPIRED_INTERVALS_MS = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * MINUTE_MS);

/** Returns `undefined` if the invoice is no longer tracked. */
function nextPoll(invoice: Invoice, now: number): NextPoll | undefined {
  if (!isTracked(invoice, now)) return undefined;
  const { status, pollCount, expiresAt } = invoice;
  if (status === 'paid') {
    const inMs = delayBefore(pollCount, PAID_INTERVALS_MS);
    return { inMs, isPriority: pollCount < PAID_INTERVALS_MS.length };
  }
  const untilExpiryMs = expiresAt - now;
  // Polling continues after expiry, because a payment in the last moment may arrive late.
  if (untilExpiryMs <= 0) {
    const inMs = EXPIRED_INTERVALS_MS.findLast((interval) => interval <= -untilExpiryMs);
    return { inMs: inMs ?? MINUTE_MS, isPriority: false };
  }
  const inMs = delayBefore(pollCount, UNPAID_INTERVALS_MS);
  if (inMs >= untilExpiryMs) return { inMs: untilExpiryMs, isPriority: true };
  return { inMs, isPriority: pollCount === 0 };
}

/** Rate limit of polls, and the prefix of its name for each account. */
interface PollLimit {
  name: string;
  rateLimit: RateLimit;
}

/** Scheduled polls, out of an account's 60 invoice reads a minute (specification, section 8). */
const SCHEDULED_POLLS: PollLimit = { name: 'invoice-polls', rateLimit: { max: 40, withinMs: 60_000 } };
/** Polls before an invoice is shown as payable. Separate, so that neither kind blocks the other. */
const CHECKS: PollLimit = { name: 'invoice-checks', rateLimit: { max: 15, withinMs: 60_000 } };
/** Maximum wait of a card or page for such a poll, in milliseconds. */
const CHECK_TIMEOUT_MS = 2_500;
/** Minimum time between polls of one invoice before it is shown, in milliseconds. */
const RECHECK_MS = 10_000;
/** Interval of polls that only detect whether a missing key is back, in milliseconds. */
const KEYLESS_INTERVAL_MS = 10 * MINUTE_MS;
/** Delay after a failed poll, in milliseconds, so that it doesn't block others. */
const FAILURE_DELAY_MS = MINUTE_MS;
const POLL_CONCURRENCY = 4;

export type InvoicePoller = ReturnType<typeof createInvoicePoller>;

export function createInvoicePoller(deps: {
  store: InvoiceStore;
  pollSchedule: PollSchedule;
  rateLimiter: SharedRateLimiter;
  leases: Leases;
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Called before a changed invoice is written, so that its cards are updated even if the process dies. */
  beforeChange: (invoice: Invoice) => Promise<unknown>;
  afterChange: (invoice: Invoice) => Promise<unknown>;
  /** Returns when the present history of the stored data began, in epoch milliseconds. */
  dataSince: () => Promise<number>;
  now: () => number;
}) {
  const { store, pollSchedule, rateLimiter, leases, rental, operatorInvoices, apiKey } = deps;
  const { beforeChange, afterChange, dataSince, now } = deps;
  /** Polls in progress in this process, for as long as a card or page waits for them. By `user/id`. */
  const pending = new Map<string, Promise<unknown>>();
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;

  /** Returns `undefined` without a key to the account. */
  async function request(invoice: Invoice): Promise<Outcome<ReportedInvoice> | undefined> {
    const { user, account, number } = invoice;
    if (account === OPERATOR_ACCOUNT) return operatorInvoices?.read(number);
    const key = await apiKey(user, account);
    return key === undefined ? undefined : rental.invoice(key, number);
  }

  async function hasKey({ user, account }: Invoice): Promise<boolean> {
    if (account === OPERATOR_ACCOUNT) return operatorInvoices !== undefined;
    return (await apiKey(user, account)) !== undefined;
  }

  const schedule = ({ account, user, id }: Invoice, next: NextPoll | undefined) =>
    next ? pollSchedule.schedule(account, { user, id }, next) : pollSchedule.remove(account, { user, id });

  async function poll(ref: InvoiceRef, account: number): Promise<void> {
    const before = await store.read(ref);
    if (before === undefined) return pollSchedule.remove(account, ref);
    const askedAt = now();
    const outcome = await request(before);
    if (outcome === undefined) return handleMissingKey(before);
    if (isKeyRefused(outcome)) return pollRarely(before);
    const reported = outcome.kind === 'accepted' && isSame(before, outcome.value) ? outcome.value : undefined;
    // An invoice that was marked as unchecked during this request has lost its key since, so the mark stays.
    const isKeyBack = before.unchecked === true && reported !== undefined;
    const expected = withReport(before, reported, isKeyBack);
    if (hasChanged(before, expected)) await beforeChange(expected);
    const after = await store.update(ref, (present) => {
      const next = withReport(present, reported, isKeyBack);
      const times = { askedAt, ...(reported && { checkedAt: askedAt }) };
      return { ...next, ...times, pollCount: hasChanged(present, next) ? 0 : present.pollCount + 1 };
    });
    if (after === undefined) return;
    await schedule(after, nextPoll(after, now()));
    if (hasChanged(before, after)) await afterChange(after);
  }

  /** Polls unless a poll of the invoice is in progress. Returns whether the limit is used up. */
  async function pollWithLimit(
    { user, id }: InvoiceRef,
    account: number,
    { name, rateLimit }: PollLimit,
  ): Promise<boolean> {
    const key = nameOf({ user, id });
    if (pending.has(key)) return false;
    let isUsedUp = false;
    const polling = leases.withLease(keyOf(INVOICE_POLL_LEASE.keys, { user, id }), async () => {
      isUsedUp = (await rateLimiter.acquire(`${name}:${account}`, randomUUID(), rateLimit)) > 0;
      if (!isUsedUp) await poll({ user, id }, account);
    });
    const waiting = orTimeout(
      polling.finally(() => pending.delete(key)),
      CHECK_TIMEOUT_MS,
    );
    // Prevents an unhandled rejection. Every caller that awaits the promise gets the error.
    waiting.catch(() => undefined);
    pending.set(key, waiting);
    await polling;
    return isUsedUp;
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
    const next = { inMs: KEYLESS_INTERVAL_MS, isPriority: false };
    await schedule(invoice, isTracked(invoice, now()) ? next : undefined);
  }

  async function handleMissingKey(invoice: Invoice): Promise<void> {
    await pollRarely(invoice);
    if (!isTracked(invoice, now())) return;
    // A key linked since then may have scheduled an earlier poll, which was just overwritten.
    if (await hasKey(invoice)) await schedule(invoice, { inMs: 0, isPriority: true });
  }

  /** Polls an account's due invoices in order, until the account's limit is used up. */
  async function pollAccount(account: number): Promise<void> {
    const due = await pollSchedule.due(account, SCHEDULED_POLLS.rateLimit.max);
    let isUsedUp = false;
    const failures: unknown[] = [];
    async function pollNext(): Promise<void> {
      for (let ref = due.shift(); ref !== undefined && !isUsedUp; ref = due.shift()) {
        try {
          if (await pollWithLimit(ref, account, SCHEDULED_POLLS)) isUsedUp = true;
        } catch (err) {
          failures.push(err);
          const next = { inMs: FAILURE_DELAY_MS, isPriority: false };
          await pollSchedule.schedule(account, ref, next).catch(() => undefined);
        }
      }
    }
    await Promise.all(Array.from({ length: POLL_CONCURRENCY }, pollNext));
    if (failures.length > 0) throw failures[0];
  }

  return {
    /** Polls the service for invoices with due polls, within the limits. */
    async pollDue(): Promise<void> {
      const accounts = await pollSchedule.accounts();
      const results = await Promise.allSettled(accounts.map(pollAccount));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
    /**
     * Returns the invoice as it may be shown. If it is payable and the last response older than a minute,
     * polls the service first, for 2.5 seconds at most. Without a response, the result is stale.
     */
    async checkBeforePayment(invoice: Invoice): Promise<CheckedInvoice> {
      const since = await dataSince();
      if (!needsCheck(invoice, now(), since)) return invoice;
      // Concurrent callers share one poll.
      if (now() - (invoice.askedAt ?? 0) >= RECHECK_MS)
        await (pending.get(nameOf(invoice)) ??
          orTimeout(pollWithLimit(invoice, invoice.account, CHECKS), CHECK_TIMEOUT_MS));
      const present = (await store.read(invoice)) ?? invoice;
      return needsCheck(present, now(), since) ? { ...present, isStale: true } : present;
    },
    /** Schedules a poll for the next run, because a change is expected. */
    async pollSoon(ref: InvoiceRef): Promise<void> {
      const invoice = await store.update(ref, (present) =>
        isFinal(present) ? undefined : { ...present, pollCount: 0 },
      );
      if (invoice && !isFinal(invoice)) await schedule(invoice, { inMs: 0, isPriority: true });
    },
    /** Schedules a poll in a minute, whenever it was scheduled before. */
    pollInMinute: (invoice: Invoice) => schedule(invoice, { inMs: MINUTE_MS, isPriority: false }),
    markUnchecked,
  };
}

function isSame(invoice: Invoice, reported: ReportedInvoice): boolean {
  return reported.invoice_id === invoice.number && reported.payment_address === invoice.paymentAddress;
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
  const { status, tx_hash: txHash, paid_at, delegated_at } = reported;
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
     * Calls `removeKey` and marks the user's invoices as unchecked. Returns their number. If the process dies
     * in between, scheduled polls do the same; rare polls are moved to within a minute for this.
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
      return { result, unchecked: invoices.length };
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
