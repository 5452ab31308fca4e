import { z } from 'zod';
import type { Seal } from '../storage/seal.ts';
import type { Storage } from '../storage/storage.ts';

const linkSchema = z.object({
  account: z.number(),
  /** The last four characters at most: all of the key that is ever shown. */
  tail: z.string(),
  key: z.string(),
  linkedAt: z.number(),
});

/** The account of the rental service that a Telegram user has linked. Its key is here only sealed. */
export type Link = Omit<z.infer<typeof linkSchema>, 'key'>;

export interface Links {
  /** Links the account to this user, in place of one linked before. */
  link(user: number, account: number, apiKey: string): Promise<Link>;
  unlink(user: number): Promise<void>;
  /** Whether anybody has this account linked. */
  isHeld(account: number): Promise<boolean>;
  find(user: number): Promise<Link | undefined>;
  /**
   * The API key, for this user's own requests only; `account` guards against another account that was linked
   * meanwhile. `undefined` where nothing (else) is linked, or no present secret key opens it.
   */
  apiKey(user: number, account: number): Promise<string | undefined>;
}

const PURPOSE = 'api-key';

/** Who is linked to what. An API key gives full control of its account (facts.md), so it is sealed for its user. */
export function createLinks({
  storage,
  seal,
  now,
}: {
  storage: Storage;
  seal: Seal;
  now: () => number;
}): Links {
  const keyOf = (user: number) => `link:{${user}}`;
  const holdersOf = (account: number) => `holders-of-account:${account}`;

  async function read(user: number) {
    const record = await storage.get(keyOf(user));
    return record === undefined ? undefined : linkSchema.parse(JSON.parse(record));
  }

  async function unlink(user: number): Promise<void> {
    const record = await read(user);
    if (record) await storage.index.remove(holdersOf(record.account), String(user));
    await storage.delete(keyOf(user));
  }

  return {
    async link(user, account, apiKey) {
      const link = { account, tail: tailOf(apiKey), linkedAt: now() };
      const key = seal.seal(apiKey, { user, purpose: PURPOSE });
      await unlink(user);
      await storage.index.put(holdersOf(account), String(user), link.linkedAt);
      await storage.set(keyOf(user), JSON.stringify({ ...link, key }));
      return link;
    },
    unlink,
    isHeld: async (account) => (await storage.index.upTo(holdersOf(account), Number.MAX_VALUE, 1)).length > 0,
    async find(user) {
      const record = await read(user);
      return record && { account: record.account, tail: record.tail, linkedAt: record.linkedAt };
    },
    async apiKey(user, account) {
      const record = await read(user);
      if (record?.account !== account) return undefined;
      return seal.open(record.key, { user, purpose: PURPOSE });
    },
  };
}

/** Four characters, and fewer of a short key, so that most of it stays secret. */
function tailOf(apiKey: string): string {
  return apiKey.slice(-Math.min(4, Math.floor(apiKey.length / 2)));
}
