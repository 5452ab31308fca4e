import { tooManyRequests } from './refusal.ts';
import { createSlidingSecond } from './sliding-second.ts';

export interface Limits {
  perSecond: number;
  perChatPerSecond: number;
}

export interface PaceFigures {
  /** How many new messages were too many, by the limit that they met. */
  refused: { overall: number; chat: number };
  /** The most that were taken within any second. */
  mostInASecond: number;
  /** Epoch milliseconds. */
  lastRefusedAt: number | undefined;
}

export interface Pace {
  /** Counts a new message to the chat. @throws Refusal 429 with the seconds to wait */
  admit(chatId: number): void;
  figures(): PaceFigures;
  reset(): void;
}

/**
 * Telegram asks for one message a second in a chat but lets short bursts pass, as its FAQ says ("we may allow short
 * bursts that go over this limit"): this many in a row are taken, then one as each second has refilled.
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const CHAT_BURST = 3;

const noFigures = (): PaceFigures => ({
  refused: { overall: 0, chat: 0 },
  mostInASecond: 0,
  lastRefusedAt: undefined,
});

/** Only new messages count: edits and answers to taps are far less limited. */
export function createPace({ limits, now }: { limits: Limits | false; now: () => number }): Pace {
  let sent = createSlidingSecond();
  /** Those that were written to last stand last, those whose burst is whole again are left out. */
  const chats = new Map<number, { left: number; at: number }>();
  let figures = noFigures();

  const refuse = (limit: keyof PaceFigures['refused'], time: number, seconds: number) => {
    figures.refused[limit] += 1;
    figures.lastRefusedAt = time;
    return tooManyRequests(Math.max(1, Math.ceil(seconds)));
  };

  const forgetRested = (time: number, perSecond: number) => {
    for (const [id, { at }] of chats) {
      if (time - at < (CHAT_BURST / perSecond) * 1_000) return;
      chats.delete(id);
    }
  };

  const check = (chatId: number, time: number, { perSecond, perChatPerSecond }: Limits) => {
    const isFull = sent.count(time) >= perSecond;
    const oldest = sent.oldest();
    if (isFull && oldest !== undefined) throw refuse('overall', time, (oldest + 1_000 - time) / 1_000);
    forgetRested(time, perChatPerSecond);
    const last = chats.get(chatId) ?? { left: CHAT_BURST, at: time };
    const refilled = ((time - last.at) / 1_000) * perChatPerSecond;
    const left = Math.min(CHAT_BURST, last.left + refilled);
    if (left < 1) throw refuse('chat', time, (1 - left) / perChatPerSecond);
    chats.delete(chatId);
    chats.set(chatId, { left: left - 1, at: time });
  };

  return {
    admit(chatId) {
      const time = now();
      if (limits !== false) check(chatId, time, limits);
      sent.add(time);
      figures.mostInASecond = Math.max(figures.mostInASecond, sent.count(time));
    },
    figures: () => figures,
    reset() {
      sent = createSlidingSecond();
      chats.clear();
      figures = noFigures();
    },
  };
}
