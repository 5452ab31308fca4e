import { describe, expect, test, vi } from 'vitest';
import { createEventHandlers } from '../../src/account-events/handlers.ts';
import type { NotifyHolders } from '../../src/notifications/notifications.ts';
import { readEvent } from '../../src/rental-api/webhook.ts';
import { setUpOperations } from '../operations/operations-setup.ts';
import { ACCOUNT, ADDRESS, ORDER } from '../operations/rental-stand-in.ts';

/**
 * Opens all event handlers with mocked dependencies. `handle` passes an event of the webhook, `handleLogged` an entry of
 * the service's log.
 */
function openHandlers() {
  const setup = setUpOperations();
  const report = vi.spyOn(setup.operations.settlement, 'report');
  const pollers = { pollSoon: vi.fn(async () => {}), pollBalanceIfNeeded: vi.fn(async () => {}) };
  const invoices = { handleEvent: vi.fn(async () => {}) };
  const notifyHolders = vi.fn<NotifyHolders>(async () => {});
  const { operations } = setup;
  const handlers = createEventHandlers({ operations, pollers: () => pollers, invoices, notifyHolders });
  function handlerOf(type: string, data: Record<string, unknown>) {
    const event = readEvent({ event: type, data });
    const handler = handlers.find(({ handles }) => handles(type));
    if (event === undefined || handler === undefined) throw new Error('no handler handles this');
    return { event, handler };
  }
  return {
    ...{ setup, report, pollers, notifyHolders },
    async handle(type: string, data: Record<string, unknown> = {}, source: 'webhook' | 'log' = 'webhook') {
      const { event, handler } = handlerOf(type, data);
      await handler.handle(ACCOUNT, event, source);
    },
    async handleLogged(type: string, data: Record<string, unknown> = {}) {
      const { event, handler } = handlerOf(type, data);
      await handler.handleLogged?.(ACCOUNT, event);
    },
    requested: () => ({
      polls: pollers.pollSoon.mock.calls,
      balance: pollers.pollBalanceIfNeeded.mock.calls,
      reports: report.mock.calls.length,
      invoices: invoices.handleEvent.mock.calls,
    }),
  };
}

const ENERGY = { order_id: ORDER, address: ADDRESS, energy_amount: 65_000 };

describe('an event triggers the expected reads', () => {
  const balance = [[ACCOUNT]];
  const reported = { reports: 1, balance };
  const polled = (list: string) => ({ polls: [[ACCOUNT, list]], balance });
  const log = { polls: [[ACCOUNT, 'log']] };
  const invoice = { invoices: [[ACCOUNT, 5]] };
  test.each<[string, Record<string, unknown>, object]>([
    ['order.filled', ENERGY, reported],
    ['order.failed', ENERGY, reported],
    ['order.filled', {}, { balance }],
    ['deposit.confirmed', { amount: '1e9' }, polled('deposits')],
    ['deposit.pending', {}, polled('deposits')],
    ['deposit.of-a-new-kind', {}, polled('deposits')],
    ['withdrawal.completed', { id: 1 }, polled('withdrawals')],
    ['withdrawal.failed', {}, polled('withdrawals')],
    ['smart_mode.transfer', {}, polled('log')],
    ['invoice.paid', { invoice_id: 5 }, invoice],
    ['invoice.paid', { invoice_id: '5' }, invoice],
    ['invoice.paid', { invoice_id: 'five' }, {}],
    ['invoice.paid', { invoice_id: 5.5 }, {}],
    ['invoice.paid', {}, {}],
    ['order.cancelled', ENERGY, log],
    ['something.new', {}, log],
    ['deposits', {}, log],
  ])('%s %j', async (type, data, expected) => {
    const { handle, requested, notifyHolders } = openHandlers();
    await handle(type, data);
    expect(requested()).toEqual({ polls: [], balance: [], reports: 0, invoices: [], ...expected });
    // No user is notified, whatever amounts the event contains.
    expect(notifyHolders).not.toHaveBeenCalled();
  });

  test.each(['smart_mode.transfer', 'something.new'])(
    'but a %s that was found in the log causes no second poll of the log',
    async (type) => {
      const { handle, requested } = openHandlers();
      await handle(type, {}, 'log');
      expect(requested().polls).toEqual([]);
    },
  );
});

test('rejects if a report cannot be applied or a poll scheduled, so that the event is retried', async () => {
  const { handle, report, pollers } = openHandlers();
  report.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(handle('order.filled', ENERGY)).rejects.toThrow('the storage is away');
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
