import { describe, expect } from 'vitest';
import {
  ADDRESS,
  activateSmartMode,
  addressOf,
  buyBandwidth,
  buyEnergy,
  createInvoice,
  delegatedInvoice,
  eventsOf,
  pay,
  transfer,
  webhookLog,
  withdraw,
} from './samples.ts';
import { createTarget, type SandboxTarget } from './target.ts';

const { controls } = createTarget();

const fillEnergy = async (target: SandboxTarget) => {
  const order = await buyEnergy(target);
  await target.control('POST', `/orders/${order.order_id}/fill`);
  return order;
};

describe('6. "The service sends webhook notifications to the single HTTPS URL configured"', () => {
  controls('"Each delivery attempt is logged": as it was sent, with the status returned', async (target) => {
    const { events } = await eventsOf(target, () => fillEnergy(target));
    expect(await webhookLog(target)).toMatchObject([
      { event_type: 'order.filled', payload: events[0]?.data, response_status: 200, attempts: 1 },
    ]);
  });

  controls('sends no events of other accounts', async (target) => {
    const { events } = await eventsOf(target, async () => {
      const { order_id } = await buyEnergy(target, {}, { key: 'merchant-key' });
      await target.control('POST', `/orders/${order_id}/fill`);
      await fillEnergy(target);
    });
    expect(events).toHaveLength(1);
  });
});

/** Events that section 6 doesn't list but the live service's documentation names. */
const gaps: [
  event: string,
  deed: (target: SandboxTarget) => Promise<unknown>,
  data: object,
  /** Path at which the API returns the record, and the number of events. */
  more?: { record?: string; count?: number },
][] = [
  [
    'order.failed',
    async (target) => target.control('POST', `/orders/${(await buyEnergy(target)).order_id}/fail`),
    { order_id: expect.any(Number), address: ADDRESS, energy_amount: 32_000 },
  ],
  [
    'order.filled',
    async (target) => target.control('POST', `/orders/${(await buyBandwidth(target)).order_id}/fill`),
    { order_id: expect.any(Number), address: ADDRESS, bandwidth_amount: 1_000 },
  ],
  [
    'deposit.confirmed',
    (target) => target.control('POST', '/accounts/1001/deposit', { amount: '5' }),
    { status: 'confirmed' },
    { record: '/account/deposits' },
  ],
  [
    'invoice.paid',
    async (target) => pay(target, await createInvoice(target)),
    { invoice_id: expect.any(Number), status: 'paid' },
    { record: '/invoices/1' },
  ],
  [
    'invoice.delegated',
    (target) => delegatedInvoice(target),
    { invoice_id: expect.any(Number), status: 'delegated', tx_hash: expect.any(String) },
    { record: '/invoices/1', count: 2 },
  ],
  [
    'smart_mode.transfer',
    async (target) => {
      await activateSmartMode(target);
      for (const to of [ADDRESS, addressOf('shop')]) await transfer(target, { to, amount: '1' });
      await transfer(target, { to: ADDRESS, currency: 'USDT', amount: '5' });
      await transfer(target, { from: ADDRESS, to: addressOf('shop'), currency: 'USDT', amount: '5' });
    },
    { address: ADDRESS },
  ],
  [
    'withdrawal.completed',
    async (target) => target.control('POST', `/withdrawals/${(await withdraw(target)).id}/complete`),
    { id: expect.any(Number), status: 'completed', tx_hash: expect.any(String) },
    { record: '/account/withdrawals' },
  ],
];

describe('6. Gaps: "The complete list of event types: not shown"', () => {
  for (const [event, deed, data, { record, count = 1 } = {}] of gaps) {
    controls(`${event} carries the fields of its record (${Object.keys(data)})`, async (target) => {
      const { events } = await eventsOf(target, () => deed(target), count);
      expect(events).toHaveLength(count);
      expect(events).toContainEqual(expect.objectContaining({ event, data: expect.objectContaining(data) }));
      if (record === undefined) return;
      const shown = JSON.parse((await target.ask('GET', record)).text);
      expect(events.at(-1)?.data).toEqual([shown].flat()[0]);
    });
  }
});
