import type { WebhookInfo } from 'grammy/types';
import { HOUR_MS, isRecent, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import { defineLease, type Leases } from '../../platform/leases.ts';
import type { WebhookUse } from '../../telegram/webhook-use.ts';
import { defineCheck, type Found } from '../check.ts';

export interface WebhookCheckDeps {
  /** Expected webhook for updates; `undefined` if the bot polls. */
  webhookUrl: string | undefined;
  webhookUse: Pick<WebhookUse, 'url'>;
  telegram: { getWebhookInfo(): Promise<WebhookInfo>; setWebhook(url: string): Promise<unknown> };
  leases: Leases;
  now: () => number;
}

/** Maximum age of a failed delivery that counts, in milliseconds. Telegram repeats a delivery about once a minute. */
const ERROR_COUNTS_MS = 2 * MINUTE_MS;
/** Pause between two replacements of a foreign webhook, in milliseconds. */
const REPLACEMENT_PAUSE_MS = HOUR_MS;
/** Number of waiting updates that handling can't keep up with. */
const MANY_UPDATES = 100;

const REPLACEMENT = defineLease({
  keys: 'webhook-replacement',
  content: 'The webhook of another program was replaced',
  expiry: '1 hour',
});

export const WEBHOOK_CHECK_DATA = [REPLACEMENT] as const;

/** Whether Telegram delivers updates to this bot. */
export const WEBHOOK = defineCheck({
  name: 'telegram-updates',
  everyMs: MINUTE_MS,
  scope: 'installation',
  problems: {
    'webhook-missing': 'error',
    'webhook-replaced': 'error',
    'webhook-beside-polling': 'error',
    'webhook-failing': 'error',
    'updates-pending': 'warning',
  },
  async measure({ telegram, webhookUrl, webhookUse, now }: WebhookCheckDeps) {
    const info = await telegram.getWebhookInfo();
    const { url, pending_update_count: count } = info;
    if (webhookUrl === undefined) {
      if (url) return found('webhook-beside-polling', { url: withoutSecrets(url) });
    } else {
      const expected = (await webhookUse.url()) ?? webhookUrl;
      if (!url) return found('webhook-missing', { expected });
      if (url !== expected) return found('webhook-replaced', { url: withoutSecrets(url), expected });
      const { last_error_date: errorAt = 0, last_error_message: why = '' } = info;
      // Without waiting updates, a later delivery succeeded.
      if (count > 0 && isRecent(errorAt * SECOND_MS, ERROR_COUNTS_MS, now()))
        return found('webhook-failing', { why, expected });
    }
    return count >= MANY_UPDATES ? found('updates-pending', { count }) : undefined;
  },
  async repair({ telegram, webhookUrl, webhookUse, leases }, { problem }) {
    if (webhookUrl === undefined) return;
    const set = async () => telegram.setWebhook((await webhookUse.url()) ?? webhookUrl);
    if (problem === 'webhook-missing') await set();
    if (problem === 'webhook-replaced')
      await leases.withLease(REPLACEMENT.keys, set, { keptMs: REPLACEMENT_PAUSE_MS });
  },
});

type WebhookProblem =
  | 'webhook-missing'
  | 'webhook-replaced'
  | 'webhook-beside-polling'
  | 'webhook-failing'
  | 'updates-pending';

function found(problem: WebhookProblem, values: Found['values']): Found<WebhookProblem> {
  return { problem, values };
}

/** Returns a URL of another program without its query and without a token in its path. */
function withoutSecrets(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\d+:[A-Za-z0-9_-]{20,}/g, '…');
}
