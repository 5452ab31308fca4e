// Drafts: operations before their confirmation.

import { createHash } from 'node:crypto';
import type { Storage } from '../platform/storage.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import { type RecentAttempts, unresolvedLike } from './limits.ts';
import { isVoid, type Operation, type OperationRef } from './operation.ts';
import { OPERATIONS, type OperationStore, type Stored } from './store.ts';

/** Crockford's base 32: without characters that are misread when a user reads the number aloud. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 8;
const PLACES = 1_000;

interface Intent {
  /** Id of the update that requests the draft. A repeated update finds the same draft. */
  update: number;
  user: number;
  account: number;
  /** Set if an admin pays from the operator account through a reference to it. */
  operators?: true | undefined;
  language: Operation['language'];
  request: OperationRequest;
  /** Estimated cost and shown balance, in TRX (decimal). */
  estimate?: string | undefined;
  balance?: string | undefined;
  /** Known address that resembles the requested one. */
  lookalike?: string | undefined;
}

export interface Drafts {
  /**
   * Returns the draft of an update, however often the update is processed. The draft has a warning if the user has a
   * similar unresolved operation.
   */
  draft(intent: Intent): Promise<Operation>;
  /**
   * Remembers which message shows the draft, in case this process handles the same update again. The session holds the
   * permanent reference.
   */
  placeCard(draft: Operation, message: number): void;
  /** Marks a draft as replaced by a newer card. Returns it unless it was confirmed or cancelled before. */
  supersede(former: Stored): Promise<Operation | undefined>;
  /** Cancels a draft that its user left for another flow. Returns it unless it was confirmed or cancelled before. */
  cancelLeft(ref: OperationRef): Promise<Operation | undefined>;
  /**
   * Records that the chat already shows a cancelled operation as cancelled. Otherwise the notifier would edit its card
   * again.
   */
  markShown(cancelled: Stored): Promise<void>;
  /** Returns the draft if it can still be confirmed. */
  open(ref: OperationRef): Promise<Operation | undefined>;
  /** Returns an operation of this user, in any state. */
  find(ref: OperationRef): Promise<Operation | undefined>;
  /** Like {@link find}, with the record that a change needs. */
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

  /**
   * Adds the warning in a separate write. Similar operations are rare, so creating the draft doesn't wait for the
   * search.
   */
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
      // Replaced by an earlier try of the same update, which may not have shown the change.
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

/** Derives the operation's id from the update, so that a repeated update finds its own draft. */
function idOf(user: number, update: number): string {
  const digest = createHash('sha256').update(`${user}/${update}`).digest();
  return Array.from(digest.subarray(0, ID_LENGTH), (byte) => DIGITS[byte % DIGITS.length]).join('');
}

/**
 * States in which nothing was sent, nor ever will be. `awaiting` is missing: such an operation expires by itself, and
 * its card must show that.
 */
const UNCONFIRMED: readonly Operation['state'][] = ['draft', 'cancelled', 'replaced', 'expired', 'void'];

/**
 * Erases a user's unconfirmed operations under the given keys that were created no later than `at` (epoch
 * milliseconds). Keeps an operation that is confirmed at the same time, because the deletion compares the record. Also
 * keeps expired and void ones until the user was notified.
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
