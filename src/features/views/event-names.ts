import type { TextKey } from '../../i18n/keys.ts';
import type { Words } from '../../i18n/texts.ts';

const EVENT_NAMES: Readonly<Record<string, TextKey>> = {
  'order.filled': 'event-order-filled',
  'order.failed': 'event-order-failed',
  'deposit.pending': 'event-deposit-pending',
  'deposit.confirmed': 'event-deposit-confirmed',
  'deposit.expired': 'event-deposit-expired',
  'withdrawal.pending': 'event-withdrawal-pending',
  'withdrawal.completed': 'event-withdrawal-completed',
  'withdrawal.failed': 'event-withdrawal-failed',
  'invoice.paid': 'event-invoice-paid',
  'invoice.delegated': 'event-invoice-delegated',
  'invoice.expired': 'event-invoice-expired',
  'invoice.failed': 'event-invoice-failed',
  'smart_mode.transfer': 'event-smart-mode-transfer',
};

/**
 * Returns a readable name of an event type in Telegram's HTML. Unknown types are shown unchanged. The specification documents
 * only `order.filled` (section 6). The other names combine a resource and one of its statuses.
 */
export function formatEventName(words: Words, type: string): string {
  const key = Object.hasOwn(EVENT_NAMES, type) ? EVENT_NAMES[type] : undefined;
  return key ? words.html(key) : words.html('event-type', { type });
}
