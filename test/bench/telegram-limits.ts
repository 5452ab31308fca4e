import { BotApiError } from '../../src/sandbox/telegram/bot-api-error.ts';
import { createRateLimiter } from '../../src/sandbox/telegram/rate-limiter.ts';

/**
 * Approximate limits of Telegram: 30 messages a second in total, and one a second per chat except for short bursts.
 */
const LIMITS = { perSecond: 30, perChatPerSecond: 1 };

/** Applies Telegram's limits if they are turned on, and counts violations. */
export function createTelegramLimits() {
  const rateLimiter = createRateLimiter({ limits: LIMITS, now: () => performance.now() });
  const until = new Map<number, number>();
  let isOn = false;
  let refused = 0;
  let disobeyed = 0;
  return {
    turn({ on }: { on: boolean }) {
      isOn = on;
      [refused, disobeyed] = [0, 0];
      until.clear();
    },
    counts: () => ({ refused, disobeyed }),
    /** Returns the delay in seconds if a new message or an edit is refused, otherwise `undefined`. */
    retryAfter(chat: number, isNew: boolean): number | undefined {
      if (!isOn) return undefined;
      const now = performance.now();
      if (now < (until.get(chat) ?? 0)) disobeyed += 1;
      if (!isNew) return undefined;
      try {
        rateLimiter.countMessage(chat);
        return undefined;
      } catch (error) {
        const seconds = error instanceof BotApiError ? (error.retryAfter ?? 1) : 1;
        refused += 1;
        until.set(chat, now + seconds * 1_000);
        return seconds;
      }
    },
  };
}

export type TelegramLimits = ReturnType<typeof createTelegramLimits>;
