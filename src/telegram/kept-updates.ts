import type { Update } from 'grammy/types';
import { z } from 'zod';
import type { Log } from '../log.ts';
import type { Seal } from '../storage/seal.ts';
import type { Storage } from '../storage/storage.ts';
import { chatOf } from './updates.ts';

/**
 * Updates that were confirmed to Telegram before they were handled, so that nobody waits behind them: from then on they
 * are only here. All methods reject while the storage is away.
 */
export interface KeptUpdates {
  keep(update: Update): Promise<void>;
  /** Once it is settled. */
  forget(update: Update): Promise<void>;
  /** The oldest thousand, in the order of their ids; what can't be read is left out, with a log line, and forgotten. */
  all(): Promise<Update[]>;
}

const INDEX = 'updates:kept';
const BATCH = 1_000;
/** As long as Telegram itself keeps one (https://core.telegram.org/bots/api#getting-updates). */
const LIFETIME_MS = 24 * 60 * 60_000;

const keptSchema = z.object({ keptAt: z.number(), update: z.looseObject({ update_id: z.number() }) });

/** Sealed, since a message may hold a key, and since a tap may confirm: nobody else can write one. */
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
      // Last: what is listed is there.
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
