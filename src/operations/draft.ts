import { createHash } from 'node:crypto';
import type { Storage } from '../platform/storage.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import { type RecentAttempts, unresolvedLike } from './limits.ts';
import { isVoid, type Operation, type OperationRef } from './operation.ts';
import { OPERATIONS, type OperationStore, type Stored } from './store.ts';

/** Crockford's base 32: nothing that is misread when somebody reads the number to a person. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 8;
const PLACES = 1_000;

interface Intent {
  /** The update that asks for it: asked for again, it is the same draft. */
  update: number;
  user: number;
  account: number;
  /** It is the operator's, by an admin's reference. */
  operators?: true | undefined;
  language: Operation['language'];
  request: OperationRequest;
  /** TRX, decimal. */
  estimate?: string | undefined;
  balance?: string | undefined;
  /** A known address that the one asked for could be taken for. */
  lookalike?: string | undefined;
}

export interface Drafts {
  /** The draft of an update, however often that comes. Where the user has one like it that isn't resolved, it says so. */
  draft(intent: Intent): Promise<Operation>;
  /** Remembers which message shows it, for an update that this process handles once more. Its place is in the session. */
  placeCard(draft: Operation, message: number): void;
  /** Marks that a newer card has its place; answers it where it wasn't decided on. */
  supersede(former: Stored): Promise<Operation | undefined>;
  /** Cancels a draft that its user has left for something else. Returns it unless it was decided on before. */
  cancelLeft(ref: OperationRef): Promise<Operation | undefined>;
  /** Records that the chat shows a cancelled operation as it is. Otherwise the notifier would edit its card again. */
  markShown(cancelled: Stored): Promise<void>;
  /** The draft, where it can still be decided on. */
  open(ref: OperationRef): Promise<Operation | undefined>;
  /** An operation of this user, however it stands. */
  find(ref: OperationRef): Promise<Operation | undefined>;
  /** The same, to be changed. */
  read(ref: OperationRef): Promise<Stored | undefined>;
}

export function createDrafts(deps: {
  store: OperationStore;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  continuity: Pick<ContinuityWatch, 'last'>;
  now: () => number;
}): Drafts {
  const { store, kinds, recentAttempts, continuity, now } = deps;
  const placed = new Map<string, number>();

  async function unresolved({ user, account, request }: Intent): Promise<string | undefined> {
    const kind = kinds.of(request);
    const likeness = kind.likeness(request);
    const like = unresolvedLike(await recentAttempts.unresolvedOf(account), {
      user,
      kind: request.kind,
      isLike: (other) => kind.likeness(other.request) === likeness,
    });
    return like?.id;
  }

  /** What is found to be like it is written down apart, since there seldom is anything: the draft waits for no search. */
  async function warn(draft: Operation, like: string): Promise<Operation | undefined> {
    const warned = await store.change(draft, (present) =>
      present.state === 'draft' && present.warnings?.like !== like
        ? { ...present, warnings: { ...present.warnings, like } }
        : undefined,
    );
    return warned?.operation;
  }

  return {
    async draft({ update, lookalike, ...intent }) {
      const id = idOf(intent.user, update);
      const createdAt = now();
      const { epoch } = await continuity.last();
      const created = store.create({
        ...intent,
        warnings: lookalike ? { lookalike } : {},
        id,
        epoch,
        state: 'draft',
        createdAt,
        expiresAt: createdAt + kinds.of(intent.request).lifetimeMs,
        late: false,
        revision: 0,
        notified: 0,
      });
      const [draft, like] = await Promise.all([created, unresolved({ update, ...intent })]);
      const warned = like !== undefined && (await warn(draft, like));
      return { ...(warned || draft), card: draft.card ?? placed.get(id) };
    },
    placeCard({ id }, message) {
      if (placed.size >= PLACES) placed.clear();
      placed.set(id, message);
    },
    async cancelLeft(ref) {
      const present = await continuity.last();
      const cancelled = await store.change(ref, (operation) => {
        if (operation.state !== 'draft') return undefined;
        return { ...operation, state: isVoid(operation, present) ? 'void' : 'cancelled' };
      });
      return cancelled?.operation;
    },
    async supersede(former) {
      const present = await continuity.last();
      let seen: Operation | undefined;
      const superseded = await store.change(former, (operation) => {
        seen = operation;
        if (operation.state !== 'draft') return undefined;
        return { ...operation, state: isVoid(operation, present) ? 'void' : 'replaced' };
      });
      // By an earlier try of the same update, which may not have shown it.
      const isSuperseded = seen?.state === 'replaced' || seen?.state === 'void';
      return superseded?.operation ?? (isSuperseded ? seen : undefined);
    },
    async markShown(cancelled) {
      const { revision } = cancelled.operation;
      await store.change(cancelled, (present) =>
        present.revision === revision ? { ...present, notified: revision } : undefined,
      );
    },
    async open(ref) {
      const [stored, present] = await Promise.all([store.read(ref), continuity.last()]);
      const operation = stored?.operation;
      if (operation?.state !== 'draft' || isVoid(operation, present)) return undefined;
      return now() < operation.expiresAt ? operation : undefined;
    },
    read: store.read,
    find: async (ref) => (await store.read(ref))?.operation,
  };
}

/** The same for the same update, so that one that comes again finds its own draft. */
function idOf(user: number, update: number): string {
  const digest = createHash('sha256').update(`${user}/${update}`).digest();
  return Array.from(digest.subarray(0, ID_LENGTH), (byte) => DIGITS[byte % DIGITS.length]).join('');
}

/** Nothing was ever sent of these, nor will be. One that awaits its code expires by itself, which its card is to say. */
const UNCONFIRMED: readonly Operation['state'][] = ['draft', 'cancelled', 'replaced', 'expired', 'void'];

/**
 * Erases what a user never confirmed and made no later than `at` (epoch milliseconds), of what is under these keys. What
 * is confirmed at this very moment stays: it is erased only as it was read.
 */
export type ForgetUnconfirmed = (user: number, keys: readonly string[], at: number) => Promise<void>;

export function createForgetUnconfirmed(deps: {
  storage: Pick<Storage, 'delete'>;
  store: Pick<OperationStore, 'readable'>;
}): ForgetUnconfirmed {
  const { storage, store } = deps;
  return async (user, keys, at) => {
    const begin = `${OPERATIONS}{${user}}:`;
    for (const key of keys.filter((one) => one.startsWith(begin))) {
      const found = await store.readable({ user, id: key.slice(begin.length) });
      if (typeof found !== 'object') continue;
      const { state, claimedAt, createdAt, notified, revision } = found.operation;
      if (!UNCONFIRMED.includes(state) || claimedAt !== undefined || createdAt > at) continue;
      if ((state === 'expired' || state === 'void') && notified < revision) continue;
      await storage.delete(key, found.record.text);
    }
  };
}
