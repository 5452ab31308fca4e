import type { Update } from 'grammy/types';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../platform/storage.ts';
import { chatOf } from './updates.ts';

/**
 * Stores updates that are confirmed to Telegram before they are handled, so that they don't block later updates. Telegram
 * doesn't send them again. All methods reject while the storage is unavailable.
 */
export interface KeptUpdates {
  keep(update: Update): Promise<void>;
  /** Removes a settled update. */
  forget(update: Update): Promise<void>;
  /** Returns the oldest 1,000 updates in the order of their ids. Unreadable ones are logged and removed. */
  all(): Promise<Update[]>;
}

const INDEX = 'updates:kept';
const BATCH = 1_000;
/** TTL of an update. The same as at Telegram (https://core.telegram.org/bots/api#getting-updates). */
const LIFETIME_MS = 24 * 60 * 60_000;

const keptSchema = z.object({ keptAt: z.number(), update: z.looseObject({ update_id: z.number() }) });

/** Creates the store. Updates are sealed: a message may contain an API key, and a forged tap could confirm an operation. */
export function createKeptUpdates(deps: {
  storage: Storage;
  seal: Seal;
  log: Log;
  now: () => number;
}): KeptUpdates {
  const { storage, seal, log, now } = deps;
  const keyOf = (id: number) => `update:${id}`;
  const aboutOf = (id: number, chat: number) => ({ user: chat, purpose: `update ${id}` });
  const memberOf = (update: Update) => `${update.update_id}/${chatOf(update) ?? 0}`;

  async function read(member: string): Promise<Update | undefined> {
    const [id = 0, chat = 0] = member.split('/').map(Number);
    const sealed = await storage.get(keyOf(id));
    const plain = sealed === undefined ? undefined : seal.open(sealed, aboutOf(id, chat));
    const kept = plain === undefined ? undefined : keptSchema.safeParse(JSON.parse(plain)).data;
    if (kept && now() - kept.keptAt < LIFETIME_MS) return kept.update as Update;
    log.error({ update: id, chat }, 'a kept update is gone, or can not be read');
    await storage.index.remove(INDEX, member);
    return undefined;
  }

  return {
    async keep(update) {
      const about = aboutOf(update.update_id, chatOf(update) ?? 0);
      const sealed = seal.seal(JSON.stringify({ keptAt: now(), update }), about);
      await storage.set(keyOf(update.update_id), sealed, { ttlMs: LIFETIME_MS });
      // Written last, so that the index lists only existing updates.
      await storage.index.put(INDEX, memberOf(update), update.update_id);
    },
    async forget(update) {
      await storage.index.remove(INDEX, memberOf(update));
      await storage.delete(keyOf(update.update_id));
    },
    async all() {
      const members = await storage.index.upTo(INDEX, Number.MAX_SAFE_INTEGER, BATCH);
      const updates = await Promise.all(members.map(read));
      return updates.filter((update) => update !== undefined);
    },
  };
}
