/** Reserved times for the next message to a chat. */
export interface Places {
  /** Returns the reserved time of the chat in epoch milliseconds. A reservation ends if it is missed by half a minute. */
  of(chat: number): number | undefined;
  keep(chat: number, at: number): void;
  leave(chat: number): void;
  /** Returns whether the maximum number of reservations is reached. */
  areFull(): boolean;
  clear(): void;
}

const MOST = 10_000;
const VOID_MS = 30_000;

export function createPlaces({ now }: { now: () => number }): Places {
  const times = new Map<number, number>();
  const isVoid = (at: number) => now() - at > VOID_MS;
  return {
    of(chat) {
      const at = times.get(chat);
      return at === undefined || isVoid(at) ? undefined : at;
    },
    keep: (chat, at) => void times.set(chat, at),
    leave: (chat) => void times.delete(chat),
    areFull() {
      if (times.size < MOST) return false;
      for (const [chat, at] of times) if (isVoid(at)) times.delete(chat);
      return times.size >= MOST;
    },
    clear: () => times.clear(),
  };
}
