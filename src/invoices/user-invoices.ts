import type { Storage } from '../storage/storage.ts';
import type { Invoice } from './invoice.ts';
import type { InvoiceStore } from './invoice-store.ts';
import { countedSince, type Totals, totalsOf } from './totals.ts';

/** As long as their records, which live on a little by what still becomes of them. */
const LISTED_MS = 92 * 24 * 3600_000;
/** So many are read at once. */
const READ = 50;
/** So many are looked at for one page. */
const MOST_SOUGHT = 500;
/** More than anybody makes by hand; so many of a user are read at most. */
export const MOST_READ = 10_000;
const MOST_COUNTED = 2_000;

export interface InvoicePage {
  /** The latest first. */
  invoices: Invoice[];
  /** Where the next page begins: behind this one; `undefined` where nothing older is known. */
  older: string | undefined;
}

/** What a user has made, for 90 days. */
export interface UserInvoices {
  add(invoice: Invoice): Promise<void>;
  /** The latest first: all, or until `until` says that it is enough; {@link MOST_READ} at most. */
  of(user: number, until?: (invoices: readonly Invoice[]) => boolean): Promise<Invoice[]>;
  /** At most `size` of those that fit, behind the invoice `after` or from the latest on. */
  page(
    user: number,
    about: { size: number; after?: string | undefined; fits(invoice: Invoice): boolean },
  ): Promise<InvoicePage>;
  /** What was paid lately; `partial`: only the latest were looked at, since there are very many. */
  totals(user: number): Promise<Totals & { partial: boolean }>;
}

export function createUserInvoices({
  storage: { index },
  store,
  now,
}: {
  storage: Pick<Storage, 'index'>;
  store: Pick<InvoiceStore, 'read'>;
  now: () => number;
}): UserInvoices {
  const listOf = (user: number) => `invoices-of-user:{${user}}`;

  /** The next ones, what is gone left out; `last`: where the ones after them begin, while there may be any. */
  async function next(user: number, after: string | undefined) {
    const ids = await (after === undefined
      ? index.last(listOf(user), READ)
      : index.before(listOf(user), after, READ));
    const read = await Promise.all(ids.map((id) => store.read({ user, id })));
    const last = ids.length < READ ? undefined : ids.at(-1);
    return { invoices: read.flatMap((one) => one ?? []), last };
  }

  /** Whose records are gone: two for each that is added, so that they become fewer. */
  async function forgetOld(user: number, until: number): Promise<void> {
    const old = await index.upTo(listOf(user), until, 2);
    await Promise.all(old.map((id) => index.remove(listOf(user), id)));
  }

  async function of(
    user: number,
    until?: (invoices: readonly Invoice[]) => boolean,
    most = MOST_READ,
  ): Promise<Invoice[]> {
    const found: Invoice[] = [];
    let after: string | undefined;
    for (let seen = 0; seen < most; seen += READ) {
      const { invoices, last } = await next(user, after);
      found.push(...invoices);
      if (last === undefined || until?.(found)) break;
      after = last;
    }
    return found;
  }

  return {
    async add({ user, id, createdAt }) {
      await Promise.all([
        index.put(listOf(user), id, createdAt, { ttlMs: LISTED_MS }),
        forgetOld(user, createdAt - LISTED_MS),
      ]);
    },
    of: (user, until) => of(user, until),
    async page(user, { size, after, fits }) {
      const invoices: Invoice[] = [];
      let behind = after;
      for (let seen = 0; seen < MOST_SOUGHT; seen += READ) {
        const { invoices: found, last } = await next(user, behind);
        for (const invoice of found) {
          if (!fits(invoice)) continue;
          // One more than is shown is there: so there is a next page.
          if (invoices.length === size) return { invoices, older: invoices.at(-1)?.id };
          invoices.push(invoice);
        }
        if (last === undefined) return { invoices, older: undefined };
        behind = last;
      }
      return { invoices, older: behind };
    },
    async totals(user) {
      const since = countedSince(now());
      const isEnough = (read: readonly Invoice[]) => (read.at(-1)?.createdAt ?? since) < since;
      const invoices = await of(user, isEnough, MOST_COUNTED);
      const partial = invoices.length >= MOST_COUNTED && !isEnough(invoices);
      return { ...totalsOf(invoices, now()), partial };
    },
  };
}
