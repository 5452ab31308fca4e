import { z } from 'zod';
import type { Renewal } from '../storage/renewal.ts';
import type { Seal } from '../storage/seal.ts';
import type { SignedRecord, SignedRecords } from '../storage/signed-records.ts';

const hooksSchema = z.object({
  /** Epoch milliseconds: since when the account's events come here without a break. */
  since: z.number(),
  /** Newest first; `until` when one that another has replaced is over. */
  hooks: z.array(z.object({ hash: z.string(), secret: z.string(), until: z.number().optional() })),
});
/** Whose a hook is. Before hooks could overlap the secret was here, and the account's record was only the hook's hash. */
const hookSchema = z.object({ account: z.number(), secret: z.string().optional() });

/** The hooks of an account. Their secrets are sealed. */
export type AccountHooks = z.infer<typeof hooksSchema>;

const PURPOSE = 'webhook-secret';
/** Prefixes of the keys of webhooks, and of an account's webhooks. */
export const HOOKS = 'hook:';
export const ACCOUNT_HOOKS = 'hook-of-account:';
export const hookKey = (hash: string) => `${HOOKS}${hash}`;
export const accountKey = (account: number) => `${ACCOUNT_HOOKS}${account}`;
export const aboutSecretOf = (account: number) => ({ user: account, purpose: PURPOSE });

/** Reads whose a hook is and what an account has, and brings a record of the earlier form into the present one. */
export function createAccountHooks({ records, now }: { records: SignedRecords; now: () => number }) {
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
export function resealed(seal: Seal, account: number, { since, hooks }: AccountHooks): AccountHooks {
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
