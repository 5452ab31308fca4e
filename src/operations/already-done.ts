import type { Storage } from '../storage/storage.ts';
import type { OperationRequest } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';

/** So long that nobody comes back to it; clean-up only. */
const KEPT_MS = 365 * 24 * 3600_000;

/** What succeeds once for all, and did: an address that is active. Nobody is charged for it again. */
export interface AlreadyDone {
  isDone(request: OperationRequest): Promise<boolean>;
  remember(request: OperationRequest): Promise<void>;
}

export function createAlreadyDone({ storage, kinds }: { storage: Storage; kinds: Kinds }): AlreadyDone {
  const keyOf = (request: OperationRequest) => {
    const mark = kinds.of(request).once?.mark(request);
    return mark && `already-done:${mark}`;
  };
  return {
    async isDone(request) {
      const key = keyOf(request);
      return key !== undefined && (await storage.get(key)) !== undefined;
    },
    async remember(request) {
      const key = keyOf(request);
      if (key !== undefined) await storage.set(key, '', { ttlMs: KEPT_MS });
    },
  };
}
