import type { Accounts } from './accounts.ts';
import type { Books } from './books.ts';
import type { Chain } from './chain.ts';
import { type Invoice, outstanding, type Payment } from './invoice.ts';
import type { Transaction } from './transaction.ts';

/** Money at the payment addresses. Payments and refunds are written to the ledger. */
export interface InvoiceMoney {
  /** Accepts a transfer and returns any excess to its payer. Returns whether the transfer completes the payment. */
  accept(invoice: Invoice, transaction: Transaction): boolean;
  /** Refunds each kept payment to its payer. */
  refund(invoice: Invoice): void;
  /** Turns the kept payments into income of the service. */
  earn(invoice: Invoice): void;
}

export function createInvoiceMoney(deps: { chain: Chain; books: Books; accounts: Accounts }): InvoiceMoney {
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
