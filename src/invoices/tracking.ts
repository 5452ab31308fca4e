import { randomUUID } from 'node:crypto';
import type { Leases } from '../platform/leases.ts';
import type { RateLimit, SharedRateLimiter } from '../platform/rate-limit.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import { isKeyRefused, type Outcome } from '../rental-api/http.ts';
import { OPERATORS, type OperatorInvoices } from '../rental-api/operator-invoices.ts';
import type { Invoice as ToldInvoice } from '../rental-api/schemas.ts';
import {
  type CheckedInvoice,
  FOLLOWED_MS,
  type Invoice,
  type InvoiceRef,
  isFinal,
  isFollowed,
  needsCheck,
} from './invoice.ts';
import type { InvoiceStore, UserInvoices } from './invoice-store.ts';

const ACCOUNTS = 'invoices:accounts';
const MAX_ACCOUNTS = 10_000;
/** Number of accounts that are examined for overdue checks. */
const ACCOUNTS_ASKED = 100;
/** Number of prioritized checks per other check, so that other checks aren't starved. */
const SOON_PER_OTHER = 3;

/** Schedule of invoice checks, by account. The checks of one account don't delay those of another. */
export interface LookIndex {
  put(account: number, ref: InvoiceRef, at: { inMs: number; soon: boolean }): Promise<void>;
  remove(account: number, ref: InvoiceRef): Promise<void>;
  /** Returns the accounts with scheduled checks. */
  accounts(): Promise<number[]>;
  /** Returns an account's invoices with due checks, in the order of the checks. */
  due(account: number, limit: number): Promise<InvoiceRef[]>;
  /**
   * Returns how long the most overdue check has been due, in milliseconds; `undefined` if none is. Examines the {@link
   * ACCOUNTS_ASKED} accounts whose last scheduling is the oldest.
   */
  overdueMs(): Promise<number | undefined>;
}

export function createLookIndex({ storage }: { storage: Pick<Storage, 'index'> }): LookIndex {
  const { index } = storage;
  const soonOf = (account: number) => `invoices:soon:${account}`;
  const laterOf = (account: number) => `invoices:due:${account}`;
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;

  function refOf(name: string): InvoiceRef {
    const [user, id = ''] = name.split('/');
    return { user: Number(user), id };
  }

  async function isFollowed(account: number): Promise<boolean> {
    const any = await Promise.all([soonOf, laterOf].map((of) => index.last(of(account), 1)));
    return any.flat().length > 0;
  }

  return {
    async put(account, ref, { inMs, soon }) {
      const [here, there] = soon ? [soonOf, laterOf] : [laterOf, soonOf];
      await Promise.all([
        index.scheduleIn(here(account), nameOf(ref), inMs),
        index.remove(there(account), nameOf(ref)),
      ]);
      // Written last: a concurrent `remove` that drops the account examines it once more afterwards.
      await index.scheduleIn(ACCOUNTS, String(account), 0);
    },
    async remove(account, ref) {
      await Promise.all([soonOf, laterOf].map((of) => index.remove(of(account), nameOf(ref))));
      if (await isFollowed(account)) return;
      await index.remove(ACCOUNTS, String(account));
      if (await isFollowed(account)) await index.scheduleIn(ACCOUNTS, String(account), 0);
    },
    async accounts() {
      return (await index.last(ACCOUNTS, MAX_ACCOUNTS)).map(Number);
    },
    async overdueMs() {
      const accounts = (await index.upTo(ACCOUNTS, Number.MAX_VALUE, ACCOUNTS_ASKED)).map(Number);
      const each = accounts.flatMap((account) => [soonOf, laterOf].map((of) => index.overdueMs(of(account))));
      const found = (await Promise.all(each)).filter((ms) => ms !== undefined);
      return found.length > 0 ? Math.max(...found) : undefined;
    },
    async due(account, limit) {
      const [soon, later] = await Promise.all([soonOf, laterOf].map((of) => index.due(of(account), limit)));
      return mixed(soon ?? [], later ?? [])
        .slice(0, limit)
        .map(refOf);
    },
  };
}

function mixed(soon: string[], later: string[]): string[] {
  const [first, rest] = [soon.slice(0, SOON_PER_OTHER), soon.slice(SOON_PER_OTHER)];
  if (first.length < SOON_PER_OTHER) return [...first, ...later];
  return later.length === 0 ? soon : [...first, later[0] ?? '', ...mixed(rest, later.slice(1))];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Intervals between checks of an invoice. The last one repeats. */
const OPEN_MS = [10 * SECOND, 20 * SECOND, 30 * SECOND, 45 * SECOND, MINUTE];
const PAID_MS = [5 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND, MINUTE];
const OVER_MS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE];

/**
 * Delay of the next check. `soon`: the check is prioritized, because the invoice was just opened or paid or is about to
 * expire.
 */
interface NextPoll {
  inMs: number;
  soon: boolean;
}

/** Returns the next check; `undefined` if the invoice is no longer tracked. */
function nextPoll(invoice: Invoice, now: number): NextPoll | undefined {
  if (!isFollowed(invoice, now)) return undefined;
  const { status, looks, expiresAt } = invoice;
  if (status === 'paid') return { inMs: pace(PAID_MS, looks), soon: looks < PAID_MS.length };
  const untilEnd = expiresAt - now;
  // Checks continue after expiry, because a payment in the last moment may arrive late.
  if (untilEnd <= 0) return { inMs: afterEnd(-untilEnd), soon: false };
  const inMs = pace(OPEN_MS, looks);
  return inMs >= untilEnd ? { inMs: untilEnd, soon: true } : { inMs, soon: looks === 0 };
}

function pace(steps: readonly number[], count: number): number {
  return steps[Math.min(count, steps.length - 1)] ?? MINUTE;
}

/** Returns the interval after expiry. It grows with the time since then. */
function afterEnd(agoMs: number): number {
  return OVER_MS.findLast((step) => step <= Math.max(agoMs, MINUTE)) ?? MINUTE;
}

/** Limit of scheduled reads, out of the 60 invoice reads a minute of an account (specification, section 8). */
const LOOKS: RateLimit = { most: 40, withinMs: 60_000 };
/**
 * Limit of reads before an invoice is shown as payable. It is separate, so that neither kind of read blocks the other.
 */
const CHECKS: RateLimit = { most: 15, withinMs: 60_000 };
/** Maximum wait of a card or page for such a read, in milliseconds. */
const WAIT_MS = 2_500;
/** Minimum time between reads of one invoice before it is shown, also after failures, in milliseconds. */
const RETRY_MS = 10_000;
/** Interval of checks for an invoice without a working key, in milliseconds. They only detect that a key is back. */
const KEYLESS_MS = 10 * 60_000;
/** Delay after a failed check, in milliseconds, so that it doesn't block others. */
const FAILED_MS = 60_000;
/** Delay of a check after `hasten`, in milliseconds. */
const HASTENED_MS = 60_000;
/** Maximum number of concurrent checks per account. */
const POLL_CONCURRENCY = 4;

export interface Looks {
  /** Polls the service for invoices with due checks, within the limits. */
  run(): Promise<void>;
  /**
   * Returns the invoice as it may be shown. If it is payable and the service's last response is older than a minute,
   * the service is asked first, for 2.5 seconds at most. Without a response, the result is stale.
   */
  checkBeforePayment(invoice: Invoice): Promise<CheckedInvoice>;
  /** Schedules a check for the next run, because a change is expected. */
  expect(ref: InvoiceRef): Promise<void>;
  /** Schedules a check in a minute, whenever it was scheduled before. */
  hasten(invoice: Invoice): Promise<void>;
  /** Marks an invoice as unchecked because its key is gone. Cards and pages show this until a key is back. */
  uncheck(ref: InvoiceRef): Promise<void>;
}

/** Creates the poller that reads invoices from the service and applies changes. */
export function createPoller(deps: {
  store: InvoiceStore;
  lookIndex: LookIndex;
  budget: SharedRateLimiter;
  leases: Leases;
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** Called before a changed invoice is written, so that its cards are updated even if the process dies. */
  changing: (invoice: Invoice) => Promise<unknown>;
  /** Called after a changed invoice was written. */
  changed: (invoice: Invoice) => Promise<unknown>;
  dataSince: () => Promise<number>;
  now: () => number;
}): Looks {
  const { store, lookIndex, budget, leases, rental, operatorInvoices, apiKey, changing, changed, now } = deps;
  const { dataSince } = deps;
  /** Reads in progress in this process, each for as long as a card or page waits for it. */
  const underWay = new Map<string, Promise<unknown>>();
  const nameOf = ({ user, id }: InvoiceRef) => `${user}/${id}`;

  async function ask({ user, account, number }: Invoice): Promise<Outcome<ToldInvoice> | undefined> {
    if (account === OPERATORS) return operatorInvoices?.read(number);
    const key = await apiKey(user, account);
    return key === undefined ? undefined : rental.invoice(key, number);
  }

  async function hasKey({ user, account }: Invoice): Promise<boolean> {
    if (account === OPERATORS) return operatorInvoices !== undefined;
    return (await apiKey(user, account)) !== undefined;
  }

  async function scheduled(invoice: Invoice): Promise<void> {
    const next = nextPoll(invoice, now());
    if (next === undefined) await lookIndex.remove(invoice.account, invoice);
    else await lookIndex.put(invoice.account, invoice, next);
  }

  async function look(ref: InvoiceRef, account: number): Promise<void> {
    const before = await store.read(ref);
    if (before === undefined) return lookIndex.remove(account, ref);
    const askedAt = now();
    const told = await ask(before);
    if (told === undefined) return keyless(before);
    if (isKeyRefused(told)) return unchecked(before);
    const read = told.kind === 'accepted' && isAbout(before, told.value) ? told.value : undefined;
    // An invoice that was marked as unchecked during this request has lost its key since, so the mark stays.
    const isBack = before.unchecked === true && read !== undefined;
    const expected = withTold(before, read, isBack);
    if (isNews(before, expected)) await changing(expected);
    const after = await store.change(ref, (present) => {
      const next = withTold(present, read, isBack);
      const times = { askedAt, ...(read && { checkedAt: askedAt }) };
      return { ...next, ...times, looks: isNews(present, next) ? 0 : present.looks + 1 };
    });
    if (after === undefined) return;
    await scheduled(after);
    if (isNews(before, after)) await changed(after);
  }

  /** Reads an invoice unless a read of it is in progress on any replica. Returns whether the limit is used up. */
  async function lookWithin(
    { user, id }: InvoiceRef,
    account: number,
    { name, allowance }: { name: string; allowance: RateLimit },
  ): Promise<boolean> {
    const member = nameOf({ user, id });
    if (underWay.has(member)) return false;
    let isUsedUp = false;
    const looking = leases.withLease(`checking-invoice:{${user}}:${id}`, async () => {
      isUsedUp = (await budget.take(`${name}:${account}`, randomUUID(), allowance)) > 0;
      if (!isUsedUp) await look({ user, id }, account);
    });
    const waiting = orTimeout(
      looking.finally(() => underWay.delete(member)),
      WAIT_MS,
    );
    // Prevents an unhandled rejection. Every caller that awaits the promise gets the error.
    waiting.catch(() => undefined);
    underWay.set(member, waiting);
    await looking;
    return isUsedUp;
  }

  /** Resolves when the invoice was read or the wait is over. Concurrent callers share one read. */
  async function check(invoice: Invoice): Promise<void> {
    const looking =
      underWay.get(nameOf(invoice)) ??
      orTimeout(lookWithin(invoice, invoice.account, { name: 'checks', allowance: CHECKS }), WAIT_MS);
    await looking;
  }

  async function uncheck(ref: InvoiceRef): Promise<void> {
    const before = await store.read(ref);
    if (before === undefined || isFinal(before) || before.unchecked) return;
    await changing({ ...before, unchecked: true });
    const after = await store.change(ref, (present) =>
      isFinal(present) || present.unchecked ? undefined : { ...present, unchecked: true },
    );
    if (after) await changed(after);
  }

  /** Marks the invoice as unchecked and schedules rare checks that detect a new key. */
  async function unchecked(invoice: Invoice): Promise<void> {
    const { user, id, account } = invoice;
    const ref = { user, id };
    await uncheck(ref);
    if (!isFollowed(invoice, now())) return lookIndex.remove(account, ref);
    await lookIndex.put(account, ref, { inMs: KEYLESS_MS, soon: false });
  }

  async function keyless(invoice: Invoice): Promise<void> {
    const { user, id, account } = invoice;
    const ref = { user, id };
    await unchecked(invoice);
    if (!isFollowed(invoice, now())) return;
    // A key that was linked in the meantime may have scheduled an earlier check, which was just overwritten.
    if (await hasKey(invoice)) await lookIndex.put(account, ref, { inMs: 0, soon: true });
  }

  /** Checks due invoices in order, until the account's limit is used up. */
  async function follow(account: number): Promise<void> {
    const due = await lookIndex.due(account, LOOKS.most);
    let isUsedUp = false;
    const failures: unknown[] = [];
    const failed = (ref: InvoiceRef) => async (err: unknown) => {
      failures.push(err);
      await lookIndex.put(account, ref, { inMs: FAILED_MS, soon: false }).catch(() => undefined);
    };
    const next = async (): Promise<void> => {
      const ref = isUsedUp ? undefined : due.shift();
      if (ref === undefined) return;
      const looking = lookWithin(ref, account, { name: 'looks', allowance: LOOKS });
      if (await looking.catch(failed(ref))) isUsedUp = true;
      return next();
    };
    await Promise.all(Array.from({ length: POLL_CONCURRENCY }, next));
    if (failures.length > 0) throw failures[0];
  }

  return {
    async run() {
      const accounts = await lookIndex.accounts();
      const followed = await Promise.allSettled(accounts.map(follow));
      for (const one of followed) if (one.status === 'rejected') throw one.reason;
    },
    async checkBeforePayment(invoice) {
      const since = await dataSince();
      if (!needsCheck(invoice, now(), since)) return invoice;
      const { askedAt = 0 } = invoice;
      if (now() - askedAt >= RETRY_MS) await check(invoice);
      const present = (await store.read(invoice)) ?? invoice;
      return needsCheck(present, now(), since) ? { ...present, isStale: true } : present;
    },
    async expect(ref) {
      const invoice = await store.change(ref, (present) =>
        isFinal(present) ? undefined : { ...present, looks: 0 },
      );
      if (invoice && !isFinal(invoice)) await lookIndex.put(invoice.account, ref, { inMs: 0, soon: true });
    },
    hasten: ({ user, id, account }) =>
      lookIndex.put(account, { user, id }, { inMs: HASTENED_MS, soon: false }),
    uncheck,
  };
}

function isAbout(invoice: Invoice, told: ToldInvoice): boolean {
  return told.invoice_id === invoice.number && told.payment_address === invoice.paymentAddress;
}

function isNews(before: Invoice, after: Invoice): boolean {
  return (
    after.status !== before.status || after.txHash !== before.txHash || after.unchecked !== before.unchecked
  );
}

/** Order of statuses. A delayed response doesn't revert a later status. */
const ORDER = ['pending', 'expired', 'paid'];

/**
 * Returns the invoice with the service's response applied. Final statuses stay, and a delayed older response doesn't
 * make a paid invoice payable again. `isBack` removes the mark `unchecked`.
 */
function withTold(present: Invoice, told: ToldInvoice | undefined, isBack: boolean): Invoice {
  if (told === undefined || isFinal(present)) return present;
  const { unchecked: _, ...checked } = present;
  const invoice: Invoice = isBack || isFinal(told) ? checked : present;
  if (ORDER.includes(told.status) && ORDER.indexOf(told.status) < ORDER.indexOf(invoice.status))
    return invoice;
  // A response without a status only makes a pending invoice not payable.
  if (told.status === '' && invoice.status !== 'pending') return invoice;
  const { status, tx_hash: txHash, paid_at, delegated_at } = told;
  return {
    ...invoice,
    status,
    ...(txHash && { txHash }),
    ...(paid_at && { paidAt: Date.parse(paid_at) }),
    ...(delegated_at && { delegatedAt: Date.parse(delegated_at) }),
  };
}

/** Number of invoices written at once. */
const LINK_CHANGE_CONCURRENCY = 50;
/** Maximum wait for these writes, in milliseconds. The remaining ones continue in the background. */
const WITHIN_MS = 500;
/** Number of a user's latest invoices that are examined when an account is linked again. */
const MAX_RESUMED = 500;

/** User and account of a link. The account is never `OPERATORS`. */
interface OfLink {
  user: number;
  account: number;
}

/** Updates a user's invoices when the link to an account ends or is made again. */
export interface LinkChanges {
  /** Returns the tracked invoices, latest first. */
  followed(of: OfLink): Promise<Invoice[]>;
  /**
   * Calls `end`, which removes the user's key to the account, and marks the user's invoices as unchecked. Returns the
   * number of these invoices. If the process dies in between, scheduled checks do the same. Rare checks are moved to
   * within a minute for this.
   */
  ended<T>(of: OfLink, end: () => Promise<T>): Promise<{ result: T; unchecked: number }>;
  /** Schedules checks of the user's invoices soon, because there is a key again or another one. */
  made(of: OfLink): Promise<void>;
}

export function createLinkChanges(deps: {
  of: UserInvoices['of'];
  looks: Pick<Looks, 'expect' | 'hasten' | 'uncheck'>;
  now: () => number;
}): LinkChanges {
  const { looks, now } = deps;

  async function followed({ user, account }: OfLink): Promise<Invoice[]> {
    // No invoice is tracked that long after it was made.
    const isOld = ({ createdAt }: Invoice) => createdAt < now() - 2 * FOLLOWED_MS;
    const made = await deps.of(user, (read) => read.some(isOld));
    return made.filter((one) => one.account === account && isFollowed(one, now()));
  }

  async function each(invoices: readonly Invoice[], work: (one: Invoice) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < invoices.length; from += LINK_CHANGE_CONCURRENCY)
      await Promise.all(invoices.slice(from, from + LINK_CHANGE_CONCURRENCY).map(work));
  }

  return {
    followed,
    async ended(of, end) {
      const invoices = await followed(of);
      const seldom = invoices.filter(({ expiresAt }) => now() >= expiresAt);
      await each(seldom, looks.hasten);
      const result = await end();
      await orTimeout(each(invoices, looks.uncheck), WITHIN_MS);
      return { result, unchecked: invoices.length };
    },
    async made({ user, account }) {
      // Includes unchecked invoices that are no longer tracked. They are checked once.
      const made = await deps.of(user, (read) => read.length >= MAX_RESUMED);
      const again = made.filter(
        (one) => one.account === account && (isFollowed(one, now()) || (one.unchecked && !isFinal(one))),
      );
      await orTimeout(each(again, looks.expect), WITHIN_MS);
    },
  };
}
