import type { z } from 'zod';
import type { NewRecord, SignedRecords } from '../storage/signed-records.ts';
import type { Operation, OperationRef } from './operation.ts';

/** What the keys of attempts begin with. */
export const ATTEMPTS = 'attempt:';

/** Longer than a claim may wait for its attempt, and as long as its outcome is searched for. */
const KEPT_MS = 24 * 3600_000;

/**
 * What confirmations came to, apart from the operations' own records: so that one that is put back as it was before
 * doesn't spend again, or after all, and one that is lost amid the attempt isn't forgotten.
 */
export interface Attempts {
  /**
   * To be asked before it is told that no request was made: answers whether this is the first end that the confirmation
   * comes to.
   */
  begin(operation: Operation): Promise<boolean>;
  /** The same for who adds {@link recordOf} by itself, right before the request: `added` says whether that took place. */
  begun(operation: Operation, added: boolean): boolean;
  recordOf(operation: Operation): NewRecord & { key: string };
  /** The operation as it was then. */
  recall(ref: OperationRef): Promise<Operation | undefined>;
}

export function createAttempts(deps: {
  records: SignedRecords;
  schema: z.ZodType<Operation>;
  now: () => number;
}): Attempts {
  const { records, schema, now } = deps;
  const keyOf = ({ user, id }: OperationRef) => `${ATTEMPTS}{${user}}:${id}`;
  /** This process's own: it stands also where the one in storage was removed. */
  const made = new Map<string, number>();

  /** They stand in their order: the first one that is young ends the search, among a day's thousands. */
  function forgetOld(): void {
    for (const [key, at] of made) {
      if (at >= now() - KEPT_MS) return;
      made.delete(key);
    }
  }

  function isFirstHere(key: string): boolean {
    forgetOld();
    if (made.has(key)) return false;
    made.set(key, now());
    return true;
  }

  const recordOf = (operation: Operation) => ({
    key: keyOf(operation),
    content: JSON.stringify(operation),
    ttlMs: KEPT_MS,
  });

  return {
    async begin(operation) {
      const { key, content, ...lifetime } = recordOf(operation);
      return isFirstHere(key) && records.add(key, content, lifetime);
    },
    begun: (operation, added) => isFirstHere(keyOf(operation)) && added,
    recordOf,
    async recall(ref) {
      const record = await records.get(keyOf(ref));
      return record && schema.parse(JSON.parse(record.content));
    },
  };
}
