import { randomInt } from 'node:crypto';
import type { DueIndex } from './due-index.ts';
import { kindOf, type OperationRequest } from './kinds/kinds.ts';
import type { Operation, OperationRef } from './operation.ts';
import type { OperationStore, Stored } from './store.ts';

/** Crockford's base 32: nothing that is misread when somebody reads the number to a person. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 8;
/** A claim that was written but whose executor never began is looked at after this. */
const CLAIM_LOOK_MS = 3_000;

export interface Intent {
  user: number;
  account: number;
  language: Operation['language'];
  request: OperationRequest;
  /** TRX, decimal. */
  estimate?: string | undefined;
  balance?: string | undefined;
}

/** What a tap on *Confirm* or *Cancel* comes to. A claim is carried by its update's commit. */
export type Decision =
  | { kind: 'claim'; claim: { key: string; expected: string; value: string }; operation: Operation }
  | { kind: 'expired'; operation: Operation }
  | { kind: 'going' }
  /** Not theirs, not there, or another message than its card: nothing is said about why. */
  | { kind: 'none' };

export interface Drafts {
  draft(intent: Intent): Promise<Operation>;
  /** Says which message is the card: only there it can be decided on. */
  placeCard(ref: OperationRef, message: number): Promise<void>;
  /** A newer card takes its place; answers whether it could still have been decided on. */
  supersede(ref: OperationRef): Promise<boolean>;
  /** Whether it can still be decided on. */
  isOpen(ref: OperationRef): Promise<boolean>;
  confirm(ref: OperationRef, message: number): Promise<Decision>;
  cancel(ref: OperationRef, message: number): Promise<Decision>;
}

export function createDrafts({
  store,
  dueIndex,
  now,
}: {
  store: OperationStore;
  dueIndex: DueIndex;
  now: () => number;
}): Drafts {
  async function decide(ref: OperationRef, message: number): Promise<Decision | Stored> {
    const stored = await store.read(ref);
    if (stored?.operation.card !== message) return { kind: 'none' };
    const { state, expiresAt } = stored.operation;
    if (state === 'claimed' || state === 'sent') return { kind: 'going' };
    if (state !== 'draft') return { kind: 'none' };
    return now() >= expiresAt ? { kind: 'expired', operation: stored.operation } : stored;
  }

  function claim(stored: Stored, change: Partial<Operation>): Decision {
    const { operation } = stored;
    const changed = { ...operation, ...change, revision: operation.revision + 1 };
    return { kind: 'claim', claim: store.claim(stored, changed), operation: changed };
  }

  return {
    async draft(intent) {
      const createdAt = now();
      const expiresAt = createdAt + kindOf(intent.request).lifetimeMs;
      const operation: Operation = {
        ...intent,
        id: newId(),
        state: 'draft',
        createdAt,
        expiresAt,
        late: false,
        revision: 0,
        notified: 0,
      };
      await store.create(operation);
      return operation;
    },
    async placeCard(ref, message) {
      await store.change(ref, (operation) =>
        operation.state === 'draft' ? { ...operation, card: message } : undefined,
      );
    },
    async supersede(ref) {
      const superseded = await store.change(ref, (operation) =>
        operation.state === 'draft' ? { ...operation, state: 'cancelled' } : undefined,
      );
      return superseded !== undefined;
    },
    async isOpen(ref) {
      const operation = (await store.read(ref))?.operation;
      return operation?.state === 'draft' && now() < operation.expiresAt;
    },
    async confirm(ref, message) {
      const decided = await decide(ref, message);
      if ('kind' in decided) return decided;
      // Before the claim, so that a claim is found wherever the process ends.
      await dueIndex.put(ref, now() + CLAIM_LOOK_MS);
      return claim(decided, { state: 'claimed', claimedAt: now() });
    },
    async cancel(ref, message) {
      const decided = await decide(ref, message);
      return 'kind' in decided ? decided : claim(decided, { state: 'cancelled' });
    },
  };
}

function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
}
