import type { Durability, Storage } from '../storage/storage.ts';
import type { ContinuityWatch } from './continuity.ts';
import type { Maintenance } from './maintenance.ts';

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
