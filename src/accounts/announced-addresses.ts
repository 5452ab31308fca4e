import { createHash } from 'node:crypto';
import { z } from 'zod';
import { changeRecord, type SignedRecords, untilWritten } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** So long others who hold the account have before an address that is new to it counts. */
export const ANNOUNCED_MS = 10 * 60_000;
/** One that was never used is announced anew after this; one that was struck out is out for as long. */
const DAY_MS = 24 * 3600_000;
/** Since its last use. */
const KEPT_MS = 365 * DAY_MS;
/** So many may be announced within the time that one waits, and within a day: nobody is flooded with announcements. */
const AT_ONCE = 5;
const A_DAY = 20;

const announcedSchema = z.object({
  id: z.string(),
  account: z.number(),
  /** Who wants to withdraw there. */
  user: z.number(),
  address: z.string(),
  /** TRX, decimal: what their card is to be about; `all`: that is all there was. */
  trx: z.string(),
  all: z.boolean().optional(),
  /** Epoch milliseconds, all of these. */
  at: z.number(),
  /** A withdrawal there was about to be sent; one was made, or may have been. */
  takenAt: z.number().optional(),
  usedAt: z.number().optional(),
  struckAt: z.number().optional(),
  /** Who wanted it was told that another has struck it out. */
  isTold: z.boolean().optional(),
});

/** An address that somebody wants to withdraw to from an account without two-factor codes. */
export type Announced = z.infer<typeof announcedSchema>;

type Asked = Pick<Announced, 'user' | 'account' | 'address'>;

/** How an address stands for a user of an account; `until`: when that changes, in epoch milliseconds. */
type AddressStanding =
  | { kind: 'new' | 'ripe' }
  | { kind: 'waiting' | 'struck'; announced: Announced; until: number };

/** Struck out by anybody it is out for everybody who holds the account. */
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

/** Until when it is of any use, in epoch milliseconds. */
function keptUntil({ at, usedAt, struckAt }: Announced): number {
  if (struckAt !== undefined) return struckAt + DAY_MS;
  return usedAt === undefined ? at + DAY_MS : Math.max(at + DAY_MS, usedAt + KEPT_MS);
}

/** Whether it is of any use still. */
function isKept(announced: Announced, now: number): boolean {
  return now < keptUntil(announced);
}

/** Whether there were too many lately. Struck ones count: to strike out one's own makes no room for others. */
function isFull(list: readonly Announced[], now: number): boolean {
  const within = (ms: number) =>
    list.filter(({ at, usedAt }) => usedAt === undefined && now < at + ms).length;
  return within(ANNOUNCED_MS) >= AT_ONCE || within(DAY_MS) >= A_DAY;
}

/** Of those that were used, of all who hold the account; what waits, or is struck out, is never left out for others. */
const USED = 100;
const DUE = 'announced-addresses:due';

/** What the keys of announced addresses begin with. */
export const ANNOUNCED = 'announced:';

/**
 * Where accounts without two-factor codes may be withdrawn to. An address counts ten minutes after word of it went out to
 * everybody who holds the account, unless one of them has struck it out. That it was bought for, or used with another
 * account, doesn't make it known here: both cost a thief next to nothing.
 */
export interface AnnouncedAddresses {
  standing(asked: Asked): Promise<AddressStanding>;
  /** The announcement as it is to be told and then kept; `undefined` where there were too many lately. */
  draft(asked: Asked & Pick<Announced, 'trx' | 'all'>): Promise<Announced | undefined>;
  /** Writes down what all others were told, to come due when it counts. What is there already stands. */
  keep(announced: Announced): Promise<void>;
  /** By its number; nothing of another account. */
  find(account: number, id: string): Promise<Announced | undefined>;
  /**
   * Nobody withdraws there from the account for a day. Answers the announcement, where there is one: by `takenAt` it may be
   * too late for a withdrawal, and `isTold` says whether who wanted it knows.
   */
  strike(account: number, id: string): Promise<Announced | undefined>;
  /** Who wanted it was told that it is struck out. */
  told(announced: Announced): Promise<void>;
  /** The last question before a withdrawal there is sent: answers how it stands, in one step with {@link strike}. */
  take(asked: Asked): Promise<AddressStanding['kind']>;
  /** It was withdrawn to, or may have been: it goes on counting. */
  use(asked: Asked): Promise<void>;
  /** All that a user has announced of an account, for themself. */
  of(user: number, account: number): Promise<Announced[]>;
  /** Returns what a user has announced of any account. Searches the names of all keys. */
  ofUser(user: number): Promise<Announced[]>;
  /** Those that count by now, each until {@link AnnouncedAddresses.leave}. */
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

  /** Whatever happens at once, each change builds on what is there. */
  async function change(account: number, to: (list: Announced[]) => Announced[]): Promise<void> {
    const content = (list: Announced[]) => JSON.stringify(withoutOldest(list));
    await changeRecord(records, keyOf(account), (before) => content(to(present(before))), { ttlMs: KEPT_MS });
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
      // Before the list: one that isn't on it is dropped when it comes due, and one that isn't due is never offered.
      await storage.index.put(DUE, nameOf(announced), at + ANNOUNCED_MS);
      // An update that comes late neither undoes a strike nor shortens the time.
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

/** As which it comes due. */
const nameOf = ({ account, id }: Pick<Announced, 'account' | 'id'>) => `${account}/${id}`;

function withoutOldest(list: Announced[]): Announced[] {
  const used = list.filter(({ usedAt, struckAt }) => usedAt !== undefined && struckAt === undefined);
  const dropped = used.toSorted((one, other) => (one.usedAt ?? 0) - (other.usedAt ?? 0)).slice(0, -USED);
  return list.filter((one) => !dropped.includes(one));
}

/** Short enough for a button; whose it is says the account that it is looked for in. */
function idOf(user: number, address: string): string {
  return createHash('sha256').update(`${user}/${address}`).digest('base64url').slice(0, 16);
}

const listSchema = z.array(announcedSchema);

/**
 * Forgets where a user has withdrawn to, of whichever account. What they have announced within a day, or others have struck
 * out, goes when that day is over: it protects who else holds the account from being asked again and again. None of it is
 * offered to them any more.
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
    await untilWritten(async () => {
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
