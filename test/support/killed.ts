import type { Storage } from '../../src/platform/storage.ts';
import { failing } from '../operations/operations-setup.ts';

/** Returns a view of `storage` for a process that is killed after `calls` calls: all later calls fail. */
export function killedAfter(calls: number, storage: Storage): { storage: Storage; wasKilled: () => boolean } {
  let made = 0;
  return {
    storage: failing(storage, () => {
      made += 1;
      return made > calls;
    }),
    wasKilled: () => made > calls,
  };
}
