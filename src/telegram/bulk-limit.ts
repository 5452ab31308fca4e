import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isRecent, SECOND_MS } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { SharedRateLimiter } from '../platform/rate-limit.ts';
import { defineRecord, type SignedRecords } from '../platform/records.ts';

/** Maximum messages in bulk over all replicas. Telegram allows about 30 a second (https://core.telegram.org/bots/faq). */
export const MAX_PER_SECOND = 28;
/** Minimum time between two messages of a replica. Requests in flight during a 429 prolong it, so there should be few. */
const GAP_MS = SECOND_MS / MAX_PER_SECOND;
/** Time that a late replica catches up, in milliseconds. With one gap, it sends at most thirty messages in any second. */
const MAX_CATCH_UP_MS = GAP_MS;
/** Messages that a replica may send for each use of the shared limit. It must send them within a second. */
const BATCH_SIZE = 4;
const LIMIT = { max: MAX_PER_SECOND / BATCH_SIZE, withinMs: SECOND_MS };
const LIMIT_NAME = 'bulk-messages';

/** Delay before the next attempt to read the storage if it was unavailable, in milliseconds. */
const STORAGE_RETRY_MS = 3_000;
/** Longest time that a message waits in this process, in milliseconds. Its caller then tries again. */
const MAX_WAIT_MS = 2_000;
/** Longest time after which a caller tries again, in milliseconds. A pause may last hours. */
const MAX_RETRY_MS = 30_000;

/** Number of chats whose 429s within this time don't prove the bot's overall limit yet. */
const MAX_REFUSED_CHATS = 5;
const REFUSED_TTL_MS = 5_000;

/** Period that began at `at` (epoch milliseconds) and lasts `ms`. */
const periodSchema = z.object({ at: z.number(), ms: z.number() });
type Period = z.infer<typeof periodSchema>;

export const BULK_PAUSE = defineRecord({
  keys: 'bulk-messages-paused',
  content: "Telegram's overall limit is exceeded: no replica sends notifications or copies of a broadcast",
  schema: periodSchema,
  ttlMs: ({ ms }) => ms,
  expiry: 'after the time that Telegram demanded, a day at most',
  signed: false,
});

export type BulkLimit = ReturnType<typeof createBulkLimit>;

/**
 * Limits messages that no user waits for (notifications, copies of a broadcast) to 28 a second over all replicas. Replies
 * don't wait, but those of this process reduce its next messages in bulk, to a quarter at most. In a process, notifications
 * come before copies. While the storage is unavailable, nothing is sent in bulk.
 *
 * A 429 doesn't say whether it concerns its chat or the whole bot. If more than five chats return one within five seconds,
 * all replicas pause for the shortest time that Telegram demanded. Fewer chats don't delay others.
 *
 * @example
 * const waitMs = await bulkLimit.acquireSoon();
 * if (waitMs > 0) return tryAgainIn(waitMs);
 */
export function createBulkLimit(deps: {
  sharedLimiter: Pick<SharedRateLimiter, 'acquire'>;
  records: Pick<SignedRecords, 'store'>;
  now: () => number;
  wait?: ((ms: number) => Promise<unknown>) | undefined;
  log: Log;
}) {
  const { sharedLimiter, records, now, wait = delay, log } = deps;
  const pauses = records.store(BULK_PAUSE);
  /** Latest batch, and how many of its messages weren't sent yet. */
  let batch = { at: 0, left: 0 };
  /** Gap after the latest message. */
  let gap: Period = { at: 0, ms: 0 };
  /** Time in which nothing is sent, and the storage isn't asked. */
  let hold: Period = { at: 0, ms: 0 };
  let acquiring: Promise<void> | undefined;
  let waiting = 0;
  let replies = 0;
  /** Latest 429 of each chat in the last seconds. */
  const refused = new Map<number, Period>();

  const remainingMs = ({ at, ms }: Period) => (isRecent(at, ms, now()) ? Math.min(ms, at + ms - now()) : 0);

  function holdFor(ms: number): void {
    if (ms > remainingMs(hold)) hold = { at: now(), ms };
  }

  /** Begins the gap when it was due, so that a late message doesn't delay later ones. */
  function beginGap(): void {
    const dueAt = Math.min(now(), Math.max(gap.at + gap.ms, now() - MAX_CATCH_UP_MS));
    gap = { at: now(), ms: dueAt + GAP_MS - now() };
  }

  async function acquireBatch(): Promise<void> {
    try {
      const [pause, waitMs] = await Promise.all([
        pauses.get({}),
        sharedLimiter.acquire(LIMIT_NAME, randomUUID(), LIMIT),
      ]);
      const blockedMs = Math.max(waitMs, pause === undefined ? 0 : remainingMs(pause));
      if (blockedMs > 0) return holdFor(blockedMs);
      batch = { at: now(), left: Math.max(1, BATCH_SIZE - replies) };
      replies = 0;
    } catch (err) {
      log.warn({ err }, 'the limit of messages could not be read; none is sent in bulk for now');
      holdFor(STORAGE_RETRY_MS);
    }
  }

  async function acquireNow(): Promise<number> {
    for (;;) {
      const waitMs = remainingMs(hold) || remainingMs(gap);
      // Rounded up, because a timer of a fraction of a millisecond may fire too early.
      if (waitMs > 0) return Math.min(Math.ceil(waitMs), MAX_RETRY_MS);
      if (batch.left > 0 && isRecent(batch.at, SECOND_MS, now())) {
        batch.left -= 1;
        beginGap();
        return 0;
      }
      acquiring ??= acquireBatch().finally(() => {
        acquiring = undefined;
      });
      await acquiring;
    }
  }

  return {
    /**
     * Returns 0 if a message in bulk may be sent now, and counts it. Otherwise returns when to try again, in milliseconds.
     * Messages that wait in `acquireSoon` have priority.
     */
    acquire: async (): Promise<number> => (waiting > 0 ? Math.ceil(GAP_MS) : acquireNow()),
    /** Like `acquire`, but waits up to two seconds. */
    async acquireSoon(): Promise<number> {
      waiting += 1;
      try {
        for (let waitedMs = 0; ; ) {
          const waitMs = await acquireNow();
          waitedMs += waitMs;
          if (waitMs === 0 || waitedMs > MAX_WAIT_MS) return waitMs;
          await wait(waitMs);
        }
      } finally {
        waiting -= 1;
      }
    },
    /** Counts a new message of this process that wasn't sent in bulk. */
    countReply(): void {
      replies += 1;
    },
    /** Reports that Telegram refused a new message and demanded a wait of `ms`. */
    async onRateLimited(chat: number, ms: number): Promise<void> {
      for (const [each, { at }] of refused) if (!isRecent(at, REFUSED_TTL_MS, now())) refused.delete(each);
      refused.set(chat, { at: now(), ms });
      if (refused.size <= MAX_REFUSED_CHATS) return;
      const pause = { at: now(), ms: Math.min(...[...refused.values()].map((one) => one.ms)) };
      refused.clear();
      if (pause.ms <= remainingMs(hold)) return;
      holdFor(pause.ms);
      log.warn({ ms: pause.ms }, "Telegram's overall limit is exceeded; nothing is sent in bulk for now");
      await pauses.set({}, pause).catch((err: unknown) => {
        log.warn({ err }, 'the pause of messages in bulk could not be stored');
      });
    },
  };
}
