import { randomUUID } from 'node:crypto';
import type { Rental } from '../rental/client.ts';
import { OPERATORS, type OperatorInvoices } from '../rental/operator-invoices.ts';
import type { Outcome } from '../rental/outcome.ts';
import type { Invoice as ToldInvoice } from '../rental/resources/invoice.ts';
import type { Allowance, Budget } from '../storage/budget.ts';
import { type Invoice, type InvoiceRef, isFinal } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';
import type { LookIndex } from './look-index.ts';
import { nextLook } from './look-pace.ts';

/** Of the 60 reads a minute that an account has (specification, section 8): the others are for whoever taps. */
export const LOOKS: Allowance = { most: 40, withinMs: 60_000 };
/** One of a key that is gone is asked for again only to see whether it is back. */
const KEYLESS_MS = 10 * 60_000;
/** So many are asked for at once of an account. */
const AT_ONCE = 4;

export interface Looks {
  /** Asks the service for what has come due, as far as the limits go. */
  run(): Promise<void>;
  /** It is asked for when the next run comes: something is expected of it. */
  expect(ref: InvoiceRef): Promise<void>;
}

/** What became of invoices, by asking the service for them. */
export function createLooks(deps: {
  store: InvoiceStore;
  lookIndex: LookIndex;
  budget: Budget;
  rental: Pick<Rental, 'invoice'>;
  operatorInvoices: Pick<OperatorInvoices, 'read'> | undefined;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  /** It stands otherwise now. */
  changed: (invoice: Invoice) => Promise<unknown>;
  now: () => number;
}): Looks {
  const { store, lookIndex, budget, rental, operatorInvoices, apiKey, changed, now } = deps;

  async function ask({ user, account, number }: Invoice): Promise<Outcome<ToldInvoice> | undefined> {
    if (account === OPERATORS) return operatorInvoices?.read(number);
    const key = await apiKey(user, account);
    return key === undefined ? undefined : rental.invoice(key, number);
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
    if (told === undefined) return lookIndex.put(account, ref, { inMs: KEYLESS_MS, soon: false });
    const read = told.kind === 'accepted' && isAbout(before, told.value) ? told.value : undefined;
    const after = await store.change(ref, (present) => ({
      ...withTold(present, read),
      looks: isNews(present, read) ? 0 : present.looks + 1,
    }));
    if (after === undefined) return;
    await scheduled(after);
    if (isNews(before, read)) await changed(after);
  }

  /** In the order in which they came due, until the account has no more of its limit. */
  async function follow(account: number): Promise<void> {
    const due = await lookIndex.due(account, LOOKS.most);
    let isUsedUp = false;
    const next = async (): Promise<void> => {
      const ref = isUsedUp ? undefined : due.shift();
      if (ref === undefined) return;
      isUsedUp = (await budget.take(`looks:${account}`, randomUUID(), LOOKS)) > 0;
      if (isUsedUp) return;
      await look(ref, account);
      return next();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
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
  };
}

function isAbout(invoice: Invoice, told: ToldInvoice): boolean {
  return told.invoice_id === invoice.number && told.payment_address === invoice.paymentAddress;
}

function isNews({ status, txHash }: Invoice, told: ToldInvoice | undefined): boolean {
  return told !== undefined && (told.status !== status || (told.tx_hash ?? txHash) !== txHash);
}

/** What the service says of it; what is over for good stays so, whatever an older answer says. */
function withTold(invoice: Invoice, told: ToldInvoice | undefined): Invoice {
  if (told === undefined || isFinal(invoice)) return invoice;
  const { status, tx_hash: txHash, paid_at, delegated_at } = told;
  return {
    ...invoice,
    status,
    ...(txHash && { txHash }),
    ...(paid_at && { paidAt: Date.parse(paid_at) }),
    ...(delegated_at && { delegatedAt: Date.parse(delegated_at) }),
  };
}
