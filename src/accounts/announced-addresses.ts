import { createHash } from 'node:crypto';
import { z } from 'zod';
import { changeRecord } from '../storage/change-record.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';
import {
  type AddressStanding,
  ANNOUNCED_MS,
  type Announced,
  type Asked,
  announcedSchema,
  isFull,
  isKept,
  KEPT_MS,
  standingIn,
} from './announced-address.ts';

/** Of those that were used, of all who hold the account; what waits, or is struck out, is never left out for others. */
const USED = 100;
export const DUE = 'announced-addresses:due';

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
export const nameOf = ({ account, id }: Pick<Announced, 'account' | 'id'>) => `${account}/${id}`;

function withoutOldest(list: Announced[]): Announced[] {
  const used = list.filter(({ usedAt, struckAt }) => usedAt !== undefined && struckAt === undefined);
  const dropped = used.toSorted((one, other) => (one.usedAt ?? 0) - (other.usedAt ?? 0)).slice(0, -USED);
  return list.filter((one) => !dropped.includes(one));
}

/** Short enough for a button; whose it is says the account that it is looked for in. */
function idOf(user: number, address: string): string {
  return createHash('sha256').update(`${user}/${address}`).digest('base64url').slice(0, 16);
}
