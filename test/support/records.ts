import { randomBytes } from 'node:crypto';
import type { Log } from '../../src/log.ts';
import { createSignedRecords } from '../../src/storage/signed-records.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { silentLog } from './log-lines.ts';

const KEY = randomBytes(32);

/** Signed records as all processes of one house keep them; `keys` for those of another, or of an earlier time. */
export function signedRecords(
  storage: Storage,
  { keys = [KEY], log = silentLog() }: { keys?: Uint8Array[]; log?: Log } = {},
) {
  return createSignedRecords({ storage, keys, log });
}
