/**
 * Chats for which Telegram returned 429, until `retry_after` is over or a message to the chat succeeds. Kept in memory: a
 * new process, or another replica, gets its own 429 at its first call.
 */
export interface ChatHolds {
  /**
   * Returns in how many milliseconds to ask for the chat again, 0 if it isn't held. At most {@link MAX_WAIT_MS}, so
   * that whatever waits for a held chat finds out soon that the hold has ended.
   */
  wait(chat: number): number;
  hold(chat: number, ms: number): void;
  /** Ends the hold if Telegram took a message whose call began after it, at `begun` (epoch milliseconds). */
  delivered(chat: number, begun: number): void;
}

interface Hold {
  /** Epoch milliseconds. */
  since: number;
  until: number;
}

const MAX_HOLDS = 10_000;
export const MAX_WAIT_MS = 5_000;

export function createChatHolds({ now }: { now: () => number }): ChatHolds {
  const holds = new Map<number, Hold>();

  function makeRoom(): void {
    for (const [chat, { until }] of holds) if (until <= now()) holds.delete(chat);
    const [oldest] = holds.keys();
    if (holds.size >= MAX_HOLDS && oldest !== undefined) holds.delete(oldest);
  }

  return {
    wait(chat) {
      const left = (holds.get(chat)?.until ?? 0) - now();
      return Math.min(Math.max(0, left), MAX_WAIT_MS);
    },
    hold(chat, ms) {
      if (!holds.has(chat) && holds.size >= MAX_HOLDS) makeRoom();
      const before = holds.get(chat)?.until ?? 0;
      holds.set(chat, { since: now(), until: Math.max(before, now() + ms) });
    },
    delivered(chat, begun) {
      const hold = holds.get(chat);
      if (hold && begun >= hold.since) holds.delete(chat);
    },
  };
}
