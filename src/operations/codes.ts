import type { Seal } from '../storage/seal.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

/** One-time codes change twice a minute: an older one is of no use to anybody. */
const KEPT_MS = 60_000;
const PURPOSE = 'one-time-code';

/** One-time codes on their way to the one request that they are for: sealed, for a minute at most, and read once. */
export interface Codes {
  keep(ref: OperationRef, code: string): Promise<void>;
  /** Reads and erases it. `undefined` where it is gone. */
  take(ref: OperationRef): Promise<string | undefined>;
}

export function createCodes({
  storage,
  seal,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'delete'>;
  seal: Seal;
}): Codes {
  const keyOf = ({ user, id }: OperationRef) => `code:{${user}}:${id}`;
  const aboutOf = ({ user, id }: OperationRef) => ({ user, purpose: `${PURPOSE}:${id}` });
  return {
    async keep(ref, code) {
      await storage.set(keyOf(ref), seal.seal(code, aboutOf(ref)), { ttlMs: KEPT_MS });
    },
    async take(ref) {
      const sealed = await storage.get(keyOf(ref));
      await storage.delete(keyOf(ref));
      return sealed === undefined ? undefined : seal.open(sealed, aboutOf(ref));
    },
  };
}
