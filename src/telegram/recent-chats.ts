/** Chats that something happened in lately. */
export interface RecentChats {
  note(chat: number): void;
  leave(chat: number): void;
  /** When it last happened there, in epoch milliseconds; `undefined` where it didn't lately. */
  of(chat: number): number | undefined;
  count(): number;
  clear(): void;
}

/** @param keptMs how long ago is no longer lately */
export function createRecentChats({ keptMs, now }: { keptMs: number; now: () => number }): RecentChats {
  /** The latest last. */
  const times = new Map<number, number>();
  const forget = () => {
    for (const [chat, at] of times) {
      if (now() - at < keptMs) return;
      times.delete(chat);
    }
  };
  return {
    note(chat) {
      forget();
      times.delete(chat);
      times.set(chat, now());
    },
    leave: (chat) => void times.delete(chat),
    of(chat) {
      forget();
      return times.get(chat);
    },
    count() {
      forget();
      return times.size;
    },
    clear: () => times.clear(),
  };
}
