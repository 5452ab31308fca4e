import type { Rental } from '../rental/client.ts';
import type { AlreadyDone } from './already-done.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Locks } from './locks.ts';
import type { Operation, Refusal } from './operation.ts';
import { refusalOf } from './settle.ts';

/**
 * A confirmation that could not be carried out for this long isn't what its user wants any more. Clocks of replicas
 * that differ by seconds only make it that much shorter or longer: nothing is sent twice by it.
 */
const STALE_MS = 5 * 60_000;

/** What is known right before the request. */
export interface Prepared {
  apiKey: string;
  /** TRX, decimal: to compare with later. */
  balance: string;
  /** By number, what is on the service's list that the request is about. */
  listed?: number[];
}

export interface PrepareDeps {
  kinds: Kinds;
  locks: Locks;
  alreadyDone: AlreadyDone;
  rental: Rental;
  apiKey: (user: number, account: number) => Promise<string | undefined>;
  now: () => number;
}

/** Everything that can still say no before a byte is sent. */
export function createPrepare(deps: PrepareDeps): (operation: Operation) => Promise<Prepared | Refusal> {
  const { kinds, locks, alreadyDone, rental, now } = deps;

  /** What the request is about is this operation's alone, and as it is right now it isn't done or gone already. */
  async function prepareListed(operation: Operation, prepared: Prepared): Promise<Prepared | Refusal> {
    const { listing } = kinds.of(operation.request);
    if (listing === undefined) return prepared;
    if (!(await locks.take(operation))) return refusal('locked');
    const listed = await listing.read(rental, prepared.apiKey);
    if (listed.kind !== 'accepted') return refusalOf(listed);
    const obstacle = listing.obstacle(operation.request, listed.value);
    return obstacle ? refusal(obstacle) : { ...prepared, listed: listed.value.map(({ id }) => id) };
  }

  return async (operation) => {
    const { user, account, request, claimedAt = 0 } = operation;
    if (now() - claimedAt > STALE_MS) return refusal('expired');
    const [isDone, apiKey] = await Promise.all([alreadyDone.isDone(request), deps.apiKey(user, account)]);
    if (isDone) return refusal('already');
    if (apiKey === undefined) return refusal('unlinked');
    const profile = await rental.profile(apiKey);
    if (profile.kind !== 'accepted') return refusalOf(profile);
    if (profile.value.id !== account) return refusal('unlinked');
    return prepareListed(operation, { apiKey, balance: profile.value.balance_trx });
  };
}

function refusal(reason: Refusal['reason']): Refusal {
  return { reason, code: reason.toUpperCase(), seconds: 0 };
}
