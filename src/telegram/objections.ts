/** How long a message lets a 429 be its chat's own, and how long one chat's 429 waits for another's. */
const FEW_SECONDS_MS = 5_000;

/** Tells whose limit a 429 is: a chat's, of about a message a second, or the bot's, of about thirty over all chats. */
export interface Objections {
  sent(chat: number): void;
  /** Whether this 429 is the bot's. */
  isOverall(chat: number): boolean;
}

/**
 * A 429 is its chat's own where the chat has just had a message. Of the others one alone proves nothing, since what
 * answers a person's taps goes other ways and counts as well: two chats have to object.
 */
export function createObjections({ now }: { now: () => number }): Objections {
  const served = createRecentChats(now);
  const objecting = createRecentChats(now);
  return {
    sent: served.note,
    isOverall(chat) {
      if (served.has(chat)) return false;
      objecting.note(chat);
      return objecting.count() > 1;
    },
  };
}

function createRecentChats(now: () => number) {
  /** The latest last. */
  const times = new Map<number, number>();
  const forget = () => {
    for (const [chat, at] of times) {
      if (now() - at < FEW_SECONDS_MS) return;
      times.delete(chat);
    }
  };
  return {
    note(chat: number): void {
      forget();
      times.delete(chat);
      times.set(chat, now());
    },
    has(chat: number): boolean {
      forget();
      return times.has(chat);
    },
    count(): number {
      forget();
      return times.size;
    },
  };
}
