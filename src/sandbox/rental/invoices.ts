import type { Accounts, Books } from './accounts.ts';
import { ApiError, errorDetail } from './api-error.ts';
import type { Chain } from './chain.ts';
import { type Invoice, invoiceRecord, outstanding, type Payment } from './invoice.ts';
import { energyPrice, usdtFromTrx } from './prices.ts';
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

  const addLedgerEntry = (
    { id: invoiceId, accountId }: Invoice,
    kind: 'invoice_payment' | 'invoice_refund',
    paid: Pick<Payment, 'currency' | 'amount'>,
  ) => accounts.addLedgerEntry(accounts.ownerOf({ accountId }), { kind, invoiceId, paid });

  const refundPayment = (invoice: Invoice, payment: Payment, amount: bigint) => {
    if (amount === 0n) return;
    const { payer: to, currency } = payment;
    payment.kept -= amount;
    chain.transfer({ from: invoice.paymentAddress, to, currency, amount, memo: `invoice ${invoice.id}` });
    addLedgerEntry(invoice, 'invoice_refund', { currency, amount: -amount });
  };

  return {
    accept(invoice, { from, returnTo: payer = from, currency, amount, hash: txHash, at }) {
      const missing = invoice.status === 'pending' ? outstanding(invoice, currency) : 0n;
      const payment = { at, payer, currency, amount, txHash, kept: amount };
      invoice.payments.push(payment);
      addLedgerEntry(invoice, 'invoice_payment', { currency, amount });
      if (amount > missing) refundPayment(invoice, payment, amount - missing);
      return missing > 0n && amount >= missing;
    },
    refund(invoice) {
      for (const payment of invoice.payments) refundPayment(invoice, payment, payment.kept);
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
  create(account: Account, request: Pick<Invoice, 'address' | 'energyAmount' | 'durationHours'>): Invoice;
  /** @throws ApiError 404 INVOICE_NOT_FOUND, also if `account` is given and isn't the invoice's. */
  find(id: number, account?: Account): Invoice;
  /** Delegates the energy of a paid invoice. @throws ApiError 404, or 409 INVALID_STATE if it isn't paid. */
  delegate(id: number): Invoice;
  /** Marks a paid invoice as failed and refunds it. @throws ApiError 404, or 409 INVALID_STATE if it isn't paid. */
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

  const addLedgerEntry = (invoice: Invoice, kind: LedgerKind) =>
    accounts.addLedgerEntry(accounts.ownerOf(invoice), { kind, invoiceId: invoice.id });

  const emit = (invoice: Invoice, status: 'paid' | 'delegated') =>
    webhooks.emit(accounts.ownerOf(invoice), `invoice.${status}`, invoiceRecord(invoice));

  /** Expires a pending invoice. Also called before each access to the invoice, because timers may be late. */
  const expireIfDue = (invoice: Invoice) => {
    if (invoice.status !== 'pending' || world.clock.now() < invoice.expiresAt) return;
    invoice.status = 'expired';
    addLedgerEntry(invoice, 'invoice_expiry');
    money.refund(invoice);
  };

  const delegate = (invoice: Invoice) => {
    const { address, energyAmount: amount, durationHours: hours } = invoice;
    const { hash, at } = chain.delegate({ address, resource: 'energy', amount, hours });
    invoice.status = 'delegated';
    invoice.txHash = hash;
    invoice.delegatedAt = at;
    money.earn(invoice);
    addLedgerEntry(invoice, 'invoice_delegation');
    emit(invoice, 'delegated');
    return invoice;
  };

  /** Schedules the expiry of a pending invoice and the delegation of a paid one. */
  const scheduleTransitions = (invoice: Invoice) => {
    const { status, expiresAt, paidAt } = invoice;
    if (status === 'pending') world.scheduleAt(expiresAt, () => expireIfDue(invoice));
    if (status !== 'paid' || paidAt === undefined || delegateAfterMs === undefined) return;
    world.scheduleAt(paidAt + delegateAfterMs, () => {
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
    scheduleTransitions(invoice);
  });

  const find = (id: number, account?: Account) => {
    const invoice = world.state.invoices.find((candidate) => candidate.id === id);
    if (!invoice || (account && account.id !== invoice.accountId)) {
      throw new ApiError(404, errorDetail('INVOICE_NOT_FOUND', `Invoice ${id} not found`));
    }
    expireIfDue(invoice);
    return invoice;
  };

  const paid = (id: number) => {
    const invoice = find(id);
    if (invoice.status === 'paid') return invoice;
    throw new ApiError(409, errorDetail('INVALID_STATE', `Invoice ${id} is ${invoice.status}, not paid`));
  };

  return {
    create(account, request) {
      const id = nextId(world.state, 'invoices');
      const price = energyPrice(world.state.energyPrices, request.energyAmount, request.durationHours);
      const createdAt = world.clock.now();
      const invoice: Invoice = {
        id,
        accountId: account.id,
        paymentAddress: chain.openAddress(`invoice ${id}`),
        ...request,
        price: { TRX: price, USDT: usdtFromTrx(price) },
        createdAt,
        expiresAt: createdAt + LIFETIME_MS,
        payments: [],
        status: 'pending',
      };
      world.state.invoices.push(invoice);
      addLedgerEntry(invoice, 'invoice');
      scheduleTransitions(invoice);
      return invoice;
    },
    find,
    delegate: (id) => delegate(paid(id)),
    fail(id) {
      const invoice = paid(id);
      invoice.status = 'failed';
      addLedgerEntry(invoice, 'invoice_failure');
      money.refund(invoice);
      return invoice;
    },
    resume() {
      for (const invoice of world.state.invoices) scheduleTransitions(invoice);
    },
  };
}
