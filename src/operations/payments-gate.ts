import type { Durability, Storage } from '../storage/storage.ts';

const TRUSTED_MS = 60_000;
const DOUBTED_MS = 5_000;

/** Whether money is taken at all: only while the storage would keep a claim (docs/architecture.md, money). */
export interface PaymentsGate {
  /** Why nothing is taken; `undefined` while it is open. */
  closed(): Promise<string | undefined>;
  /** The same, as it is at this moment: to be asked before a claim. */
  closedNow(): Promise<string | undefined>;
}

/** `volatile` allows a storage that forgets: only beside a service on loopback, whose money is play money. */
export function createPaymentsGate({
  storage,
  volatile,
  lost,
  now,
}: {
  storage: Pick<Storage, 'durability'>;
  volatile: boolean;
  /** Whether the storage lost its data a moment ago: then nobody knows yet what else it loses. */
  lost: () => Promise<boolean>;
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

  async function why(durability: () => Promise<Durability>): Promise<string | undefined> {
    if (volatile) return undefined;
    const [found, isLost] = await Promise.all([durability(), lost()]);
    if (!found.durable) return found.why;
    return isLost ? 'the storage lost its data a moment ago' : undefined;
  }

  return { closed: () => why(lastSeen), closedNow: () => why(look) };
}
