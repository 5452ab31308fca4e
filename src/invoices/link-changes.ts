import { orTimeout } from '../or-timeout.ts';
import { FOLLOWED_MS, type Invoice, isFinal, isFollowed } from './invoice.ts';
import type { Looks } from './looks.ts';
import type { UserInvoices } from './user-invoices.ts';

/** So many are written at once. */
const AT_ONCE = 50;
/** Nobody waits longer until all are written; where there are very many, the others follow. */
const WITHIN_MS = 500;
/** Of the latest, for an account that is linked again. */
const MOST_AGAIN = 500;

/** What a user made on an account of theirs (`OPERATORS` is nobody's). */
export interface OfLink {
  user: number;
  account: number;
}

/** What becomes of a user's invoices as their link to an account ends, and as there is one again. */
export interface LinkChanges {
  /** Of which something may still come, the latest first. */
  followed(of: OfLink): Promise<Invoice[]>;
  /**
   * Does `end`, after which this user has no key to that account any more, and says of their invoices that they are no
   * longer checked: of how many is answered. Of a process that dies in between, the looks do the same: within a minute of
   * those that wouldn't be looked at for longer.
   */
  ended<T>(of: OfLink, end: () => Promise<T>): Promise<{ result: T; unchecked: number }>;
  /** There is a key again, or another: the service is asked for them soon. */
  made(of: OfLink): Promise<void>;
}

export function createLinkChanges(deps: {
  of: UserInvoices['of'];
  looks: Pick<Looks, 'expect' | 'hasten' | 'uncheck'>;
  now: () => number;
}): LinkChanges {
  const { looks, now } = deps;

  async function followed({ user, account }: OfLink): Promise<Invoice[]> {
    // None is followed that long after it was made.
    const isOld = ({ createdAt }: Invoice) => createdAt < now() - 2 * FOLLOWED_MS;
    const made = await deps.of(user, (read) => read.some(isOld));
    return made.filter((one) => one.account === account && isFollowed(one, now()));
  }

  async function each(invoices: readonly Invoice[], work: (one: Invoice) => Promise<unknown>): Promise<void> {
    for (let from = 0; from < invoices.length; from += AT_ONCE)
      await Promise.all(invoices.slice(from, from + AT_ONCE).map(work));
  }

  return {
    followed,
    async ended(of, end) {
      const invoices = await followed(of);
      const seldom = invoices.filter(({ expiresAt }) => now() >= expiresAt);
      await each(seldom, looks.hasten);
      const result = await end();
      await orTimeout(each(invoices, looks.uncheck), WITHIN_MS);
      return { result, unchecked: invoices.length };
    },
    async made({ user, account }) {
      // Also those that are followed no more: what became of them meanwhile is asked for once.
      const made = await deps.of(user, (read) => read.length >= MOST_AGAIN);
      const again = made.filter(
        (one) => one.account === account && (isFollowed(one, now()) || (one.unchecked && !isFinal(one))),
      );
      await orTimeout(each(again, looks.expect), WITHIN_MS);
    },
  };
}
