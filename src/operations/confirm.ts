// Decides taps on *Confirm* and *Cancel*, and whether payments are open.

import type { ChatChanges, Continuity, Durability, Storage } from '../platform/storage.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Maintenance } from './maintenance.ts';
import { isVoid, type Operation, type OperationRef } from './operation.ts';
import type { DueIndex } from './recheck-schedule.ts';
import type { OperationStore, Stored } from './store.ts';

/**
 * Delay until the reconciler checks an operation after a tap on *Confirm*, in milliseconds. Its process may have ended
 * before executing the claim.
 */
const CLAIM_LOOK_MS = 3_000;

const AWAITING = { state: 'awaiting' } as const;

/** Card in the chat: its operation and its message. */
export interface PlacedCard {
  operation: string;
  message: number;
}

/** Operation that was read before its confirmation. */
interface Looked {
  stored: Stored | undefined;
}

/**
 * Result of a tap on *Confirm* or *Cancel*.
 *
 * - `claim`: the commit of the tap's update carries `claim`. It stores `claimed`.
 * - `expired`, `going`, `decided`: the tap is too late.
 * - `void`: the storage may have been rolled back since the card was made, so it may have been confirmed before.
 * - `elsewhere`: the card is now on another message.
 * - `replaced`: a newer card has replaced this one.
 * - `unplaced`: the card doesn't count yet, because the update that showed it was never committed.
 * - `none`: the operation doesn't exist or belongs to another user. The user doesn't see which.
 */
export type Decision =
  | { kind: 'claim'; claim: NonNullable<ChatChanges['claim']>; claimed: Stored; operation: Operation }
  | {
      kind: 'expired' | 'void' | 'going' | 'decided' | 'elsewhere' | 'replaced' | 'unplaced';
      operation: Operation;
    }
  | { kind: 'none' };

/** Decides taps on the buttons of a card. */
export interface Decisions {
  /** Reads an operation before its confirmation, and schedules a check by the reconciler. */
  look(ref: OperationRef): Promise<Looked>;
  /**
   * Decides a tap on *Confirm*. `open` is the card that the chat's session had when the update began. Only this card
   * can be confirmed.
   *
   * Only commits write a session. Each commit holds the chat's lease since it read the session, and the claim is part
   * of the commit. So a user has one open draft, whatever runs concurrently.
   *
   * `looked`: the result of {@link look}.
   */
  confirm(
    ref: OperationRef,
    message: number,
    open: PlacedCard | undefined,
    looked?: Looked,
  ): Promise<Decision>;
  /** Claims an operation whose one-time code has arrived, if it awaits a code and hasn't expired. */
  withCode(ref: OperationRef): Promise<Decision>;
  /** Decides a tap on *Cancel*. `open` as in {@link confirm}. */
  cancel(ref: OperationRef, message: number, open: PlacedCard | undefined): Promise<Decision>;
}

export function createDecisions(deps: {
  store: OperationStore;
  kinds: Kinds;
  dueIndex: DueIndex;
  continuity: Pick<ContinuityWatch, 'last'>;
  now: () => number;
}): Decisions {
  const { store, kinds, dueIndex, continuity, now } = deps;

  async function decide(
    stored: Stored | undefined,
    message: number,
    open: PlacedCard | undefined,
    present: Continuity,
  ): Promise<Decision | Stored> {
    if (stored === undefined) return { kind: 'none' };
    const { operation } = stored;
    const { id, user, state, expiresAt } = operation;
    if (state === 'claimed' || state === 'sent') return { kind: 'going', operation };
    const isOpen = state === 'draft' || state === 'awaiting';
    if (isOpen && isVoid(operation, present))
      return { kind: 'void', operation: { ...operation, state: 'void' } };
    if (state !== 'draft') return { kind: 'decided', operation };
    if (now() >= expiresAt) return { kind: 'expired', operation: { ...operation, state: 'expired' } };
    if (open?.operation === id) return open.message === message ? stored : { kind: 'elsewhere', operation };
    const newer = open && (await store.read({ user, id: open.operation }))?.operation;
    return { kind: newer && newer.createdAt >= operation.createdAt ? 'replaced' : 'unplaced', operation };
  }

  function claim(stored: Stored, change: Partial<Operation>): Decision {
    const { operation } = stored;
    const changed = { ...operation, ...change, revision: operation.revision + 1 };
    const { write, claimed } = store.claim(stored, changed);
    // The commit checks the epoch again: the storage may be rolled back right before it.
    const isCounted = changed.state === 'claimed' && operation.epoch !== undefined;
    const epoch = isCounted ? { epoch: operation.epoch } : {};
    return { kind: 'claim', claim: { ...write, ...epoch }, claimed, operation: changed };
  }

  const claimedNow = ({ run }: Continuity) => ({ state: 'claimed' as const, claimedAt: now(), run });

  async function look(ref: OperationRef): Promise<Looked> {
    // Scheduled before the claim, so that the reconciler finds the claim even if this process ends.
    // Never postpones an earlier check: repeated taps could postpone it forever.
    const [stored] = await Promise.all([store.read(ref), dueIndex.scheduleNoLaterThan(ref, CLAIM_LOOK_MS)]);
    return { stored };
  }

  return {
    look,
    async confirm(ref, message, open, looked) {
      const { stored } = looked ?? (await look(ref));
      const present = await continuity.last();
      const decided = await decide(stored, message, open, present);
      if ('kind' in decided) return decided;
      const { request } = decided.operation;
      const isAwaiting = kinds.of(request).needsCode?.(request) === true;
      return claim(decided, { ...(isAwaiting ? AWAITING : claimedNow(present)), card: message });
    },
    async withCode(ref) {
      const { stored } = await look(ref);
      if (stored === undefined) return { kind: 'none' };
      const { operation } = stored;
      if (operation.state !== 'awaiting') return { kind: 'decided', operation };
      const present = await continuity.last();
      if (isVoid(operation, present)) return { kind: 'void', operation: { ...operation, state: 'void' } };
      if (now() >= operation.expiresAt) return { kind: 'expired', operation };
      return claim(stored, claimedNow(present));
    },
    async cancel(ref, message, open) {
      const stored = await store.read(ref);
      const present = await continuity.last();
      const isAwaiting = stored?.operation.state === 'awaiting' && stored.operation.card === message;
      const isWaiting = isAwaiting && !isVoid(stored.operation, present);
      const decided = isWaiting ? stored : await decide(stored, message, open, present);
      return 'kind' in decided ? decided : claim(decided, { state: 'cancelled', card: message });
    },
  };
}

/** Maximum age of a check that found the storage durable, in milliseconds. */
const TRUSTED_MS = 60_000;
/** Maximum age of a check that found it not durable, in milliseconds. */
const DOUBTED_MS = 5_000;

/** Reason why payments are closed. `why` is for operators of the bot; `by` selects the text for users. */
export interface Closed {
  by: 'maintenance' | 'storage' | 'data-lost';
  why: string;
}

/**
 * Accepts payments only while the storage would keep a claim and maintenance mode is off (docs/architecture.md, money).
 */
export interface PaymentsGate {
  /**
   * Returns why payments are closed, or `undefined`. Uses a recent check of the storage's durability if there is one.
   */
  closed(): Promise<Closed | undefined>;
  /** Like {@link closed}, with a new check of the storage's durability. Call before a claim. */
  closedNow(): Promise<Closed | undefined>;
}

/** Creates the gate. `volatile` allows a storage that isn't durable: only for a service on loopback with play money. */
export function createPaymentsGate({
  storage,
  volatile,
  continuity,
  maintenance,
  now,
}: {
  storage: Pick<Storage, 'durability'>;
  volatile: boolean;
  continuity: Pick<ContinuityWatch, 'obstacle'>;
  maintenance: Pick<Maintenance, 'find'>;
  now: () => number;
}): PaymentsGate {
  let seen: { durability: Durability; at: number } | undefined;

  async function look(): Promise<Durability> {
    seen = { durability: await storage.durability(), at: now() };
    return seen.durability;
  }

  async function lastSeen(): Promise<Durability> {
    const trusted = seen?.durability.durable ? TRUSTED_MS : DOUBTED_MS;
    return seen && now() - seen.at < trusted ? seen.durability : look();
  }

  async function byStorage(durability: () => Promise<Durability>): Promise<Closed | undefined> {
    if (volatile) return undefined;
    const [found, obstacle] = await Promise.all([durability(), continuity.obstacle()]);
    return found.durable ? obstacle : { by: 'storage', why: found.why };
  }

  async function closed(durability: () => Promise<Durability>): Promise<Closed | undefined> {
    // In parallel, so that both take one round trip.
    const [on, stored] = await Promise.all([maintenance.find(), byStorage(durability)]);
    return on ? { by: 'maintenance', why: 'maintenance mode is on' } : stored;
  }

  return { closed: () => closed(lastSeen), closedNow: () => closed(look) };
}
