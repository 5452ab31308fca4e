import { z } from 'zod';
import { DAY_MS, isRecent, MINUTE_MS } from '../../platform/clock.ts';
import { defineRecord, type SignedRecords } from '../../platform/records.ts';
import type { Storage } from '../../platform/storage.ts';
import { defineCheck } from '../check.ts';

export interface FirstStartCheckDeps {
  /** Absent if nothing outlives the process. */
  firstStart: Pick<FirstStart, 'find'> | undefined;
  now: () => number;
}

/** Time for which the problem is shown, and maximum age of a loss that a start records, in milliseconds. */
const SHOWN_MS = DAY_MS;

const firstStartSchema = z.object({
  at: z.number(),
  /** Missing until Telegram was asked. */
  ranBefore: z.boolean().optional(),
});

/** Unsigned, because it only causes an alert. */
export const FIRST_START = defineRecord({
  keys: 'first-start',
  content: 'Time of the first start on this storage, and whether the bot had run before',
  schema: firstStartSchema,
  ttlMs: 'none',
  expiry: 'none: otherwise a later start would count as the first one',
  signed: false,
  anonymous: true,
});

/**
 * Memory of the first start on this storage. An empty storage alone doesn't tell a new installation from lost data, but
 * Telegram keeps the bot's commands since its first start. Each process completes the record before it sets the commands,
 * and the first result stays. So neither a kill nor replicas that start together change the result.
 */
export type FirstStart = ReturnType<typeof createFirstStart>;

export function createFirstStart(deps: {
  records: Pick<SignedRecords, 'store'>;
  storage: Pick<Storage, 'continuity'>;
  getCommands: () => Promise<readonly unknown[]>;
  now: () => number;
}) {
  const { records, storage, getCommands, now } = deps;
  const store = records.store(FIRST_START);
  return {
    find: () => store.get({}),
    /** Records a start on an empty storage. Call before anything else is written. */
    begin: () => store.add({}, { at: now() }),
    /**
     * Records a start on a storage with data but without a canary, if the continuity of the data is lost too. A start writes
     * both before all other data, so the storage was emptied, and the rest was written afterwards. If only the canary is
     * missing, it was deleted, or the data is from a version without one. Call before the continuity is checked.
     */
    async beginWithoutCanary(): Promise<void> {
      const { cause, ageMs } = await storage.continuity({ isExpected: true });
      if (cause === 'lost' && ageMs < SHOWN_MS) await store.add({}, { at: now(), ranBefore: true });
    },
    /**
     * Completes the record by the commands at Telegram, unless that was done before. Returns whether this call completed it.
     * Call before the commands are set.
     */
    async complete(): Promise<boolean> {
      const isIncomplete = (first?: z.infer<typeof firstStartSchema>) =>
        first !== undefined && first.ranBefore === undefined;
      if (!isIncomplete(await store.get({}))) return false;
      const ranBefore = (await getCommands()).length > 0;
      const completed = { at: now(), ranBefore };
      return (await store.update({}, (first) => (isIncomplete(first) ? completed : undefined))) !== undefined;
    },
  };
}

export const REDIS_DATA = defineCheck({
  ...{
    name: 'redis-data',
    everyMs: MINUTE_MS,
    scope: 'installation',
    certain: true,
    problems: { 'redis-was-empty': 'error' },
  },
  async measure({ firstStart, now }: FirstStartCheckDeps) {
    const first = await firstStart?.find();
    return first?.ranBefore && isRecent(first.at, SHOWN_MS, now())
      ? { problem: 'redis-was-empty' }
      : undefined;
  },
});
