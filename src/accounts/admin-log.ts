import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { DAY_MS } from '../platform/clock.ts';
import { defineRecord, type StoredData } from '../platform/records.ts';
import type { AccountsDeps } from './accounts-deps.ts';

const TTL_MS = 90 * DAY_MS;
/** Maximum number of expired entries removed per new entry. */
const MAX_REMOVED = 100;
/** Maximum number of latest entries among which one is searched. */
const MAX_SEARCHED = 5_000;
const MAX_LENGTH = 200;
/** Minimum distance in the index between two entries, in milliseconds. */
const MIN_DISTANCE_MS = 1 / 32;

/** Admin actions that are logged. `admin-log.ftl` has a text for each. */
export const ADMIN_ACTIONS = [
  'broadcast-started',
  'broadcast-scheduled',
  'broadcast-paused',
  'broadcast-resumed',
  'broadcast-stopped',
  'broadcast-cancelled',
  'person-banned',
  'person-unbanned',
  'person-export-asked',
  // Only in entries of former versions, which would count as unreadable records.
  'person-exported',
  'person-erased',
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

export type AdminAction = (typeof ADMIN_ACTIONS)[number];

const entrySchema = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  admin: z.number(),
  action: z.enum(ADMIN_ACTIONS),
  /** Object and reason of the action, in a few words. */
  about: z.string().optional(),
  id: z.string(),
});

export type AdminLogEntry = z.infer<typeof entrySchema>;

/** Signed: write access to Redis can't add or change an entry. */
export const ADMIN_ACTION_RECORD = defineRecord({
  keys: 'admin-action:id',
  content: 'Change that an admin made',
  schema: entrySchema,
  ttlMs: TTL_MS,
  signed: true,
  retained: { elsewhere: 'kept-others', ofAdmins: true },
});

export const ADMIN_LOG = {
  keys: 'admin-log',
  content: 'Index of the changes that admins made, by time',
  expiry: '90 days',
  retained: { elsewhere: 'kept-others', ofAdmins: true },
} as const satisfies StoredData;

/** Identity of an admin's decision: the id of its update, or an id with its time in epoch milliseconds. */
type Decision = { update: number } | { id: string; at: number };

/**
 * Creates the log of admin actions, for other admins to read. Entries are stored for 90 days. The operator's log has a line
 * for each.
 */
export function createAdminLog(deps: Pick<AccountsDeps, 'storage' | 'records' | 'now' | 'log'>) {
  const { records, now, log } = deps;
  const { index } = deps.storage;
  const entries = records.store(ADMIN_ACTION_RECORD);
  let latestScore = 0;

  /** Returns an index score that preserves the order of entries within one millisecond. */
  function nextScore(): number {
    latestScore = Math.max(now(), latestScore + MIN_DISTANCE_MS);
    return latestScore;
  }

  function identityOf(action: AdminAction, decision: Decision | undefined): { id: string; at?: number } {
    if (decision === undefined) return { id: randomUUID() };
    return 'update' in decision ? { id: `${action}-${decision.update}` } : decision;
  }

  /** Reads entries. Omits those that are missing, fail verification or come from a newer version. */
  async function read(ids: readonly string[]): Promise<AdminLogEntry[]> {
    const found = await Promise.all(ids.map((id) => entries.get({ id })));
    return found.filter((entry) => entry !== undefined);
  }

  return {
    /**
     * Adds an entry. `about` is truncated to 200 characters and must not contain secrets. An action that is logged again
     * for the same `decision` keeps its first entry.
     */
    async add(admin: number, action: AdminAction, about?: string, decision?: Decision): Promise<void> {
      const { id, at } = identityOf(action, decision);
      const entry: AdminLogEntry = { at: at ?? now(), admin, action, id };
      if (about !== undefined) entry.about = [...about].slice(0, MAX_LENGTH).join('');
      let earlier: AdminLogEntry | undefined;
      await entries.update({ id }, (stored) => {
        earlier = stored;
        return stored === undefined ? entry : undefined;
      });
      if (earlier === undefined) log.info({ user: admin, event: action }, 'an admin has changed something');
      await index.put(ADMIN_LOG.keys, id, at ?? earlier?.at ?? nextScore(), { ttlMs: TTL_MS });
      const expired = await index.upTo(ADMIN_LOG.keys, now() - TTL_MS, MAX_REMOVED);
      if (expired.length > 0) await index.remove(ADMIN_LOG.keys, ...expired);
    },

    latest: async (limit: number): Promise<AdminLogEntry[]> => read(await index.last(ADMIN_LOG.keys, limit)),

    /** Returns the latest entry of an action that was logged for an update, by what it is about; `undefined` if there is none. */
    async findLatest(action: AdminAction, about: string): Promise<AdminLogEntry | undefined> {
      const ids = await index.last(ADMIN_LOG.keys, MAX_SEARCHED);
      const entriesOfAction = await read(ids.filter((id) => id.startsWith(`${action}-`)));
      return entriesOfAction.find((entry) => entry.action === action && entry.about === about);
    },

    /**
     * Returns a page of entries, latest first: those before the entry with the id `after`, or the first page. `older` is
     * the value of `after` for the next page, `undefined` on the last page.
     */
    async page(size: number, after?: string) {
      const older = after === undefined ? [] : await index.before(ADMIN_LOG.keys, after, size + 1);
      const isFirst = older.length === 0;
      const ids = isFirst ? await index.last(ADMIN_LOG.keys, size + 1) : older;
      return {
        entries: await read(ids.slice(0, size)),
        older: ids.length > size ? ids[size - 1] : undefined,
        isFirst,
      };
    },
  };
}
