import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { MINUTE_MS } from '../platform/clock.ts';
import type { Seal } from '../platform/encryption.ts';
import { defineRecord, type KeyRotation, prefixOf } from '../platform/records.ts';
import { tagOf } from '../platform/storage.ts';
import type { AccountsDeps } from './accounts-deps.ts';

/** Time in which the user can answer, in milliseconds. */
export const PENDING_LINK_TTL_MS = 10 * MINUTE_MS;

const pendingLinkSchema = z.object({
  /** Random. Names the question in its buttons. */
  name: z.string(),
  /** Numbers of the linked account and of the one that the key opens. */
  from: z.number(),
  to: z.number(),
  /** Balance of the new account when the user was asked, in TRX (decimal). */
  balance: z.string(),
  key: z.string(),
});

export const PENDING_LINK = defineRecord({
  keys: 'pending-link:{user}',
  content:
    'Encrypted API key of another account, until the user has answered whether it replaces the linked one',
  schema: pendingLinkSchema,
  ttlMs: PENDING_LINK_TTL_MS,
  signed: true,
});

type Pending = z.infer<typeof pendingLinkSchema>;

/** Accounts of the question whether one replaces the other. */
export type Replacement = Pick<Pending, 'from' | 'to'>;

type Opened = Pick<Pending, 'from' | 'to' | 'balance'> & { apiKey: string };

const sealContextOf = (user: number) => ({ user, purpose: 'pending-api-key' });

export function pendingLinkRotation(seal: Seal): KeyRotation {
  return {
    prefix: prefixOf(PENDING_LINK),
    reseal(content, recordKey) {
      const pending = pendingLinkSchema.parse(JSON.parse(content));
      const key = seal.renew(pending.key, sealContextOf(Number(tagOf(recordKey))));
      return JSON.stringify({ ...pending, key });
    },
  };
}

/**
 * Creates the store of keys of accounts whose users have to choose, because another account is linked. A user has one at
 * most.
 */
export function createPendingLinks({ records, seal }: Pick<AccountsDeps, 'records' | 'seal'>) {
  const pending = records.store(PENDING_LINK);
  return {
    /** Stores the key, sealed, in place of an earlier one. Returns the name of the question. */
    async add(user: number, { apiKey, ...about }: Opened): Promise<string> {
      const name = randomBytes(6).toString('base64url');
      await pending.set({ user }, { ...about, name, key: seal.seal(apiKey, sealContextOf(user)) });
      return name;
    },
    /** Returns the key of a question, `undefined` once it was answered, replaced or left, or has expired. */
    async find(user: number, name: string): Promise<Opened | undefined> {
      const found = await pending.get({ user });
      const apiKey = found?.name === name ? seal.open(found.key, sealContextOf(user)) : undefined;
      if (found === undefined || apiKey === undefined) return undefined;
      const { from, to, balance } = found;
      return { from, to, balance, apiKey };
    },
    /** Erases the key of a question, unless a newer question has replaced it. */
    async erase(user: number, name: string): Promise<void> {
      const stored = await pending.read({ user });
      if (stored?.value.name === name) await pending.delete({ user }, stored);
    },
  };
}
