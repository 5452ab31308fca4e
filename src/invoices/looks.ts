import { randomUUID } from 'node:crypto';
import { orTimeout } from '../or-timeout.ts';
import type { Rental } from '../rental/client.ts';
import { OPERATORS, type OperatorInvoices } from '../rental/operator-invoices.ts';
import { isKeyRefused, type Outcome } from '../rental/outcome.ts';
import type { Invoice as ToldInvoice } from '../rental/resources/invoice.ts';
import type { Allowance, Budget } from '../storage/budget.ts';
import type { Turns } from '../storage/turns.ts';
import {
  type CheckedInvoice,
  type Invoice,
  type InvoiceRef,
  isFinal,
  isFollowed,
  needsCheck,
} from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';
import type { LookIndex } from './look-index.ts';
import { nextLook } from './look-pace.ts';

/** Scheduled reads, of the 60 reads of invoices a minute that an account has (specification, section 8). */
export const LOOKS: Allowance = { most: 40, withinMs: 60_000 };
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
const AT_ONCE = 4;

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
    await Promise.all(Array.from({ length: AT_ONCE }, next));
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
