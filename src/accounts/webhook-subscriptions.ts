import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { orTimeout } from '../platform/async.ts';
import { HOUR_MS } from '../platform/clock.ts';
import type { Seal } from '../platform/encryption.ts';
import { defineLease } from '../platform/leases.ts';
import { defineRecord, type KeyRotation, keyOf, prefixOf } from '../platform/records.ts';
import type { AccountOutcome, AccountReader } from '../rental-api/account-reader.ts';
import { isUnexpectedReply, type Rental } from '../rental-api/client.ts';
import type { WebhookConfiguration } from '../rental-api/schemas.ts';
import { isStrongSecret } from '../rental-api/webhook.ts';
import type { AccountsDeps } from './accounts-deps.ts';

const subscriptionSchema = z.object({
  /** Start of the unbroken delivery of the account's events, in epoch milliseconds. */
  since: z.number(),
  /** Newest first, with sealed secrets. `until`: when a replaced token expires, in epoch milliseconds. */
  tokens: z.array(z.object({ hash: z.string(), secret: z.string(), until: z.number().optional() })),
});

type StoredSubscription = z.infer<typeof subscriptionSchema>;

export const WEBHOOK_SUBSCRIPTION = defineRecord({
  keys: 'webhook-subscription:account',
  content: 'Where the service posts events of the account, the encrypted secrets, since when',
  schema: subscriptionSchema,
  ttlMs: 'none',
  expiry: 'none: until turned off, because the service keeps posting',
  signed: true,
});

/** Keys contain only a hash of the token, so they don't reveal the URL. */
export const WEBHOOK_TOKEN = defineRecord({
  keys: 'webhook-token:hash',
  content: 'Account whose events the service posts to this URL',
  schema: z.object({ account: z.number() }),
  ttlMs: 'none',
  expiry:
    'none: until turned off, because the service keeps posting. A replaced one is removed after an hour',
  signed: true,
});

export const WEBHOOK_CHANGE = defineLease({
  keys: 'webhook-change:account',
  content: 'Lease while events are turned on or off',
});

/** Time for which a replaced token stays valid, in milliseconds. */
const OVERLAP_MS = HOUR_MS;
/** Maximum number of tokens per account. Each secret is checked for every delivery. */
const MAX_TOKENS = 5;

const sealContextOf = (account: number) => ({ user: account, purpose: 'webhook-secret' });

function reseal(seal: Seal, account: number, { since, tokens }: StoredSubscription): StoredSubscription {
  const context = sealContextOf(account);
  return { since, tokens: tokens.map((token) => ({ ...token, secret: seal.renew(token.secret, context) })) };
}

export function webhookRotation(seal: Seal): KeyRotation {
  const prefix = prefixOf(WEBHOOK_SUBSCRIPTION);
  return {
    prefix,
    reseal(content, key) {
      const account = Number(key.slice(prefix.length));
      return JSON.stringify(reseal(seal, account, subscriptionSchema.parse(JSON.parse(content))));
    },
  };
}

/** Webhook URL of one account, with the secrets that may sign its events. */
export interface WebhookSubscription {
  account: number;
  /** Newest first. For an hour after a change, previous secrets are accepted too. */
  secrets: string[];
}

/** Webhook subscriptions of accounts. A token is the unguessable part of the path that the service posts events to. */
export type WebhookSubscriptions = ReturnType<typeof createWebhookSubscriptions>;

/**
 * Creates the store of webhook subscriptions. They belong to accounts, not users: an account has one URL
 * (specification, section 6), even if two users hold its key. The account's record is authoritative and is written
 * atomically; a token's own record only names its account.
 */
export function createWebhookSubscriptions(deps: Pick<AccountsDeps, 'records' | 'seal' | 'now'>) {
  const { records, seal, now } = deps;
  const subscriptions = records.store(WEBHOOK_SUBSCRIPTION);
  const accounts = records.store(WEBHOOK_TOKEN);

  const validTokens = ({ tokens }: StoredSubscription) =>
    tokens.filter(({ until = Number.POSITIVE_INFINITY }) => now() < until);

  return {
    /** Returns a new token. Register its URL at the service before calling `activate`. */
    createToken: (): string => randomBytes(32).toString('base64url'),
    /**
     * Makes this token's URL receive the account's events. Replaced tokens keep receiving for an hour, and either secret
     * is accepted: some deliveries are in progress, and the service retries deliveries.
     */
    async activate(token: string, account: number, secret: string) {
      const hash = hashOf(token);
      const before = await subscriptions.get({ account });
      const overlapEnd = now() + OVERLAP_MS;
      const replaced = (before ? validTokens(before) : [])
        .filter((former) => former.hash !== hash)
        .slice(0, MAX_TOKENS - 1)
        .map((former) => ({ ...former, until: former.until ?? overlapEnd }));
      const newest = { hash, secret: seal.seal(secret, sealContextOf(account)) };
      await accounts.set({ hash }, { account });
      await subscriptions.set({ account }, { since: before?.since ?? now(), tokens: [newest, ...replaced] });
      const [latestReplaced] = replaced;
      if (latestReplaced) {
        const key = accounts.keyOf({ hash: latestReplaced.hash });
        await records.set(key, JSON.stringify({ account }), { ttlMs: OVERLAP_MS });
      }
    },
    /** Invalidates all tokens of the account. */
    async deactivate(account: number) {
      const tokens = (await subscriptions.get({ account }))?.tokens ?? [];
      await subscriptions.delete({ account });
      for (const { hash } of tokens) await accounts.delete({ hash });
    },
    isActive: async (account: number): Promise<boolean> =>
      (await subscriptions.get({ account })) !== undefined,
    /**
     * Returns since when the bot has received the account's events, in epoch milliseconds. Replacing the token doesn't
     * interrupt delivery.
     */
    activeSince: async (account: number): Promise<number | undefined> =>
      (await subscriptions.get({ account }))?.since,
    async find(token: string): Promise<WebhookSubscription | undefined> {
      const hash = hashOf(token);
      const account = (await accounts.get({ hash }))?.account;
      const stored = account === undefined ? undefined : await subscriptions.read({ account });
      if (account === undefined || stored === undefined) return undefined;
      const tokens = validTokens(stored.value);
      if (!tokens.some((valid) => valid.hash === hash)) return undefined;
      const resealed = reseal(seal, account, stored.value);
      // If the record has changed since, this write does nothing. The next delivery tries again if needed.
      if (JSON.stringify(resealed) !== JSON.stringify(stored.value))
        await subscriptions.replace({ account }, stored, resealed);
      const secrets = tokens.flatMap(({ secret }) => seal.open(secret, sealContextOf(account)) ?? []);
      return secrets.length > 0 ? { account, secrets } : undefined;
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * Why a change of the account's URL isn't confirmed: the service refused it, its reply was `unexpected`, or its reply was
 * lost (`unclear`). `other-account`: the key opens another account, so nothing was requested.
 */
export type ConfigurationFailure =
  | { kind: 'refused'; reason: string }
  | { kind: 'unexpected' | 'unclear' | 'other-account' };

/**
 * - `on`: the bot now receives the account's events.
 * - `already-on`: the bot already received them, and `onlyIfOff` was set. Nothing was changed.
 * - `weak`: the service returned a secret that is too weak. The URL is set, but the bot rejects its events.
 * - `busy`: another holder of the account or an earlier request is changing the URL right now.
 */
export type TurnOnResult = { kind: 'on' | 'already-on' | 'weak' | 'busy' } | ConfigurationFailure;

/**
 * - `off`: the service has removed the URL.
 * - `possibly-on`: the bot rejects events, but the URL may still be set at the service.
 * - `already-off`: the bot received no events, so the URL at the service isn't the bot's and stays unchanged.
 * - `busy`: see {@link TurnOnResult}. Nothing was changed.
 */
export type TurnOffResult =
  | { kind: 'off' | 'already-off' | 'busy' }
  | { kind: 'possibly-on'; failure: ConfigurationFailure };

/**
 * Called after the service's response, before the change is stored. If the process crashes in between, the change is made
 * again and this is called again.
 */
type BeforeChange = () => Promise<unknown>;

export type WebhookSwitch = ReturnType<typeof createWebhookSwitch>;

/** Time limit of a request, in milliseconds. Leaves time for the rest of the update. */
const REQUEST_TIMEOUT_MS = 6_000;

type ConfigureOutcome = AccountOutcome<WebhookConfiguration> | undefined;
type Configure = (apiKey: string, url: string, timeoutMs?: number) => Promise<ConfigureOutcome>;

/**
 * Creates the switch for service webhooks, one configuration for all holders of an account. Changes of one account are
 * serialized across replicas: otherwise the service could keep the URL of one change and the bot the secret of another.
 * Results of the service are returned; rejects only if the storage is unavailable.
 */
export function createWebhookSwitch(
  deps: Pick<AccountsDeps, 'leases'> & {
    webhookSubscriptions: WebhookSubscriptions;
    accountReader: Pick<AccountReader, 'open'>;
    rental: Pick<Rental, 'configureWebhook'>;
  },
) {
  const { webhookSubscriptions, accountReader, rental, leases } = deps;

  /** Configures the URL once the profile has shown that the key still opens the account. */
  async function configureAccount(
    account: number,
    apiKey: string,
    url: string,
  ): Promise<AccountOutcome<WebhookConfiguration>> {
    const profile = await accountReader.open({ account, apiKey }).read((reads) => reads.profile());
    return profile.kind === 'accepted' ? rental.configureWebhook(apiKey, { url }) : profile;
  }

  /**
   * Executes `work` under the account's lease. The caller doesn't wait for a slow service, but the lease lasts as long
   * as the request: a late request could undo a later change.
   */
  function underLease<Result>(account: number, work: (configure: Configure) => Promise<Result>) {
    return new Promise<Result | { kind: 'busy' }>((resolve, reject) => {
      let result: Result | { kind: 'busy' } = { kind: 'busy' };
      let lateRequest: Promise<unknown> | undefined;
      const configure: Configure = (apiKey, url, timeoutMs = REQUEST_TIMEOUT_MS) => {
        const request = configureAccount(account, apiKey, url);
        return orTimeout(request, timeoutMs, () => {
          lateRequest = request;
          return undefined;
        });
      };
      const untilAnswered = async () => {
        result = await work(configure);
        if (lateRequest) resolve(result);
        await lateRequest;
      };
      const key = keyOf(WEBHOOK_CHANGE.keys, { account });
      leases.withLease(key, untilAnswered).then(() => resolve(result), reject);
    });
  }

  return {
    /**
     * Registers a new token at the service in place of the account's only URL (specification, section 6). The token is
     * accepted only after the service's response is stored. If the process dies or `signal` aborts in between, the
     * service has a URL whose events are rejected; call again to repair this. Previous tokens stay valid until then.
     */
    turnOn(request: {
      account: number;
      apiKey: string;
      webhookUrl: (token: string) => string;
      signal: AbortSignal;
      onlyIfOff?: boolean;
      beforeChange?: BeforeChange;
    }): Promise<TurnOnResult> {
      const { account, apiKey, webhookUrl, signal, onlyIfOff = false, beforeChange } = request;
      return underLease<TurnOnResult>(account, async (configure) => {
        if (onlyIfOff && (await webhookSubscriptions.isActive(account))) return { kind: 'already-on' };
        const token = webhookSubscriptions.createToken();
        const outcome = await configure(apiKey, webhookUrl(token));
        if (outcome?.kind !== 'accepted') return failureOf(outcome);
        if (signal.aborted) return { kind: 'unclear' };
        if (!isStrongSecret(outcome.value.secret)) {
          // The service already posts to the new URL, so the previous tokens no longer receive events.
          await webhookSubscriptions.deactivate(account);
          return { kind: 'weak' };
        }
        await beforeChange?.();
        await webhookSubscriptions.activate(token, account, outcome.value.secret);
        return { kind: 'on' };
      });
    },

    /**
     * Requests the service to remove the URL, then invalidates all tokens whatever the response is. Returns the service's
     * result.
     */
    turnOff(request: {
      account: number;
      apiKey: string;
      timeoutMs?: number | undefined;
      beforeChange?: BeforeChange;
    }): Promise<TurnOffResult> {
      const { account, apiKey, timeoutMs, beforeChange } = request;
      return underLease<TurnOffResult>(account, async (configure) => {
        if (!(await webhookSubscriptions.isActive(account))) return { kind: 'already-off' };
        const outcome = await configure(apiKey, '', timeoutMs);
        await beforeChange?.();
        await webhookSubscriptions.deactivate(account);
        const isRemoved = outcome?.kind === 'accepted' && (outcome.value.url === '' || !outcome.value.active);
        return isRemoved ? { kind: 'off' } : { kind: 'possibly-on', failure: failureOf(outcome) };
      });
    },
  };
}

function failureOf(outcome: ConfigureOutcome): ConfigurationFailure {
  if (outcome?.kind === 'rejected' || outcome?.kind === 'not-sent')
    return { kind: 'refused', reason: outcome.message };
  if (outcome?.kind === 'other-account') return outcome;
  return { kind: isUnexpectedReply(outcome) ? 'unexpected' : 'unclear' };
}
