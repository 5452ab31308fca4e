import { z } from 'zod';
import { PER_MINUTE } from '../limits.ts';
import { WebhookLogEntry } from '../resources/webhook-log-entry.ts';
import type { Endpoint } from './endpoint.ts';

/** An entry that can't be read is left out, so that it doesn't hide the others. */
const entries = z.array(z.unknown()).transform((list) =>
  list.flatMap((entry) => {
    const { data } = WebhookLogEntry.safeParse(entry);
    return data === undefined ? [] : [data];
  }),
);

export const webhookLogs: Endpoint<undefined, WebhookLogEntry[]> = {
  name: 'webhookLogs',
  kind: 'read',
  method: 'GET',
  path: '/webhooks/logs',
  perMinute: PER_MINUTE.others,
  request: z.undefined(),
  response: entries,
};
