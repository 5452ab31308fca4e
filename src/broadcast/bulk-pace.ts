import type { Outgoing } from '../telegram/outgoing.ts';

/** How soon the next of very many messages may be sent. */
export interface BulkPace {
  /** How many milliseconds until the next may begin; 0: it is counted as begun. */
  take(): number;
  /** It was answered with a 429. */
  objected(): void;
}

/** Somewhat below the thirty a second over all chats that Telegram names (https://core.telegram.org/bots/faq), for those who are answered meanwhile. */
export const MOST_A_SECOND = 25;
/** Of all that this process sends: whoever is answered, or told of money, has the room, and the bulk waits. */
const MOST_OF_ALL = 26;
const BELOW = 0.75;
const SLOWEST = 1;
/** So many places that nobody came to in time are made up for. */
const MADE_UP = 3;
/** How soon it is faster by one a second again, while Telegram objects to nothing. */
const RISE_MS = 10_000;

/** How long so many take at most of the pace, in milliseconds. */
export const durationMs = (count: number): number => Math.ceil(count / MOST_A_SECOND) * 1_000;

/** Evenly, never in bursts: what is under way at a 429 makes it last longer. */
export function createBulkPace(deps: { outgoing: Pick<Outgoing, 'fewerFrom'>; now: () => number }): BulkPace {
  const { outgoing, now } = deps;
  let learned = { rate: MOST_A_SECOND, since: now() };
  let next = 0;

  const rate = () => Math.min(MOST_A_SECOND, learned.rate + (now() - learned.since) / RISE_MS);

  return {
    take() {
      const at = Math.max(next, outgoing.fewerFrom(MOST_OF_ALL, now()));
      if (at > now()) return at - now();
      const gap = 1_000 / rate();
      // Who comes late for their place doesn't move those of all others, unless they come very late.
      next = (now() - next > MADE_UP * gap ? now() : next) + gap;
      return 0;
    },
    objected() {
      learned = { rate: Math.max(SLOWEST, BELOW * rate()), since: now() };
    },
  };
}
