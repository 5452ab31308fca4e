import { isRecent } from '../platform/clock.ts';
import type { Durability, Storage } from '../platform/storage.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { OperationKind, OperationRequest } from './kinds/kind.ts';
import type { Maintenance } from './maintenance.ts';

/** Maximum age of a check that found the storage durable, in milliseconds. */
const TRUSTED_MS = 60_000;
/** Maximum age of a check that found it not durable, in milliseconds. */
const DOUBTED_MS = 5_000;

/**
 * Reason why payments are closed. `maintenance` only if the storage is no reason. `why` is for operators of the bot; `by`
 * selects the text for users.
 */
export interface Closed {
  by: 'maintenance' | 'storage' | 'data-lost';
  why: string;
}

/** Accepts payments only while the storage would keep a claim and maintenance mode is off. */
export interface PaymentsGate {
  /** Returns why payments are closed, or `undefined`. Uses a recent check of the storage's durability. */
  closed(): Promise<Closed | undefined>;
  /** Like {@link closed}, with a new check of the storage's durability. Call before a claim. */
  closedNow(): Promise<Closed | undefined>;
}

/** Returns why an operation isn't accepted. Maintenance doesn't close payments for what only ends costs. */
export function closedTo(
  { onlyEndsCosts }: Pick<OperationKind, 'onlyEndsCosts'>,
  request: OperationRequest,
  closed: Closed | undefined,
): Closed | undefined {
  return closed?.by === 'maintenance' && onlyEndsCosts?.(request) ? undefined : closed;
}

/** Creates the gate. `volatile` allows a storage that isn't durable: only for a service on loopback with play money. */
export function createPaymentsGate(deps: {
  storage: Pick<Storage, 'durability'>;
  volatile: boolean;
  continuity: Pick<ContinuityWatch, 'obstacle'>;
  maintenance: Pick<Maintenance, 'find'>;
  now: () => number;
}): PaymentsGate {
  const { storage, volatile, continuity, maintenance, now } = deps;
  let lastCheck: { durability: Durability; at: number } | undefined;

  async function checkDurability(): Promise<Durability> {
    lastCheck = { durability: await storage.durability(), at: now() };
    return lastCheck.durability;
  }

  async function recentDurability(): Promise<Durability> {
    const maxAgeMs = lastCheck?.durability.durable ? TRUSTED_MS : DOUBTED_MS;
    return lastCheck && isRecent(lastCheck.at, maxAgeMs, now()) ? lastCheck.durability : checkDurability();
  }

  async function byStorage(durability: () => Promise<Durability>): Promise<Closed | undefined> {
    if (volatile) return undefined;
    const [found, obstacle] = await Promise.all([durability(), continuity.obstacle()]);
    return found.durable ? obstacle : { by: 'storage', why: found.why };
  }

  async function closed(durability: () => Promise<Durability>): Promise<Closed | undefined> {
    // In parallel, so that both take one round trip.
    const [on, stored] = await Promise.all([maintenance.find(), byStorage(durability)]);
    return stored ?? (on && { by: 'maintenance', why: 'maintenance mode is on' });
  }

  return { closed: () => closed(recentDurability), closedNow: () => closed(checkDurability) };
}
