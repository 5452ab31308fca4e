import { z } from 'zod';

/** So long others who hold the account have before an address that is new to it counts. */
export const ANNOUNCED_MS = 10 * 60_000;
/** One that was never used is announced anew after this; one that was struck out is out for as long. */
export const DAY_MS = 24 * 3600_000;
/** Since its last use. */
export const KEPT_MS = 365 * DAY_MS;
/** So many may be announced within the time that one waits, and within a day: nobody is flooded with announcements. */
const AT_ONCE = 5;
const A_DAY = 20;

export const announcedSchema = z.object({
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

export type Asked = Pick<Announced, 'user' | 'account' | 'address'>;

/** How an address stands for a user of an account; `until`: when that changes, in epoch milliseconds. */
export type AddressStanding =
  | { kind: 'new' | 'ripe' }
  | { kind: 'waiting' | 'struck'; announced: Announced; until: number };

/** Struck out by anybody it is out for everybody who holds the account. */
export function standingIn(
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
export function keptUntil({ at, usedAt, struckAt }: Announced): number {
  if (struckAt !== undefined) return struckAt + DAY_MS;
  return usedAt === undefined ? at + DAY_MS : Math.max(at + DAY_MS, usedAt + KEPT_MS);
}

/** Whether it is of any use still. */
export function isKept(announced: Announced, now: number): boolean {
  return now < keptUntil(announced);
}

/** Whether there were too many lately. Struck ones count: to strike out one's own makes no room for others. */
export function isFull(list: readonly Announced[], now: number): boolean {
  const within = (ms: number) =>
    list.filter(({ at, usedAt }) => usedAt === undefined && now < at + ms).length;
  return within(ANNOUNCED_MS) >= AT_ONCE || within(DAY_MS) >= A_DAY;
}
