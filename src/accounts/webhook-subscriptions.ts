import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { Renewal } from '../platform/key-rotation.ts';
import type { Turns } from '../platform/leases.ts';
import type { SignedRecord, SignedRecords } from '../platform/records.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Storage } from '../platform/storage.ts';
import type { Rental } from '../rental-api/client.ts';
import { isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { WebhookConfiguration } from '../rental-api/schemas.ts';
import { isStrong } from '../rental-api/webhook.ts';
import type { Links } from './links.ts';

const hooksSchema = z.object({
  /** Epoch milliseconds: since when the account's events come here without a break. */
  since: z.number(),
  /** Newest first; `until` when one that another has replaced is over. */
  hooks: z.array(z.object({ hash: z.string(), secret: z.string(), until: z.number().optional() })),
});
/** Whose a hook is. Before hooks could overlap the secret was here, and the account's record was only the hook's hash. */
const hookSchema = z.object({ account: z.number(), secret: z.string().optional() });

/** The hooks of an account. Their secrets are sealed. */
type AccountHooks = z.infer<typeof hooksSchema>;

const PURPOSE = 'webhook-secret';
/** Prefixes of the keys of webhooks, and of an account's webhooks. */
export const HOOKS = 'hook:';
export const ACCOUNT_HOOKS = 'hook-of-account:';
const hookKey = (hash: string) => `${HOOKS}${hash}`;
const accountKey = (account: number) => `${ACCOUNT_HOOKS}${account}`;
const aboutSecretOf = (account: number) => ({ user: account, purpose: PURPOSE });

/** Reads whose a hook is and what an account has, and brings a record of the earlier form into the present one. */
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
    // Where somebody was quicker, theirs counts.
    await records.replace(accountKey(account), record, JSON.stringify(kept));
    return read(account);
  }
  return {
    read,
    accountOf: async (hash: string) => (await hookOf(hash))?.account,
  };
}

/** The same with every secret sealed by the newest key. */
function resealed(seal: Seal, account: number, { since, hooks }: AccountHooks): AccountHooks {
  const about = aboutSecretOf(account);
  return { since, hooks: hooks.map((hook) => ({ ...hook, secret: seal.renew(hook.secret, about) })) };
}

/** Has the newest secret take over every hook, also of the earlier form. */
export function hooksRenewals(seal: Seal): Renewal[] {
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

/** A hash has no braces. */
function isPresent(content: string): boolean {
  return content.startsWith('{');
}

/** An address to which the service sends one account's events, and the secrets that may sign them. */
export interface Hook {
  account: number;
  /** Newest first: for an hour after a change those from before count too. */
  secrets: string[];
}

export interface EventHooks {
  /** A new path part that can't be guessed, to be told to the service before `activate`. */
  invent(): string;
  /**
   * From now on this hook takes the account's events. What it replaces does so for an hour more, each by either secret:
   * deliveries are under way, and are tried again.
   */
  activate(hook: string, account: number, secret: string): Promise<void>;
  /** No hook of the account takes anything any more. */
  deactivate(account: number): Promise<void>;
  isActive(account: number): Promise<boolean>;
  /** Epoch milliseconds: since when the account's events come here. A change of the hook is no break. */
  since(account: number): Promise<number | undefined>;
  find(hook: string): Promise<Hook | undefined>;
}

const OVERLAP_MS = 3600_000;
/** Each costs every delivery a look: nobody changes hooks so often that an older one has deliveries under way. */
const MOST = 5;

/**
 * The service's events by account, not by user: an account has one URL (specification, section 6), also where
 * two users hold its key. Hooks are kept by their hash, so that the stored keys tell nobody a URL. What counts is the
 * account's one record, written in one step; what a hook's own says is only whose record that is.
 */
export function createEventHooks(deps: {
  records: SignedRecords;
  seal: Seal;
  now: () => number;
}): EventHooks {
  const { records, seal, now } = deps;
  const { read, accountOf } = createAccountHooks(deps);

  /** Those that still take events. */
  const current = ({ hooks }: AccountHooks) => hooks.filter(({ until = Infinity }) => now() < until);

  return {
    invent: () => randomBytes(32).toString('base64url'),
    async activate(hook, account, secret) {
      const hash = hashOf(hook);
      const before = (await read(account))?.kept;
      const until = now() + OVERLAP_MS;
      const former = (before ? current(before) : [])
        .filter((one) => one.hash !== hash)
        .slice(0, MOST - 1)
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
      // Where the record is another by now, whoever wrote it sealed it anew or will be asked again.
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
 * - `on`: the account's events come here from now on.
 * - `was-on`: they did before, and it was asked for only `once`: nothing was changed.
 * - `weak`: the service gave a secret that isn't believed. Its URL is ours, and none of its events is taken.
 * - `busy`: it is being changed just now, by somebody else who holds the account or by an earlier wish.
 */
export type TurnedOn = { kind: 'on' | 'was-on' | 'weak' | 'busy' } | NotConfigured;

/**
 * - `off`: the service has removed the URL.
 * - `stays`: nothing is taken here any more, and at the service there may still be our URL.
 * - `was-off`: nothing was taken here, so what is set at the service is none of ours, and left alone.
 * - `busy`: as above; nothing was changed.
 */
export type TurnedOff = { kind: 'off' | 'was-off' | 'busy' } | { kind: 'stays'; why: NotConfigured };

export interface EventReceiving {
  /**
   * Has the service post the account's events to a new hook, in place of the one URL that the account has
   * (specification, section 6). Nothing is believed until the service's answer is stored: a process that is killed, or
   * an update that is cut off (`signal`), between both leaves a URL at the service whose events are refused, and it can
   * be turned on again. What was believed before stays believed until then.
   */
  turnOn(about: {
    account: number;
    apiKey: string;
    hookUrl: (hook: string) => string;
    signal: AbortSignal;
    once?: boolean;
  }): Promise<TurnedOn>;
  /** Has the service remove the URL first, for its answer is what is said; whatever that is, nothing is taken here then. */
  turnOff(about: { account: number; apiKey: string; withinMs?: number }): Promise<TurnedOff>;
}

/** In milliseconds: with what else an update does, within the time that it has. */
const WITHIN_MS = 6_000;

type Configured = Outcome<WebhookConfiguration> | undefined;
type Ask = (apiKey: string, url: string, withinMs?: number) => Promise<Configured>;

/**
 * Who receives an account's events: one configuration for all who hold it. Changes come one after another, on all
 * replicas: of two at once the service would keep the URL of one, and the bot perhaps the secret of the other.
 * What the service answers is a value; it rejects only where the storage is away.
 */
export function createEventReceiving(deps: {
  hooks: EventHooks;
  rental: Pick<Rental, 'configureWebhook'>;
  turns: Turns;
}): EventReceiving {
  const { hooks, rental, turns } = deps;

  /**
   * Does `work` in the account's turn. Nobody waits for a service that hangs, but the turn lasts as long as the request:
   * one that lands late would undo what came after it.
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
      turns.take(`receiving:${account}`, whole).then(() => resolve(result), reject);
    });
  }

  return {
    turnOn: ({ account, apiKey, hookUrl, signal, once = false }) =>
      inTurn<TurnedOn>(account, async (ask) => {
        if (once && (await hooks.isActive(account))) return { kind: 'was-on' };
        const hook = hooks.invent();
        const configured = await ask(apiKey, hookUrl(hook));
        if (configured?.kind !== 'accepted') return notConfigured(configured);
        if (signal.aborted) return { kind: 'unclear' };
        if (!isStrong(configured.value.secret)) {
          // The service posts to the new URL by now: what was said of reports that come is wrong.
          await hooks.deactivate(account);
          return { kind: 'weak' };
        }
        await hooks.activate(hook, account, configured.value.secret);
        return { kind: 'on' };
      }),

    turnOff: ({ account, apiKey, withinMs }) =>
      inTurn<TurnedOff>(account, async (ask) => {
        if (!(await hooks.isActive(account))) return { kind: 'was-off' };
        const configured = await ask(apiKey, '', withinMs);
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

/** So long that to be asked once more is no nuisance. */
const KEPT_MS = 365 * 24 * 3600_000;
const KNOWN = 10_000;

/** Who was asked whether the service should report to the bot: once, after their first purchase. */
export interface ReportOffers {
  /** Answers whether this user, who holds the account, is to be asked now; asked again it answers no. */
  take(user: number, account: number): Promise<boolean>;
  /** They could not be asked: next time. */
  giveBack(user: number, account: number): Promise<void>;
  /** They are met anew; `keys`: all of theirs. */
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
  /** Asked before, as far as this process knows: each of their purchases would ask the storage again. */
  const asked = new Set<string>();
  return {
    async take(user, account) {
      const key = keyOf(user, account);
      if (asked.has(key)) return false;
      if (asked.size >= KNOWN) asked.clear();
      asked.add(key);
      // They may have unlinked it, or be forgotten, since they bought.
      if ((await links.find(user))?.account !== account) {
        asked.delete(key);
        return false;
      }
      // A value of its own: to add the same again would be answered as if it had been new.
      return storage.add(key, randomUUID(), { ttlMs: KEPT_MS });
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
