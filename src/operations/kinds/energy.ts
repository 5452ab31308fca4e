import { z } from 'zod';
import { formatCount } from '../../i18n/formats.ts';
import { defineKind } from './kind.ts';
import { orderReport, orderResult } from './order.ts';

const NAMESPACE = 'energy';

const energyRequest = z.object({
  kind: z.literal('energy'),
  address: z.string(),
  energy_amount: z.number(),
  duration_hours: z.number(),
});

/** Purchase of energy (specification, section 4, endpoint 1): the cost is deducted from the balance. */
export const energy = defineKind<'energy', z.infer<typeof energyRequest>>({
  name: 'energy',
  request: energyRequest,
  lifetimeMs: 5 * 60_000,
  target: ({ address }) => address,
  duplicateKey: ({ address, energy_amount }) => `${address} ${energy_amount}`,
  title: (words, { energy_amount, duration_hours }) =>
    words.html('energy-title', {
      amount: formatCount(energy_amount, words.language),
      hours: duration_hours,
    }),
  send: async (rental, apiKey, { kind: _, ...order }) => orderResult(await rental.buyEnergy(apiKey, order)),
  namespace: NAMESPACE,
  report: (event) => orderReport(event, { namespace: NAMESPACE, field: 'energy_amount' }),
  matchesReport: (request, report) =>
    report.address === request.address && report.amount === request.energy_amount,
  priced: ({ energy_amount, duration_hours }) => ({ amount: energy_amount, hours: duration_hours }),
});
