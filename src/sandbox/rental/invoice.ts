import { trxFromSun } from './sun.ts';
import type { Currency } from './wallets.ts';

/** Invoice (section 2). Times are epoch milliseconds. Money is in the smallest unit of its currency. */
export interface Invoice {
  readonly id: number;
  /** Account that created the invoice and receives its events. Its balance isn't affected. */
  readonly accountId: number;
  readonly paymentAddress: string;
  readonly address: string;
  readonly energyAmount: number;
  readonly durationHours: 1 | 24;
  /** Price in each currency. A payment may be in one currency or split between both. */
  readonly price: Readonly<Record<Currency, bigint>>;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Oldest first. */
  readonly payments: Payment[];
  status: 'pending' | 'paid' | 'delegated' | 'expired' | 'failed';
  paidAt?: number;
  delegatedAt?: number;
  /** Transaction of the delegation. */
  txHash?: string;
}

/** Transfer to a payment address. */
export interface Payment {
  readonly at: number;
  /** Address for refunds. */
  readonly payer: string;
  readonly currency: Currency;
  readonly amount: bigint;
  readonly txHash: string;
  /** Part of the amount that hasn't been refunded. */
  kept: bigint;
}

/**
 * Returns the unpaid amount in `currency`, rounded up to its smallest unit. Each payment counts as a share of the price in
 * its own currency, so that payments in both currencies add up without an exchange rate.
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

/** Returns the expected balance of the payment address: the kept payments, or 0 after the delegation. */
export function heldFor({ status, payments }: Invoice, currency: Currency): bigint {
  if (status === 'delegated') return 0n;
  return payments.reduce((sum, payment) => sum + (payment.currency === currency ? payment.kept : 0n), 0n);
}

function other(currency: Currency): Currency {
  return currency === 'TRX' ? 'USDT' : 'TRX';
}

/** Returns the response of endpoint 4 (section 4). */
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

/** Returns the whole resource (section 2). Times and transactions in the future are undefined. */
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
