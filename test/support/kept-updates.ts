import { createSeal } from '../../src/platform/encryption.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { createKeptUpdates } from '../../src/telegram/update-queue.ts';
import { silentLog } from './log-lines.ts';

/** Creates kept updates in memory, which several processes can use one after another. */
export function memoryKeptUpdates() {
  const seal = createSeal([new Uint8Array(32)]);
  return createKeptUpdates({ storage: createMemoryStorage(), seal, log: silentLog(), now: Date.now });
}
