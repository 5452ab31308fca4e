import { z } from 'zod';
import { formatCount } from '../../i18n/formats.ts';
import { defineKind } from './kind.ts';
import { orderReport, orderResult } from './order.ts';

const NAMESPACE = 'bandwidth';

const bandwidthRequest = z.object({
  kind: z.literal('bandwidth'),
  address: z.string(),
  bandwidth_amount: z.number(),
  duration_hours: z.number(),
});

/**
 * Purchase of bandwidth (specification, section 4, endpoint 2): the cost is deducted from the balance. The
 * specification names no event for such orders. An event that fits updates an order whose number is known, but it never
 * proves an order.
 */
export const bandwidth = defineKind<'bandwidth', z.infer<typeof bandwidthRequest>>({
  name: 'bandwidth',
  request: bandwidthRequest,
  lifetimeMs: 5 * 60_000,
  target: ({ address }) => address,
  duplicateKey: ({ address, bandwidth_amount }) => `${address} ${bandwidth_amount}`,
  title: (words, { bandwidth_amount, duration_hours }) =>
    words.html('bandwidth-title', {
      amount: formatCount(bandwidth_amount, words.language),
      hours: duration_hours,
    }),
  send: async (rental, apiKey, { kind: _, ...order }) =>
    orderResult(await rental.buyBandwidth(apiKey, order)),
  namespace: NAMESPACE,
  report: (event) => orderReport(event, { namespace: NAMESPACE, field: 'bandwidth_amount' }),
});
