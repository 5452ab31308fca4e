import { createHash } from 'node:crypto';
import type { DueIndex } from './due-index.ts';
import type { OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation, OperationRef } from './operation.ts';
import { type RecentAttempts, unresolvedLike } from './recent-attempts.ts';
import { type OperationStore, refOf, type Stored } from './store.ts';

/** Crockford's base 32: nothing that is misread when somebody reads the number to a person. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 8;
/** A claim that was written but whose executor never began is looked at after this. */
const CLAIM_LOOK_MS = 3_000;

export interface Intent {
  /** The update that asks for it: asked for again, it is the same draft. */
  update: number;
  user: number;
  account: number;
  language: Operation['language'];
  request: OperationRequest;
  /** TRX, decimal. */
  estimate?: string | undefined;
  balance?: string | undefined;
  /** A known address that the one asked for could be taken for. */
  lookalike?: string | undefined;
}

/** What a tap on *Confirm* or *Cancel* comes to. A claim is carried by its update's commit. */
export type Decision =
  | { kind: 'claim'; claim: { key: string; expected: string; value: string }; operation: Operation }
  | { kind: 'expired'; operation: Operation }
  | { kind: 'going' }
  /** Not theirs, not there, or another message than its card: nothing is said about why. */
  | { kind: 'none' };

export interface Drafts {
  /** The draft of an update, however often that comes. Where the user has one like it that isn't resolved, it says so. */
  draft(intent: Intent): Promise<Operation>;
  /** Says which message is the card: only there it can be decided on. Answers whether it is a draft still. */
  placeCard(ref: OperationRef, message: number): Promise<boolean>;
  /** A newer card takes its place; answers it where it wasn't decided on. */
  supersede(ref: OperationRef): Promise<Operation | undefined>;
  /** The draft, where it can still be decided on. */
  open(ref: OperationRef): Promise<Operation | undefined>;
  /** An operation of this user, however it stands. */
  find(ref: OperationRef): Promise<Operation | undefined>;
  confirm(ref: OperationRef, message: number): Promise<Decision>;
  cancel(ref: OperationRef, message: number): Promise<Decision>;
}

export function createDrafts(deps: {
  store: OperationStore;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  dueIndex: DueIndex;
  now: () => number;
}): Drafts {
  const { store, kinds, recentAttempts, dueIndex, now } = deps;

  async function decide(ref: OperationRef, message: number): Promise<Decision | Stored> {
    const stored = await store.read(ref);
    if (stored?.operation.card !== message) return { kind: 'none' };
    const { state, expiresAt } = stored.operation;
    if (state === 'claimed' || state === 'sent') return { kind: 'going' };
    if (state !== 'draft') return { kind: 'none' };
    return now() >= expiresAt
      ? { kind: 'expired', operation: { ...stored.operation, state: 'expired' } }
      : stored;
  }

  function claim(stored: Stored, change: Partial<Operation>): Decision {
    const { operation } = stored;
    const changed = { ...operation, ...change, revision: operation.revision + 1 };
    return { kind: 'claim', claim: store.claim(stored, changed), operation: changed };
  }

  async function unresolved({ user, account, request }: Intent): Promise<string | undefined> {
    const kind = kinds.of(request);
    const likeness = kind.likeness(request);
    const like = unresolvedLike(await recentAttempts.of(account), {
      user,
      kind: request.kind,
      isLike: (other) => kind.likeness(other.request) === likeness,
    });
    return like?.id;
  }

  return {
    async draft({ update, lookalike, ...intent }) {
      const id = idOf(intent.user, update);
      const before = await store.read({ user: intent.user, id });
      if (before) return before.operation;
      const createdAt = now();
      const like = await unresolved({ update, ...intent });
      const { operation } = await store.create({
        ...intent,
        warnings: { ...(lookalike && { lookalike }), ...(like && { like }) },
        id,
        state: 'draft',
        createdAt,
        expiresAt: createdAt + kinds.of(intent.request).lifetimeMs,
        late: false,
        revision: 0,
        notified: 0,
      });
      return operation;
    },
    async placeCard(ref, message) {
      const placed = await store.change(ref, (operation) =>
        operation.state === 'draft' ? { ...operation, card: message } : undefined,
      );
      return placed !== undefined;
    },
    async supersede(ref) {
      const superseded = await store.change(ref, (operation) =>
        operation.state === 'draft' ? { ...operation, state: 'replaced' } : undefined,
      );
      if (superseded) return superseded.operation;
      // By an earlier try of the same update, which may not have shown it.
      const operation = (await store.read(ref))?.operation;
      return operation?.state === 'replaced' ? operation : undefined;
    },
    async open(ref) {
      const operation = (await store.read(ref))?.operation;
      return operation?.state === 'draft' && now() < operation.expiresAt ? operation : undefined;
    },
    find: async (ref) => (await store.read(ref))?.operation,
    async confirm(ref, message) {
      const decided = await decide(ref, message);
      if ('kind' in decided) return decided;
      // Before the claim, so that a claim is found wherever the process ends.
      await dueIndex.putIn(refOf(decided), CLAIM_LOOK_MS);
      return claim(decided, { state: 'claimed', claimedAt: now() });
    },
    async cancel(ref, message) {
      const decided = await decide(ref, message);
      return 'kind' in decided ? decided : claim(decided, { state: 'cancelled' });
    },
  };
}

/** The same for the same update, so that one that comes again finds its own draft. */
function idOf(user: number, update: number): string {
  const digest = createHash('sha256').update(`${user}/${update}`).digest();
  return Array.from(digest.subarray(0, ID_LENGTH), (byte) => DIGITS[byte % DIGITS.length]).join('');
}
