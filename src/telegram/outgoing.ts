import { createRecentTimes, type RecentTimes } from './recent-times.ts';

/** The new messages that this process sends to anybody, whatever for. */
export interface Outgoing extends Pick<RecentTimes, 'fewerFrom'> {
  /** A method of the Bot API is called. */
  called(method: string): void;
}

/** Of those alone Telegram counts how many there are (https://core.telegram.org/bots/faq). */
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
