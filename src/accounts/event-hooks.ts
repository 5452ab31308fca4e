import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Seal } from '../storage/seal.ts';
import type { Storage } from '../storage/storage.ts';

const hookSchema = z.object({ account: z.number(), secret: z.string() });

/** An address to which the service sends one account's events, and the secret that signs them. */
export interface Hook {
  account: number;
  secret: string;
}

export interface EventHooks {
  /** A new path part that can't be guessed, to be told to the service before `activate`. */
  invent(): string;
  /** From now on this hook, and no other, takes the account's events. */
  activate(hook: string, account: number, secret: string): Promise<void>;
  deactivate(account: number): Promise<void>;
  isActive(account: number): Promise<boolean>;
  find(hook: string): Promise<Hook | undefined>;
}

const PURPOSE = 'webhook-secret';

/**
 * The service's events by account, not by user: an account has one URL (specification, section 6), also where
 * two users hold its key. Hooks are kept by their hash, so that the stored keys tell nobody a URL.
 */
export function createEventHooks({ storage, seal }: { storage: Storage; seal: Seal }): EventHooks {
  const hookKey = (hash: string) => `hook:${hash}`;
  const accountKey = (account: number) => `hook-of-account:${account}`;

  async function deactivate(account: number) {
    const hash = await storage.get(accountKey(account));
    if (hash === undefined) return;
    await storage.delete(hookKey(hash));
    await storage.delete(accountKey(account));
  }

  return {
    invent: () => randomBytes(32).toString('base64url'),
    async activate(hook, account, secret) {
      await deactivate(account);
      const sealed = seal.seal(secret, { user: account, purpose: PURPOSE });
      await storage.set(hookKey(hashOf(hook)), JSON.stringify({ account, secret: sealed }));
      await storage.set(accountKey(account), hashOf(hook));
    },
    deactivate,
    isActive: async (account) => (await storage.get(accountKey(account))) !== undefined,
    async find(hook) {
      const record = await storage.get(hookKey(hashOf(hook)));
      if (record === undefined) return undefined;
      const { account, secret } = hookSchema.parse(JSON.parse(record));
      const opened = seal.open(secret, { user: account, purpose: PURPOSE });
      return opened === undefined ? undefined : { account, secret: opened };
    },
  };
}

function hashOf(hook: string): string {
  return createHash('sha256').update(hook).digest('base64url');
}
