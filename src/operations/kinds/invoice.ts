import { z } from 'zod';
import { formatCount, paragraphs, type Words } from '../../i18n/texts.ts';
import { type EnergyTerms, readChange } from '../../input/energy-terms.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Outcome } from '../../rental-api/client.ts';
import type { InvoiceRequest } from '../../rental-api/endpoints.ts';
import type { Invoice } from '../../rental-api/schemas.ts';
import {
  ENERGY_PER_TRANSFER,
  estimateEnergy,
  INVOICE_TRANSFERS_MAX,
  readAddress,
  SAMPLE_ADDRESS,
} from '../../rental-api/tron.ts';
import { changeProblem, energyOptions, readEnergyOption } from './energy-order.ts';
import { defineKind, type Result } from './kind.ts';

const invoiceRequest = z.object({
  kind: z.literal('invoice'),
  address: z.string(),
  /** Either `transfers` (USDT transfers of 65,000 energy each) or `energy_amount` is set. */
  transfers: z.number().optional(),
  energy_amount: z.number().optional(),
  duration_hours: z.number(),
  /** Whether another person pays the invoice. `note` is the merchant's line for the payer. */
  shared: z.boolean().optional(),
  note: z.string().optional(),
});

export type InvoiceOperationRequest = z.infer<typeof invoiceRequest>;

/**
 * Invoice (specification, section 4, endpoint 4). No balance is involved, so a lost reply counts as not made: the
 * payment address of such an invoice is unknown, and the invoice expires by itself.
 */
export const invoice = defineKind<'invoice', InvoiceOperationRequest>({
  name: 'invoice',
  request: invoiceRequest,
  sample: { kind: 'invoice', address: SAMPLE_ADDRESS, transfers: 2, duration_hours: 1 },
  lifetimeMs: 5 * MINUTE_MS,
  target: ({ address }) => address,
  targetText: 'energy-target',
  duplicateKey: (request) => `${request.address} ${energyOf(request)}`,
  title: (words, request) =>
    words.html('invoice-title', {
      amount: formatCount(energyOf(request), words.language),
      hours: request.duration_hours,
    }),
  shortTitle: (words, request) =>
    words.plain('invoice-short', { amount: formatCount(energyOf(request), words.language) }),
  isFree: () => true,
  confirmLabel: () => 'button-invoice-create',
  options: (words, request) =>
    energyOptions(words, { amount: energyOf(request), hours: request.duration_hours }),
  withOption: (request, value) => withTerms(request, readEnergyOption(value)),
  withText: (request, text) => withTerms(request, readChange(text)),
  textProblem: changeProblem,
  questions: ({ shared }) => ({ amount: 'button-other-amount', ...(shared ? { note: 'button-note' } : {}) }),
  oneMore: ({ shared }) => (shared ? 'button-new-customer' : undefined),
  isSafeToRepeat: true,
  isTrackedElsewhere: true,
  // A guest's card becomes the invoice. A merchant's stays as the receipt above it.
  isShownElsewhere: ({ shared }) => !shared,
  isPaidByOther: ({ shared }) => shared === true,
  rentedEnergy: energyOf,
  listedPrice: (request, prices) =>
    estimateEnergy({ amount: energyOf(request), hours: request.duration_hours }, prices),
  terms: (words, request) =>
    paragraphs(
      words.html('invoice-terms', { reader: request.shared ? 'merchant' : 'buyer' }),
      noteLine(words, request),
    ),
  noteLine,
  send: async (rental, apiKey, request) => resultOf(await rental.createInvoice(apiKey, bodyOf(request))),
  asOperator: async (invoices, request) => resultOf(await invoices.create(bodyOf(request))),
});

function noteLine(words: Words, { note }: InvoiceOperationRequest): string | undefined {
  return note === undefined ? undefined : words.html('invoice-note-shown', { note, reader: 'merchant' });
}

function withTerms(request: InvoiceOperationRequest, change: EnergyTerms | undefined) {
  if (change === undefined) return undefined;
  const { amount = energyOf(request), hours = request.duration_hours } = change;
  const { transfers: _, energy_amount: __, ...others } = request;
  return { ...others, ...quantityOf(amount), duration_hours: hours };
}

/** Returns the energy that the invoice delivers. */
export function energyOf({ transfers = 0, energy_amount }: InvoiceOperationRequest): number {
  return energy_amount ?? transfers * ENERGY_PER_TRANSFER;
}

/** Returns how a request for an invoice names this energy: as transfers if it is exactly enough for up to 100 of them. */
export function quantityOf(energy: number): Pick<InvoiceOperationRequest, 'transfers' | 'energy_amount'> {
  const transfers = energy / ENERGY_PER_TRANSFER;
  return Number.isInteger(transfers) && transfers <= INVOICE_TRANSFERS_MAX
    ? { transfers }
    : { energy_amount: energy };
}

function bodyOf({
  address,
  transfers,
  energy_amount,
  duration_hours,
}: InvoiceOperationRequest): InvoiceRequest {
  const amount = transfers === undefined ? { energy_amount } : { transfer_count: transfers };
  return { address, ...amount, duration_hours } as InvoiceRequest;
}

function resultOf(outcome: Outcome<Invoice>): Outcome<Result> {
  if (outcome.kind !== 'accepted') return outcome;
  const { invoice_id: order, payment_address, price_trx, price_usdt, expires_at } = outcome.value;
  // Users send money to this address, so its checksum must be valid.
  const paid = readAddress(payment_address);
  if (!paid.ok) return { kind: 'unknown', reason: 'mismatch', message: 'the payment address is invalid' };
  if (price_trx === undefined || price_usdt === undefined)
    return { kind: 'unknown', reason: 'mismatch', message: 'a price is missing' };
  const priced = { priceTrx: price_trx, priceUsdt: price_usdt };
  const terms = { energy: outcome.value.energy_amount, expiresAt: Date.parse(expires_at) };
  const invoice = { paymentAddress: paid.address, ...priced, ...terms };
  return { kind: 'accepted', value: { order, invoice } };
}
