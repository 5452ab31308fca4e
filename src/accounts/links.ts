import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { Renewal } from '../platform/key-rotation.ts';
import type { SignedRecord, SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { OperatorAccess } from './operator.ts';

/** A link as it is stored. It holds a key, sealed, or refers to the operator's account, whose key is in the configuration. */
const linkSchema = z.object({
  account: z.number(),
  /** The last four characters at most: all of the key that is ever shown. Empty of a reference. */
  tail: z.string(),
  key: z.string().optional(),
  /** It refers to the operator's account. */
  operators: z.literal(true).optional(),
  linkedAt: z.number(),
  /** What its user reads, for what they are told outside of their own updates. */
  language: z.enum(['en', 'ru']),
  /** They make invoices for others: by their own word, or because they have made one. */
  sells: z.boolean().optional(),
});

type StoredLink = z.infer<typeof linkSchema>;

/** The account of the rental service that a Telegram user has linked. Its key is here only sealed. */
export type Link = Omit<StoredLink, 'key'>;

/** What the keys of links begin with. */
export const LINKS = 'link:';
const linkKey = (user: number) => `${LINKS}{${user}}`;

/** What a user's key is sealed for. */
const aboutKeyOf = (user: number) => ({ user, purpose: 'api-key' });

function withoutKey({ key: _, ...link }: StoredLink): Link {
  return link;
}

/** The same as a reference to the operator's account: it keeps no key, nor what one ends with. */
function referring({ key: _, ...link }: StoredLink): StoredLink {
  return { ...link, tail: '', operators: true };
}

/** Four characters, and fewer of a short key, so that most of it stays secret. */
function tailOf(apiKey: string): string {
  return apiKey.slice(-Math.min(4, Math.floor(apiKey.length / 2)));
}

/** Has the newest secret take over every link. */
export function linksRenewal(seal: Seal): Renewal {
  return {
    prefix: LINKS,
    reseal(content, recordKey) {
      const { key, ...link } = linkSchema.parse(JSON.parse(content));
      if (key === undefined) return content;
      const user = Number(/\d+/.exec(recordKey)?.[0]);
      return JSON.stringify({ ...link, key: seal.renew(key, aboutKeyOf(user)) });
    },
  };
}

export interface Links {
  /** Links the account to this user, in place of one linked before. */
  link(user: number, account: number, apiKey: string, language: Link['language']): Promise<Link>;
  /** Links the operator's account to this admin, likewise: a reference to it, and no copy of its key. */
  refer(user: number, account: number, language: Link['language']): Promise<Link>;
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
   * meanwhile. `undefined` where nothing (else) is linked, or no present secret key opens it. Of a reference to the
   * operator's account it is the one of the configuration, for who is an admin at this moment.
   */
  apiKey(user: number, account: number): Promise<string | undefined>;
}

/** A user's link as it was when it began to be read. */
export interface Linked {
  find(): Promise<Link | undefined>;
  /** With its key, where a present secret opens it, or the service says that it is still the operator's. */
  open(): Promise<{ link: Link; apiKey: string | undefined } | undefined>;
  /** Whether there is one that counts for nothing: of the operator's account, by somebody who is no admin. */
  isBarred(): Promise<boolean>;
}

interface Found {
  record: SignedRecord;
  link: StoredLink;
}

/** What a link is made of besides its user. */
type Secret = Pick<StoredLink, 'account' | 'tail' | 'key' | 'operators'>;

/** What a stored link is worth to its user now. */
type Standing = { kind: 'none' | 'barred' } | { kind: 'there'; link: Link; apiKey: string | undefined };

const HOLDERS = 'holders-of-account:';
/** More hold no one account's key. */
const MANY = 100;

/** There is no operator. */
const NO_OPERATOR: OperatorAccess = {
  isCopy: () => false,
  isAllowed: () => false,
  of: async () => ({ kind: 'gone' }),
};

/** Who is linked to what. An API key gives full control of its account (docs/facts.md), so it is sealed for its user. */
export function createLinks({
  storage,
  records,
  seal,
  operatorAccess = NO_OPERATOR,
  now,
}: {
  storage: Pick<Storage, 'index' | 'keys'>;
  records: SignedRecords;
  seal: Seal;
  operatorAccess?: OperatorAccess;
  now: () => number;
}): Links {
  const holdersOf = (account: number) => `${HOLDERS}${account}`;

  const read = (user: number) => found(user, records.ahead(linkKey(user)));

  async function found(
    user: number,
    reading: () => Promise<SignedRecord | undefined>,
  ): Promise<Found | undefined> {
    const record = await reading();
    const link = record && records.parse(linkKey(user), record, linkSchema);
    return record && link && { record, link };
  }

  /** Its own key brought under the newest secret. */
  async function renew(user: number, { record, link }: Found): Promise<void> {
    if (link.key === undefined) return;
    const key = seal.renew(link.key, aboutKeyOf(user));
    if (key !== link.key) await records.replace(linkKey(user), record, JSON.stringify({ ...link, key }));
  }

  async function referred(user: number, link: StoredLink): Promise<Standing> {
    const access = await operatorAccess.of(user, link.account);
    return access.kind === 'gone'
      ? { kind: 'none' }
      : { kind: 'there', link: withoutKey(link), apiKey: access.apiKey };
  }

  async function standing(user: number, found: Found | undefined): Promise<Standing> {
    if (found === undefined) return { kind: 'none' };
    const { record, link } = found;
    if (link.operators) return referred(user, link);
    const apiKey = link.key === undefined ? undefined : seal.open(link.key, aboutKeyOf(user));
    if (!operatorAccess.isCopy(link.account, apiKey))
      return { kind: 'there', link: withoutKey(link), apiKey };
    // From before there were references.
    if (!operatorAccess.isAllowed(user)) return { kind: 'barred' };
    const reference = referring(link);
    await records.replace(linkKey(user), record, JSON.stringify(reference));
    return referred(user, reference);
  }

  function ahead(user: number): Linked {
    const reading = records.ahead(linkKey(user));
    let read: Promise<{ found: Found | undefined; now: Standing }> | undefined;
    async function begin() {
      const present = await found(user, reading);
      return { found: present, now: await standing(user, present) };
    }
    const once = () => {
      read ??= begin();
      return read;
    };
    return {
      async find() {
        const { now } = await once();
        return now.kind === 'there' ? now.link : undefined;
      },
      async open() {
        const { found: present, now } = await once();
        if (present === undefined || now.kind !== 'there') return undefined;
        await renew(user, present);
        return { link: now.link, apiKey: now.apiKey };
      },
      isBarred: async () => (await once()).now.kind === 'barred',
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
    await records.replace(linkKey(user), found.record, JSON.stringify({ ...found.link, ...changes }));
  }

  async function unlink(user: number): Promise<void> {
    const found = await read(user);
    if (found) await storage.index.remove(holdersOf(found.link.account), String(user));
    await records.delete(linkKey(user));
  }

  async function put(user: number, { account, tail, ...secret }: Secret, language: Link['language']) {
    const sells = (await read(user))?.link.sells;
    const made = { account, tail, linkedAt: now(), language };
    const link: StoredLink = { ...made, ...secret, ...(sells !== undefined && { sells }) };
    await unlink(user);
    await storage.index.put(holdersOf(account), String(user), link.linkedAt);
    await records.set(linkKey(user), JSON.stringify(link));
    return withoutKey(link);
  }

  return {
    link: (user, account, apiKey, language) =>
      put(user, { account, tail: tailOf(apiKey), key: seal.seal(apiKey, aboutKeyOf(user)) }, language),
    refer: (user, account, language) => put(user, { account, tail: '', operators: true }, language),
    unlink,
    accounts: async () => (await storage.keys(HOLDERS)).map((key) => Number(key.slice(HOLDERS.length))),
    holders,
    find: (user) => ahead(user).find(),
    ahead,
    speak: (user, language) => change(user, () => ({ language })),
    sell: (user, sells) => change(user, () => ({ sells })),
    sold: (user) => change(user, ({ sells }) => (sells === undefined ? { sells: true } : undefined)),
    async apiKey(user, account) {
      const { link, apiKey } = (await ahead(user).open()) ?? {};
      return link?.account === account ? apiKey : undefined;
    },
  };
}

/** When what a user has linked was linked, in epoch milliseconds, whatever it is worth now: by it one link is told from another. */
export type LinkedAt = (user: number) => Promise<number | undefined>;

export function createLinkedAt({ records }: { records: Pick<SignedRecords, 'get'> }): LinkedAt {
  return async (user) => {
    const record = await records.get(linkKey(user));
    return record && linkSchema.parse(JSON.parse(record.content)).linkedAt;
  };
}
