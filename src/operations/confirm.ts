import type { ChatChanges, Continuity, Durability, Storage } from '../platform/storage.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Maintenance } from './maintenance.ts';
import { isVoid, type Operation, type OperationRef } from './operation.ts';
import type { DueIndex } from './recheck-schedule.ts';
import type { OperationStore, Stored } from './store.ts';

/** A claim that was written but whose executor never began is looked at after this. */
const CLAIM_LOOK_MS = 3_000;

const AWAITING = { state: 'awaiting' } as const;

/** A card in the chat: whose, and on which message. */
export interface PlacedCard {
  operation: string;
  message: number;
}

/** What was read of an operation that is to be confirmed. */
interface Looked {
  stored: Stored | undefined;
}

/**
 * What a tap on *Confirm* or *Cancel* comes to.
 *
 * - `claim`: it is carried by the commit of the tap's update, after which `claimed` is what stands.
 * - `expired`, `going`, `decided`: it is too late for it.
 * - `void`: the storage may have been rolled back since the card was made, so it may have been confirmed before.
 * - `elsewhere`: its card stands on another message.
 * - `replaced`: a newer card has its place.
 * - `unplaced`: no card of it counts yet, since what showed it never came to its commit.
 * - `none`: not theirs, or not there; nothing is said about why.
 */
export type Decision =
  | { kind: 'claim'; claim: NonNullable<ChatChanges['claim']>; claimed: Stored; operation: Operation }
  | {
      kind: 'expired' | 'void' | 'going' | 'decided' | 'elsewhere' | 'replaced' | 'unplaced';
      operation: Operation;
    }
  | { kind: 'none' };

/** Taps on a card: what they come to. */
export interface Decisions {
  /** Reads one that is to be confirmed, and has it watched from now on. */
  look(ref: OperationRef): Promise<Looked>;
  /**
   * `open` is the card that the chat's session holds, as the update began with it: it alone can be decided on. A session
   * is written by commits only, each of which holds the chat's lease since it was read, and the claim is a part of such
   * a commit. So whatever runs at once, a user has one open draft. `looked`: what {@link look} answers.
   */
  confirm(
    ref: OperationRef,
    message: number,
    open: PlacedCard | undefined,
    looked?: Looked,
  ): Promise<Decision>;
  /** Its code has come: it is claimed within its card's life, and only where that is awaited. */
  withCode(ref: OperationRef): Promise<Decision>;
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
    // The commit asks for the epoch once more: the storage may be rolled back right before it.
    const isCounted = changed.state === 'claimed' && operation.epoch !== undefined;
    const epoch = isCounted ? { epoch: operation.epoch } : {};
    return { kind: 'claim', claim: { ...write, ...epoch }, claimed, operation: changed };
  }

  const claimedNow = ({ run }: Continuity) => ({ state: 'claimed' as const, claimedAt: now(), run });

  async function look(ref: OperationRef): Promise<Looked> {
    // Before the claim, so that a claim is found wherever the process ends; where it comes to none, nothing is found.
    // Never later than it is looked at already: whoever taps on and on would put it off for as long.
    const [stored] = await Promise.all([store.read(ref), dueIndex.putWithin(ref, CLAIM_LOOK_MS)]);
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

const TRUSTED_MS = 60_000;
const DOUBTED_MS = 5_000;

/** `why` is for who runs the bot; its users are told by what it is closed. */
export interface Closed {
  by: 'maintenance' | 'storage' | 'data-lost';
  why: string;
}

/** Whether money is taken at all: only while the storage would keep a claim, and nobody works on the bot (docs/architecture.md, money). */
export interface PaymentsGate {
  /** Why nothing is taken; `undefined` while it is open. */
  closed(): Promise<Closed | undefined>;
  /** The same, as it is at this moment: to be asked before a claim. */
  closedNow(): Promise<Closed | undefined>;
}

/** `volatile` allows a storage that forgets: only beside a service on loopback, whose money is play money. */
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
    // Together: they are one way to the storage and back.
    const [on, stored] = await Promise.all([maintenance.find(), byStorage(durability)]);
    return on ? { by: 'maintenance', why: 'maintenance mode is on' } : stored;
  }

  return { closed: () => closed(lastSeen), closedNow: () => closed(look) };
}
