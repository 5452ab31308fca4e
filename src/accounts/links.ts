import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { KeyRotation } from '../platform/key-rotation.ts';
import type { SignedRecord, SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import type { OperatorAccess } from './operator.ts';

/** Stored link. Contains a sealed key, or refers to the operator's account, whose key is in the configuration. */
const linkSchema = z.object({
  account: z.number(),
  /** Last characters of the key, at most four: the only part that is ever shown. Empty for a reference. */
  tail: z.string(),
  key: z.string().optional(),
  /** The link refers to the operator's account. */
  operators: z.literal(true).optional(),
  linkedAt: z.number(),
  /** User's language, for notifications outside of the user's own updates. */
  language: z.enum(['en', 'ru']),
  /** The user makes invoices for others: set by the user, or by the first such invoice. */
  sells: z.boolean().optional(),
});

type StoredLink = z.infer<typeof linkSchema>;

/** Account of the rental service that a Telegram user has linked, without its key. */
export type Link = Omit<StoredLink, 'key'>;

/** Key prefix of links. */
export const LINKS = 'link:';
const linkKey = (user: number) => `${LINKS}{${user}}`;

/** Returns the user and purpose that an API key is sealed for. */
const aboutKeyOf = (user: number) => ({ user, purpose: 'api-key' });

function withoutKey({ key: _, ...link }: StoredLink): Link {
  return link;
}

/** Returns the link as a reference to the operator's account, without the key or its last characters. */
function referring({ key: _, ...link }: StoredLink): StoredLink {
  return { ...link, tail: '', operators: true };
}

/** Returns the last four characters, or fewer of a short key, so that most of it stays secret. */
function tailOf(apiKey: string): string {
  return apiKey.slice(-Math.min(4, Math.floor(apiKey.length / 2)));
}

/** Returns the renewal that seals the keys of all links with the newest secret. */
export function linksRotation(seal: Seal): KeyRotation {
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
  /** Links the account to this user and replaces a previous link. */
  link(user: number, account: number, apiKey: string, language: Link['language']): Promise<Link>;
  /**
   * Links the operator's account to this admin and replaces a previous link. Stores a reference, not a copy of the key.
   */
  refer(user: number, account: number, language: Link['language']): Promise<Link>;
  unlink(user: number): Promise<void>;
  /** Returns the ids of all linked accounts. May include an account that was unlinked during the call. */
  accounts(): Promise<number[]>;
  /** Returns the users who have linked the account. Several users can hold its key. */
  holders(account: number): Promise<number[]>;
  find(user: number): Promise<Link | undefined>;
  /** Starts reading the user's link at once. */
  ahead(user: number): Linked;
  /** Changes the link's language. Does nothing if no account is linked. */
  speak(user: number, language: Link['language']): Promise<void>;
  /** Stores the user's own choice whether they make invoices for others. Does nothing if no account is linked. */
  sell(user: number, sells: boolean): Promise<void>;
  /** Records that the user made an invoice for someone else. Doesn't override the user's own choice. */
  sold(user: number): Promise<void>;
  /**
   * Returns the API key, for this user's own requests only. Returns `undefined` if another account or none is linked,
   * or if no current secret opens the key. For a reference to the operator's account, returns the configured key if the
   * user is an admin now.
   */
  apiKey(user: number, account: number): Promise<string | undefined>;
}

/** A user's link as it was when reading started. */
export interface Linked {
  find(): Promise<Link | undefined>;
  /**
   * Returns the link with its key. The key is `undefined` if no current secret opens it, or if the service doesn't
   * confirm the operator's account.
   */
  open(): Promise<{ link: Link; apiKey: string | undefined } | undefined>;
  /** Returns whether the link contains a copy of the operator's key although the user isn't an admin. */
  isBarred(): Promise<boolean>;
}

interface Found {
  record: SignedRecord;
  link: StoredLink;
}

/** Account and key of a stored link. */
type Secret = Pick<StoredLink, 'account' | 'tail' | 'key' | 'operators'>;

/** Current state of a stored link for its user. */
type Standing = { kind: 'none' | 'barred' } | { kind: 'there'; link: Link; apiKey: string | undefined };

const HOLDERS = 'holders-of-account:';
/** Maximum number of holders read per account. */
const MANY = 100;

/** Access without an operator account. */
const NO_OPERATOR: OperatorAccess = {
  isCopy: () => false,
  isAllowed: () => false,
  of: async () => ({ kind: 'gone' }),
};

/**
 * Creates the store of links between users and accounts. An API key gives full control of its account (docs/facts.md),
 * so it is sealed for its user.
 */
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

  /** Seals the link's key with the newest secret. */
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
    // A link from before references existed contains a copy of the operator's key.
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

/**
 * Returns when the user's link was made, in epoch milliseconds, even if the link isn't usable. The time identifies the
 * link.
 */
export type LinkedAt = (user: number) => Promise<number | undefined>;

export function createLinkedAt({ records }: { records: Pick<SignedRecords, 'get'> }): LinkedAt {
  return async (user) => {
    const record = await records.get(linkKey(user));
    return record && linkSchema.parse(JSON.parse(record.content)).linkedAt;
  };
}
