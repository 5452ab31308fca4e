import type { Storage } from '../../storage/storage.ts';

/** Several of a kind are told together, no sooner than this after the last of them. */
const GATHER_MS = 3_000;
/** As long as a notice is kept. */
const KEPT_MS = 31 * 24 * 3600_000;

/** Which unclear notices of a chat are to be sent again: those that were sent once, or all of them. */
export type Again = 'once' | 'all';

/** What holds in a chat for a while, whichever replica tells there. */
export interface ChatMarks {
  /** Telegram is asked nothing there for so long, whatever is added meanwhile. */
  pause(chat: number, ms: number): Promise<void>;
  isPaused(chat: number): Promise<boolean>;
  /** Notices of this kind were told just now; and whether they were within the time in which more are gathered. */
  gather(chat: number, kind: string): Promise<void>;
  isGathering(chat: number, kind: string): Promise<boolean>;
  /** Requests that the process which holds the chat's lease sends unclear notices again. `all` includes `once`. */
  wantAgain(chat: number, which: Again): Promise<void>;
  wantedAgain(chat: number): Promise<Again | undefined>;
  hadAgain(chat: number): Promise<void>;
  /** Nothing is sent to this chat until it comes back. */
  retire(chat: number): Promise<void>;
  isRetired(chat: number): Promise<boolean>;
  comeBack(chat: number): Promise<void>;
}

export function createChatMarks({
  storage,
}: {
  storage: Pick<Storage, 'get' | 'set' | 'add' | 'delete'>;
}): ChatMarks {
  const pausedKey = (chat: number) => `notices-paused:{${chat}}`;
  const gatherKey = (chat: number, kind: string) => `notices-gathered:{${chat}}:${kind}`;
  const againKey = (chat: number) => `notices-again:{${chat}}`;
  const retiredKey = (chat: number) => `retired:{${chat}}`;
  const has = async (key: string) => (await storage.get(key)) !== undefined;
  return {
    pause: (chat, ms) => storage.set(pausedKey(chat), '', { ttlMs: ms }),
    isPaused: (chat) => has(pausedKey(chat)),
    gather: (chat, kind) => storage.set(gatherKey(chat, kind), '', { ttlMs: GATHER_MS }),
    isGathering: (chat, kind) => has(gatherKey(chat, kind)),
    async wantAgain(chat, which) {
      if (which === 'all') await storage.set(againKey(chat), which, { ttlMs: KEPT_MS });
      else await storage.add(againKey(chat), which, { ttlMs: KEPT_MS });
    },
    async wantedAgain(chat) {
      const which = await storage.get(againKey(chat));
      return which === undefined || which === 'once' ? which : 'all';
    },
    hadAgain: (chat) => storage.delete(againKey(chat)),
    retire: (chat) => storage.set(retiredKey(chat), '', { ttlMs: KEPT_MS }),
    isRetired: (chat) => has(retiredKey(chat)),
    comeBack: (chat) => storage.delete(retiredKey(chat)),
  };
}
