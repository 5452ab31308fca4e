import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createStoredUpdates } from '../../src/telegram/updates.ts';
import { silentLog } from './log-lines.ts';

/** Creates stored updates in memory, which several processes can use one after another. */
export function memoryStoredUpdates() {
  const seal = createSeal([new Uint8Array(32)]);
  return createStoredUpdates({ storage: createMemoryStorage(), seal, log: silentLog(), now: Date.now });
}
