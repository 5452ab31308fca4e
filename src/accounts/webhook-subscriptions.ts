import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { KeyRotation } from '../platform/key-rotation.ts';
import type { Leases } from '../platform/leases.ts';
import type { SignedRecord, SignedRecords } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import { isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { WebhookConfiguration } from '../rental-api/schemas.ts';
import { isStrong } from '../rental-api/webhook.ts';
import type { Links } from './links.ts';

const hooksSchema = z.object({
  /** Start of the unbroken delivery of the account's events, in epoch milliseconds. */
  since: z.number(),
  /** Newest first. `until`: when a replaced hook expires, in epoch milliseconds. */
  hooks: z.array(z.object({ hash: z.string(), secret: z.string(), until: z.number().optional() })),
});
/**
 * Account of a hook. In the earlier format it also had the secret, and the account's record was only the hook's hash.
 */
const hookSchema = z.object({ account: z.number(), secret: z.string().optional() });

/** Hooks of an account, with sealed secrets. */
type AccountHooks = z.infer<typeof hooksSchema>;

const PURPOSE = 'webhook-secret';
/** Key prefixes of hooks and of an account's list of hooks. */
export const HOOKS = 'hook:';
export const ACCOUNT_HOOKS = 'hook-of-account:';
const hookKey = (hash: string) => `${HOOKS}${hash}`;
const accountKey = (account: number) => `${ACCOUNT_HOOKS}${account}`;
const aboutSecretOf = (account: number) => ({ user: account, purpose: PURPOSE });

/** Creates readers of a hook's account and an account's hooks. Converts records of the earlier format. */
function createAccountHooks({ records, now }: { records: SignedRecords; now: () => number }) {
  async function hookOf(hash: string) {
    const record = await records.get(hookKey(hash));
    return record && hookSchema.parse(JSON.parse(record.content));
  }

  async function read(account: number): Promise<{ record: SignedRecord; kept: AccountHooks } | undefined> {
    const record = await records.get(accountKey(account));
    if (record === undefined) return undefined;
    if (isPresent(record.content)) return { record, kept: hooksSchema.parse(JSON.parse(record.content)) };
    const secret = (await hookOf(record.content))?.secret;
    if (secret === undefined) return undefined;
    const kept = { since: now(), hooks: [{ hash: record.content, secret }] };
    // If another process was faster, its record is used.
    await records.replace(accountKey(account), record, JSON.stringify(kept));
    return read(account);
  }
  return {
    read,
    accountOf: async (hash: string) => (await hookOf(hash))?.account,
  };
}

/** Returns the hooks with every secret sealed by the newest key. */
function resealed(seal: Seal, account: number, { since, hooks }: AccountHooks): AccountHooks {
  const about = aboutSecretOf(account);
  return { since, hooks: hooks.map((hook) => ({ ...hook, secret: seal.renew(hook.secret, about) })) };
}

/** Returns the keyRotations that seal all hooks' secrets with the newest key, including those of the earlier format. */
export function hooksRotations(seal: Seal): KeyRotation[] {
  return [
    {
      prefix: HOOKS,
      reseal(content) {
        const { account, secret } = hookSchema.parse(JSON.parse(content));
        const sealed = secret && seal.renew(secret, aboutSecretOf(account));
        return JSON.stringify({ account, secret: sealed });
      },
    },
    {
      prefix: ACCOUNT_HOOKS,
      reseal(content, key) {
        const account = Number(key.slice(ACCOUNT_HOOKS.length));
        if (!isPresent(content)) return content;
        return JSON.stringify(resealed(seal, account, hooksSchema.parse(JSON.parse(content))));
      },
    },
  ];
}

/** Returns whether a record has the current format, JSON. The earlier one is a hash without braces. */
function isPresent(content: string): boolean {
  return content.startsWith('{');
}

/** Webhook URL of one account, with the secrets that may sign its events. */
export interface Hook {
  account: number;
  /** Newest first. For an hour after a change, previous secrets are accepted too. */
  secrets: string[];
}

export interface EventHooks {
  /** Returns a new unguessable path part. Register it at the service before calling `activate`. */
  invent(): string;
  /**
   * Makes this hook receive the account's events. Replaced hooks keep receiving for an hour, and either secret is
   * accepted: some deliveries are in progress, and the service retries deliveries.
   */
  activate(hook: string, account: number, secret: string): Promise<void>;
  /** Stops all hooks of the account. */
  deactivate(account: number): Promise<void>;
  isActive(account: number): Promise<boolean>;
  /**
   * Returns since when the bot has received the account's events, in epoch milliseconds. Replacing the hook is no
   * break.
   */
  since(account: number): Promise<number | undefined>;
  find(hook: string): Promise<Hook | undefined>;
}

const OVERLAP_MS = 3600_000;
/** Maximum number of hooks per account. Each is checked for every delivery. */
const MAX_HOOKS = 5;

/**
 * Creates the store of webhooks. Hooks belong to accounts, not users: an account has one URL (specification, section
 * 6), even if two users hold its key. Keys contain only a hash of the hook, so they don't reveal the URL. The account's
 * record is authoritative and is written atomically; a hook's own record only names its account.
 */
export function createEventHooks(deps: {
  records: SignedRecords;
  seal: Seal;
  now: () => number;
}): EventHooks {
  const { records, seal, now } = deps;
  const { read, accountOf } = createAccountHooks(deps);

  /** Returns the hooks that haven't expired. */
  const current = ({ hooks }: AccountHooks) => hooks.filter(({ until = Infinity }) => now() < until);

  return {
    invent: () => randomBytes(32).toString('base64url'),
    async activate(hook, account, secret) {
      const hash = hashOf(hook);
      const before = (await read(account))?.kept;
      const until = now() + OVERLAP_MS;
      const former = (before ? current(before) : [])
        .filter((one) => one.hash !== hash)
        .slice(0, MAX_HOOKS - 1)
        .map((one) => ({ ...one, until: one.until ?? until }));
      const newest = { hash, secret: seal.seal(secret, aboutSecretOf(account)) };
      const after: AccountHooks = { since: before?.since ?? now(), hooks: [newest, ...former] };
      await records.set(hookKey(hash), JSON.stringify({ account }));
      await records.set(accountKey(account), JSON.stringify(after));
      const [replaced] = former;
      if (replaced) {
        await records.set(hookKey(replaced.hash), JSON.stringify({ account }), { ttlMs: OVERLAP_MS });
      }
    },
    async deactivate(account) {
      const hooks = (await read(account))?.kept.hooks ?? [];
      await records.delete(accountKey(account));
      for (const { hash } of hooks) await records.delete(hookKey(hash));
    },
    isActive: async (account) => (await read(account)) !== undefined,
    since: async (account) => (await read(account))?.kept.since,
    async find(hook) {
      const hash = hashOf(hook);
      const account = await accountOf(hash);
      const found = account === undefined ? undefined : await read(account);
      if (account === undefined || found === undefined) return undefined;
      const { record, kept } = found;
      const hooks = current(kept);
      if (!hooks.some((one) => one.hash === hash)) return undefined;
      const [content, newest] = [kept, resealed(seal, account, kept)].map((one) => JSON.stringify(one));
      // If the record has changed since, this write does nothing. The next delivery tries again if needed.
      if (newest !== content) await records.replace(accountKey(account), record, newest ?? '');
      const secrets = hooks.flatMap(({ secret }) => seal.open(secret, aboutSecretOf(account)) ?? []);
      return secrets.length > 0 ? { account, secrets } : undefined;
    },
  };
}

function hashOf(hook: string): string {
  return createHash('sha256').update(hook).digest('base64url');
}

/**
 * Why a change of the account's URL isn't confirmed: the service refused it, its reply was `unexpected`, or its reply was
 * lost (`unclear`).
 */
export type NotConfigured = { kind: 'refused'; reason: string } | { kind: 'unexpected' | 'unclear' };

/**
 * - `on`: the bot now receives the account's events.
 * - `was-on`: the bot already received them, and `once` was set. Nothing was changed.
 * - `weak`: the service returned a secret that is too weak. The URL is set, but the bot rejects its events.
 * - `busy`: another holder of the account or an earlier request is changing the URL right now.
 */
export type TurnedOn = { kind: 'on' | 'was-on' | 'weak' | 'busy' } | NotConfigured;

/**
 * - `off`: the service has removed the URL.
 * - `stays`: the bot rejects events, but the URL may still be set at the service.
 * - `was-off`: the bot received no events, so the URL at the service isn't the bot's and stays unchanged.
 * - `busy`: see {@link TurnedOn}. Nothing was changed.
 */
export type TurnedOff = { kind: 'off' | 'was-off' | 'busy' } | { kind: 'stays'; why: NotConfigured };

/**
 * Called after the service's response, before the change is stored. If the process crashes in between, the change is made
 * again and this is called again.
 */
type BeforeChange = () => Promise<unknown>;

export interface EventReceiving {
  /**
   * Registers a new hook at the service in place of the account's only URL (specification, section 6). The hook is
   * accepted only after the service's response is stored. If the process dies or `signal` aborts in between, the
   * service has a URL whose events are rejected; call again to repair this. Previous hooks stay valid until then.
   */
  turnOn(about: {
    account: number;
    apiKey: string;
    hookUrl: (hook: string) => string;
    signal: AbortSignal;
    once?: boolean;
    beforeChange?: BeforeChange;
  }): Promise<TurnedOn>;
  /**
   * Asks the service to remove the URL, then stops all hooks whatever the response is. Returns the service's result.
   */
  turnOff(about: {
    account: number;
    apiKey: string;
    withinMs?: number;
    beforeChange?: BeforeChange;
  }): Promise<TurnedOff>;
}

/** Time limit of a request, in milliseconds. Leaves time for the rest of the update. */
const WITHIN_MS = 6_000;

type Configured = Outcome<WebhookConfiguration> | undefined;
type Ask = (apiKey: string, url: string, withinMs?: number) => Promise<Configured>;

/**
 * Creates the switch for service webhooks, one configuration for all holders of an account. Changes of one account are
 * serialized across replicas: otherwise the service could keep the URL of one change and the bot the secret of another.
 * Results of the service are returned; rejects only if the storage is unavailable.
 */
export function createEventReceiving(deps: {
  hooks: EventHooks;
  rental: Pick<Rental, 'configureWebhook'>;
  leases: Leases;
}): EventReceiving {
  const { hooks, rental, leases } = deps;

  /**
   * Executes `work` under the account's lease. The caller doesn't wait for a slow service, but the lease lasts as long
   * as the request: a late request could undo a later change.
   */
  function inTurn<Result>(account: number, work: (ask: Ask) => Promise<Result>) {
    return new Promise<Result | { kind: 'busy' }>((resolve, reject) => {
      let result: Result | { kind: 'busy' } = { kind: 'busy' };
      let asking: Promise<unknown> | undefined;
      const ask: Ask = (apiKey, url, withinMs = WITHIN_MS) => {
        const configuring = rental.configureWebhook(apiKey, url);
        return orTimeout(configuring, withinMs, () => {
          asking = configuring;
          return undefined;
        });
      };
      const whole = async () => {
        result = await work(ask);
        if (asking) resolve(result);
        await asking;
      };
      leases.withLease(`receiving:${account}`, whole).then(() => resolve(result), reject);
    });
  }

  return {
    turnOn: ({ account, apiKey, hookUrl, signal, once = false, beforeChange }) =>
      inTurn<TurnedOn>(account, async (ask) => {
        if (once && (await hooks.isActive(account))) return { kind: 'was-on' };
        const hook = hooks.invent();
        const configured = await ask(apiKey, hookUrl(hook));
        if (configured?.kind !== 'accepted') return notConfigured(configured);
        if (signal.aborted) return { kind: 'unclear' };
        if (!isStrong(configured.value.secret)) {
          // The service already posts to the new URL, so the previous hooks no longer receive events.
          await hooks.deactivate(account);
          return { kind: 'weak' };
        }
        await beforeChange?.();
        await hooks.activate(hook, account, configured.value.secret);
        return { kind: 'on' };
      }),

    turnOff: ({ account, apiKey, withinMs, beforeChange }) =>
      inTurn<TurnedOff>(account, async (ask) => {
        if (!(await hooks.isActive(account))) return { kind: 'was-off' };
        const configured = await ask(apiKey, '', withinMs);
        await beforeChange?.();
        await hooks.deactivate(account);
        if (configured?.kind === 'accepted' && isRemoved(configured.value)) return { kind: 'off' };
        return { kind: 'stays', why: notConfigured(configured) };
      }),
  };
}

function isRemoved({ url, active }: WebhookConfiguration): boolean {
  return url === '' || !active;
}

function notConfigured(configured: Configured): NotConfigured {
  if (configured?.kind === 'rejected' || configured?.kind === 'not-sent')
    return { kind: 'refused', reason: configured.message };
  return { kind: isUnexpectedReply(configured) ? 'unexpected' : 'unclear' };
}

/** TTL of an offer, in milliseconds. After that, the user may get another offer. */
const TTL_MS = 365 * 24 * 3600_000;
const KNOWN = 10_000;

/** Records which users were offered service reports. Each user is asked once, after the first purchase. */
export interface ReportOffers {
  /**
   * Returns whether to ask this user now, and records it. Returns false if the user was asked before or doesn't hold
   * the account.
   */
  take(user: number, account: number): Promise<boolean>;
  /** Removes the record, because the user could not be asked. */
  giveBack(user: number, account: number): Promise<void>;
  /** Deletes the user's offers. `keys`: all keys of the user. */
  forget(user: number, keys: readonly string[]): Promise<void>;
}

export function createReportOffers({
  storage,
  links,
}: {
  storage: Pick<Storage, 'add' | 'delete'>;
  links: Pick<Links, 'find'>;
}): ReportOffers {
  const beginOf = (user: number) => `reports-offered:{${user}}:`;
  const keyOf = (user: number, account: number) => `${beginOf(user)}${account}`;
  /** Offers known to this process. Saves a request to the storage per purchase. */
  const asked = new Set<string>();
  return {
    async take(user, account) {
      const key = keyOf(user, account);
      if (asked.has(key)) return false;
      if (asked.size >= KNOWN) asked.clear();
      asked.add(key);
      // The user may have unlinked the account or been erased since the purchase.
      if ((await links.find(user))?.account !== account) {
        asked.delete(key);
        return false;
      }
      // A unique value: adding the stored value again would also return true.
      return storage.add(key, randomUUID(), { ttlMs: TTL_MS });
    },
    async giveBack(user, account) {
      asked.delete(keyOf(user, account));
      await storage.delete(keyOf(user, account));
    },
    async forget(user, keys) {
      for (const key of keys.filter((one) => one.startsWith(beginOf(user)))) {
        asked.delete(key);
        await storage.delete(key);
      }
    },
  };
}
