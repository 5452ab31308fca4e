import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { changeRecord, readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** Ids of the acts, ordered by time. */
const INDEX = 'admin-log';
/** Prefix of the keys of the acts themselves. They are signed: write access to Redis can't add or change one. */
export const ADMIN_LOG_ACTS = 'admin-act:';
const KEPT_MS = 90 * 24 * 3600_000;
/** Removed at once as a new one comes: more than come in between. */
const REMOVED = 100;
const LONGEST = 200;
/** Distance in the index between acts of one millisecond. */
const APART_MS = 1 / 32;

/** What admins do beyond looking. Each has its words in `admin-log.ftl`. */
export const ADMIN_ACTS = [
  'broadcast-started',
  'broadcast-scheduled',
  'broadcast-paused',
  'broadcast-resumed',
  'broadcast-stopped',
  'person-barred',
  'person-let-in',
  'operation-asked',
  'operation-done',
  'operation-not-done',
  'operator-linked',
  'operator-unlinked',
  'operator-cap',
  'operator-alert',
  'operator-reports',
  'maintenance-on',
  'maintenance-off',
] as const;

export type AdminAct = (typeof ADMIN_ACTS)[number];

const actedSchema = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  /** Telegram's number of who did it. */
  admin: z.number(),
  act: z.enum(ADMIN_ACTS),
  /** To what or whom, and why, in a few words. */
  about: z.string().optional(),
  id: z.string(),
});

export type Acted = z.infer<typeof actedSchema>;

/** What admins did, for other admins to read: for 90 days. */
export interface AdminLog {
  /**
   * `about` is cut after 200 characters, and holds no secret. `same`: what the act is known by, and when it was (epoch
   * milliseconds), where it may be noted again: it is kept once.
   */
  note(admin: number, act: AdminAct, about?: string, same?: { id: string; at: number }): Promise<void>;
  /** The latest first. */
  latest(limit: number): Promise<Acted[]>;
  /** A page of them, the latest first: the first one, or what came before the one that has this id. */
  page(size: number, after?: string): Promise<AdminLogPage>;
}

export interface AdminLogPage {
  acts: Acted[];
  /** The id that the next page begins behind, where there is one. */
  older: string | undefined;
  isFirst: boolean;
}

export function createAdminLog({
  storage: { index },
  records,
  now,
}: {
  storage: Pick<Storage, 'index'>;
  records: Pick<SignedRecords, 'get' | 'set' | 'add' | 'replace' | 'has'>;
  now: () => number;
}): AdminLog {
  const keyOf = (id: string) => `${ADMIN_LOG_ACTS}${id}`;
  let latestScore = 0;

  /** Keeps acts of one millisecond in the order in which they were noted. */
  function nextScore(): number {
    latestScore = Math.max(now(), latestScore + APART_MS);
    return latestScore;
  }

  /** Leaves out acts that are gone, were changed by others, or come from a newer version. */
  async function read(ids: readonly string[]): Promise<Acted[]> {
    const found = await Promise.all(ids.map((id) => records.get(keyOf(id))));
    return found
      .map((record) => readJson(actedSchema, record?.content))
      .filter((acted) => acted !== undefined);
  }

  return {
    async note(admin, act, about, same) {
      const { id, at } = same ?? { id: randomUUID(), at: now() };
      const acted: Acted = {
        ...{ at, admin, act, id },
        ...(about !== undefined && { about: [...about].slice(0, LONGEST).join('') }),
      };
      const lifetime = { ttlMs: KEPT_MS };
      await changeRecord(records, keyOf(id), (noted) => noted ?? JSON.stringify(acted), lifetime);
      await index.put(INDEX, id, same?.at ?? nextScore(), lifetime);
      const old = await index.upTo(INDEX, now() - KEPT_MS, REMOVED);
      if (old.length > 0) await index.remove(INDEX, ...old);
    },
    latest: async (limit) => read(await index.last(INDEX, limit)),
    async page(size, after) {
      const behind = after === undefined ? [] : await index.before(INDEX, after, size + 1);
      const isFirst = behind.length === 0;
      const ids = isFirst ? await index.last(INDEX, size + 1) : behind;
      const acts = await read(ids.slice(0, size));
      return { acts, older: ids.length > size ? ids[size - 1] : undefined, isFirst };
    },
  };
}
