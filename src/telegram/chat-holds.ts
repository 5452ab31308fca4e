/** Chats that Telegram asked to be left alone, each until its time is over. In memory: a new process asks once, and is told. */
export interface ChatHolds {
  /** For how many more milliseconds; 0 where nothing is asked. */
  left(chat: number): number;
  hold(chat: number, ms: number): void;
}

const MOST = 10_000;

export function createChatHolds({ now }: { now: () => number }): ChatHolds {
  const ends = new Map<number, number>();

  function makeRoom(): void {
    for (const [chat, end] of ends) if (end <= now()) ends.delete(chat);
    const [oldest] = ends.keys();
    if (ends.size >= MOST && oldest !== undefined) ends.delete(oldest);
  }

  return {
    left: (chat) => Math.max(0, (ends.get(chat) ?? 0) - now()),
    hold(chat, ms) {
      if (!ends.has(chat) && ends.size >= MOST) makeRoom();
      ends.set(chat, Math.max(ends.get(chat) ?? 0, now() + ms));
    },
  };
}
