import type { Invoice } from '../../src/invoices/invoice.ts';
import { ADDRESS, HASH } from '../operations/rental-stand-in.ts';

const createdAt = Date.parse('2025-06-01T12:00:00Z');
export const INVOICE_AT = { createdAt, expiresAt: createdAt + 30 * 60_000 } as const;

/** Returns a new invoice with these fields changed. */
export function invoiceOf(more: Partial<Invoice> = {}): Invoice {
  return {
    id: 'op1',
    user: 502,
    account: 1001,
    number: 51,
    paymentAddress: 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4',
    address: ADDRESS,
    energy: 130_000,
    transfers: 2,
    hours: 1,
    priceTrx: '4.640000',
    priceUsdt: '1.39',
    language: 'en',
    shared: false,
    status: 'pending',
    ...INVOICE_AT,
    pollCount: 0,
    cards: [],
    ...more,
  };
}

/** Field changes for every standing that an invoice can have. */
export const ANY: readonly Partial<Invoice>[] = [
  {},
  { openedAt: createdAt },
  { share: 'sealed' },
  { status: 'expired' },
  { status: 'paid', paidAt: createdAt + 1 },
  { status: 'paid', paidAt: createdAt + 3600_000 },
  { status: 'delegated', txHash: HASH },
  { status: 'failed' },
  { status: 'cancelled' },
  { status: '<b>&"'.repeat(16) },
  { status: '' },
  { unchecked: true },
  { status: 'expired', unchecked: true },
  { status: 'paid', paidAt: createdAt + 1, unchecked: true },
  { status: 'paid', paidAt: createdAt + 3600_000, unchecked: true },
];
