import { z } from 'zod';
import { readJson } from '../../storage/read-json.ts';
import type { Storage } from '../../storage/storage.ts';
import { type LookRef, lookName } from './lanes.ts';

/** Longer than the longest time between two looks. */
const KEPT_MS = 40 * 24 * 3600_000;

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
  const keyOf = (ref: LookRef) => `looked:${lookName(ref).replace('/', ':')}`;
  const lifetime = { ttlMs: KEPT_MS };
  return {
    read: async (ref) => readJson(lookedSchema, await storage.get(keyOf(ref))),
    write: (ref, looked) => storage.set(keyOf(ref), JSON.stringify(looked), lifetime),
    forget: (ref) => storage.delete(keyOf(ref)),
  };
}
