import { tooManyRequests } from './refusal.ts';

export interface Limits {
  perSecond: number;
  perChatPerSecond: number;
}

export interface Pace {
  /** Counts a new message to the chat. @throws Refusal 429 with the seconds to wait */
  admit(chatId: number): void;
  reset(): void;
}

/**
 * Telegram asks for one message a second in a chat but lets short bursts pass, as its FAQ says ("we may allow short
 * bursts that go over this limit"): this many in a row are taken, then one as each second has refilled.
 * https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
const CHAT_BURST = 3;

/** Only new messages count: edits and answers to taps are far less limited. */
export function createPace({ limits, now }: { limits: Limits | false; now: () => number }): Pace {
  let sent: number[] = [];
  const chats = new Map<number, { left: number; at: number }>();
  return {
    admit(chatId) {
      if (limits === false) return;
      const time = now();
      sent = sent.filter((at) => time - at < 1_000);
      const oldest = sent[0];
      if (sent.length >= limits.perSecond && oldest !== undefined) {
        throw tooManyRequests(Math.max(1, Math.ceil((oldest + 1_000 - time) / 1_000)));
      }
      const last = chats.get(chatId) ?? { left: CHAT_BURST, at: time };
      const refilled = ((time - last.at) / 1_000) * limits.perChatPerSecond;
      const left = Math.min(CHAT_BURST, last.left + refilled);
      if (left < 1) throw tooManyRequests(Math.max(1, Math.ceil((1 - left) / limits.perChatPerSecond)));
      chats.set(chatId, { left: left - 1, at: time });
      sent.push(time);
    },
    reset() {
      sent = [];
      chats.clear();
    },
  };
}
