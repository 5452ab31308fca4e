import type { Leases } from './platform/leases.ts';
import type { SignedRecords } from './platform/records.ts';
import type { Storage } from './platform/storage.ts';
import { DATA_FORMAT, FORMAT_CHECK, recordFormats } from './stored-data.ts';

/** Reads all signed records once after an upgrade and reports those that this release can't read. */
export type FormatCheck = () => Promise<void>;

/**
 * Creates the format check. `readers`: by key prefix, functions that read records with their schema. Records of other
 * kinds are only verified. The signed records report what can't be read; `report` passes that on.
 */
export function createFormatCheck(deps: {
  storage: Pick<Storage, 'get' | 'set' | 'keys'>;
  records: Pick<SignedRecords, 'get'>;
  leases: Leases;
  readers: Readonly<Record<string, (key: string) => Promise<unknown>>>;
  report: () => Promise<void>;
}): FormatCheck {
  const { storage, records, leases, readers, report } = deps;

  const formats = recordFormats();
  const present = JSON.stringify(formats);

  async function readAll(): Promise<void> {
    for (const prefix of Object.keys(formats)) {
      const read = readers[prefix] ?? ((key: string) => records.get(key));
      for (const key of await storage.keys(prefix)) await read(key);
    }
    await report();
    await storage.set(DATA_FORMAT.keys, present);
  }

  return async () => {
    if ((await storage.get(DATA_FORMAT.keys)) !== present) await leases.withLease(FORMAT_CHECK.keys, readAll);
    else await report();
  };
}
