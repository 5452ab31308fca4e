import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { WebhookLogEntry } from '../resources/webhook-log-entry.ts';
import type { Endpoint } from './endpoint.ts';

/** Skips and counts unreadable entries, so that the others stay usable. */
const entries = z.array(z.unknown()).transform((list) => {
  const read = list.flatMap((entry) => WebhookLogEntry.safeParse(entry).data ?? []);
  return { entries: read, unreadable: list.length - read.length };
});

export const webhookLogs: Endpoint<undefined, { entries: WebhookLogEntry[]; unreadable: number }> = {
  name: 'webhookLogs',
  kind: 'read',
  method: 'GET',
  path: '/webhooks/logs',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: entries,
};
