import { z } from 'zod';
import { count, defineRecord, time, units } from './record.ts';
import { trxFromSun } from './sun.ts';
import { type Currency, currencySchema, moneySchema } from './wallets.ts';

/** Transfer to a payment address. */
const payment = z.strictObject({
  at: time,
  /** Address for refunds. */
  payer: z.string(),
  currency: currencySchema,
  amount: units,
  txHash: z.string(),
  /** Part of the amount that hasn't been refunded. */
  kept: units,
});

export type Payment = z.output<typeof payment>;

/** Invoice (section 2). */
const invoice = z.strictObject({
  id: count,
  /** Account that created the invoice and receives its events. Its balance isn't affected. */
  accountId: count,
  paymentAddress: z.string(),
  address: z.string(),
  energyAmount: count,
  durationHours: z.literal([1, 24]),
  /** Price in each currency. A payment may be in one currency or split between both. */
  price: moneySchema,
  createdAt: time,
  expiresAt: time,
  /** Oldest first. */
  payments: z.array(payment),
  status: z.enum(['pending', 'paid', 'delegated', 'expired', 'failed']),
  paidAt: time.optional(),
  delegatedAt: time.optional(),
  /** Transaction of the delegation. */
  txHash: z.string().optional(),
});

export type Invoice = z.output<typeof invoice>;

/** `invoice`: a new invoice. The others are its later events. */
export const invoices = defineRecord({
  schema: invoice,
  view: (one) => ({
    ...invoiceRecord(one),
    account_id: one.accountId,
    payments: one.payments.map(({ at, payer, currency, amount, kept, txHash }) => ({
      at: new Date(at).toISOString(),
      payer,
      currency,
      amount: trxFromSun(amount),
      kept: trxFromSun(kept),
      tx_hash: txHash,
    })),
  }),
  ledgerKinds: [
    'invoice',
    'invoice_payment',
    'invoice_delegation',
    'invoice_refund',
    'invoice_failure',
    'invoice_expiry',
  ],
});

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
    paid_at: iso(invoice.paidAt),
    delegated_at: iso(invoice.delegatedAt),
    created_at: iso(invoice.createdAt),
  };
}

function iso(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString();
}
