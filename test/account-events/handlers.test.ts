import { describe, expect, test, vi } from 'vitest';
import { createEventTypes } from '../../src/account-events/handlers.ts';
import type { TellHolders } from '../../src/notifications/notify-holders.ts';
import { readEvent } from '../../src/rental-api/webhook.ts';
import { setUpOperations } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';

/**
 * Opens all event types with mocked dependencies. `hear` handles a sent event, `log` an entry of the service's log.
 */
function openTypes() {
  const { operations } = setUpOperations();
  const report = vi.spyOn(operations.settlement, 'report').mockResolvedValue();
  const looks = { expect: vi.fn(async () => {}), expectBalance: vi.fn(async () => {}) };
  const invoices = { heard: vi.fn(async () => {}) };
  const tellHolders = vi.fn<TellHolders>(async () => {});
  const types = createEventTypes({ operations, looks, invoices, tellHolders });
  function typeOf(type: string, data: Record<string, unknown>) {
    const event = readEvent({ event: type, data });
    const found = types.find(({ hears }) => hears(type));
    if (event === undefined || found === undefined) throw new Error('no event type handles this');
    return { event, found };
  }
  async function hear(type: string, data: Record<string, unknown> = {}, how: 'sent' | 'logged' = 'sent') {
    const { event, found } = typeOf(type, data);
    await found.heard(ACCOUNT, event, how);
  }
  async function log(type: string, data: Record<string, unknown> = {}) {
    const { event, found } = typeOf(type, data);
    await found.logged?.(ACCOUNT, event);
  }
  const asked = () => ({
    looks: looks.expect.mock.calls,
    balance: looks.expectBalance.mock.calls.length,
    reports: report.mock.calls.length,
    invoices: invoices.heard.mock.calls,
  });
  return { hear, log, asked, looks, tellHolders };
}

const NOTHING = { looks: [], balance: 0, reports: 0, invoices: [] };
const ORDER = { order_id: 7, address: ADDRESS, energy_amount: 65_000 };

describe('an event triggers the expected reads', () => {
  test.each([
    ['order.filled', ORDER, { ...NOTHING, reports: 1, balance: 1 }],
    ['order.failed', ORDER, { ...NOTHING, reports: 1, balance: 1 }],
    ['order.filled', {}, { ...NOTHING, balance: 1 }],
    ['deposit.confirmed', { amount: '1e9' }, { ...NOTHING, looks: [[ACCOUNT, 'deposits']], balance: 1 }],
    ['deposit.pending', {}, { ...NOTHING, looks: [[ACCOUNT, 'deposits']], balance: 1 }],
    ['deposit.of-a-new-kind', {}, { ...NOTHING, looks: [[ACCOUNT, 'deposits']], balance: 1 }],
    ['withdrawal.completed', { id: 1 }, { ...NOTHING, looks: [[ACCOUNT, 'withdrawals']], balance: 1 }],
    ['withdrawal.failed', {}, { ...NOTHING, looks: [[ACCOUNT, 'withdrawals']], balance: 1 }],
    ['smart_mode.transfer', {}, { ...NOTHING, looks: [[ACCOUNT, 'log']], balance: 1 }],
    ['invoice.paid', { invoice_id: 5 }, { ...NOTHING, invoices: [[ACCOUNT, 5]] }],
    ['invoice.paid', { invoice_id: '5' }, { ...NOTHING, invoices: [[ACCOUNT, 5]] }],
    ['invoice.paid', { invoice_id: 'five' }, NOTHING],
    ['invoice.paid', { invoice_id: 5.5 }, NOTHING],
    ['invoice.paid', {}, NOTHING],
    ['order.cancelled', ORDER, { ...NOTHING, looks: [[ACCOUNT, 'log']] }],
    ['something.new', {}, { ...NOTHING, looks: [[ACCOUNT, 'log']] }],
    ['deposits', {}, { ...NOTHING, looks: [[ACCOUNT, 'log']] }],
  ])('%s %j', async (type, data, expected) => {
    const { hear, asked, tellHolders } = openTypes();
    await hear(type, data);
    expect(asked()).toEqual(expected);
    // No user is notified, whatever amounts the event contains.
    expect(tellHolders).not.toHaveBeenCalled();
  });

  test.each(['smart_mode.transfer', 'something.new'])(
    'does not poll the log again for a %s that was found there',
    async (type) => {
      const { hear, asked } = openTypes();
      await hear(type, {}, 'logged');
      expect(asked().looks).toEqual([]);
    },
  );
});

test('rejects if a poll cannot be scheduled, so that the event is retried', async () => {
  const { hear, looks } = openTypes();
  looks.expect.mockRejectedValue(new Error('the storage is away'));
  for (const type of ['deposit.confirmed', 'withdrawal.completed', 'smart_mode.transfer', 'something.new'])
    await expect(hear(type)).rejects.toThrow('the storage is away');
});

describe('an entry of the service’s log', () => {
  test.each([
    ['smart_mode.transfer', 'smart-mode'],
    ['something.new', 'event'],
  ])('causes a notification for %s, identified by the event', async (type, kind) => {
    const { log, tellHolders } = openTypes();
    await log(type, { id: 1, address: ADDRESS });
    const { id } = readEvent({ event: type, data: { id: 1, address: ADDRESS } }) ?? {};
    expect(tellHolders.mock.calls).toEqual([
      [ACCOUNT, { kind, id, data: { type, fields: { id: '1', address: ADDRESS } } }],
    ]);
  });

  test.each(['order.filled', 'deposit.confirmed', 'withdrawal.completed', 'invoice.paid'])(
    'causes none for %s, which another poller reports',
    async (type) => {
      const { log, tellHolders } = openTypes();
      await log(type, { id: 1 });
      expect(tellHolders).not.toHaveBeenCalled();
    },
  );
});
