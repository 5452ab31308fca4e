import { createObjections } from './objections.ts';
import { createPlaces } from './places.ts';
import { createRecentTimes } from './recent-times.ts';

/**
 * Adaptive rate limiter of new messages over all chats. Without a 429 there is no limit, because throttling in advance is only
 * slower (https://grammy.dev/advanced/flood). After a 429 the limit is slightly below the accepted rate. It rises slowly
 * without further 429s, until it is removed.
 */
export interface LearnedPace {
  /**
   * Returns the wait in milliseconds until a message to the chat is allowed. 0 counts the message as sent now. A waiting chat
   * gets a reserved time, so that not all chats retry at once.
   */
  take(chat: number): number;
  /** Reports that Telegram accepted a message. */
  sent(chat: number): void;
  /** Reports a 429. `begun` is the time at which the message was counted. */
  refused(chat: number, begun: number): void;
}

/** New limit as a share of the messages that Telegram accepted within a second. */
const BELOW = 0.9;
const SLOWEST = 1;
/** Share of the limit that Telegram must have accepted for a 429 to be expected. */
const USED = 0.75;
/** Relative rise of the limit per second, and its minimum in messages. A slower rise causes fewer 429s. */
const RISE = 0.01;
const LEAST_RISE = 0.1;
/** Time in which the limit doubles if Telegram had accepted nothing. In this case the accepted rate is unknown. */
const DOUBLED_MS = 5_000;
/** Minimum rate at which the limit is removed. Well above the 30 per second of https://core.telegram.org/bots/faq. */
const UNHINDERED = 100;
/** Maximum time in advance for reservations. */
const FURTHEST_MS = 60_000;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

interface Learned {
  /** Initial limit in messages per second. */
  base: number;
  /** Start of the limit, in epoch milliseconds. */
  since: number;
  /** Number of messages that Telegram accepted in the second before the 429. */
  taken: number;
}

interface Line {
  /** Next free time, in epoch milliseconds. */
  next: number;
}

export function createLearnedPace({ now }: { now: () => number }): LearnedPace {
  const begun = createRecentTimes();
  const refused = createRecentTimes();
  const objections = createObjections({ now });
  const places = createPlaces({ now });
  /** Queues of first attempts, and of chats whose reserved time came but had no room. */
  let line: Line = { next: 0 };
  let again: Line = { next: 0 };
  let pace: Learned | undefined;
  let turn = 0;

  /** Returns the expected limit at a time, in messages per second. */
  function rateAt(time: number, { base, since, taken }: Learned): number {
    const past = Math.max(0, time - since);
    if (taken === 0) return base * 2 ** (past / DOUBLED_MS);
    return base + (Math.max(LEAST_RISE, base * RISE) * past) / 1_000;
  }

  /** Returns the current limit. Removes it once it is high enough. */
  function present() {
    if (pace && rateAt(now(), pace) >= Math.max(UNHINDERED, 2 * pace.taken)) {
      pace = undefined;
      places.clear();
      line = { next: 0 };
      again = { next: 0 };
    }
    return pace;
  }

  /** Returns the wait of a chat without a reservation. Spreads the waits of successive chats. */
  function unplaced(): number {
    turn = (turn + GOLDEN) % 1;
    return Math.ceil((FURTHEST_MS * (1 + turn)) / 2);
  }

  function waitFor(chat: number, learned: Learned): number {
    const time = now();
    const kept = places.of(chat);
    if (kept !== undefined && kept > time) return kept - time;
    places.leave(chat);
    // Other chats may have used their reserved times late and together.
    const room = begun.fewerFrom(Math.floor(rateAt(time, learned)) + 1, time);
    if (kept !== undefined && room <= time) return 0;
    const where = kept === undefined ? line : again;
    const at = Math.max(time, room, where.next);
    if (at - time > FURTHEST_MS || places.areFull()) return unplaced();
    where.next = at + 1_000 / rateAt(at, learned);
    if (at > time) places.keep(chat, Math.ceil(at));
    return Math.ceil(at) - time;
  }

  return {
    take(chat) {
      const learned = present();
      const ms = learned ? waitFor(chat, learned) : 0;
      if (ms === 0) begun.note(now());
      return ms;
    },
    sent: objections.sent,
    refused(chat, at) {
      refused.note(at);
      const taken = Math.max(0, begun.countUpTo(at) - refused.countUpTo(at));
      const isExpected = pace !== undefined && taken >= USED * rateAt(at, pace);
      if (!objections.isOverall(chat, at, isExpected)) return;
      pace = { base: Math.max(SLOWEST, BELOW * taken), since: now(), taken };
    },
  };
}
