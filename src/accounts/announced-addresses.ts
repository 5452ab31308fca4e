import { createHash } from 'node:crypto';
import { z } from 'zod';
import { changeRecord, retryOnConflict, type SignedRecords } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** Waiting time of a new address, in milliseconds. Other account holders can strike it out until then. */
export const ANNOUNCED_MS = 10 * 60_000;
/** Lifetime of a strike, and of an announcement that was never used, in milliseconds. */
const DAY_MS = 24 * 3600_000;
/** Lifetime of an announced address since its last use, in milliseconds. */
const TTL_MS = 365 * DAY_MS;
/**
 * Maximum numbers of unused announcements per account within {@link ANNOUNCED_MS} and within a day. They limit how many
 * notifications holders get.
 */
const MAX_PER_WINDOW = 5;
const MAX_PER_DAY = 20;

const announcedSchema = z.object({
  id: z.string(),
  account: z.number(),
  /** User who wants to withdraw to the address. */
  user: z.number(),
  address: z.string(),
  /** Amount of the planned withdrawal, in TRX, decimal. `all`: that was the whole balance. */
  trx: z.string(),
  all: z.boolean().optional(),
  /** Time of the announcement. All times are epoch milliseconds. */
  at: z.number(),
  /**
   * `takenAt`: a withdrawal to the address was about to be sent. `usedAt`: a withdrawal was made, or may have been
   * made.
   */
  takenAt: z.number().optional(),
  usedAt: z.number().optional(),
  struckAt: z.number().optional(),
  /** The user was notified that another holder has struck the address out. */
  isTold: z.boolean().optional(),
});

/** Address that a user wants to withdraw to from an account without two-factor codes. */
export type Announced = z.infer<typeof announcedSchema>;

type Asked = Pick<Announced, 'user' | 'account' | 'address'>;

/** State of an address for one user of an account. `until`: when the state changes, in epoch milliseconds. */
type AddressStanding =
  | { kind: 'new' | 'ripe' }
  | { kind: 'waiting' | 'struck'; announced: Announced; until: number };

/** Returns the state of an address. A strike by one holder applies to all holders of the account. */
function standingIn(
  list: readonly Announced[],
  { user, address }: Pick<Asked, 'user' | 'address'>,
  now: number,
): AddressStanding {
  const about = list.filter((one) => one.address === address);
  const struck = about.findLast(({ struckAt }) => struckAt !== undefined);
  if (struck) return { kind: 'struck', announced: struck, until: (struck.struckAt ?? struck.at) + DAY_MS };
  const own = about.find((one) => one.user === user);
  if (own === undefined) return { kind: 'new' };
  const until = own.at + ANNOUNCED_MS;
  const isWaiting = own.usedAt === undefined && now < until;
  return isWaiting ? { kind: 'waiting', announced: own, until } : { kind: 'ripe' };
}

/** Returns when the announcement expires, in epoch milliseconds. */
function keptUntil({ at, usedAt, struckAt }: Announced): number {
  if (struckAt !== undefined) return struckAt + DAY_MS;
  return usedAt === undefined ? at + DAY_MS : Math.max(at + DAY_MS, usedAt + TTL_MS);
}

function isKept(announced: Announced, now: number): boolean {
  return now < keptUntil(announced);
}

/** Returns whether the limits are reached. Struck announcements count, so striking out one's own doesn't allow more. */
function isFull(list: readonly Announced[], now: number): boolean {
  const within = (ms: number) =>
    list.filter(({ at, usedAt }) => usedAt === undefined && now < at + ms).length;
  return within(ANNOUNCED_MS) >= MAX_PER_WINDOW || within(DAY_MS) >= MAX_PER_DAY;
}

/**
 * Maximum number of used addresses stored per account. Announcements that wait or are struck out are never dropped for
 * others.
 */
const USED = 100;
const DUE = 'announced-addresses:due';

/** Key prefix of announced addresses. */
export const ANNOUNCED = 'announced:';

/**
 * Withdrawal addresses of accounts without two-factor codes. A new address can be used ten minutes after its
 * announcement to all holders of the account, unless one of them strikes it out. Purchases for the address and
 * withdrawals from other accounts don't make it known: both cost a thief next to nothing.
 */
export interface AnnouncedAddresses {
  standing(asked: Asked): Promise<AddressStanding>;
  /**
   * Returns the announcement to send to the holders and then pass to {@link keep}; `undefined` if the limits are
   * reached.
   */
  draft(asked: Asked & Pick<Announced, 'trx' | 'all'>): Promise<Announced | undefined>;
  /**
   * Stores an announcement that the other holders were notified of. It comes due when the address can be used. A stored
   * announcement stays unchanged.
   */
  keep(announced: Announced): Promise<void>;
  /** Returns the account's announcement with this id. */
  find(account: number, id: string): Promise<Announced | undefined>;
  /**
   * Blocks withdrawals from the account to the address for a day. Returns the announcement, `undefined` if there is
   * none. If it has `takenAt`, a withdrawal may already be sent. `isTold` says whether the announcing user was
   * notified.
   */
  strike(account: number, id: string): Promise<Announced | undefined>;
  /** Records that the announcing user was notified of the strike. */
  told(announced: Announced): Promise<void>;
  /**
   * Returns the state of the address right before a withdrawal is sent. If the address is `ripe`, sets `takenAt`.
   * Atomic with respect to {@link strike}.
   */
  take(asked: Asked): Promise<AddressStanding['kind']>;
  /** Records that a withdrawal to the address was made or may have been made. The address stays usable. */
  use(asked: Asked): Promise<void>;
  /** Returns the user's own announcements for the account. */
  of(user: number, account: number): Promise<Announced[]>;
  /** Returns the user's announcements for all accounts. Searches the names of all keys. */
  ofUser(user: number): Promise<Announced[]>;
  /** Returns announcements whose addresses can be used now, each until {@link AnnouncedAddresses.leave}. */
  due(limit: number): Promise<Announced[]>;
  leave(announced: Announced): Promise<void>;
}

export function createAnnouncedAddresses({
  storage,
  records,
  now,
}: {
  storage: Pick<Storage, 'index' | 'keys'>;
  records: SignedRecords;
  now: () => number;
}): AnnouncedAddresses {
  const keyOf = (account: number) => `${ANNOUNCED}${account}`;
  const listSchema = z.array(announcedSchema);

  function present(content: string | undefined): Announced[] {
    const list = content === undefined ? [] : listSchema.parse(JSON.parse(content));
    return list.filter((one) => isKept(one, now()));
  }

  async function listOf(account: number): Promise<Announced[]> {
    return present((await records.get(keyOf(account)))?.content);
  }

  /** Applies `to` to the current list, again after a concurrent write. */
  async function change(account: number, to: (list: Announced[]) => Announced[]): Promise<void> {
    const content = (list: Announced[]) => JSON.stringify(withoutOldest(list));
    await changeRecord(records, keyOf(account), (before) => content(to(present(before))), { ttlMs: TTL_MS });
  }

  const changeOne = (account: number, id: string, to: (one: Announced) => Announced) =>
    change(account, (list) => list.map((one) => (one.id === id ? to(one) : one)));

  return {
    standing: async (asked) => standingIn(await listOf(asked.account), asked, now()),
    async draft({ user, account, address, trx, all }) {
      if (isFull(await listOf(account), now())) return undefined;
      return { id: idOf(user, address), user, account, address, trx, ...(all && { all }), at: now() };
    },
    async keep(announced) {
      const { id, account, at } = announced;
      // Index first: a due entry without an announcement is dropped, but an announcement that isn't due is never
      // offered.
      await storage.index.put(DUE, nameOf(announced), at + ANNOUNCED_MS);
      // A late update must neither undo a strike nor restart the waiting time.
      await change(account, (list) => (list.some((one) => one.id === id) ? list : [...list, announced]));
    },
    async find(account, id) {
      return (await listOf(account)).find((one) => one.id === id);
    },
    async strike(account, id) {
      let struck: Announced | undefined;
      await changeOne(account, id, (one) => {
        struck = { ...one, struckAt: one.struckAt ?? now() };
        return struck;
      });
      if (struck) await storage.index.remove(DUE, nameOf(struck));
      return struck;
    },
    told: ({ account, id }) => changeOne(account, id, (one) => ({ ...one, isTold: true })),
    async take(asked) {
      const id = idOf(asked.user, asked.address);
      let kind: AddressStanding['kind'] = 'new';
      await change(asked.account, (list) => {
        ({ kind } = standingIn(list, asked, now()));
        return kind === 'ripe' ? list.map((one) => (one.id === id ? { ...one, takenAt: now() } : one)) : list;
      });
      return kind;
    },
    use: ({ user, account, address }) =>
      changeOne(account, idOf(user, address), (one) => ({ ...one, usedAt: now() })),
    of: async (user, account) => (await listOf(account)).filter((one) => one.user === user),
    async ofUser(user) {
      const keys = await storage.keys(ANNOUNCED);
      const found = await Promise.all(keys.map((key) => listOf(Number(key.slice(ANNOUNCED.length)))));
      return found.flat().filter((one) => one.user === user);
    },
    async due(limit) {
      const found: Announced[] = [];
      for (const name of await storage.index.upTo(DUE, now(), limit)) {
        const [account = '', id = ''] = name.split('/');
        const announced = (await listOf(Number(account))).find((one) => one.id === id);
        if (announced) found.push(announced);
        else await storage.index.remove(DUE, name);
      }
      return found;
    },
    leave: (announced) => storage.index.remove(DUE, nameOf(announced)),
  };
}

/** Returns the member of the due index. */
const nameOf = ({ account, id }: Pick<Announced, 'account' | 'id'>) => `${account}/${id}`;

function withoutOldest(list: Announced[]): Announced[] {
  const used = list.filter(({ usedAt, struckAt }) => usedAt !== undefined && struckAt === undefined);
  const dropped = used.toSorted((one, other) => (one.usedAt ?? 0) - (other.usedAt ?? 0)).slice(0, -USED);
  return list.filter((one) => !dropped.includes(one));
}

/**
 * Returns an id that is short enough for callback data. It doesn't include the account because lookups are per account.
 */
function idOf(user: number, address: string): string {
  return createHash('sha256').update(`${user}/${address}`).digest('base64url').slice(0, 16);
}

const listSchema = z.array(announcedSchema);

/**
 * Erases the addresses that a user has withdrawn to, for all accounts. Unused and struck announcements stay until they
 * expire after a day: otherwise other holders could get the same question repeatedly. The user no longer sees any of
 * them.
 */
export function createForgetAnnounced(deps: {
  storage: Pick<Storage, 'keys' | 'delete' | 'index'>;
  records: Pick<SignedRecords, 'get' | 'has' | 'replace'>;
  now: () => number;
}): (user: number) => Promise<void> {
  const { storage, records, now } = deps;

  const stays = (one: Announced) =>
    isKept(one, now()) && (one.usedAt === undefined || one.struckAt !== undefined);

  async function forgetAt(key: string, user: number): Promise<void> {
    await retryOnConflict(async () => {
      const record = await records.get(key);
      const list = record === undefined ? [] : listSchema.parse(JSON.parse(record.content));
      const own = list.filter((one) => one.user === user);
      if (record === undefined || own.length === 0) return true;
      await storage.index.remove(DUE, ...own.map(nameOf));
      const rest = list.filter((one) => one.user !== user || stays(one));
      if (rest.length === 0) {
        await storage.delete(key, record.text);
        return (await records.has(key)) ? undefined : true;
      }
      const ttlMs = Math.max(...rest.map(keptUntil)) - now();
      return (await records.replace(key, record, JSON.stringify(rest), { ttlMs })) && true;
    });
  }

  return async (user) => {
    for (const key of await storage.keys(ANNOUNCED)) await forgetAt(key, user);
  };
}
