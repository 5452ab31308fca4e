import type { UserFromGetMe, WebhookInfo } from 'grammy/types';
import { request } from 'undici';
import { isRecent, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import { describeNetworkError } from '../../platform/service-calls.ts';
import { readFault } from '../../telegram/fetch.ts';
import type { PollingProblem } from '../../telegram/updates.ts';
import { type WebhookUse, withoutSecrets } from '../../telegram/webhook-use.ts';
import { defineCheck, type Measurement } from '../check.ts';

export interface TelegramCheckDeps {
  telegram: {
    getMe(): Promise<UserFromGetMe>;
    getWebhookInfo(): Promise<WebhookInfo>;
    /** Sets this bot's webhook at a URL. */
    setWebhook(url: string): Promise<unknown>;
    deleteWebhook(): Promise<unknown>;
  };
  /** URL of this replica's webhook for updates; `undefined` if it polls. */
  webhookUrl: string | undefined;
  webhookUse: Pick<
    WebhookUse,
    'url' | 'accepted' | 'failure' | 'isPending' | 'foreignChange' | 'recordForeignChange'
  >;
  /** Returns why this process's polls don't get all updates, if they don't; `unknown` soon after the start. */
  pollingProblem: () => PollingProblem | 'unknown' | undefined;
  /** Posts to a URL without a secret and returns the status. Rejects if there is no response. */
  postWithoutSecret(url: string): Promise<number>;
  now: () => number;
}

/** Maximum age of a failed delivery that counts, in milliseconds. Telegram repeats a delivery about once a minute. */
const ERROR_COUNTS_MS = 2 * MINUTE_MS;
/** Number of waiting updates that handling can't keep up with. */
const MANY_UPDATES = 100;

export const TELEGRAM_API = defineCheck({
  ...{ name: 'telegram-api', everyMs: MINUTE_MS, scope: 'replica' },
  problems: {
    'token-refused': 'error',
    'telegram-unreachable': 'error',
    'telegram-not-bot-api': 'error',
    'telegram-refuses': 'error',
  },
  async measure({ telegram }: TelegramCheckDeps): Promise<Measurement<TelegramProblem>> {
    try {
      await telegram.getMe();
      return undefined;
    } catch (error) {
      const fault = readFault(error);
      if (fault.kind === 'unreached') {
        const { reason: why, foreign: got } = fault;
        return got === undefined
          ? { problem: 'telegram-unreachable', values: { why } }
          : { problem: 'telegram-not-bot-api', values: { got } };
      }
      const values = { why: fault.reason };
      const isTokenRefused = fault.status === 401 || fault.status === 404;
      return { problem: isTokenRefused ? 'token-refused' : 'telegram-refuses', values };
    }
  },
});

type TelegramProblem = 'token-refused' | `telegram-${'unreachable' | 'not-bot-api' | 'refuses'}`;

/** Whether Telegram delivers updates to this bot. */
export const TELEGRAM_UPDATES = defineCheck({
  ...{ name: 'telegram-updates', everyMs: MINUTE_MS, scope: 'installation' },
  problems: {
    'webhook-missing': 'error',
    'webhook-former': 'error',
    'webhook-replaced': 'error',
    'webhook-beside-polling': 'error',
    'webhook-failing': 'error',
    'updates-pending': 'warning',
  },
  async measure(deps: TelegramCheckDeps) {
    const { telegram, webhookUrl, webhookUse, now } = deps;
    const used = await webhookUse.url();
    const info = await reached(() => telegram.getWebhookInfo());
    if (info === undefined) return 'unmeasured';
    const { url = '', pending_update_count: count } = info;
    const expected = used ?? webhookUrl;
    if (expected === undefined) {
      if (url !== '' && url === (await webhookUse.accepted()))
        return { problem: 'webhook-former', values: { url: withoutSecrets(url), expected: 'none' } };
      if (url !== '') return { problem: 'webhook-beside-polling', values: { url: withoutSecrets(url) } };
    } else {
      if (url === '') {
        // This process hasn't set it yet. TELEGRAM_WEBHOOK reports why.
        if (webhookUse.isPending()) return 'unmeasured';
        return { problem: 'webhook-missing', values: { expected } };
      }
      if (url !== expected) {
        const problem = url === (await webhookUse.accepted()) ? 'webhook-former' : 'webhook-replaced';
        return { problem, values: { url: withoutSecrets(url), expected } };
      }
      const { last_error_date: errorAt = 0, last_error_message: why = '' } = info;
      // Without waiting updates, a later delivery succeeded.
      if (count > 0 && isRecent(errorAt * SECOND_MS, ERROR_COUNTS_MS, now())) {
        // Replicas with this webhook report it. If they have stopped, this process polls soon.
        if (webhookUrl === undefined) return 'unmeasured';
        return { problem: 'webhook-failing', values: { why, expected } };
      }
    }
    return count >= MANY_UPDATES ? { problem: 'updates-pending', values: { count } } : undefined;
  },
  async repair({ telegram, webhookUrl, webhookUse }, { problem, values }) {
    const isMissing = webhookUrl !== undefined && problem === 'webhook-missing';
    const expected = (await webhookUse.url()) ?? webhookUrl;
    // Otherwise other replicas set theirs.
    const isFormer = problem === 'webhook-former' && (webhookUrl !== undefined || expected === undefined);
    const isForeign = problem === (webhookUrl ? 'webhook-replaced' : 'webhook-beside-polling');
    // Otherwise two installations with one token would fight.
    const mayReplace = isForeign && (await webhookUse.foreignChange())?.url === undefined;
    if (!isMissing && !isFormer && !mayReplace) return;
    await (expected === undefined ? telegram.deleteWebhook() : telegram.setWebhook(expected));
    if (!isFormer) await webhookUse.recordForeignChange(isForeign ? String(values?.url) : undefined);
  },
});

/** Whether another program has lately used this bot's token for a webhook. */
export const BOT_TOKEN = defineCheck({
  ...{ name: 'bot-token', everyMs: 10 * SECOND_MS, scope: 'installation', certain: true },
  problems: { 'token-shared': 'warning' },
  async measure({ webhookUse }: TelegramCheckDeps) {
    const change = await webhookUse.foreignChange();
    return change && { problem: 'token-shared', values: { url: change.url ?? 'none' } };
  },
});

/** Whether Telegram accepts the webhook that this process sets at its start, which waits for it. */
export const TELEGRAM_WEBHOOK = defineCheck({
  ...{ name: 'telegram-webhook', everyMs: 5 * SECOND_MS, scope: 'replica', onlyRunning: true },
  problems: { 'webhook-refused': 'error', 'webhook-not-set': 'error' },
  async measure({
    webhookUse,
    webhookUrl: expected,
  }: TelegramCheckDeps): Promise<Measurement<WebhookProblem>> {
    const failure = webhookUse.failure();
    if (failure === undefined || expected === undefined) return undefined;
    const values = { expected, why: failure.reason };
    // Telegram refuses a URL with this status.
    const isRefused = failure.kind === 'refused' && failure.status === 400;
    return { problem: isRefused ? 'webhook-refused' : 'webhook-not-set', values };
  },
});

type WebhookProblem = 'webhook-refused' | 'webhook-not-set';

export const TELEGRAM_POLLING = defineCheck({
  ...{ name: 'telegram-polling', everyMs: 10 * SECOND_MS, scope: 'replica', onlyRunning: true },
  problems: { 'another-poller': 'error', 'replicas-use-webhook': 'error' },
  async measure({ pollingProblem, webhookUse }: TelegramCheckDeps) {
    const problem = pollingProblem();
    if (problem === undefined) return undefined;
    // An earlier process may have found another poller.
    if (problem === 'unknown') return 'unmeasured';
    const url = await webhookUse.url();
    if (url !== undefined) return { problem: 'replicas-use-webhook', values: { url } };
    // The process polls soon.
    if (problem === 'replicas-use-webhook') return 'unmeasured';
    // The check of the updates reports the webhook of another program, and removes it. The next poll may follow only later.
    return problem === 'webhook-set' ? undefined : { problem };
  },
});

export const PUBLIC_URL = defineCheck({
  ...{ name: 'public-url', everyMs: 5 * MINUTE_MS, scope: 'installation' },
  problems: { 'public-url-unreachable': 'warning', 'public-url-elsewhere': 'error' },
  async measure({
    webhookUrl,
    postWithoutSecret,
  }: TelegramCheckDeps): Promise<Measurement<PublicUrlProblem>> {
    if (webhookUrl === undefined) return undefined;
    try {
      const status = await postWithoutSecret(webhookUrl);
      // The webhook refuses a request without its secret.
      return status === 401
        ? undefined
        : { problem: 'public-url-elsewhere', values: { url: webhookUrl, status } };
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown reason';
      return { problem: 'public-url-unreachable', values: { url: webhookUrl, why } };
    }
  },
});

type PublicUrlProblem = 'public-url-unreachable' | 'public-url-elsewhere';

const POST_TIMEOUT_MS = 10 * SECOND_MS;

/** Posts an empty body to a URL and returns the status. Rejects with the code of the error if there is no response. */
export async function postWithoutSecret(url: string): Promise<number> {
  const signal = AbortSignal.timeout(POST_TIMEOUT_MS);
  try {
    // The first call of Node's own `fetch` would load another copy of undici, a tenth of the CPU of a start.
    const { statusCode, body } = await request(url, { method: 'POST', signal });
    await body.dump();
    return statusCode;
  } catch (error) {
    throw new Error(error instanceof Error ? describeNetworkError(error) : 'no response');
  }
}

/** Returns the result of a call, or `undefined` if Telegram can't be reached or refuses it ({@link TELEGRAM_API}). */
async function reached<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    // Throws other errors.
    readFault(error);
    return undefined;
  }
}
