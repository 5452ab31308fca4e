import type { Storage } from '../storage/storage.ts';
import type { OperationRequest } from './kinds/kind.ts';
import type { Operation } from './operation.ts';
import type { OperationStore } from './store.ts';

/** As long as the operations themselves. */
const KEPT_MS = 90 * 24 * 3600_000;
/** So many are read at once, and so many at most for one page. */
const READ = 20;
const MOST_READ = 200;

export interface Page {
  /** The latest first. */
  operations: Operation[];
  /** Operations within this page whose records can't be read. */
  unreadable: number;
  /** Where the next page begins: behind this one; `undefined` where nothing older is known. */
  older: string | undefined;
}

/** What a user has confirmed, for 90 days. */
export interface History {
  add(operation: Operation): Promise<void>;
  /** At most `size`, behind the operation `after` or from the latest on; of one kind, or of all. */
  page(
    user: number,
    about: { size: number; after?: string | undefined; kind?: OperationRequest['kind'] | undefined },
  ): Promise<Page>;
}

export function createHistory({
  storage,
  store,
}: {
  storage: Pick<Storage, 'index'>;
  store: Pick<OperationStore, 'readable'>;
}): History {
  const { index } = storage;
  const keyOf = (user: number) => `operations-of-user:{${user}}`;

  /** Whose records are gone: two for each that is added, so that they become fewer. */
  async function forgetOld(user: number, until: number): Promise<void> {
    const old = await index.upTo(keyOf(user), until, 2);
    await Promise.all(old.map((id) => index.remove(keyOf(user), id)));
  }

  return {
    async add({ user, id, claimedAt = 0 }) {
      await Promise.all([
        index.put(keyOf(user), id, claimedAt, { ttlMs: KEPT_MS }),
        forgetOld(user, claimedAt - KEPT_MS),
      ]);
    },
    async page(user, { size, after, kind }) {
      const operations: Operation[] = [];
      let unreadable = 0;
      let last = after;
      for (let seen = 0; seen < MOST_READ; seen += READ) {
        const ids = await (last === undefined
          ? index.last(keyOf(user), READ)
          : index.before(keyOf(user), last, READ));
        const found = await Promise.all(ids.map((id) => store.readable({ user, id })));
        for (const one of found) {
          if (typeof one === 'string') unreadable += 1;
          if (typeof one !== 'object') continue;
          const { operation } = one;
          if (kind !== undefined && operation.request.kind !== kind) continue;
          // One more than is shown is there: so there is a next page.
          if (operations.length === size) return { operations, unreadable, older: operations.at(-1)?.id };
          operations.push(operation);
        }
        if (ids.length < READ) return { operations, unreadable, older: undefined };
        last = ids.at(-1);
      }
      return { operations, unreadable, older: last };
    },
  };
}
