import { randomUUID } from 'node:crypto';
import type { Rental } from '../rental/client.ts';
import { OPERATORS, type OperatorInvoices } from '../rental/operator-invoices.ts';
import { isKeyRefused, type Outcome } from '../rental/outcome.ts';
import type { Invoice as ToldInvoice } from '../rental/resources/invoice.ts';
import type { Allowance, Budget } from '../storage/budget.ts';
import { type Invoice, type InvoiceRef, isFinal, isFollowed } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';
import type { LookIndex } from './look-index.ts';
import { nextLook } from './look-pace.ts';

/** Of the 60 reads a minute that an account has (specification, section 8): the others are for whoever taps. */
export const LOOKS: Allowance = { most: 40, withinMs: 60_000 };
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
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** It will stand otherwise, as soon as that is written: whoever ends after it has it shown all the same. */
  changing: (invoice: Invoice) => Promise<unknown>;
  /** It stands otherwise now. */
  changed: (invoice: Invoice) => Promise<unknown>;
  now: () => number;
}): Looks {
  const { store, lookIndex, budget, rental, operatorInvoices, apiKey, changing, changed, now } = deps;

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
      return { ...next, looks: isNews(present, next) ? 0 : present.looks + 1 };
    });
    if (after === undefined) return;
    await scheduled(after);
    if (isNews(before, after)) await changed(after);
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
      isUsedUp = (await budget.take(`looks:${account}`, randomUUID(), LOOKS)) > 0;
      if (isUsedUp) return;
      await look(ref, account).catch(failed(ref));
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
  // Without a status it can't be known to be payable, and everything else that is known stays true.
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
