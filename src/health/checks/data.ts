import type { Canary } from '../../platform/canary.ts';
import { DAY_MS, isRecent, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import type { UnreadableRecords } from '../../platform/unreadable-records.ts';
import { defineCheck, type Measurement } from '../check.ts';

export interface DataCheckDeps {
  canary: Pick<Canary, 'read'>;
  /** Returns whether the storage has any data of the bot. Reads all keys. */
  hasData(): Promise<boolean>;
  unreadable: Pick<UnreadableRecords, 'summary'>;
  now: () => number;
}

/** Time for which the loss of all data is reported, in milliseconds. */
const LOSS_REPORTED_MS = DAY_MS;

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

/** Whether the next start can recognize a wrong SECRET_KEY, and whether the storage was emptied between two runs. */
export const CANARY = defineCheck({
  ...{ name: 'canary', everyMs: MINUTE_MS, scope: 'installation' },
  problems: { 'canary-missing': 'error', 'canary-damaged': 'error', 'data-gone': 'error' },
  async measure({
    canary,
    hasData,
    now,
  }: DataCheckDeps): Promise<Measurement<`canary-${'missing' | 'damaged'}` | 'data-gone'>> {
    const state = await canary.read();
    if (state.is === 'damaged') return { problem: 'canary-damaged' };
    // The first start makes it.
    if (state.is === 'missing') return (await hasData()) ? { problem: 'canary-missing' } : undefined;
    const isGone = state.is === 'open' && state.ranBefore && isRecent(state.madeAt, LOSS_REPORTED_MS, now());
    return isGone ? { problem: 'data-gone' } : undefined;
  },
});

/** Whether this release and its SECRET_KEY can read all records that were read so far. */
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
