import { describe, expect, test, vi } from 'vitest';
import { createEventHandlers } from '../../src/account-events/handlers.ts';
import type { NotifyHolders } from '../../src/notifications/notify-holders.ts';
import { readEvent } from '../../src/rental-api/webhook.ts';
import { setUpOperations } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';

/**
 * Opens all event handlers with mocked dependencies. `handle` passes an event of the webhook, `handleLogged` an entry of the service's log.
 */
function openHandlers() {
  const { operations } = setUpOperations();
  const report = vi.spyOn(operations.settlement, 'report').mockResolvedValue();
  const pollers = { pollSoon: vi.fn(async () => {}), pollBalanceIfNeeded: vi.fn(async () => {}) };
  const invoices = { handleEvent: vi.fn(async () => {}) };
  const notifyHolders = vi.fn<NotifyHolders>(async () => {});
  const handlers = createEventHandlers({ operations, pollers, invoices, notifyHolders });
  function handlerOf(type: string, data: Record<string, unknown>) {
    const event = readEvent({ event: type, data });
    const handler = handlers.find(({ handles }) => handles(type));
    if (event === undefined || handler === undefined) throw new Error('no handler handles this');
    return { event, handler };
  }
  async function handle(
    type: string,
    data: Record<string, unknown> = {},
    source: 'webhook' | 'log' = 'webhook',
  ) {
    const { event, handler } = handlerOf(type, data);
    await handler.handle(ACCOUNT, event, source);
  }
  async function handleLogged(type: string, data: Record<string, unknown> = {}) {
    const { event, handler } = handlerOf(type, data);
    await handler.handleLogged?.(ACCOUNT, event);
  }
  const requested = () => ({
    polls: pollers.pollSoon.mock.calls,
    balance: pollers.pollBalanceIfNeeded.mock.calls.length,
    reports: report.mock.calls.length,
    invoices: invoices.handleEvent.mock.calls,
  });
  return { handle, handleLogged, requested, pollers, notifyHolders };
}

const NOTHING = { polls: [], balance: 0, reports: 0, invoices: [] };
const ORDER = { order_id: 7, address: ADDRESS, energy_amount: 65_000 };

describe('an event triggers the expected reads', () => {
  test.each([
    ['order.filled', ORDER, { ...NOTHING, reports: 1, balance: 1 }],
    ['order.failed', ORDER, { ...NOTHING, reports: 1, balance: 1 }],
    ['order.filled', {}, { ...NOTHING, balance: 1 }],
    ['deposit.confirmed', { amount: '1e9' }, { ...NOTHING, polls: [[ACCOUNT, 'deposits']], balance: 1 }],
    ['deposit.pending', {}, { ...NOTHING, polls: [[ACCOUNT, 'deposits']], balance: 1 }],
    ['deposit.of-a-new-kind', {}, { ...NOTHING, polls: [[ACCOUNT, 'deposits']], balance: 1 }],
    ['withdrawal.completed', { id: 1 }, { ...NOTHING, polls: [[ACCOUNT, 'withdrawals']], balance: 1 }],
    ['withdrawal.failed', {}, { ...NOTHING, polls: [[ACCOUNT, 'withdrawals']], balance: 1 }],
    ['smart_mode.transfer', {}, { ...NOTHING, polls: [[ACCOUNT, 'log']], balance: 1 }],
    ['invoice.paid', { invoice_id: 5 }, { ...NOTHING, invoices: [[ACCOUNT, 5]] }],
    ['invoice.paid', { invoice_id: '5' }, { ...NOTHING, invoices: [[ACCOUNT, 5]] }],
    ['invoice.paid', { invoice_id: 'five' }, NOTHING],
    ['invoice.paid', { invoice_id: 5.5 }, NOTHING],
    ['invoice.paid', {}, NOTHING],
    ['order.cancelled', ORDER, { ...NOTHING, polls: [[ACCOUNT, 'log']] }],
    ['something.new', {}, { ...NOTHING, polls: [[ACCOUNT, 'log']] }],
    ['deposits', {}, { ...NOTHING, polls: [[ACCOUNT, 'log']] }],
  ])('%s %j', async (type, data, expected) => {
    const { handle, requested, notifyHolders } = openHandlers();
    await handle(type, data);
    expect(requested()).toEqual(expected);
    // No user is notified, whatever amounts the event contains.
    expect(notifyHolders).not.toHaveBeenCalled();
  });

  test.each(['smart_mode.transfer', 'something.new'])(
    'does not poll the log again for a %s that was handler there',
    async (type) => {
      const { handle, requested } = openHandlers();
      await handle(type, {}, 'log');
      expect(requested().polls).toEqual([]);
    },
  );
});

test('rejects if a poll cannot be scheduled, so that the event is retried', async () => {
  const { handle, pollers } = openHandlers();
  pollers.pollSoon.mockRejectedValue(new Error('the storage is away'));
  for (const type of ['deposit.confirmed', 'withdrawal.completed', 'smart_mode.transfer', 'something.new'])
    await expect(handle(type)).rejects.toThrow('the storage is away');
});

describe('an entry of the service’s log', () => {
  test.each([
    ['smart_mode.transfer', 'smart-mode'],
    ['something.new', 'event'],
  ])('causes a notification for %s, identified by the event', async (type, kind) => {
    const { handleLogged, notifyHolders } = openHandlers();
    await handleLogged(type, { id: 1, address: ADDRESS });
    const { id } = readEvent({ event: type, data: { id: 1, address: ADDRESS } }) ?? {};
    expect(notifyHolders.mock.calls).toEqual([
      [ACCOUNT, { kind, id, data: { type, fields: { id: '1', address: ADDRESS } } }],
    ]);
  });

  test.each(['order.filled', 'deposit.confirmed', 'withdrawal.completed', 'invoice.paid'])(
    'causes none for %s, which another poller reports',
    async (type) => {
      const { handleLogged, notifyHolders } = openHandlers();
      await handleLogged(type, { id: 1 });
      expect(notifyHolders).not.toHaveBeenCalled();
    },
  );
});
