import { createHash } from 'node:crypto';
import { z } from 'zod';
import { changeRecord } from '../storage/change-record.ts';
import type { SignedRecords } from '../storage/signed-records.ts';
import type { Storage } from '../storage/storage.ts';

/** So long others who hold the account have before an address that is new to it counts. */
export const ANNOUNCED_MS = 10 * 60_000;
/** One that was never used is announced anew after this; one that was struck out is out for as long. */
const DAY_MS = 24 * 3600_000;
/** Since its last use. */
const KEPT_MS = 365 * DAY_MS;
/** So many may wait at once: nobody is flooded with announcements. */
const WAITING = 5;
/** The latest ones, of all who hold the account. */
const KEPT = 100;
const DUE = 'announced-addresses:due';

/** What the keys of announced addresses begin with. */
export const ANNOUNCED = 'announced:';

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
  usedAt: z.number().optional(),
  struckAt: z.number().optional(),
});

/** An address that somebody wants to withdraw to from an account without two-factor codes. */
export type Announced = z.infer<typeof announcedSchema>;

type Asked = Pick<Announced, 'user' | 'account' | 'address'>;

/** How an address stands for a user of an account; `until`: when that changes, in epoch milliseconds. */
export type AddressStanding =
  | { kind: 'new' | 'ripe' }
  | { kind: 'waiting' | 'struck'; announced: Announced; until: number };

/**
 * Where accounts without two-factor codes may be withdrawn to. An address counts ten minutes after everybody who holds the
 * account was told of it, unless one of them has struck it out. That it was bought for, or used with another account,
 * doesn't make it known here: both cost a thief next to nothing.
 */
export interface AnnouncedAddresses {
  standing(asked: Asked): Promise<AddressStanding>;
  /** The announcement as it is to be told and then kept; `undefined` where too many wait already. */
  draft(asked: Asked & Pick<Announced, 'trx' | 'all'>): Promise<Announced | undefined>;
  /** Writes down what all others were told, to come due when it counts. */
  keep(announced: Announced): Promise<void>;
  /** By its number; nothing of another account. */
  find(account: number, id: string): Promise<Announced | undefined>;
  /** Nobody withdraws there from the account for a day. Answers the announcement, where there is one. */
  strike(account: number, id: string): Promise<Announced | undefined>;
  /** It is withdrawn to: it goes on counting. */
  use(asked: Asked): Promise<void>;
  /** Those that count by now, each until {@link AnnouncedAddresses.leave}. */
  due(limit: number): Promise<Announced[]>;
  leave(announced: Announced): Promise<void>;
}

export function createAnnouncedAddresses({
  storage,
  records,
  now,
}: {
  storage: Pick<Storage, 'index'>;
  records: SignedRecords;
  now: () => number;
}): AnnouncedAddresses {
  const keyOf = (account: number) => `${ANNOUNCED}${account}`;
  const listSchema = z.array(announcedSchema);
  const nameOf = ({ account, id }: Pick<Announced, 'account' | 'id'>) => `${account}/${id}`;

  const isKept = ({ at, usedAt, struckAt }: Announced) =>
    now() < (struckAt ?? at) + DAY_MS || (struckAt === undefined && now() < (usedAt ?? 0) + KEPT_MS);

  const present = (content: string | undefined) =>
    content === undefined ? [] : listSchema.parse(JSON.parse(content)).filter(isKept);

  async function listOf(account: number): Promise<Announced[]> {
    return present((await records.get(keyOf(account)))?.content);
  }

  /** Whatever happens at once, each change builds on what is there. */
  async function change(account: number, to: (list: Announced[]) => Announced[]): Promise<void> {
    const latest = (list: Announced[]) => JSON.stringify(list.slice(-KEPT));
    await changeRecord(records, keyOf(account), (content) => latest(to(present(content))), {
      ttlMs: KEPT_MS,
    });
  }

  function isWaiting({ at, usedAt, struckAt }: Announced): boolean {
    return usedAt === undefined && struckAt === undefined && now() < at + ANNOUNCED_MS;
  }

  return {
    async standing({ user, account, address }) {
      const about = (await listOf(account)).filter((one) => one.address === address);
      const struck = about.findLast(({ struckAt }) => struckAt !== undefined);
      if (struck)
        return { kind: 'struck', announced: struck, until: (struck.struckAt ?? struck.at) + DAY_MS };
      const own = about.find((one) => one.user === user);
      if (own === undefined) return { kind: 'new' };
      return isWaiting(own)
        ? { kind: 'waiting', announced: own, until: own.at + ANNOUNCED_MS }
        : { kind: 'ripe' };
    },
    async draft({ user, account, address, trx, all }) {
      if ((await listOf(account)).filter(isWaiting).length >= WAITING) return undefined;
      return { id: idOf(user, address), user, account, address, trx, ...(all && { all }), at: now() };
    },
    async keep(announced) {
      const { id, account, at } = announced;
      // Before the list: one that isn't on it is dropped when it comes due, and one that isn't due is never offered.
      await storage.index.put(DUE, nameOf(announced), at + ANNOUNCED_MS);
      await change(account, (list) => [...list.filter((one) => one.id !== id), announced]);
    },
    async find(account, id) {
      return (await listOf(account)).find((one) => one.id === id);
    },
    async strike(account, id) {
      let struck: Announced | undefined;
      await change(account, (list) =>
        list.map((one) => {
          if (one.id !== id) return one;
          struck = { ...one, struckAt: one.struckAt ?? now() };
          return struck;
        }),
      );
      if (struck) await storage.index.remove(DUE, nameOf(struck));
      return struck;
    },
    use: ({ user, account, address }) =>
      change(account, (list) =>
        list.map((one) => (one.id === idOf(user, address) ? { ...one, usedAt: now() } : one)),
      ),
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

/** Short enough for a button; whose it is says the account that it is looked for in. */
function idOf(user: number, address: string): string {
  return createHash('sha256').update(`${user}/${address}`).digest('base64url').slice(0, 16);
}
