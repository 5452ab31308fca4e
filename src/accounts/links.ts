import { z } from 'zod';
import { orTimeout } from '../platform/async.ts';
import type { Seal } from '../platform/encryption.ts';
import {
  defineRecord,
  type KeyRotation,
  keyOf,
  prefixOf,
  type Stored,
  type StoredData,
} from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import type { Operator } from './operator.ts';
import { changesOfLink, type LinkKind } from './user-cells.ts';
import { createUsers } from './users.ts';

/** Stored link. Contains a sealed key, or refers to the operator's account, whose key is in the configuration. */
const linkSchema = z.object({
  account: z.number(),
  /** Last characters of the key, at most four: the only part that is ever shown. Empty for a reference. */
  tail: z.string(),
  key: z.string().optional(),
  usesOperatorAccount: z.literal(true).optional(),
  linkedAt: z.number(),
  /** User's language, for notifications outside of the user's own updates. */
  language: z.enum(['en', 'ru']),
  /** The user makes invoices for others: set by the user, or by the first such invoice. */
  isMerchant: z.boolean().optional(),
});

type StoredLink = z.infer<typeof linkSchema>;

/** Account of the rental service that a Telegram user has linked, without its key. */
export type Link = Omit<StoredLink, 'key'>;

export const LINK = defineRecord({
  keys: 'link:{user}',
  content:
    "Linked account with the encrypted API key, the user's language, and whether the user is a merchant",
  schema: linkSchema,
  ttlMs: 'none',
  expiry: 'none: until unlinked; otherwise users would have to link again',
  signed: true,
});

/** Index of the users who have linked an account. Its scores are the times of the links. */
export const ACCOUNT_HOLDERS = {
  keys: 'holders-of-account:account',
  content: 'Holders of an account',
  expiry: 'none: until unlinked; otherwise users would have to link again',
} as const satisfies StoredData;

/** Index of the accounts that have holders. Its scores are the ids, so that it can be read page by page. */
export const LINKED_ACCOUNTS = {
  keys: 'linked-accounts',
  content: 'Accounts that users have linked',
  expiry: 'none: a single key; accounts without holders are removed',
  retained: { elsewhere: 'kept-account' },
} as const satisfies StoredData;

/** Operation whose result is read. `usesOperatorAccount`: an admin has paid from the operator account. */
interface Followed {
  user: number;
  account: number;
  usesOperatorAccount?: true | undefined;
}

const sealContextOf = (user: number) => ({ user, purpose: 'api-key' });

function withoutKey({ key: _, ...link }: StoredLink): Link {
  return link;
}

/** Returns the last four characters, or fewer of a short key, so that most of it stays secret. */
function tailOf(apiKey: string): string {
  return apiKey.slice(-Math.min(4, Math.floor(apiKey.length / 2)));
}

export function linkRotation(seal: Seal): KeyRotation {
  return {
    prefix: prefixOf(LINK),
    reseal(content, recordKey) {
      const { key, ...link } = linkSchema.parse(JSON.parse(content));
      if (key === undefined) return content;
      const user = Number(/\d+/.exec(recordKey)?.[0]);
      return JSON.stringify({ ...link, key: seal.renew(key, sealContextOf(user)) });
    },
  };
}

export type Links = ReturnType<typeof createLinks>;

/** Reader of a user's link as it was when reading started. */
export type LinkReader = ReturnType<Links['readAhead']>;

/** Current use of a stored link. `void`: it contains a copy of the operator's key although the user isn't an admin. */
type LinkState = { kind: 'none' | 'void' } | { kind: 'usable'; link: Link; apiKey: string | undefined };

const MAX_HOLDERS = 100;
const OPERATOR_TIMEOUT_MS = 1_500;

type LinksDeps = Pick<AccountsDeps, 'storage' | 'records' | 'seal' | 'now'> &
  Partial<Pick<AccountsDeps, 'operatorKey' | 'isAdmin'>> & {
    operator?: Pick<Operator, 'account' | 'knownAccount' | 'isKey'>;
  };

/**
 * Creates the store of links between users and accounts. An API key gives full control of its account (docs/facts.md),
 * so it is sealed for its user. Without `operator`, references to the operator account aren't usable.
 */
export function createLinks(deps: LinksDeps) {
  const { storage, records, seal, operator, operatorKey, isAdmin = () => false, now } = deps;
  const links = records.store(LINK);
  const users = createUsers(deps);
  const holdersKey = (account: number) => keyOf(ACCOUNT_HOLDERS.keys, { account });

  /** Returns the state of a reference to the operator account. Only admins can use it, with the configured key. */
  async function stateOfReference(user: number, link: StoredLink): Promise<LinkState> {
    if (operator === undefined || operatorKey === undefined || !isAdmin(user)) return { kind: 'none' };
    const account = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
    if (account !== undefined && account !== link.account) return { kind: 'none' };
    // If the service doesn't say at the moment which account the key opens, the key isn't used.
    const apiKey = account === undefined ? undefined : operatorKey;
    return { kind: 'usable', link: withoutKey(link), apiKey };
  }

  async function stateOf(user: number, stored: Stored<StoredLink> | undefined): Promise<LinkState> {
    if (stored === undefined) return { kind: 'none' };
    const link = stored.value;
    if (link.usesOperatorAccount) return stateOfReference(user, link);
    const apiKey = link.key === undefined ? undefined : seal.open(link.key, sealContextOf(user));
    // A link from before references existed may contain a copy of the operator's key.
    const isCopy =
      operator?.knownAccount() === link.account || (apiKey !== undefined && operator?.isKey(apiKey));
    if (!isCopy) return { kind: 'usable', link: withoutKey(link), apiKey };
    if (!isAdmin(user)) return { kind: 'void' };
    const reference: StoredLink = { ...withoutKey(link), tail: '', usesOperatorAccount: true };
    await links.replace({ user }, stored, reference);
    return stateOfReference(user, reference);
  }

  async function resealKey(user: number, stored: Stored<StoredLink>): Promise<void> {
    const { key: before } = stored.value;
    if (before === undefined) return;
    const key = seal.renew(before, sealContextOf(user));
    if (key !== before) await links.replace({ user }, stored, { ...stored.value, key });
  }

  function readAhead(user: number) {
    const reading = links.readAhead({ user });
    let result: Promise<{ stored: Stored<StoredLink> | undefined; state: LinkState }> | undefined;
    function readOnce() {
      result ??= reading().then(async (stored) => ({ stored, state: await stateOf(user, stored) }));
      return result;
    }
    return {
      async find(): Promise<Link | undefined> {
        const { state } = await readOnce();
        return state.kind === 'usable' ? state.link : undefined;
      },
      /**
       * Returns the link with its key. The key is `undefined` if no current secret opens it, or if the service doesn't
       * confirm the operator's account.
       */
      async open() {
        const { stored, state } = await readOnce();
        if (stored === undefined || state.kind !== 'usable') return undefined;
        await resealKey(user, stored);
        return { link: state.link, apiKey: state.apiKey };
      },
      isVoid: async () => (await readOnce()).state.kind === 'void',
    };
  }

  async function apiKey(user: number, account: number): Promise<string | undefined> {
    const { link, apiKey: key } = (await readAhead(user).open()) ?? {};
    return link?.account === account ? key : undefined;
  }

  const isOfAdmin = ({ user, usesOperatorAccount }: Followed) =>
    usesOperatorAccount === true && isAdmin(user);

  const kindOfLink = (link: StoredLink | undefined): LinkKind =>
    link === undefined ? 'none' : link.isMerchant ? 'merchant' : 'holder';

  /** Returns the changes by which a write of the user's link is counted. */
  async function countedChanges(user: number, link: StoredLink | undefined) {
    return changesOfLink((await users.find(user))?.number, kindOfLink(link));
  }

  async function change(user: number, changesOf: (link: StoredLink) => Partial<Link> | undefined) {
    const stored = await links.read({ user });
    const changes = stored && changesOf(stored.value);
    if (!stored || !changes) return;
    const changed = { ...stored.value, ...changes };
    await links.replace({ user }, stored, changed, await countedChanges(user, changed));
  }

  /** Returns at most `limit` ids of linked accounts above an id, lowest first. */
  async function linkedAccounts({ above, limit }: { above: number; limit: number }): Promise<number[]> {
    const members = await storage.index.above(LINKED_ACCOUNTS.keys, above, limit);
    return members.map(Number).filter(Number.isSafeInteger);
  }

  /** Returns the users who have linked the account. Several users can hold its key. */
  async function holders(account: number): Promise<number[]> {
    const members = await storage.index.upTo(holdersKey(account), Number.MAX_VALUE, MAX_HOLDERS);
    return members.map(Number);
  }

  const hasHolders = async (account: number) => (await storage.index.size(holdersKey(account))) > 0;

  async function addHolder(user: number, { account, linkedAt }: StoredLink): Promise<void> {
    await storage.index.put(holdersKey(account), String(user), linkedAt);
    // Written after the holder, so that a concurrent unlink of another one keeps the account.
    await storage.index.put(LINKED_ACCOUNTS.keys, String(account), account);
  }

  async function removeHolder(account: number, user: number): Promise<void> {
    const { index } = storage;
    await index.remove(holdersKey(account), String(user));
    if (await hasHolders(account)) return;
    await index.remove(LINKED_ACCOUNTS.keys, String(account));
    // Another user may have linked the account in between.
    if (await hasHolders(account)) await index.put(LINKED_ACCOUNTS.keys, String(account), account);
  }

  async function unlink(user: number): Promise<void> {
    const link = await links.get({ user });
    if (link) await removeHolder(link.account, user);
    await links.delete({ user }, undefined, await countedChanges(user, undefined));
  }

  async function store(user: number, link: StoredLink): Promise<Link> {
    const isMerchant = (await links.get({ user }))?.isMerchant;
    const stored: StoredLink = isMerchant === undefined ? link : { ...link, isMerchant };
    // A link may be made by the first update of a user, before it is recorded. Before the former link is removed, because
    // a user whose process dies in between has none.
    await users.recordUncounted(user, link.language);
    const changes = await countedChanges(user, stored);
    await unlink(user);
    await addHolder(user, link);
    await links.update(
      { user },
      () => stored,
      () => changes,
    );
    return withoutKey(stored);
  }

  return {
    /** Links the account to this user and replaces a previous link. */
    link: (user: number, account: number, apiKey: string, language: Link['language']): Promise<Link> => {
      const key = seal.seal(apiKey, sealContextOf(user));
      return store(user, { account, tail: tailOf(apiKey), linkedAt: now(), language, key });
    },
    /**
     * Links the operator's account to this admin and replaces a previous link. Stores a reference, not a copy of the key.
     */
    linkOperatorAccount: (user: number, account: number, language: Link['language']): Promise<Link> =>
      store(user, { account, tail: '', linkedAt: now(), language, usesOperatorAccount: true }),
    unlink,
    linkedAccounts,
    holders,
    /**
     * Adds a user to the holders of the linked account, and the account to the linked ones, if they are missing there.
     * Returns whether they were.
     */
    async addIfMissing(user: number): Promise<boolean> {
      const link = await links.get({ user });
      if (link === undefined) return false;
      const { account } = link;
      const [users, [listed]] = await Promise.all([
        holders(account),
        linkedAccounts({ above: account - 1, limit: 1 }),
      ]);
      if (users.includes(user) && listed === account) return false;
      await addHolder(user, link);
      // The user may have unlinked the account in between.
      if ((await links.get({ user }))?.account !== account) await removeHolder(account, user);
      return true;
    },
    find: (user: number): Promise<Link | undefined> => readAhead(user).find(),
    /** Returns how the user's link is counted, even if it isn't usable. */
    kindOf: async (user: number): Promise<LinkKind> => kindOfLink(await links.get({ user })),
    readAhead,
    /**
     * Returns when the user's link was made, in epoch milliseconds, even if the link isn't usable. The time identifies
     * the link.
     */
    linkedAt: async (user: number): Promise<number | undefined> => (await links.get({ user }))?.linkedAt,
    /** Changes the link's language. Does nothing if no account is linked. */
    setLanguage: (user: number, language: Link['language']) => change(user, () => ({ language })),
    /** Stores the user's own choice whether they make invoices for others. Does nothing if no account is linked. */
    setMerchant: (user: number, isMerchant: boolean) => change(user, () => ({ isMerchant })),
    /** Returns whether the user has an account and has turned seller mode neither on nor off. */
    async canOfferSellerMode(user: number): Promise<boolean> {
      const link = await readAhead(user).find();
      return link !== undefined && link.isMerchant === undefined;
    },
    /**
     * Returns the API key, for this user's own requests only. Returns `undefined` if another account or none is linked,
     * or if no current secret opens the key. For a reference to the operator's account, returns the configured key if the
     * user is an admin now.
     */
    apiKey,
    /**
     * Returns the API key that reads how an operation ends: the key that {@link apiKey} returns. For an admin's operation on
     * the operator account, returns the configured key, also after the admin has unlinked it.
     */
    async keyToFollow(operation: Followed): Promise<string | undefined> {
      const { user, account } = operation;
      if (operator === undefined || !isOfAdmin(operation)) return apiKey(user, account);
      const present = await orTimeout(operator.account(), OPERATOR_TIMEOUT_MS);
      return present === account ? operatorKey : undefined;
    },
    /** Returns whether the account that paid can be read: it is linked, or {@link keyToFollow} needs no link. */
    canFollow: async (operation: Followed): Promise<boolean> =>
      isOfAdmin(operation) || (await readAhead(operation.user).find())?.account === operation.account,
  };
}
