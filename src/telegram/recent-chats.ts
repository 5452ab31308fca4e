/** Chats with a recent event. */
export interface RecentChats {
  note(chat: number): void;
  leave(chat: number): void;
  /** Returns the time of the chat's last recent event in epoch milliseconds, or `undefined`. */
  of(chat: number): number | undefined;
  count(): number;
  clear(): void;
}

/** @param keptMs maximum age of a recent event, in milliseconds */
export function createRecentChats({ keptMs, now }: { keptMs: number; now: () => number }): RecentChats {
  /** Times by chat, latest last. */
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
