import type { Canary } from '../../platform/canary.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import type { UnreadableRecords } from '../../platform/unreadable-records.ts';
import { defineCheck } from '../check.ts';

export interface DataCheckDeps {
  canary: Pick<Canary, 'read'>;
  /** Returns whether the storage has any data of the bot. Reads all keys. */
  hasData(): Promise<boolean>;
  unreadable: Pick<UnreadableRecords, 'summary'>;
}

/**
 * Whether this replica's SECRET_KEY opens the stored data. A replica with another key would treat all records as missing,
 * so it takes no requests. It doesn't start with such a key either.
 */
export const SECRET_KEY = defineCheck({
  ...{ name: 'secret-key', everyMs: 10 * SECOND_MS, scope: 'replica', unready: true },
  problems: { 'secret-key-wrong': 'error' },
  async measure({ canary }: DataCheckDeps) {
    const state = await canary.read();
    return state.is === 'foreign' ? { problem: 'secret-key-wrong', values: { id: state.keyId } } : undefined;
  },
});

/** Whether the next start can recognize a wrong SECRET_KEY. */
export const CANARY = defineCheck({
  ...{ name: 'canary', everyMs: MINUTE_MS, scope: 'installation' },
  problems: { 'canary-missing': 'error', 'canary-damaged': 'error' },
  async measure({ canary, hasData }: DataCheckDeps) {
    const { is } = await canary.read();
    if (is === 'damaged') return { problem: 'canary-damaged' };
    // The first start makes it.
    return is === 'missing' && (await hasData()) ? { problem: 'canary-missing' } : undefined;
  },
});

/** Finds records that this release and its SECRET_KEY couldn't read so far. */
export const RECORDS = defineCheck({
  ...{ name: 'records', everyMs: MINUTE_MS, scope: 'installation' },
  problems: { 'records-unreadable': 'error', 'records-newer': 'error' },
  async measure({ canary, unreadable }: DataCheckDeps) {
    // Otherwise no record can be read, which the check of SECRET_KEY reports.
    if ((await canary.read()).is === 'foreign') return 'unmeasured';
    const { count, kinds, isNewer } = await unreadable.summary();
    if (count === 0) return undefined;
    return { problem: isNewer ? 'records-newer' : 'records-unreadable', values: { kinds } };
  },
});
