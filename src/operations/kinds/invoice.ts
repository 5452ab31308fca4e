import { z } from 'zod';
import { formatCount, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Outcome } from '../../rental-api/client.ts';
import type { InvoiceRequest } from '../../rental-api/endpoints.ts';
import type { Invoice } from '../../rental-api/schemas.ts';
import {
  ENERGY_DURATIONS,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  readAddress,
  SAMPLE_ADDRESS,
} from '../../rental-api/tron.ts';
import { type CardOption, defineKind, type Result } from './kind.ts';

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
  duplicateKey: (request) => `${request.address} ${energyOf(request)}`,
  title: (words, request) =>
    words.html('invoice-title', {
      amount: formatCount(energyOf(request), words.language),
      hours: request.duration_hours,
    }),
  shortTitle: (words, request) =>
    words.plain('invoice-short', { amount: formatCount(energyOf(request), words.language) }),
  isFree: () => true,
  confirmLabel: ({ shared }) => (shared ? undefined : 'button-invoice-create'),
  options: (words, request) => (request.shared ? [] : optionsOf(words, request)),
  withOption(request, value) {
    if (request.shared) return undefined;
    const { transfers: _, energy_amount: __, ...others } = request;
    const [, what, number] = /^(energy|hours)(\d{1,7})$/.exec(value) ?? [];
    if (what === 'hours' && ENERGY_DURATIONS.some((hours) => hours === Number(number)))
      return { ...request, duration_hours: Number(number) };
    if (what === 'energy' && AMOUNTS.some(({ energy }) => energy === Number(number)))
      return { ...others, energy_amount: Number(number) };
    return undefined;
  },
  oneMore: ({ shared }) => (shared ? 'button-same-again' : undefined),
  isSafeToRepeat: true,
  isTrackedElsewhere: true,
  terms: (words, { transfers, note, shared }, { estimate }) =>
    paragraphs(
      !shared &&
        (estimate === undefined
          ? words.html('invoice-no-price')
          : words.html('operation-estimate', { estimate })),
      lines(
        words.html('invoice-terms', { reader: shared ? 'merchant' : 'buyer' }),
        transfers !== undefined && words.html('invoice-terms-transfers'),
      ),
      note !== undefined && words.html('invoice-note-shown', { note, reader: 'merchant' }),
    ),
  send: async (rental, apiKey, request) => made(await rental.createInvoice(apiKey, asked(request))),
  asOperator: async (invoices, request) => made(await invoices.create(asked(request))),
});

const AMOUNTS = [
  { energy: ENERGY_PER_TRANSFER, label: 'button-one-holder' },
  { energy: ENERGY_PER_FIRST_TRANSFER, label: 'button-one-new' },
] as const;

function optionsOf(words: Words, request: InvoiceOperationRequest): CardOption[][] {
  const amounts = AMOUNTS.map(({ energy, label }) => ({
    label: words.plain(label, { amount: formatCount(energy, words.language) }),
    value: `energy${energy}`,
    isChosen: energyOf(request) === energy,
  }));
  const durations = ENERGY_DURATIONS.map((hours) => ({
    label: words.plain(hours === 1 ? 'button-1-hour' : 'button-24-hours'),
    value: `hours${hours}`,
    isChosen: request.duration_hours === hours,
  }));
  return [...amounts.map((one) => [one]), durations];
}

/** Returns the energy that the invoice delivers. */
export function energyOf({ transfers = 0, energy_amount }: InvoiceOperationRequest): number {
  return energy_amount ?? transfers * ENERGY_PER_TRANSFER;
}

function asked({
  address,
  transfers,
  energy_amount,
  duration_hours,
}: InvoiceOperationRequest): InvoiceRequest {
  const amount = transfers === undefined ? { energy_amount } : { transfer_count: transfers };
  return { address, ...amount, duration_hours } as InvoiceRequest;
}

function made(outcome: Outcome<Invoice>): Outcome<Result> {
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
