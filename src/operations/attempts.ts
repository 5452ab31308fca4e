import type { z } from 'zod';
import type { NewRecord, SignedRecords } from '../storage/signed-records.ts';
import type { Operation, OperationRef } from './operation.ts';

/** What the keys of attempts begin with. */
export const ATTEMPTS = 'attempt:';

/** Longer than a claim may wait for its attempt, and as long as its outcome is searched for. */
const KEPT_MS = 24 * 3600_000;

/**
 * Marks of attempts, apart from the operations' own records: an operation whose record is put back to an earlier state isn't
 * sent again, and one whose record is lost amid its attempt is restored.
 */
export interface Attempts {
  /**
   * Remembers in this process that the attempt was made. Returns false if it was made here before, or if its mark was
   * there already (`added` is false).
   */
  begun(operation: Operation, added: boolean): boolean;
  /** The mark of an attempt, to be added together with its step. */
  recordOf(operation: Operation): NewRecord & { key: string };
  /** Whether this process made the attempt. */
  wasMadeHere(ref: OperationRef): boolean;
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
    // Its fields in the schema's order: repeated after a lost reply, the text is the same.
    content: JSON.stringify(schema.parse(operation)),
    ttlMs: KEPT_MS,
  });

  return {
    begun: (operation, added) => isFirstHere(keyOf(operation)) && added,
    wasMadeHere: (ref) => made.has(keyOf(ref)),
    recordOf,
    async recall(ref) {
      const record = await records.get(keyOf(ref));
      return record && schema.parse(JSON.parse(record.content));
    },
  };
}
