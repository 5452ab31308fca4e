import { createRecentChats } from './recent-chats.ts';

/** Time for which a delivered message explains a 429 of its chat, and in which 429s of several chats count together. */
const FEW_SECONDS_MS = 5_000;
/** Time for which a chat with a 429, and no message since, is remembered. Well above the wait of a 429. */
const KNOWN_MS = 600_000;
/** Number of chats whose 429s don't yet prove the bot's overall limit. */
const HANDFUL = 5;
/** The same number if a 429 of the overall limit was expected. Answers to taps aren't throttled here but count, too. */
const ONE = 1;

/** Decides which limit a 429 means: a chat's (about 1 message per second) or the bot's (about 30 over all chats). */
export interface Objections {
  sent(chat: number): void;
  /**
   * Returns whether this 429 is the bot's overall limit.
   *
   * @param begun time at which the message was sent, in epoch milliseconds
   * @param isExpected whether Telegram has just accepted about as many messages as the known limit
   */
  isOverall(chat: number, begun: number, isExpected: boolean): boolean;
}

/**
 * The overall limit refuses any message, so it soon affects many chats, and their later messages succeed. A chat's own limit
 * affects the same few chats repeatedly. Therefore a 429 counts as the chat's own in two cases: the chat has just received a
 * message, or it returns another 429 after other chats received messages. Other 429s prove the overall limit only if more
 * than five chats return one within a few seconds. A few chats that never accept messages don't slow down others; many do so
 * only once.
 *
 * Messages sent before the proof belong to it. Later messages need a new proof.
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
