import type { Accounts, Books } from './accounts.ts';
import type { Chain } from './chain.ts';
import { type Invoice, invoiceRecord, outstanding, type Payment } from './invoice.ts';
import { energyPrice, usdtFromTrx } from './prices.ts';
import { coded, Refusal } from './refusal.ts';
import { type Account, type LedgerKind, nextId } from './state.ts';
import type { Transaction } from './transaction.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

/** Money at the payment addresses. Payments and refunds are written to the ledger. */
interface InvoiceMoney {
  /** Accepts a transfer and returns any excess to its payer. Returns whether the transfer completes the payment. */
  accept(invoice: Invoice, transaction: Transaction): boolean;
  /** Refunds each kept payment to its payer. */
  refund(invoice: Invoice): void;
  /** Turns the kept payments into income of the service. */
  earn(invoice: Invoice): void;
}

function createInvoiceMoney(deps: { chain: Chain; books: Books; accounts: Accounts }): InvoiceMoney {
  const { chain, books, accounts } = deps;

  const enter = (
    { id: invoiceId, accountId }: Invoice,
    kind: 'invoice_payment' | 'invoice_refund',
    paid: Pick<Payment, 'currency' | 'amount'>,
  ) => accounts.enter(accounts.of({ accountId }), { kind, invoiceId, paid });

  const giveBack = (invoice: Invoice, payment: Payment, amount: bigint) => {
    if (amount === 0n) return;
    const { payer: to, currency } = payment;
    payment.kept -= amount;
    chain.transfer({ from: invoice.paymentAddress, to, currency, amount, memo: `invoice ${invoice.id}` });
    enter(invoice, 'invoice_refund', { currency, amount: -amount });
  };

  return {
    accept(invoice, { from, returnTo: payer = from, currency, amount, hash: txHash, at }) {
      const missing = invoice.status === 'pending' ? outstanding(invoice, currency) : 0n;
      const payment = { at, payer, currency, amount, txHash, kept: amount };
      invoice.payments.push(payment);
      enter(invoice, 'invoice_payment', { currency, amount });
      if (amount > missing) giveBack(invoice, payment, amount - missing);
      return missing > 0n && amount >= missing;
    },
    refund(invoice) {
      for (const payment of invoice.payments) giveBack(invoice, payment, payment.kept);
    },
    earn({ paymentAddress: from, payments }) {
      for (const { currency, kept: amount } of payments) {
        if (amount === 0n) continue;
        books.receive({ from, currency, amount });
        books.earn(currency, amount);
      }
    },
  };
}

/** Time until an unpaid invoice expires (section 3). */
const LIFETIME_MS = 30 * 60 * 1000;

/**
 * Invoices: energy that is paid at a separate address, without affecting a balance. Payments stay at that address until the
 * energy is delegated. Excess, late and partial payments, and payments of failed invoices are refunded to the payer.
 */
export interface Invoices {
  create(account: Account, wish: Pick<Invoice, 'address' | 'energyAmount' | 'durationHours'>): Invoice;
  /** @throws Refusal 404 INVOICE_NOT_FOUND, also if `account` is given and isn't the invoice's. */
  find(id: number, account?: Account): Invoice;
  /** Delegates the energy of a paid invoice. @throws Refusal 404, or 409 INVALID_STATE if it isn't paid. */
  delegate(id: number): Invoice;
  /** Marks a paid invoice as failed and refunds it. @throws Refusal 404, or 409 INVALID_STATE if it isn't paid. */
  fail(id: number): Invoice;
  /** Schedules expiry and delegation of the invoices in a restored state. */
  resume(): void;
}

/** `delegateAfterMs`: time until paid invoices are delegated automatically. If omitted, only the control API does it. */
export function createInvoices(deps: {
  world: World;
  chain: Chain;
  books: Books;
  accounts: Accounts;
  webhooks: Webhooks;
  delegateAfterMs?: number;
}): Invoices {
  const { world, chain, accounts, webhooks, delegateAfterMs } = deps;
  const money = createInvoiceMoney(deps);

  const enter = (invoice: Invoice, kind: LedgerKind) =>
    accounts.enter(accounts.of(invoice), { kind, invoiceId: invoice.id });

  const emit = (invoice: Invoice, status: 'paid' | 'delegated') =>
    webhooks.emit(accounts.of(invoice), `invoice.${status}`, invoiceRecord(invoice));

  /** Expires a pending invoice. Also called before each access to the invoice, because timers may be late. */
  const expireIfDue = (invoice: Invoice) => {
    if (invoice.status !== 'pending' || world.clock.now() < invoice.expiresAt) return;
    invoice.status = 'expired';
    enter(invoice, 'invoice_expiry');
    money.refund(invoice);
  };

  const delegate = (invoice: Invoice) => {
    const { address, energyAmount: amount, durationHours: hours } = invoice;
    const { hash, at } = chain.delegate({ address, resource: 'energy', amount, hours });
    invoice.status = 'delegated';
    invoice.txHash = hash;
    invoice.delegatedAt = at;
    money.earn(invoice);
    enter(invoice, 'invoice_delegation');
    emit(invoice, 'delegated');
    return invoice;
  };

  /** Schedules the expiry of a pending invoice and the delegation of a paid one. */
  const wait = (invoice: Invoice) => {
    const { status, expiresAt, paidAt } = invoice;
    if (status === 'pending') world.at(expiresAt, () => expireIfDue(invoice));
    if (status !== 'paid' || paidAt === undefined || delegateAfterMs === undefined) return;
    world.at(paidAt + delegateAfterMs, () => {
      if (invoice.status === 'paid') delegate(invoice);
    });
  };

  chain.onTransfer((transaction) => {
    const invoice = world.state.invoices.findLast(({ paymentAddress }) => paymentAddress === transaction.to);
    if (!invoice) return;
    expireIfDue(invoice);
    if (!money.accept(invoice, transaction)) return;
    invoice.status = 'paid';
    invoice.paidAt = transaction.at;
    emit(invoice, 'paid');
    wait(invoice);
  });

  const find = (id: number, account?: Account) => {
    const invoice = world.state.invoices.find((candidate) => candidate.id === id);
    if (!invoice || (account && account.id !== invoice.accountId)) {
      throw new Refusal(404, coded('INVOICE_NOT_FOUND', `Invoice ${id} not found`));
    }
    expireIfDue(invoice);
    return invoice;
  };

  const paid = (id: number) => {
    const invoice = find(id);
    if (invoice.status === 'paid') return invoice;
    throw new Refusal(409, coded('INVALID_STATE', `Invoice ${id} is ${invoice.status}, not paid`));
  };

  return {
    create(account, wish) {
      const id = nextId(world.state, 'invoice');
      const price = energyPrice(wish.energyAmount, wish.durationHours);
      const createdAt = world.clock.now();
      const invoice: Invoice = {
        id,
        accountId: account.id,
        paymentAddress: chain.openAddress(`invoice ${id}`),
        ...wish,
        price: { TRX: price, USDT: usdtFromTrx(price) },
        createdAt,
        expiresAt: createdAt + LIFETIME_MS,
        payments: [],
        status: 'pending',
      };
      world.state.invoices.push(invoice);
      enter(invoice, 'invoice');
      wait(invoice);
      return invoice;
    },
    find,
    delegate: (id) => delegate(paid(id)),
    fail(id) {
      const invoice = paid(id);
      invoice.status = 'failed';
      enter(invoice, 'invoice_failure');
      money.refund(invoice);
      return invoice;
    },
    resume() {
      for (const invoice of world.state.invoices) wait(invoice);
    },
  };
}
