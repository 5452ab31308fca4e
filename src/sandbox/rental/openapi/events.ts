import { type ResourceName, reference } from './resources.ts';

/** Events with their cause and the type of `data`. Section 6 documents only the first. */
export const events: Readonly<Record<string, { when: string; data: ResourceName }>> = {
  'order.filled': { when: 'An order becomes filled.', data: 'EndedOrder' },
  'order.failed': { when: 'An order becomes failed and is refunded.', data: 'EndedOrder' },
  'deposit.confirmed': { when: 'A deposit is credited.', data: 'DepositRecord' },
  'invoice.paid': { when: 'An invoice is paid in full.', data: 'Invoice' },
  'invoice.delegated': { when: 'The energy of an invoice is delegated.', data: 'Invoice' },
  'smart_mode.transfer': { when: 'Smart Mode served a transfer.', data: 'SmartModeTransfer' },
  'withdrawal.completed': { when: 'A withdrawal is sent.', data: 'Withdrawal' },
};

const signature = {
  name: 'X-Webhook-Signature',
  in: 'header',
  required: true,
  description: 'Lower-case hexadecimal HMAC-SHA256 of the raw body, keyed with the secret.',
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
};

/** Returns the `webhooks` object of the OpenAPI 3.1 document. */
export function webhooks() {
  return Object.fromEntries(
    Object.entries(events).map(([name, { when, data }]) => [
      name,
      { post: { summary: when, parameters: [signature], requestBody: delivery(name, data), responses } },
    ]),
  );
}

const responses = { '2XX': { description: 'Taken; anything else is tried again up to three times.' } };

function delivery(name: string, data: ResourceName) {
  const schema = {
    type: 'object',
    properties: {
      event: { const: name },
      data: reference(data),
      timestamp: { type: 'string', format: 'date-time' },
    },
    required: ['event', 'data', 'timestamp'],
  };
  return { required: true, content: { 'application/json': { schema } } };
}
