import { z } from 'zod';
import { HOUR_MS, SECOND_MS } from '../platform/clock.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';
import type { Fault } from './fetch.ts';

/** Interval at which replicas with a webhook renew the record, in milliseconds. */
export const WEBHOOK_USE_RENEWAL_MS = 30 * SECOND_MS;

export const WEBHOOK_USE = defineRecord({
  keys: 'webhook-use',
  content: 'URL of the webhook for updates, while replicas use it',
  schema: z.object({ url: z.string() }),
  ttlMs: 3 * WEBHOOK_USE_RENEWAL_MS,
  signed: false,
  anonymous: true,
});

export const ACCEPTED_WEBHOOK = defineRecord({
  keys: 'accepted-webhook',
  content: "URL that Telegram accepted last as the bot's webhook for updates",
  schema: z.object({ url: z.string() }),
  ttlMs: 'none',
  expiry: "none: otherwise a former webhook of this bot would look like another program's",
  signed: false,
  anonymous: true,
});

export const FOREIGN_CHANGE = defineRecord({
  keys: 'foreign-webhook-change',
  content: "Webhook that another program set in place of the bot's, which the bot has undone",
  schema: z.object({
    /** Missing if the other program only removed the bot's webhook. */
    url: z.string().optional(),
  }),
  ttlMs: HOUR_MS,
  signed: false,
  anonymous: true,
});

/**
 * Shared knowledge of which webhook the replicas of this storage use. The replica that started last decides on its URL,
 * so that replicas with an old and a new `PUBLIC_URL` don't replace each other's webhook.
 */
export type WebhookUse = ReturnType<typeof createWebhookUse>;

export function createWebhookUse({ records }: { records: Pick<SignedRecords, 'store'> }) {
  const store = records.store(WEBHOOK_USE);
  const last = records.store(ACCEPTED_WEBHOOK);
  const changes = records.store(FOREIGN_CHANGE);
  let failure: Fault | undefined;
  let isPending = false;
  return {
    /** Returns the URL in use; `undefined` if no replica with a webhook has run for 90 seconds. */
    url: async (): Promise<string | undefined> => (await store.get({}))?.url,
    /** Makes a URL the one in use. */
    begin: (url: string) => {
      isPending = true;
      return store.set({}, { url });
    },
    /** Prolongs the use. Keeps the URL of a replica that started later. */
    async renew(url: string): Promise<void> {
      await store.update({}, (before = { url }) => before);
    },
    /** Records that Telegram accepted a URL as the webhook, or why the start of this process couldn't set it. */
    async recordTry(url: string, fault?: Fault): Promise<void> {
      failure = fault;
      isPending &&= fault !== undefined;
      // Only the text of a problem depends on it, so the start continues.
      if (fault === undefined) await last.set({}, { url }).catch(() => undefined);
    },
    /** Returns why the start of this process can't set the webhook; `undefined` if it could or wasn't tried. */
    failure: () => failure,
    /** Returns whether the start of this process has yet to set the webhook. */
    isPending: () => isPending,
    /** Returns the URL that Telegram accepted last, from any process. */
    accepted: async (): Promise<string | undefined> => (await last.get({}))?.url,
    /** Returns whether another program has set this webhook. If the record can't be read, it counts as the bot's own. */
    isForeign: async (url: string): Promise<boolean> =>
      (await last.get({}).catch(() => ({ url })))?.url !== url,
    /** Records that the bot has undone what another program did: set its own webhook, or without `url` removed the bot's. */
    async recordForeignChange(url?: string): Promise<void> {
      await (url ? changes.set({}, { url }) : changes.add({}, {}));
    },
    /** Returns what {@link recordForeignChange} recorded within the last hour. */
    foreignChange: (): Promise<{ url?: string | undefined } | undefined> => changes.get({}),
  };
}

/** Returns a URL of another program without its query and without a token in its path. */
export function withoutSecrets(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\d+:[A-Za-z0-9_-]{20,}/g, '…');
}
