import { createRecentChats } from './recent-chats.ts';

/** How long a message lets a 429 be its chat's own, and how long one chat's 429 waits for those of others. */
const FEW_SECONDS_MS = 5_000;
/** How long a chat that objected, and had nothing since, is known for it. Well above what a 429 asks to wait. */
const KNOWN_MS = 600_000;
/** So many chats prove nothing yet. */
const HANDFUL = 5;
/** And so many where a 429 of the bot's own limit was to be expected, since what answers taps goes other ways and counts as well. */
const ONE = 1;

/** Tells whose limit a 429 is: a chat's, of about a message a second, or the bot's, of about thirty over all chats. */
export interface Objections {
  sent(chat: number): void;
  /**
   * Whether this 429 is the bot's.
   *
   * @param begun when the message was sent, in epoch milliseconds
   * @param isExpected whether Telegram has just taken about as much as it is known to take
   */
  isOverall(chat: number, begun: number, isExpected: boolean): boolean;
}

/**
 * The bot's limit refuses whoever comes next: at once it meets many chats, and those it met are served later. A chat's own
 * meets the same few again and again. So a 429 is its chat's own where the chat has just had a message, or objects once
 * more after others were served; and the rest prove a limit of the bot's only once more than a handful of chats object
 * within a few seconds. Chats that never take anything, if they are few, slow nobody; and if they are many, once.
 *
 * What was under way at a proof belongs to it; what is sent later needs one of its own.
 */
export function createObjections({ now }: { now: () => number }): Objections {
  const served = createRecentChats({ keptMs: FEW_SECONDS_MS, now });
  const objected = createRecentChats({ keptMs: KNOWN_MS, now });
  const witnesses = createRecentChats({ keptMs: FEW_SECONDS_MS, now });
  let lastServed = Number.NEGATIVE_INFINITY;
  let proven = Number.NEGATIVE_INFINITY;

  function isItsOwn(chat: number): boolean {
    const before = objected.of(chat) ?? Number.POSITIVE_INFINITY;
    objected.note(chat);
    return served.of(chat) !== undefined || before < lastServed;
  }

  return {
    sent(chat) {
      lastServed = now();
      served.note(chat);
      objected.leave(chat);
    },
    isOverall(chat, begun, isExpected) {
      if (isItsOwn(chat)) return false;
      if (begun <= proven) return true;
      witnesses.note(chat);
      if (witnesses.count() <= (isExpected ? ONE : HANDFUL)) return false;
      witnesses.clear();
      proven = now();
      return true;
    },
  };
}
