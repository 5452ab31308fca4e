import { randomUUID } from 'node:crypto';
import type { Turns } from '../platform/leases.ts';
import type { Allowance, Budget } from '../platform/rate-limit.ts';
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
const MOST_ACCOUNTS = 10_000;
/** How many accounts are asked how long theirs wait. */
const ACCOUNTS_ASKED = 100;
/** Of so many that are looked at before others, one of the others has its turn too: so that none is forgotten. */
const SOON_PER_OTHER = 3;

/** When the service is asked for which invoice, by account: what holds one up holds up none of another. */
export interface LookIndex {
  put(account: number, ref: InvoiceRef, at: { inMs: number; soon: boolean }): Promise<void>;
  remove(account: number, ref: InvoiceRef): Promise<void>;
  /** Whose invoices are followed at all. */
  accounts(): Promise<number[]>;
  /** What has come due of an account, in the order in which it is to be asked for. */
  due(account: number, limit: number): Promise<InvoiceRef[]>;
  /** For how long what is due the longest has been, in milliseconds, of the accounts that began to wait first; `undefined` where nothing is due. */
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
        index.putIn(here(account), nameOf(ref), inMs),
        index.remove(there(account), nameOf(ref)),
      ]);
      // After it: whoever takes the account out meanwhile, as it had nothing left, looks once more.
      await index.putIn(ACCOUNTS, String(account), 0);
    },
    async remove(account, ref) {
      await Promise.all([soonOf, laterOf].map((of) => index.remove(of(account), nameOf(ref))));
      if (await isFollowed(account)) return;
      await index.remove(ACCOUNTS, String(account));
      if (await isFollowed(account)) await index.putIn(ACCOUNTS, String(account), 0);
    },
    async accounts() {
      return (await index.last(ACCOUNTS, MOST_ACCOUNTS)).map(Number);
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

/** How long after what the service is asked for an invoice again; the last one goes on. */
const OPEN_MS = [10 * SECOND, 20 * SECOND, 30 * SECOND, 45 * SECOND, MINUTE];
const PAID_MS = [5 * SECOND, 5 * SECOND, 10 * SECOND, 20 * SECOND, MINUTE];
const OVER_MS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE];

/** When an invoice is asked for next, and whether before others: for what was just opened or paid, and near its end. */
interface NextLook {
  inMs: number;
  soon: boolean;
}

/** `undefined` where nothing more will come of it. */
function nextLook(invoice: Invoice, now: number): NextLook | undefined {
  if (!isFollowed(invoice, now)) return undefined;
  const { status, looks, expiresAt } = invoice;
  if (status === 'paid') return { inMs: pace(PAID_MS, looks), soon: looks < PAID_MS.length };
  const untilEnd = expiresAt - now;
  // Whoever pays in the last moment must not read that nothing came in.
  if (untilEnd <= 0) return { inMs: afterEnd(-untilEnd), soon: false };
  const inMs = pace(OPEN_MS, looks);
  return inMs >= untilEnd ? { inMs: untilEnd, soon: true } : { inMs, soon: looks === 0 };
}

function pace(steps: readonly number[], count: number): number {
  return steps[Math.min(count, steps.length - 1)] ?? MINUTE;
}

/** Ever less often, the longer its end is ago. */
function afterEnd(agoMs: number): number {
  return OVER_MS.findLast((step) => step <= Math.max(agoMs, MINUTE)) ?? MINUTE;
}

/** Scheduled reads, of the 60 reads of invoices a minute that an account has (specification, section 8). */
const LOOKS: Allowance = { most: 40, withinMs: 60_000 };
/** Reads before an invoice is shown as payable. They have their own share: neither kind holds up the other. */
const CHECKS: Allowance = { most: 15, withinMs: 60_000 };
/** How long a card or page waits for such a read. */
const WAIT_MS = 2_500;
/** Minimum time between reads of one invoice before it is shown, also after failed ones. */
const RETRY_MS = 10_000;
/** One of a key that is gone is asked for again only to see whether it is back. */
const KEYLESS_MS = 10 * 60_000;
/** One that could not be looked at keeps the others waiting no longer. */
const FAILED_MS = 60_000;
/** One that is hastened has its turn by then. */
const HASTENED_MS = 60_000;
/** So many are asked for at once of an account. */
const POLL_CONCURRENCY = 4;

export interface Looks {
  /** Asks the service for what has come due, as far as the limits go. */
  run(): Promise<void>;
  /**
   * Returns the invoice as it may be shown. If it can be paid and the service didn't answer for it within the last minute,
   * the service is asked first, for 2.5 seconds at most; the result is stale if no answer comes.
   */
  checkBeforePayment(invoice: Invoice): Promise<CheckedInvoice>;
  /** It is asked for when the next run comes: something is expected of it. */
  expect(ref: InvoiceRef): Promise<void>;
  /** It is asked for within a minute, whenever it would have been. */
  hasten(invoice: Invoice): Promise<void>;
  /** The key is gone by which it could be asked for: that is said where it is shown, until one is there again. */
  uncheck(ref: InvoiceRef): Promise<void>;
}

/** What became of invoices, by asking the service for them. */
export function createLooks(deps: {
  store: InvoiceStore;
  lookIndex: LookIndex;
  budget: Budget;
  turns: Turns;
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** It will stand otherwise, as soon as that is written: whoever ends after it has it shown all the same. */
  changing: (invoice: Invoice) => Promise<unknown>;
  /** It stands otherwise now. */
  changed: (invoice: Invoice) => Promise<unknown>;
  dataSince: () => Promise<number>;
  now: () => number;
}): Looks {
  const { store, lookIndex, budget, turns, rental, operatorInvoices, apiKey, changing, changed, now } = deps;
  const { dataSince } = deps;
  /** Reads of invoices in this process, each for as long as a card or page waits for it. */
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
    const next = nextLook(invoice, now());
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
    // What was marked while this answer was on its way has lost its key since.
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

  /** Reads an invoice unless a read of it is under way on any replica. Returns whether the allowance is used up. */
  async function lookWithin(
    { user, id }: InvoiceRef,
    account: number,
    { name, allowance }: { name: string; allowance: Allowance },
  ): Promise<boolean> {
    const member = nameOf({ user, id });
    if (underWay.has(member)) return false;
    let isUsedUp = false;
    const looking = turns.take(`checking-invoice:{${user}}:${id}`, async () => {
      isUsedUp = (await budget.take(`${name}:${account}`, randomUUID(), allowance)) > 0;
      if (!isUsedUp) await look({ user, id }, account);
    });
    const waiting = orTimeout(
      looking.finally(() => underWay.delete(member)),
      WAIT_MS,
    );
    // A failure rejects the call below, and every wait for it.
    waiting.catch(() => undefined);
    underWay.set(member, waiting);
    await looking;
    return isUsedUp;
  }

  /** Resolves once the invoice was read, or can't be in time. A read that is under way here serves all who wait. */
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

  /** Nobody can look at it: asked for again only to see whether that has changed. */
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
    // Who has brought a key meanwhile may have been quicker to have it looked at.
    if (await hasKey(invoice)) await lookIndex.put(account, ref, { inMs: 0, soon: true });
  }

  /** In the order in which they came due, until the account has no more of its limit. */
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

/** How far it has come: an answer that was longer on its way than another takes nothing back. */
const ORDER = ['pending', 'expired', 'paid'];

/** What the service says of it, and that it is asked again; what is over for good stays so, and what was paid isn't to be paid again, whatever an older answer says. */
function withTold(present: Invoice, told: ToldInvoice | undefined, isBack: boolean): Invoice {
  if (told === undefined || isFinal(present)) return present;
  const { unchecked: _, ...checked } = present;
  const invoice: Invoice = isBack || isFinal(told) ? checked : present;
  if (ORDER.includes(told.status) && ORDER.indexOf(told.status) < ORDER.indexOf(invoice.status))
    return invoice;
  // A missing status only takes away that the invoice is payable.
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

/** So many are written at once. */
const LINK_CHANGE_CONCURRENCY = 50;
/** Nobody waits longer until all are written; where there are very many, the others follow. */
const WITHIN_MS = 500;
/** Of the latest, for an account that is linked again. */
const MAX_RESUMED = 500;

/** What a user made on an account of theirs (`OPERATORS` is nobody's). */
interface OfLink {
  user: number;
  account: number;
}

/** What becomes of a user's invoices as their link to an account ends, and as there is one again. */
export interface LinkChanges {
  /** Of which something may still come, the latest first. */
  followed(of: OfLink): Promise<Invoice[]>;
  /**
   * Does `end`, after which this user has no key to that account any more, and says of their invoices that they are no
   * longer checked: of how many is answered. Of a process that dies in between, the looks do the same: within a minute of
   * those that wouldn't be looked at for longer.
   */
  ended<T>(of: OfLink, end: () => Promise<T>): Promise<{ result: T; unchecked: number }>;
  /** There is a key again, or another: the service is asked for them soon. */
  made(of: OfLink): Promise<void>;
}

export function createLinkChanges(deps: {
  of: UserInvoices['of'];
  looks: Pick<Looks, 'expect' | 'hasten' | 'uncheck'>;
  now: () => number;
}): LinkChanges {
  const { looks, now } = deps;

  async function followed({ user, account }: OfLink): Promise<Invoice[]> {
    // None is followed that long after it was made.
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
      // Also those that are followed no more: what became of them meanwhile is asked for once.
      const made = await deps.of(user, (read) => read.length >= MAX_RESUMED);
      const again = made.filter(
        (one) => one.account === account && (isFollowed(one, now()) || (one.unchecked && !isFinal(one))),
      );
      await orTimeout(each(again, looks.expect), WITHIN_MS);
    },
  };
}
