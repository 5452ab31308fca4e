import { setTimeout as wait } from 'node:timers/promises';

const SECOND_MS = 1_000;
/** Retention of times. Longer than a call takes. */
const TTL_MS = 15_000;

/** Times of recent events, in epoch milliseconds. */
interface RecentTimes {
  add(at: number): void;
  /** Returns the number of events in the second up to `end`. */
  countUpTo(end: number): number;
  /** Returns the time from which a second contains fewer than `limit` events, if none is added. */
  availableFrom(limit: number, now: number): number;
}

function createRecentTimes(): RecentTimes {
  const times: number[] = [];
  return {
    add(at) {
      const first = times.findIndex((time) => at - time < TTL_MS);
      times.splice(0, first < 0 ? times.length : first);
      times.push(at);
    },
    countUpTo: (end) => times.filter((at) => at <= end && end - at < SECOND_MS).length,
    availableFrom(limit, now) {
      const last = times[times.length - limit];
      return last === undefined ? now : Math.max(now, last + SECOND_MS);
    },
  };
}

/** Chats with a recent event. */
interface RecentChats {
  add(chat: number): void;
  remove(chat: number): void;
  /** Returns the time of the chat's last recent event in epoch milliseconds, or `undefined`. */
  timeOf(chat: number): number | undefined;
  count(): number;
  clear(): void;
}

/** @param ttlMs maximum age of a recent event, in milliseconds */
export function createRecentChats({ ttlMs, now }: { ttlMs: number; now: () => number }): RecentChats {
  /** Times by chat, latest last. */
  const times = new Map<number, number>();
  const forget = () => {
    for (const [chat, at] of times) {
      if (now() - at < ttlMs) return;
      times.delete(chat);
    }
  };
  return {
    add(chat) {
      forget();
      times.delete(chat);
      times.set(chat, now());
    },
    remove: (chat) => void times.delete(chat),
    timeOf(chat) {
      forget();
      return times.get(chat);
    },
    count() {
      forget();
      return times.size;
    },
    clear: () => times.clear(),
  };
}

/** Reserved times for the next message to a chat. */
interface Reservations {
  /** Returns the reserved time of the chat in epoch milliseconds. A reservation ends if it is missed by half a minute. */
  timeOf(chat: number): number | undefined;
  reserve(chat: number, at: number): void;
  release(chat: number): void;
  /** Returns whether the maximum number of reservations is reached. */
  isFull(): boolean;
  clear(): void;
}

const MAX_RESERVATIONS = 10_000;
const RESERVATION_GRACE_MS = 30_000;

function createReservations({ now }: { now: () => number }): Reservations {
  const times = new Map<number, number>();
  const isExpired = (at: number) => now() - at > RESERVATION_GRACE_MS;
  return {
    timeOf(chat) {
      const at = times.get(chat);
      return at === undefined || isExpired(at) ? undefined : at;
    },
    reserve: (chat, at) => void times.set(chat, at),
    release: (chat) => void times.delete(chat),
    isFull() {
      if (times.size < MAX_RESERVATIONS) return false;
      for (const [chat, at] of times) if (isExpired(at)) times.delete(chat);
      return times.size >= MAX_RESERVATIONS;
    },
    clear: () => times.clear(),
  };
}

/** Time for which a delivered message explains a 429 of its chat, and in which 429s of several chats count together. */
const RECENT_MS = 5_000;
/** Time for which a chat with a 429, and no message since, is remembered. Well above the wait of a 429. */
const RATE_LIMITED_TTL_MS = 600_000;
/** Number of chats whose 429s don't yet prove the bot's overall limit. */
const MAX_UNRELATED_CHATS = 5;
/** The same number if a 429 of the overall limit was expected. Answers to taps aren't throttled here but count, too. */
const MAX_UNRELATED_CHATS_IF_EXPECTED = 1;

/** Decides which limit a 429 means: a chat's (about 1 message per second) or the bot's (about 30 over all chats). */
interface RateLimitClassifier {
  onSent(chat: number): void;
  /**
   * Returns whether this 429 is the bot's overall limit.
   *
   * @param begun time at which the message was sent, in epoch milliseconds
   * @param isExpected whether Telegram has just accepted about as many messages as the known limit
   */
  isBotLimit(chat: number, begun: number, isExpected: boolean): boolean;
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
function createRateLimitClassifier({ now }: { now: () => number }): RateLimitClassifier {
  const served = createRecentChats({ ttlMs: RECENT_MS, now });
  const objected = createRecentChats({ ttlMs: RATE_LIMITED_TTL_MS, now });
  const witnesses = createRecentChats({ ttlMs: RECENT_MS, now });
  let lastServed = Number.NEGATIVE_INFINITY;
  let proven = Number.NEGATIVE_INFINITY;

  function isChatLimit(chat: number): boolean {
    const before = objected.timeOf(chat) ?? Number.POSITIVE_INFINITY;
    objected.add(chat);
    return served.timeOf(chat) !== undefined || before < lastServed;
  }

  return {
    onSent(chat) {
      lastServed = now();
      served.add(chat);
      objected.remove(chat);
    },
    isBotLimit(chat, begun, isExpected) {
      if (isChatLimit(chat)) return false;
      if (begun <= proven) return true;
      witnesses.add(chat);
      if (witnesses.count() <= (isExpected ? MAX_UNRELATED_CHATS_IF_EXPECTED : MAX_UNRELATED_CHATS))
        return false;
      witnesses.clear();
      proven = now();
      return true;
    },
  };
}

/**
 * Adaptive rate limiter of new messages over all chats. Without a 429 there is no limit, because throttling in advance is only
 * slower (https://grammy.dev/advanced/flood). After a 429 the limit is slightly below the accepted rate. It rises slowly
 * without further 429s, until it is removed.
 */
interface AdaptiveRateLimiter {
  /**
   * Returns the wait in milliseconds until a message to the chat is allowed. 0 counts the message as sent now. A waiting chat
   * gets a reserved time, so that not all chats retry at once.
   */
  acquire(chat: number): number;
  /** Reports that Telegram accepted a message. */
  onSent(chat: number): void;
  /** Reports a 429. `begun` is the time at which the message was counted. */
  onRateLimited(chat: number, begun: number): void;
}

/** New limit as a share of the messages that Telegram accepted within a second. */
const BACKOFF_FACTOR = 0.9;
const MIN_PER_SECOND = 1;
/** Share of the limit that Telegram must have accepted for a 429 to be expected. */
const EXPECTED_USAGE = 0.75;
/** Relative rise of the limit per second, and its minimum in messages. A slower rise causes fewer 429s. */
const RISE_PER_SECOND = 0.01;
const MIN_RISE_PER_SECOND = 0.1;
/** Time in which the limit doubles if Telegram had accepted nothing. In this case the accepted rate is unknown. */
const DOUBLING_MS = 5_000;
/** Minimum rate at which the limit is removed. Well above the 30 per second of https://core.telegram.org/bots/faq. */
const UNLIMITED_PER_SECOND = 100;
/** Maximum time in advance for reservations. */
const MAX_AHEAD_MS = 60_000;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;

interface Limit {
  /** Initial limit in messages per second. */
  initialPerSecond: number;
  /** Start of the limit, in epoch milliseconds. */
  since: number;
  /** Number of messages that Telegram accepted in the second before the 429. */
  accepted: number;
}

interface ReservationQueue {
  /** Next free time, in epoch milliseconds. */
  nextAt: number;
}

export function createAdaptiveRateLimiter({ now }: { now: () => number }): AdaptiveRateLimiter {
  const begun = createRecentTimes();
  const refused = createRecentTimes();
  const objections = createRateLimitClassifier({ now });
  const places = createReservations({ now });
  /** Queues of first attempts, and of chats whose reserved time came but had no room. */
  let line: ReservationQueue = { nextAt: 0 };
  let again: ReservationQueue = { nextAt: 0 };
  let pace: Limit | undefined;
  let turn = 0;

  /** Returns the expected limit at a time, in messages per second. */
  function rateAt(time: number, { initialPerSecond, since, accepted }: Limit): number {
    const past = Math.max(0, time - since);
    if (accepted === 0) return initialPerSecond * 2 ** (past / DOUBLING_MS);
    return (
      initialPerSecond + (Math.max(MIN_RISE_PER_SECOND, initialPerSecond * RISE_PER_SECOND) * past) / 1_000
    );
  }

  /** Returns the current limit. Removes it once it is high enough. */
  function present() {
    if (pace && rateAt(now(), pace) >= Math.max(UNLIMITED_PER_SECOND, 2 * pace.accepted)) {
      pace = undefined;
      places.clear();
      line = { nextAt: 0 };
      again = { nextAt: 0 };
    }
    return pace;
  }

  /** Returns the wait of a chat without a reservation. Spreads the waits of successive chats. */
  function unplaced(): number {
    turn = (turn + GOLDEN_RATIO) % 1;
    return Math.ceil((MAX_AHEAD_MS * (1 + turn)) / 2);
  }

  function waitFor(chat: number, learned: Limit): number {
    const time = now();
    const kept = places.timeOf(chat);
    if (kept !== undefined && kept > time) return kept - time;
    places.release(chat);
    // Other chats may have used their reserved times late and together.
    const room = begun.availableFrom(Math.floor(rateAt(time, learned)) + 1, time);
    if (kept !== undefined && room <= time) return 0;
    const where = kept === undefined ? line : again;
    const at = Math.max(time, room, where.nextAt);
    if (at - time > MAX_AHEAD_MS || places.isFull()) return unplaced();
    where.nextAt = at + 1_000 / rateAt(at, learned);
    if (at > time) places.reserve(chat, Math.ceil(at));
    return Math.ceil(at) - time;
  }

  return {
    acquire(chat) {
      const learned = present();
      const ms = learned ? waitFor(chat, learned) : 0;
      if (ms === 0) begun.add(now());
      return ms;
    },
    onSent: objections.onSent,
    onRateLimited(chat, at) {
      refused.add(at);
      const accepted = Math.max(0, begun.countUpTo(at) - refused.countUpTo(at));
      const isExpected = pace !== undefined && accepted >= EXPECTED_USAGE * rateAt(at, pace);
      if (!objections.isBotLimit(chat, at, isExpected)) return;
      pace = {
        initialPerSecond: Math.max(MIN_PER_SECOND, BACKOFF_FACTOR * accepted),
        since: now(),
        accepted,
      };
    },
  };
}

/** Resolves after `ms`. Rejects as soon as `signal` aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export const realSleep: Sleep = (ms, signal) => wait(ms, undefined, { signal });

/** Counter of all new messages that this process sends. */
export interface Outgoing extends Pick<RecentTimes, 'availableFrom'> {
  /** Counts a Bot API call if its method sends a new message. */
  countCall(method: string): void;
}

/** Methods that count for Telegram's limits (https://core.telegram.org/bots/faq). */
const NEW_MESSAGE = /^(send(?!ChatAction)|copyMessage|forwardMessage)/;

export function createOutgoing({ now }: { now: () => number }): Outgoing {
  const times = createRecentTimes();
  return {
    availableFrom: times.availableFrom,
    countCall(method) {
      if (NEW_MESSAGE.test(method)) times.add(now());
    },
  };
}
