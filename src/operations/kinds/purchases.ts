import { type EnergyTerms, readChange } from '../../input/energy-terms.ts';
// Purchases that are charged to the account's balance: energy, bandwidth, and the activation of an address.

import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { formatCount } from '../../i18n/texts.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import type { Outcome } from '../../rental-api/client.ts';
import { numeric, price as positiveTrx, recordId } from '../../rental-api/schemas.ts';
import {
  ACTIVATION_COST_TRX,
  ENERGY_PER_TRANSFER,
  estimateEnergy,
  formatTrx,
  parseDecimalTrx,
  SAMPLE_ADDRESS,
} from '../../rental-api/tron.ts';
import type { RentalEvent } from '../../rental-api/webhook.ts';
import { changeProblem, energyOptions, readEnergyOption } from './energy-order.ts';
import { defineKind, type OrderReport, type Result } from './kind.ts';

const LIFETIME_MS = 5 * MINUTE_MS;

const targetOf = ({ address }: { address: string }) => address;

const energyRequest = z.object({
  kind: z.literal('energy'),
  address: z.string(),
  energy_amount: z.number(),
  duration_hours: z.number(),
});

/** Purchase of energy (specification, section 4, endpoint 1). */
export const energy = defineKind<'energy', z.infer<typeof energyRequest>>({
  name: 'energy',
  request: energyRequest,
  sample: { kind: 'energy', address: SAMPLE_ADDRESS, energy_amount: 65_000, duration_hours: 1 },
  lifetimeMs: LIFETIME_MS,
  target: targetOf,
  targetText: 'energy-target',
  duplicateKey: ({ address, energy_amount }) => `${address} ${energy_amount}`,
  title: (words, { energy_amount: amount, duration_hours: hours }) =>
    words.html('energy-title', { amount: formatCount(amount, words.language), hours }),
  shortTitle: (words, { energy_amount: amount }) =>
    words.plain('energy-short', { amount: formatCount(amount, words.language) }),
  delivered: (words, { energy_amount: amount }, { unix, format, at }) =>
    words.html('energy-delivered', {
      enough: amount < ENERGY_PER_TRANSFER ? 'no' : 'yes',
      unix,
      format,
      at,
    }),
  send: async (rental, apiKey, { kind: _, ...order }) => orderResult(await rental.buyEnergy(apiKey, order)),
  namespace: 'energy',
  report: (event) => orderReport(event, 'energy'),
  isProvenByReports: true,
  orderedAmount: ({ energy_amount }) => energy_amount,
  priced: ({ energy_amount, duration_hours }) => ({ amount: energy_amount, hours: duration_hours }),
  listedPrice: ({ energy_amount: amount, duration_hours: hours }, prices) =>
    estimateEnergy({ amount, hours }, prices),
  rentedHours: ({ duration_hours }) => duration_hours,
  rentedEnergy: ({ energy_amount }) => energy_amount,
  options: (words, { energy_amount: amount, duration_hours: hours }) =>
    energyOptions(words, { amount, hours }),
  withOption: (request, value) => withTerms(request, readEnergyOption(value)),
  withText: (request, text) => withTerms(request, readChange(text)),
  textProblem: changeProblem,
  questions: () => ({ amount: 'button-other-amount' }),
});

function withTerms(request: z.infer<typeof energyRequest>, change: EnergyTerms | undefined) {
  if (change === undefined) return undefined;
  const { amount = request.energy_amount, hours = request.duration_hours } = change;
  return { ...request, energy_amount: amount, duration_hours: hours };
}

const bandwidthRequest = z.object({
  kind: z.literal('bandwidth'),
  address: z.string(),
  bandwidth_amount: z.number(),
  duration_hours: z.number(),
});

/**
 * Purchase of bandwidth (specification, section 4, endpoint 2). The specification names no event for such orders. An
 * event that fits updates an order whose number is known, but it never proves an order.
 */
export const bandwidth = defineKind<'bandwidth', z.infer<typeof bandwidthRequest>>({
  name: 'bandwidth',
  request: bandwidthRequest,
  sample: { kind: 'bandwidth', address: SAMPLE_ADDRESS, bandwidth_amount: 1_000, duration_hours: 24 },
  lifetimeMs: LIFETIME_MS,
  target: targetOf,
  duplicateKey: ({ address, bandwidth_amount }) => `${address} ${bandwidth_amount}`,
  title: (words, { bandwidth_amount: amount, duration_hours: hours }) =>
    words.html('bandwidth-title', { amount: formatCount(amount, words.language), hours }),
  shortTitle: (words, { bandwidth_amount: amount }) =>
    words.plain('bandwidth-short', { amount: formatCount(amount, words.language) }),
  delivered: (words, _, until) => words.html('bandwidth-delivered', until),
  send: async (rental, apiKey, { kind: _, ...order }) =>
    orderResult(await rental.buyBandwidth(apiKey, order)),
  namespace: 'bandwidth',
  report: (event) => orderReport(event, 'bandwidth'),
  orderedAmount: ({ bandwidth_amount }) => bandwidth_amount,
  rentedHours: ({ duration_hours }) => duration_hours,
});

/** Converts the reply to a purchase into a result (specification, section 2). */
export function orderResult(
  outcome: Outcome<{ order_id: number; status: string; price_trx?: string | undefined }>,
): Outcome<Result> {
  if (outcome.kind !== 'accepted') return outcome;
  const { order_id, status, price_trx } = outcome.value;
  const price = price_trx === undefined ? undefined : formatTrx(new BigNumber(price_trx));
  return { kind: 'accepted', value: { order: order_id, status, price } };
}

const REPORTED_STATUS = new Map<string, OrderReport['status']>([
  ['order.filled', 'filled'],
  ['order.failed', 'failed'],
]);

const AMOUNT_FIELDS = { energy: 'energy_amount', bandwidth: 'bandwidth_amount' } as const;
const MAX_FACT_LENGTH = 100;

/**
 * Parses `order.filled` and `order.failed` events (specification, section 6). Energy and bandwidth orders are numbered
 * separately. The field of the amount shows to which of them an order belongs. Without an amount it is energy.
 */
function orderReport(event: RentalEvent, namespace: keyof typeof AMOUNT_FIELDS): OrderReport | undefined {
  const { type, data, at } = event;
  const status = REPORTED_STATUS.get(type);
  const order = recordId.safeParse(data.order_id).data;
  const field = AMOUNT_FIELDS[namespace];
  const hasOtherAmount = Object.values(AMOUNT_FIELDS).some((other) => other !== field && data[other] != null);
  // The documented events are about energy (section 6).
  const isOther = data[field] == null && (namespace !== 'energy' || hasOtherAmount);
  if (status === undefined || order === undefined || isOther) return undefined;
  return {
    order,
    namespace,
    status,
    at: at === undefined ? undefined : Date.parse(at),
    address: factOf(data.address),
    amount: numeric.safeParse(data[field]).data,
    hours: factOf(data.duration_hours),
    price: factOf(data.price_trx),
    // Undocumented, named as the specification names amounts.
    refunded: positiveTrx.safeParse(data.refund_trx).data,
    orderStatus: factOf(data.status),
  };
}

function factOf(value: unknown): string | undefined {
  if (value == null) return undefined;
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MAX_FACT_LENGTH);
}

const HASH = /^[0-9a-f]{64}$/i;

const activationRequest = z.object({ kind: z.literal('activation'), address: z.string() });

/** Activation of an address (specification, section 4, endpoint 3): 1.1 TRX are deducted from the balance. */
export const activation = defineKind<'activation', z.infer<typeof activationRequest>>({
  name: 'activation',
  request: activationRequest,
  sample: { kind: 'activation', address: SAMPLE_ADDRESS },
  lifetimeMs: LIFETIME_MS,
  target: targetOf,
  duplicateKey: targetOf,
  title: (words) => words.html('activation-title'),
  shortTitle: (words) => words.plain('activation-short'),
  async send(rental, apiKey, { address }) {
    const outcome = await rental.activateAddress(apiKey, { address });
    if (outcome.kind !== 'accepted') return outcome;
    const { success, tx_hash: txHash } = outcome.value;
    // The reply doesn't echo the request. Only a transaction hash shows that the address was activated.
    if (!success || !txHash || !HASH.test(txHash)) {
      return { kind: 'unknown', reason: 'mismatch', message: 'the reply contains no transaction hash' };
    }
    const price = parseDecimalTrx(ACTIVATION_COST_TRX);
    return { kind: 'accepted', value: { txHash, price: price && formatTrx(price) } };
  },
  once: { mark: ({ address }) => `active:${address}`, codes: ['ADDRESS_ALREADY_ACTIVE'] },
});
