import { vi } from 'vitest';
import { createEventHandlers } from '../../src/account-events/handlers.ts';

/** Opens the handler of order events with mocked pollers. */
export function openOrderHandler(operations: Parameters<typeof createEventHandlers>[0]['operations']) {
  const pollers = { pollSoon: vi.fn(async () => {}), pollBalanceIfNeeded: vi.fn(async () => {}) };
  const handlers = createEventHandlers({
    operations,
    pollers,
    invoices: { handleEvent: vi.fn() },
    notifyHolders: vi.fn(),
  });
  const handler = handlers.find(({ handles }) => handles('order.filled'));
  if (handler === undefined) throw new Error('no handler handles orders');
  return { handler, pollers };
}
