import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readJson } from '../storage/read-json.ts';
import type { Storage } from '../storage/storage.ts';

const INDEX = 'admin-log';
const KEPT_MS = 90 * 24 * 3600_000;
/** Removed at once as a new one comes: more than come in between. */
const REMOVED = 100;
const LONGEST = 200;
/** Further back nobody turns the pages. */
const TURNED = 1_000;

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
  storage,
  now,
}: {
  storage: Pick<Storage, 'index'>;
  now: () => number;
}): AdminLog {
  async function latest(limit: number): Promise<Acted[]> {
    const members = await storage.index.last(INDEX, limit);
    // A newer version may have kept what isn't known here.
    return members.map((text) => readJson(actedSchema, text)).filter((acted) => acted !== undefined);
  }

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
    latest,
    async page(size, after) {
      const all = await latest(TURNED);
      const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      const acts = all.slice(from, from + size);
      const older = all.length > from + size ? acts.at(-1)?.id : undefined;
      return { acts, older, isFirst: from === 0 };
    },
  };
}
