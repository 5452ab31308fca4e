import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SignedRecords } from '../platform/records.ts';
import { changeRecord, readJson } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';

/** Index of the ids of acts, by time. */
const INDEX = 'admin-log';
/** Key prefix of acts. They are signed: write access to Redis can't add or change one. */
export const ADMIN_LOG_ACTS = 'admin-act:';
const TTL_MS = 90 * 24 * 3600_000;
/** Maximum number of expired acts removed per new act. */
const REMOVED = 100;
const LONGEST = 200;
/** Minimum distance in the index between two acts, in milliseconds. */
const APART_MS = 1 / 32;

/** Admin actions that are logged. `admin-log.ftl` has a text for each. */
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
  /** Telegram user id of the admin. */
  admin: z.number(),
  act: z.enum(ADMIN_ACTS),
  /** Object and reason of the act, in a few words. */
  about: z.string().optional(),
  id: z.string(),
});

export type Acted = z.infer<typeof actedSchema>;

/** Identity of an admin's decision: the id of its update, or an id with its time in epoch milliseconds. */
export type Decision = { update: number } | { id: string; at: number };

/** Log of admin actions, for other admins to read. Acts are stored for 90 days. */
export interface AdminLog {
  /**
   * Adds an entry. `about` is truncated to 200 characters and must not contain secrets. An act that is logged again for
   * the same `decision` keeps its first entry.
   */
  note(admin: number, act: AdminAct, about?: string, decision?: Decision): Promise<void>;
  /** Returns the latest acts, latest first. */
  latest(limit: number): Promise<Acted[]>;
  /** Returns a page of acts, latest first: those before the act with the id `after`, or the first page. */
  page(size: number, after?: string): Promise<AdminLogPage>;
}

export interface AdminLogPage {
  acts: Acted[];
  /** Value of `after` for the next page; `undefined` on the last page. */
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

  /** Returns an index score that preserves the order of acts within one millisecond. */
  function nextScore(): number {
    latestScore = Math.max(now(), latestScore + APART_MS);
    return latestScore;
  }

  function identityOf(act: AdminAct, decision: Decision | undefined): { id: string; at?: number } {
    if (decision === undefined) return { id: randomUUID() };
    return 'update' in decision ? { id: `${act}-${decision.update}` } : decision;
  }

  /** Reads acts. Omits acts that are missing, fail verification or come from a newer version. */
  async function read(ids: readonly string[]): Promise<Acted[]> {
    const found = await Promise.all(ids.map((id) => records.get(keyOf(id))));
    return found
      .map((record) => readJson(actedSchema, record?.content))
      .filter((acted) => acted !== undefined);
  }

  return {
    async note(admin, act, about, decision) {
      const { id, at } = identityOf(act, decision);
      const acted: Acted = {
        ...{ at: at ?? now(), admin, act, id },
        ...(about !== undefined && { about: [...about].slice(0, LONGEST).join('') }),
      };
      const lifetime = { ttlMs: TTL_MS };
      let earlier: Acted | undefined;
      await changeRecord(
        records,
        keyOf(id),
        (noted) => {
          earlier = readJson(actedSchema, noted);
          return noted ?? JSON.stringify(acted);
        },
        lifetime,
      );
      await index.put(INDEX, id, at ?? earlier?.at ?? nextScore(), lifetime);
      const old = await index.upTo(INDEX, now() - TTL_MS, REMOVED);
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
