import type { Log } from '../../src/platform/log.ts';
import { createSharedRateLimiter } from '../../src/platform/rate-limit.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { type BulkLimit, createBulkLimit } from '../../src/telegram/bulk-limit.ts';
import { silentLog } from './log-lines.ts';
import { signedRecords } from './records.ts';

/** Opens the limit of messages in bulk of one replica. Replicas share `storage`. */
export function openBulkLimit(deps: {
  storage: Storage;
  now: () => number;
  wait?: (ms: number) => Promise<unknown>;
  log?: Log;
}): BulkLimit {
  const { storage, now, wait, log = silentLog() } = deps;
  const sharedLimiter = createSharedRateLimiter({ storage, now });
  return createBulkLimit({ sharedLimiter, records: signedRecords(storage), now, wait, log });
}
