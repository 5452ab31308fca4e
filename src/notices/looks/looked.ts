import { z } from 'zod';
import { readJson } from '../../storage/read-json.ts';
import type { Storage } from '../../storage/storage.ts';
import type { AccountKey } from './account-keys.ts';
import { type LookRef, memberOf } from './lanes.ts';

/** Longer than the longest time between two looks. */
const KEPT_MS = 40 * 24 * 3600_000;

/** Before the first look nothing older is news, however long ago the account was linked. */
const AT_MOST_MS = 24 * 3_600_000;

const lookedSchema = z.object({
  /** Epoch milliseconds: what was before it is nobody's news. */
  since: z.number(),
  /** When it was looked at last, in epoch milliseconds. */
  at: z.number(),
  known: z.array(z.string()).optional(),
  /** How often in a row nothing new was found; how often what was expected wasn't there yet; how often it failed. */
  quiet: z.number(),
  awaited: z.number(),
  failed: z.number(),
});

export type Looked = z.infer<typeof lookedSchema>;

/** What was seen of an account, for the next look. It decides what is told, not what is true. */
export interface LookedStore {
  read(ref: LookRef): Promise<Looked | undefined>;
  write(ref: LookRef, looked: Looked): Promise<void>;
  forget(ref: LookRef): Promise<void>;
}

export function createLookedStore({
  storage,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'delete'>;
}): LookedStore {
  const keyOf = (ref: LookRef) => `looked:${memberOf(ref).replace('/', ':')}`;
  const lifetime = { ttlMs: KEPT_MS };
  return {
    read: async (ref) => readJson(lookedSchema, await storage.get(keyOf(ref))),
    write: (ref, looked) => storage.set(keyOf(ref), JSON.stringify(looked), lifetime),
    forget: (ref) => storage.delete(keyOf(ref)),
  };
}

/** What is known of it: nothing where all who hold it have linked it since it was looked at. */
export function knownOf(key: AccountKey, looked: Looked | undefined, now: number): Looked {
  const linkedAt = (key.kind === 'key' ? key.since : undefined) ?? Number.NEGATIVE_INFINITY;
  if (looked !== undefined && linkedAt <= looked.at) return looked;
  const since = linkedAt === Number.NEGATIVE_INFINITY ? now : Math.max(linkedAt, now - AT_MOST_MS);
  return { since, at: since, quiet: 0, awaited: 0, failed: 0 };
}
