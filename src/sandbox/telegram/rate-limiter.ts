import { SECOND_MS } from '../../platform/clock.ts';
import { tooManyRequests } from './bot-api-error.ts';

/** Counter of events within the last second. */
interface SlidingSecond {
  /** Drops events older than a second and returns the number of remaining ones. `now` is in epoch milliseconds. */
  count(now: number): number;
  /** Returns the time of the oldest event, or undefined if there is none. */
  oldest(): number | undefined;
  add(now: number): void;
}

function createSlidingSecond(): SlidingSecond {
  let times: number[] = [];
  // Index of the oldest event that counts. Earlier entries are removed once they are the majority.
  let first = 0;
  return {
    count(now) {
      while (now - (times[first] ?? now) >= SECOND_MS) first += 1;
      if (first * 2 > times.length) {
        times = times.slice(first);
        first = 0;
      }
      return times.length - first;
    },
    oldest: () => times[first],
    add: (now) => void times.push(now),
  };
}

export interface Limits {
  perSecond: number;
  perChatPerSecond: number;
}

interface RateFigures {
  /** Number of rejected messages by limit. */
  refused: { overall: number; chat: number };
  /** Maximum number of messages accepted within one second. */
  maxPerSecond: number;
  /** Time of the last rejected message, in epoch milliseconds. */
  lastRefusedAt: number | undefined;
}

export interface RateLimiter {
  /** Counts a new message to the chat. @throws BotApiError 429 with the seconds to wait */
  countMessage(chatId: number): void;
  figures(): RateFigures;
  reset(): void;
}

/**
 * Burst of messages per chat. Telegram asks for one message per second in a chat, but its FAQ says "we may allow short
 * bursts that go over this limit". The burst refills by `perChatPerSecond`.
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const CHAT_BURST = 3;

const noFigures = (): RateFigures => ({
  refused: { overall: 0, chat: 0 },
  maxPerSecond: 0,
  lastRefusedAt: undefined,
});

/** Creates the rate limiter of new messages. Edits and answers to taps don't count; Telegram limits them far less. */
export function createRateLimiter({
  limits,
  now,
}: {
  limits: Limits | false;
  now: () => number;
}): RateLimiter {
  let sent = createSlidingSecond();
  /** Chats in order of their last message. Chats whose burst has refilled are removed. */
  const chats = new Map<number, { left: number; at: number }>();
  let figures = noFigures();

  const countRejection = (limit: keyof RateFigures['refused'], time: number, seconds: number) => {
    figures.refused[limit] += 1;
    figures.lastRefusedAt = time;
    return tooManyRequests(Math.max(1, Math.ceil(seconds)));
  };

  const deleteRefilledChats = (time: number, perSecond: number) => {
    for (const [id, { at }] of chats) {
      if (time - at < (CHAT_BURST / perSecond) * 1_000) return;
      chats.delete(id);
    }
  };

  const check = (chatId: number, time: number, { perSecond, perChatPerSecond }: Limits) => {
    const isFull = sent.count(time) >= perSecond;
    const oldest = sent.oldest();
    if (isFull && oldest !== undefined)
      throw countRejection('overall', time, (oldest + 1_000 - time) / 1_000);
    deleteRefilledChats(time, perChatPerSecond);
    const last = chats.get(chatId) ?? { left: CHAT_BURST, at: time };
    const refilled = ((time - last.at) / 1_000) * perChatPerSecond;
    const left = Math.min(CHAT_BURST, last.left + refilled);
    if (left < 1) throw countRejection('chat', time, (1 - left) / perChatPerSecond);
    chats.delete(chatId);
    chats.set(chatId, { left: left - 1, at: time });
  };

  return {
    countMessage(chatId) {
      const time = now();
      if (limits !== false) check(chatId, time, limits);
      sent.add(time);
      figures.maxPerSecond = Math.max(figures.maxPerSecond, sent.count(time));
    },
    figures: () => figures,
    reset() {
      sent = createSlidingSecond();
      chats.clear();
      figures = noFigures();
    },
  };
}
