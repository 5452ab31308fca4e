import { createHash } from 'node:crypto';
import type { ChatChanges } from '../storage/storage.ts';
import type { DueIndex } from './due-index.ts';
import type { OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation, OperationRef } from './operation.ts';
import { type RecentAttempts, unresolvedLike } from './recent-attempts.ts';
import type { OperationStore, Stored } from './store.ts';

/** Crockford's base 32: nothing that is misread when somebody reads the number to a person. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 8;
/** A claim that was written but whose executor never began is looked at after this. */
const CLAIM_LOOK_MS = 3_000;
const PLACES = 1_000;

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
  /** A known address that the one asked for could be taken for; it is looked for meanwhile. */
  lookalike?: Promise<string | undefined>;
}

/** A card in the chat: whose, and on which message. */
export interface PlacedCard {
  operation: string;
  message: number;
}

/**
 * What a tap on *Confirm* or *Cancel* comes to.
 *
 * - `claim`: it is carried by the commit of the tap's update, after which `claimed` is what stands.
 * - `expired`, `going`, `decided`: it is too late for it.
 * - `elsewhere`: its card stands on another message.
 * - `replaced`: a newer card has its place.
 * - `unplaced`: no card of it counts yet, since what showed it never came to its commit.
 * - `none`: not theirs, or not there; nothing is said about why.
 */
export type Decision =
  | { kind: 'claim'; claim: NonNullable<ChatChanges['claim']>; claimed: Stored; operation: Operation }
  | { kind: 'expired' | 'going' | 'decided' | 'elsewhere' | 'replaced' | 'unplaced'; operation: Operation }
  | { kind: 'none' };

export interface Drafts {
  /** The draft of an update, however often that comes. Where the user has one like it that isn't resolved, it says so. */
  draft(intent: Intent): Promise<Operation>;
  /** Remembers which message shows it, for an update that this process handles once more. Its place is in the session. */
  placeCard(draft: Operation, message: number): void;
  /** Marks that a newer card has its place; answers it where it wasn't decided on. */
  supersede(ref: OperationRef): Promise<Operation | undefined>;
  /** The draft, where it can still be decided on. */
  open(ref: OperationRef): Promise<Operation | undefined>;
  /** An operation of this user, however it stands. */
  find(ref: OperationRef): Promise<Operation | undefined>;
  /**
   * `open` is the card that the chat's session holds, as the update began with it: it alone can be decided on. A session
   * is written by commits only, each of which holds the chat's lease since it was read, and the claim is a part of such
   * a commit. So whatever runs at once, a user has one open draft.
   */
  confirm(ref: OperationRef, message: number, open: PlacedCard | undefined): Promise<Decision>;
  cancel(ref: OperationRef, message: number, open: PlacedCard | undefined): Promise<Decision>;
}

export function createDrafts(deps: {
  store: OperationStore;
  kinds: Kinds;
  recentAttempts: RecentAttempts;
  dueIndex: DueIndex;
  now: () => number;
}): Drafts {
  const { store, kinds, recentAttempts, dueIndex, now } = deps;
  const placed = new Map<string, number>();

  async function decide(
    ref: OperationRef,
    message: number,
    open: PlacedCard | undefined,
  ): Promise<Decision | Stored> {
    const stored = await store.read(ref);
    if (stored === undefined) return { kind: 'none' };
    const { operation } = stored;
    const { state, expiresAt } = operation;
    if (state === 'claimed' || state === 'sent') return { kind: 'going', operation };
    if (state !== 'draft') return { kind: 'decided', operation };
    if (now() >= expiresAt) return { kind: 'expired', operation: { ...operation, state: 'expired' } };
    if (open?.operation === ref.id)
      return open.message === message ? stored : { kind: 'elsewhere', operation };
    const newer = open && (await store.read({ user: ref.user, id: open.operation }))?.operation;
    return { kind: newer && newer.createdAt >= operation.createdAt ? 'replaced' : 'unplaced', operation };
  }

  function claim(stored: Stored, change: Partial<Operation>): Decision {
    const { operation } = stored;
    const changed = { ...operation, ...change, revision: operation.revision + 1 };
    const { write, claimed } = store.claim(stored, changed);
    return { kind: 'claim', claim: write, claimed, operation: changed };
  }

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

  return {
    async draft({ update, lookalike: similar, ...intent }) {
      const id = idOf(intent.user, update);
      const [before, like, lookalike] = await Promise.all([
        store.read({ user: intent.user, id }),
        unresolved({ update, ...intent }),
        similar,
      ]);
      if (before) return { ...before.operation, card: before.operation.card ?? placed.get(id) };
      const createdAt = now();
      return store.create({
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
    },
    placeCard({ id }, message) {
      if (placed.size >= PLACES) placed.clear();
      placed.set(id, message);
    },
    async supersede(ref) {
      let seen: Operation | undefined;
      const superseded = await store.change(ref, (operation) => {
        seen = operation;
        return operation.state === 'draft' ? { ...operation, state: 'replaced' } : undefined;
      });
      // By an earlier try of the same update, which may not have shown it.
      return superseded?.operation ?? (seen?.state === 'replaced' ? seen : undefined);
    },
    async open(ref) {
      const operation = (await store.read(ref))?.operation;
      return operation?.state === 'draft' && now() < operation.expiresAt ? operation : undefined;
    },
    find: async (ref) => (await store.read(ref))?.operation,
    async confirm(ref, message, open) {
      // Before the claim, so that a claim is found wherever the process ends; where it comes to none, nothing is found.
      const [decided] = await Promise.all([decide(ref, message, open), dueIndex.putIn(ref, CLAIM_LOOK_MS)]);
      if ('kind' in decided) return decided;
      return claim(decided, { state: 'claimed', claimedAt: now(), card: message });
    },
    async cancel(ref, message, open) {
      const decided = await decide(ref, message, open);
      return 'kind' in decided ? decided : claim(decided, { state: 'cancelled', card: message });
    },
  };
}

/** The same for the same update, so that one that comes again finds its own draft. */
function idOf(user: number, update: number): string {
  const digest = createHash('sha256').update(`${user}/${update}`).digest();
  return Array.from(digest.subarray(0, ID_LENGTH), (byte) => DIGITS[byte % DIGITS.length]).join('');
}
