import type { Storage } from '../../src/storage/storage.ts';
import { failing } from '../operations/room.ts';

/** A view of `storage` for a process that is killed after so many calls of it: none comes through any more. */
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
