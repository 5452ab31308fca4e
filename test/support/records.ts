import { randomBytes } from 'node:crypto';
import type { Log } from '../../src/platform/log.ts';
import { createSignedRecords } from '../../src/platform/records.ts';
import type { Storage } from '../../src/platform/storage.ts';
import { silentLog } from './log-lines.ts';

const KEY = randomBytes(32);

/** Creates signed records with the shared test key. `keys`: those of another installation or of an earlier time. */
export function signedRecords(
  storage: Storage,
  { keys = [KEY], log = silentLog() }: { keys?: Uint8Array[]; log?: Log } = {},
) {
  return createSignedRecords({ storage, keys, log });
}
