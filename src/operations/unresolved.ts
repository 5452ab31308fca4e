import type { Storage } from '../storage/storage.ts';
import { isUncertain, isUnresolved, type Operation, type OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

const INDEX = 'unresolved';
/** As long as the operations themselves. */
const KEPT_MS = 90 * 24 * 3600_000;
/** Whoever decides on these finds the others next. */
const MOST = 200;
/** What is confirmed or sent for longer is stuck: a request takes half a minute at most. */
const STUCK_MS = 60_000;

export interface Listed {
  /** Oldest first. */
  operations: Operation[];
  /** Records of these that can't be read, by this version at least. */
  unreadable: number;
  /** More than are listed. */
  isMore: boolean;
}

/**
 * All whose outcome isn't known, of all users, and what is stuck before. The watch enters them as it comes by, a few
 * seconds after, so that what goes well costs nothing here.
 */
export interface Unresolved {
  /** It was come across as it is: entered, where it belongs here. */
  seen(operation: Operation): Promise<void>;
  left(ref: OperationRef): Promise<void>;
  list(): Promise<Listed>;
}

export function createUnresolved(deps: {
  storage: Pick<Storage, 'index'>;
  store: Pick<OperationStore, 'readable'>;
  now: () => number;
}): Unresolved {
  const { store, now } = deps;
  const { index } = deps.storage;
  const memberOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  async function entry(member: string) {
    const [user, id = ''] = member.split('/');
    const stored = await store.readable({ user: Number(user), id });
    if (typeof stored === 'string') return 'unreadable';
    if (stored && isUnresolved(stored.operation)) return stored.operation;
    // Settled by who knew nothing of this list, or by now gone.
    await index.remove(INDEX, member);
    return undefined;
  }

  return {
    async seen(operation) {
      const { claimedAt = 0, sentAt = claimedAt } = operation;
      const isStuck = isUnresolved(operation) && now() - sentAt > STUCK_MS;
      if (isUncertain(operation) || isStuck)
        await index.put(INDEX, memberOf(operation), sentAt, { ttlMs: KEPT_MS });
    },
    left: (ref) => index.remove(INDEX, memberOf(ref)),
    async list() {
      const members = await index.upTo(INDEX, Number.POSITIVE_INFINITY, MOST + 1);
      const entries = await Promise.all(members.slice(0, MOST).map(entry));
      const operations = entries.filter((one) => one !== undefined && one !== 'unreadable');
      const unreadable = entries.filter((one) => one === 'unreadable').length;
      return { operations, unreadable, isMore: members.length > MOST };
    },
  };
}
