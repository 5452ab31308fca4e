import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Renewal } from '../storage/renewal.ts';
import type { Seal } from '../storage/seal.ts';
import type { SignedRecords } from '../storage/signed-records.ts';

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
const PREFIX = 'hook:';
const ACCOUNT_PREFIX = 'hook-of-account:';

/**
 * The service's events by account, not by user: an account has one URL (specification, section 6), also where
 * two users hold its key. Hooks are kept by their hash, so that the stored keys tell nobody a URL.
 */
export function createEventHooks({ records, seal }: { records: SignedRecords; seal: Seal }): EventHooks {
  const hookKey = (hash: string) => `${PREFIX}${hash}`;
  const accountKey = (account: number) => `${ACCOUNT_PREFIX}${account}`;

  async function deactivate(account: number) {
    const hash = await records.get(accountKey(account));
    if (hash === undefined) return;
    await records.delete(hookKey(hash.content));
    await records.delete(accountKey(account));
  }

  return {
    invent: () => randomBytes(32).toString('base64url'),
    async activate(hook, account, secret) {
      await deactivate(account);
      const sealed = seal.seal(secret, { user: account, purpose: PURPOSE });
      await records.set(hookKey(hashOf(hook)), JSON.stringify({ account, secret: sealed }));
      await records.set(accountKey(account), hashOf(hook));
    },
    deactivate,
    isActive: async (account) => (await records.get(accountKey(account))) !== undefined,
    async find(hook) {
      const key = hookKey(hashOf(hook));
      const record = await records.get(key);
      if (record === undefined) return undefined;
      const { account, secret } = hookSchema.parse(JSON.parse(record.content));
      const about = { user: account, purpose: PURPOSE };
      const opened = seal.open(secret, about);
      if (opened === undefined) return undefined;
      const renewed = seal.renew(secret, about);
      if (renewed !== secret)
        await records.replace(key, record, JSON.stringify({ account, secret: renewed }));
      return { account, secret: opened };
    },
  };
}

/** Has the newest secret take over every hook. */
export function hooksRenewals(seal: Seal): Renewal[] {
  return [
    {
      prefix: PREFIX,
      reseal(content) {
        const { account, secret } = hookSchema.parse(JSON.parse(content));
        return JSON.stringify({ account, secret: seal.renew(secret, { user: account, purpose: PURPOSE }) });
      },
    },
    { prefix: ACCOUNT_PREFIX },
  ];
}

function hashOf(hook: string): string {
  return createHash('sha256').update(hook).digest('base64url');
}
