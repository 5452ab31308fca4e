import type { Currency } from './purses.ts';
import { trxFromSun } from './sun.ts';

/** An invoice (section 2). Times are epoch milliseconds; money is in the smallest unit of its currency. */
export interface Invoice {
  readonly id: number;
  /** Who made it, and is told of it. Its balance has no part in it. */
  readonly accountId: number;
  readonly paymentAddress: string;
  readonly address: string;
  readonly energyAmount: number;
  readonly durationHours: 1 | 24;
  /** Either of these pays it, and so does a share of one with the rest of the other. */
  readonly price: Readonly<Record<Currency, bigint>>;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Oldest first. */
  readonly payments: Payment[];
  status: 'pending' | 'paid' | 'delegated' | 'expired' | 'failed';
  paidAt?: number;
  delegatedAt?: number;
  /** Of the delegation. */
  txHash?: string;
}

/** What one transfer brought to a payment address. */
export interface Payment {
  readonly at: number;
  /** To whom it is sent back. */
  readonly payer: string;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly txHash: string;
  /** What of it hasn't been sent back. */
  kept: bigint;
}

/**
 * What is missing to the price, in `currency`, rounded up to its smallest unit. What has come in counts as its share of
 * the price in its own currency, so that payments in both add up without a rate.
 */
export function outstanding(invoice: Invoice, currency: Currency): bigint {
  const { price, payments } = invoice;
  const missing = payments.reduce(
    (rest, payment) => rest - payment.kept * price[other(payment.currency)],
    price.TRX * price.USDT,
  );
  const unit = price[other(currency)];
  return missing > 0n ? (missing + unit - 1n) / unit : 0n;
}

/** What is to be at the payment address: what was kept, until the delegation takes it. */
export function heldFor({ status, payments }: Invoice, currency: Currency): bigint {
  if (status === 'delegated') return 0n;
  return payments.reduce((sum, payment) => sum + (payment.currency === currency ? payment.kept : 0n), 0n);
}

function other(currency: Currency): Currency {
  return currency === 'TRX' ? 'USDT' : 'TRX';
}

/** What section 4.4 answers with. */
export function newInvoiceRecord(invoice: Invoice) {
  return {
    invoice_id: invoice.id,
    payment_address: invoice.paymentAddress,
    address: invoice.address,
    energy_amount: invoice.energyAmount,
    duration_hours: invoice.durationHours,
    price_trx: trxFromSun(invoice.price.TRX),
    price_usdt: trxFromSun(invoice.price.USDT),
    status: invoice.status,
    expires_at: new Date(invoice.expiresAt).toISOString(),
  };
}

/** The whole resource (section 2). What hasn't happened yet is left out. */
export function invoiceRecord(invoice: Invoice) {
  return {
    ...newInvoiceRecord(invoice),
    tx_hash: invoice.txHash,
    paid_at: time(invoice.paidAt),
    delegated_at: time(invoice.delegatedAt),
    created_at: time(invoice.createdAt),
  };
}

function time(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString();
}
