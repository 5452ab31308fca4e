import { createObjections } from './objections.ts';
import { createPlaces } from './places.ts';
import { createRecentTimes } from './recent-times.ts';

/**
 * The pace of new messages over all chats: none until Telegram objects, since to throttle ahead of its 429 is only slower
 * (https://grammy.dev/advanced/flood). Then somewhat below what it took, rising slowly while it objects to nothing more,
 * until that no longer matters.
 */
export interface LearnedPace {
  /**
   * How many milliseconds until there is room for a message to the chat; 0: it is counted as sent now. Whoever has to
   * wait has a place kept for them, so that not all come back at once.
   */
  take(chat: number): number;
  /** It has come. */
  sent(chat: number): void;
  /** It was answered with a 429; `begun`: when it was counted. */
  refused(chat: number, begun: number): void;
}

/** Of what Telegram took within a second. */
const BELOW = 0.9;
const SLOWEST = 1;
/** Where Telegram took so much of the pace, it may well have been too fast. */
const USED = 0.75;
/** By how much of it the pace rises each second, and by how much at least: the slower, the seldomer Telegram objects. */
const RISE = 0.01;
const LEAST_RISE = 0.1;
/** How soon it doubles where Telegram took nothing at all, which says nothing of how much it takes once it is well. */
const DOUBLED_MS = 5_000;
/** Well above the thirty a second that Telegram names (https://core.telegram.org/bots/faq). */
const UNHINDERED = 100;
/** No place is kept further ahead. */
const FURTHEST_MS = 60_000;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

interface Learned {
  /** Messages a second, at first. */
  base: number;
  /** Epoch milliseconds. */
  since: number;
  /** What Telegram took in the second before it objected. */
  taken: number;
}

interface Line {
  /** The next place in it that is free. */
  next: number;
}

export function createLearnedPace({ now }: { now: () => number }): LearnedPace {
  const begun = createRecentTimes();
  const refused = createRecentTimes();
  const objections = createObjections({ now });
  const places = createPlaces({ now });
  /** Of who comes for the first time, and of who came for their place and found the second full. */
  let line: Line = { next: 0 };
  let again: Line = { next: 0 };
  let pace: Learned | undefined;
  let turn = 0;

  /** Messages a second, at that time, as far as can be foreseen. */
  function rateAt(time: number, { base, since, taken }: Learned): number {
    const past = Math.max(0, time - since);
    if (taken === 0) return base * 2 ** (past / DOUBLED_MS);
    return base + (Math.max(LEAST_RISE, base * RISE) * past) / 1_000;
  }

  /** The pace, while it matters. */
  function present() {
    if (pace && rateAt(now(), pace) >= Math.max(UNHINDERED, 2 * pace.taken)) {
      pace = undefined;
      places.clear();
      line = { next: 0 };
      again = { next: 0 };
    }
    return pace;
  }

  /** Whoever finds all places taken comes back without one, but not all at once. */
  function unplaced(): number {
    turn = (turn + GOLDEN) % 1;
    return Math.ceil((FURTHEST_MS * (1 + turn)) / 2);
  }

  function waitFor(chat: number, learned: Learned): number {
    const time = now();
    const kept = places.of(chat);
    if (kept !== undefined && kept > time) return kept - time;
    places.leave(chat);
    // Others may have come late to their places, and all at once.
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
