import type { Storage } from '../storage/storage.ts';
import { isUnresolved, type Operation, type OperationRef } from './operation.ts';
import { isSame } from './orders.ts';
import type { OperationStore } from './store.ts';

const RECENT_MS = 24 * 3600_000;
const MANY = 500;
/** Clocks of replicas may differ by this much. */
const SKEW_MS = 30_000;
/** As long as the latest of the operations that it names. */
const KEPT_MS = 90 * 24 * 3600_000;

interface Attempt {
  member: string;
  operation?: Operation;
  /** By another version of the app, perhaps: nobody knows what it did. */
  isUnreadable?: boolean;
}

/** The operations that were sent for one account lately: whatever one of them did could be taken for another's trace. */
export interface RecentAttempts {
  add(operation: Operation): Promise<void>;
  /** It is resolved, and was told. */
  resolved(operation: Operation): Promise<void>;
  /** Those that aren't resolved, however old; oldest first. */
  unresolvedOf(account: number): Promise<Operation[]>;
  /** Those of the last day, and older ones that aren't resolved; oldest first. */
  of(account: number): Promise<Operation[]>;
  /** Whether another operation may have moved the balance since this one was sent. */
  anyBeside(operation: Operation): Promise<boolean>;
}

export function createRecentAttempts({
  storage,
  store,
  now,
}: {
  storage: Storage;
  store: OperationStore;
  now: () => number;
}): RecentAttempts {
  const keyOf = (account: number) => `sent-of-account:${account}`;
  /** A part of the same: few of hundreds, and asked for with every card. */
  const openKey = (account: number) => `unresolved-of-account:${account}`;
  const memberOf = ({ user, id }: OperationRef) => `${user}/${id}`;

  /** The last ones, oldest first: of more than many it is the latest whose traces are looked for. */
  async function last(account: number): Promise<Attempt[]> {
    return attempts((await storage.index.last(keyOf(account), MANY)).reverse());
  }

  function attempts(members: string[]): Promise<Attempt[]> {
    return Promise.all(
      members.map(async (member) => {
        const [user, id = ''] = member.split('/');
        const stored = await store.readable({ user: Number(user), id });
        if (typeof stored === 'string') return { member, isUnreadable: true };
        return { member, ...(stored && { operation: stored.operation }) };
      }),
    );
  }

  async function prune(account: number): Promise<void> {
    const old = await attempts(await storage.index.upTo(keyOf(account), now() - RECENT_MS, MANY));
    // One that isn't resolved stays, however old.
    const [, over] = partition(old);
    await Promise.all(over.map(({ member }) => storage.index.remove(keyOf(account), member)));
  }

  async function of(account: number): Promise<Operation[]> {
    return (await last(account)).flatMap(({ operation }) => operation ?? []);
  }

  return {
    async add(operation) {
      const { account } = operation;
      await Promise.all([
        ...[keyOf(account), openKey(account)].map((key) =>
          storage.index.putIn(key, memberOf(operation), 0, { ttlMs: KEPT_MS }),
        ),
        prune(account),
      ]);
    },
    resolved: (operation) => storage.index.remove(openKey(operation.account), memberOf(operation)),
    async unresolvedOf(account) {
      const members = await storage.index.last(openKey(account), MANY);
      const [open, over] = partition(await attempts(members.reverse()));
      await Promise.all(over.map(({ member }) => storage.index.remove(openKey(account), member)));
      return open.flatMap(({ operation }) => operation ?? []);
    },
    of,
    async anyBeside(operation) {
      const all = await last(operation.account);
      // Among very many, one that matters may be missing: then nothing is concluded.
      return all.length >= MANY || all.some((other) => mayHaveMovedBalance(other, operation));
    },
  };

  function mayHaveMovedBalance({ operation: other, isUnreadable }: Attempt, operation: Operation): boolean {
    if (other === undefined) return isUnreadable === true;
    if (isSame(other, operation) || other.state === 'refused') return false;
    if ((other.sentAt ?? now()) < now() - RECENT_MS) return false;
    const over = other.settledAt !== undefined && other.settledAt + SKEW_MS <= (operation.sentAt ?? 0);
    return !over;
  }
}

/** Those that aren't resolved, and those that are, or are gone. */
function partition(attempts: Attempt[]): [Attempt[], Attempt[]] {
  const isOpen = ({ operation, isUnreadable }: Attempt) =>
    isUnreadable === true || (operation !== undefined && isUnresolved(operation));
  return [attempts.filter(isOpen), attempts.filter((attempt) => !isOpen(attempt))];
}

/** The latest of the user's own among these that could be the same intention. */
export function unresolvedLike(
  unresolved: Operation[],
  wanted: { user: number; kind: string; isLike: (operation: Operation) => boolean },
): OperationRef | undefined {
  const found = unresolved.findLast(
    (operation) =>
      operation.user === wanted.user && operation.request.kind === wanted.kind && wanted.isLike(operation),
  );
  return found && { user: found.user, id: found.id };
}
