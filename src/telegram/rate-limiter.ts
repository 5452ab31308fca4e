import { setTimeout as wait } from 'node:timers/promises';

const SECOND_MS = 1_000;
/** Retention of times. Longer than a call takes. */
const TTL_MS = 15_000;

/** Times of recent events, in epoch milliseconds. */
interface RecentTimes {
  note(at: number): void;
  /** Returns the number of events in the second up to `end`. */
  countUpTo(end: number): number;
  /** Returns the time from which a second contains fewer than `limit` events, if none is added. */
  fewerFrom(limit: number, now: number): number;
}

function createRecentTimes(): RecentTimes {
  const times: number[] = [];
  return {
    note(at) {
      const first = times.findIndex((time) => at - time < TTL_MS);
      times.splice(0, first < 0 ? times.length : first);
      times.push(at);
    },
    countUpTo: (end) => times.filter((at) => at <= end && end - at < SECOND_MS).length,
    fewerFrom(limit, now) {
      const last = times[times.length - limit];
      return last === undefined ? now : Math.max(now, last + SECOND_MS);
    },
  };
}

/** Chats with a recent event. */
interface RecentChats {
  note(chat: number): void;
  leave(chat: number): void;
  /** Returns the time of the chat's last recent event in epoch milliseconds, or `undefined`. */
  of(chat: number): number | undefined;
  count(): number;
  clear(): void;
}

/** @param keptMs maximum age of a recent event, in milliseconds */
export function createRecentChats({ keptMs, now }: { keptMs: number; now: () => number }): RecentChats {
  /** Times by chat, latest last. */
  const times = new Map<number, number>();
  const forget = () => {
    for (const [chat, at] of times) {
      if (now() - at < keptMs) return;
      times.delete(chat);
    }
  };
  return {
    note(chat) {
      forget();
      times.delete(chat);
      times.set(chat, now());
    },
    leave: (chat) => void times.delete(chat),
    of(chat) {
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
interface Places {
  /** Returns the reserved time of the chat in epoch milliseconds. A reservation ends if it is missed by half a minute. */
  of(chat: number): number | undefined;
  keep(chat: number, at: number): void;
  leave(chat: number): void;
  /** Returns whether the maximum number of reservations is reached. */
  areFull(): boolean;
  clear(): void;
}

const MAX_TIMES = 10_000;
const VOID_MS = 30_000;

function createPlaces({ now }: { now: () => number }): Places {
  const times = new Map<number, number>();
  const isVoid = (at: number) => now() - at > VOID_MS;
  return {
    of(chat) {
      const at = times.get(chat);
      return at === undefined || isVoid(at) ? undefined : at;
    },
    keep: (chat, at) => void times.set(chat, at),
    leave: (chat) => void times.delete(chat),
    areFull() {
      if (times.size < MAX_TIMES) return false;
      for (const [chat, at] of times) if (isVoid(at)) times.delete(chat);
      return times.size >= MAX_TIMES;
    },
    clear: () => times.clear(),
  };
}

/** Time for which a delivered message explains a 429 of its chat, and in which 429s of several chats count together. */
const FEW_SECONDS_MS = 5_000;
/** Time for which a chat with a 429, and no message since, is remembered. Well above the wait of a 429. */
const KNOWN_MS = 600_000;
/** Number of chats whose 429s don't yet prove the bot's overall limit. */
const HANDFUL = 5;
/** The same number if a 429 of the overall limit was expected. Answers to taps aren't throttled here but count, too. */
const ONE = 1;

/** Decides which limit a 429 means: a chat's (about 1 message per second) or the bot's (about 30 over all chats). */
interface Objections {
  sent(chat: number): void;
  /**
   * Returns whether this 429 is the bot's overall limit.
   *
   * @param begun time at which the message was sent, in epoch milliseconds
   * @param isExpected whether Telegram has just accepted about as many messages as the known limit
   */
  isOverall(chat: number, begun: number, isExpected: boolean): boolean;
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
function createObjections({ now }: { now: () => number }): Objections {
  const served = createRecentChats({ keptMs: FEW_SECONDS_MS, now });
  const objected = createRecentChats({ keptMs: KNOWN_MS, now });
  const witnesses = createRecentChats({ keptMs: FEW_SECONDS_MS, now });
  let lastServed = Number.NEGATIVE_INFINITY;
  let proven = Number.NEGATIVE_INFINITY;

  function isItsOwn(chat: number): boolean {
    const before = objected.of(chat) ?? Number.POSITIVE_INFINITY;
    objected.note(chat);
    return served.of(chat) !== undefined || before < lastServed;
  }

  return {
    sent(chat) {
      lastServed = now();
      served.note(chat);
      objected.leave(chat);
    },
    isOverall(chat, begun, isExpected) {
      if (isItsOwn(chat)) return false;
      if (begun <= proven) return true;
      witnesses.note(chat);
      if (witnesses.count() <= (isExpected ? ONE : HANDFUL)) return false;
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
interface LearnedPace {
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

/** Resolves after `ms`. Rejects as soon as `signal` aborts. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

export const pause: Pause = (ms, signal) => wait(ms, undefined, { signal });

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
