import { z } from 'zod';
import type { Renewal } from '../storage/renewal.ts';
import type { Seal } from '../storage/seal.ts';
import type { SignedRecord, SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';

const linkSchema = z.object({
  account: z.number(),
  /** The last four characters at most: all of the key that is ever shown. */
  tail: z.string(),
  key: z.string(),
  linkedAt: z.number(),
  /** What its user reads, for what they are told outside of their own updates. */
  language: z.enum(['en', 'ru']),
  /** They make invoices for others: by their own word, or because they have made one. */
  sells: z.boolean().optional(),
});

/** The account of the rental service that a Telegram user has linked. Its key is here only sealed. */
export type Link = Omit<z.infer<typeof linkSchema>, 'key'>;

export interface Links {
  /** Links the account to this user, in place of one linked before. */
  link(user: number, account: number, apiKey: string, language: Link['language']): Promise<Link>;
  unlink(user: number): Promise<void>;
  /** All that are held by anybody; one that was let go meanwhile may be among them. */
  accounts(): Promise<number[]>;
  /** Those who have it linked: several may hold its key. */
  holders(account: number): Promise<number[]>;
  find(user: number): Promise<Link | undefined>;
  /** Begins to read at once what may be asked for later. */
  ahead(user: number): Linked;
  /** Their language changed; nothing where no account is linked. */
  speak(user: number, language: Link['language']): Promise<void>;
  /** Whether they make invoices for others, in their own word; nothing where no account is linked. */
  sell(user: number, sells: boolean): Promise<void>;
  /** They have made an invoice for somebody else: they sell, unless they have said otherwise. */
  sold(user: number): Promise<void>;
  /**
   * The API key, for this user's own requests only; `account` guards against another account that was linked
   * meanwhile. `undefined` where nothing (else) is linked, or no present secret key opens it.
   */
  apiKey(user: number, account: number): Promise<string | undefined>;
}

/** A user's link as it was when it began to be read. */
export interface Linked {
  find(): Promise<Link | undefined>;
  /** With its key, where a present secret opens it. */
  open(): Promise<{ link: Link; apiKey: string | undefined } | undefined>;
}

interface Found {
  record: SignedRecord;
  link: z.infer<typeof linkSchema>;
}

const PURPOSE = 'api-key';
const PREFIX = 'link:';
const HOLDERS = 'holders-of-account:';
const keyOf = (user: number) => `${PREFIX}{${user}}`;
/** More hold no one account's key. */
const MANY = 100;

/** Who is linked to what. An API key gives full control of its account (docs/facts.md), so it is sealed for its user. */
export function createLinks({
  storage,
  records,
  seal,
  now,
}: {
  storage: Pick<Storage, 'index' | 'keys'>;
  records: SignedRecords;
  seal: Seal;
  now: () => number;
}): Links {
  const holdersOf = (account: number) => `${HOLDERS}${account}`;

  const read = (user: number) => found(records.ahead(keyOf(user)));

  async function found(reading: () => Promise<SignedRecord | undefined>): Promise<Found | undefined> {
    const record = await reading();
    return record && { record, link: linkSchema.parse(JSON.parse(record.content)) };
  }

  /** Opened, and brought under the newest secret. */
  async function keyIn(user: number, { record, link }: Found): Promise<string | undefined> {
    const about = { user, purpose: PURPOSE };
    const apiKey = seal.open(link.key, about);
    const key = seal.renew(link.key, about);
    if (key !== link.key) await records.replace(keyOf(user), record, JSON.stringify({ ...link, key }));
    return apiKey;
  }

  function ahead(user: number): Linked {
    const reading = records.ahead(keyOf(user));
    let read: Promise<Found | undefined> | undefined;
    const once = () => {
      read ??= found(reading);
      return read;
    };
    return {
      async find() {
        const present = await once();
        return present && withoutKey(present.link);
      },
      async open() {
        const present = await once();
        return present && { link: withoutKey(present.link), apiKey: await keyIn(user, present) };
      },
    };
  }

  async function holders(account: number): Promise<number[]> {
    const members = await storage.index.upTo(holdersOf(account), Number.MAX_VALUE, MANY);
    return members.map(Number);
  }

  async function change(user: number, by: (link: Link) => Partial<Link> | undefined): Promise<void> {
    const found = await read(user);
    const changes = found && by(withoutKey(found.link));
    if (found === undefined || changes === undefined) return;
    await records.replace(keyOf(user), found.record, JSON.stringify({ ...found.link, ...changes }));
  }

  async function unlink(user: number): Promise<void> {
    const found = await read(user);
    if (found) await storage.index.remove(holdersOf(found.link.account), String(user));
    await records.delete(keyOf(user));
  }

  return {
    async link(user, account, apiKey, language) {
      const sells = (await read(user))?.link.sells;
      const made = { account, tail: tailOf(apiKey), linkedAt: now(), language };
      const link = { ...made, ...(sells !== undefined && { sells }) };
      const key = seal.seal(apiKey, { user, purpose: PURPOSE });
      await unlink(user);
      await storage.index.put(holdersOf(account), String(user), link.linkedAt);
      await records.set(keyOf(user), JSON.stringify({ ...link, key }));
      return link;
    },
    unlink,
    accounts: async () => (await storage.keys(HOLDERS)).map((key) => Number(key.slice(HOLDERS.length))),
    holders,
    find: (user) => ahead(user).find(),
    ahead,
    speak: (user, language) => change(user, () => ({ language })),
    sell: (user, sells) => change(user, () => ({ sells })),
    sold: (user) => change(user, ({ sells }) => (sells === undefined ? { sells: true } : undefined)),
    async apiKey(user, account) {
      const found = await read(user);
      return found?.link.account === account ? keyIn(user, found) : undefined;
    },
  };
}

function withoutKey({ key: _, ...link }: z.infer<typeof linkSchema>): Link {
  return link;
}

/** Has the newest secret take over every link. */
export function linksRenewal(seal: Seal): Renewal {
  return {
    prefix: PREFIX,
    reseal(content, recordKey) {
      const link = linkSchema.parse(JSON.parse(content));
      const user = Number(/\d+/.exec(recordKey)?.[0]);
      return JSON.stringify({ ...link, key: seal.renew(link.key, { user, purpose: PURPOSE }) });
    },
  };
}

/** Four characters, and fewer of a short key, so that most of it stays secret. */
function tailOf(apiKey: string): string {
  return apiKey.slice(-Math.min(4, Math.floor(apiKey.length / 2)));
}
