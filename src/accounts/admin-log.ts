import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readJson } from '../storage/read-json.ts';
import type { Storage } from '../storage/storage.ts';

const INDEX = 'admin-log';
const KEPT_MS = 90 * 24 * 3600_000;
/** Removed at once as a new one comes: more than come in between. */
const REMOVED = 100;
const LONGEST = 200;

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
}

export function createAdminLog({
  storage,
  now,
}: {
  storage: Pick<Storage, 'index'>;
  now: () => number;
}): AdminLog {
  return {
    async note(admin, act, about, { id, at } = { id: randomUUID(), at: now() }) {
      const acted: Acted = {
        ...{ at, admin, act, id },
        ...(about !== undefined && { about: [...about].slice(0, LONGEST).join('') }),
      };
      await storage.index.put(INDEX, JSON.stringify(acted), at, { ttlMs: KEPT_MS });
      const old = await storage.index.upTo(INDEX, now() - KEPT_MS, REMOVED);
      if (old.length > 0) await storage.index.remove(INDEX, ...old);
    },
    async latest(limit) {
      const members = await storage.index.last(INDEX, limit);
      // A newer version may have kept what isn't known here.
      return members.map((text) => readJson(actedSchema, text)).filter((acted) => acted !== undefined);
    },
  };
}
