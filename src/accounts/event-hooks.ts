import { createHash, randomBytes } from 'node:crypto';
import type { Seal } from '../storage/seal.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import {
  type AccountHooks,
  aboutSecretOf,
  accountKey,
  createAccountHooks,
  hookKey,
  resealed,
} from './account-hooks.ts';

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
