import { randomUUID } from 'node:crypto';
import { DAY_MS } from './clock.ts';
import { countKinds, type StoredData } from './records.ts';
import type { Storage } from './storage.ts';

export const GIVEN_UP = {
  keys: 'given-up',
  content: 'Times at which work was given up, by kind',
  expiry: '1 day since the latest one',
  anonymous: true,
} as const satisfies StoredData;

/** Kinds of work that can fail for good. */
type GivenUpWork = 'erasure' | 'event' | 'notification';

/** Maximum number of entries that are read at once. */
const MAX_READ = 200;

export type GivenUp = ReturnType<typeof createGivenUp>;

/** Creates the list of work that failed for good. It doesn't name users. The log does. */
export function createGivenUp({ storage: { index, now } }: { storage: Pick<Storage, 'index' | 'now'> }) {
  return {
    /** Never rejects. */
    async note(work: GivenUpWork): Promise<void> {
      await index
        .put(GIVEN_UP.keys, `${work}:${randomUUID()}`, now(), { ttlMs: DAY_MS })
        .catch(() => undefined);
    },
    /** Counts the entries of the last day by kind, 200 at most. */
    async counts(): Promise<Record<string, number>> {
      return countKinds(await index.above(GIVEN_UP.keys, now() - DAY_MS, MAX_READ));
    },
  };
}
