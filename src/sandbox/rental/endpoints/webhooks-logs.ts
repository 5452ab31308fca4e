import { get } from '../endpoint.ts';

export const webhooksLogs = get('/webhooks/logs', ({ account, parts }) =>
  parts.webhooks.logOf(account).map((entry) => ({
    id: entry.id,
    event_type: entry.eventType,
    payload: entry.payload,
    response_status: entry.responseStatus,
    attempts: entry.attempts,
    created_at: new Date(entry.createdAt).toISOString(),
  })),
);
