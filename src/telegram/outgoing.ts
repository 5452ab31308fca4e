import { createRecentTimes, type RecentTimes } from './recent-times.ts';

/** Counter of all new messages that this process sends. */
export interface Outgoing extends Pick<RecentTimes, 'fewerFrom'> {
  /** Counts a Bot API call if its method sends a new message. */
  called(method: string): void;
}

/** Methods that count for Telegram's limits (https://core.telegram.org/bots/faq). */
const NEW_MESSAGE = /^(send(?!ChatAction)|copyMessage|forwardMessage)/;

export function createOutgoing({ now }: { now: () => number }): Outgoing {
  const times = createRecentTimes();
  return {
    fewerFrom: times.fewerFrom,
    called(method) {
      if (NEW_MESSAGE.test(method)) times.note(now());
    },
  };
}
