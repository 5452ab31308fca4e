import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../platform/log.ts';
import { callWithRetry, forGrammy } from './fetch.ts';
import { type Pause, pause } from './rate-limiter.ts';
import type { KeptUpdates, Receive } from './update-queue.ts';
import { ALLOWED_UPDATES, createUpdateQueue } from './update-queue.ts';

export interface Polling {
  start(): void;
  /** Ends the long poll, waits up to 10 seconds for the handlers, and confirms settled updates. */
  stop(): Promise<void>;
}

export interface PollingOptions {
  /** Needs a `timeoutSeconds` above the 30 of a long poll. */
  api: Api;
  receive: Receive;
  kept: KeptUpdates;
  /** Called with each update above the maximum per chat. Must not block. */
  drop: (update: Update) => void;
  log: Log;
  /** Time in milliseconds after which unsettled updates are stored, so that later updates don't wait. */
  slowMs?: number;
  sleep?: Pause;
}

const LONG_POLL_S = 30;
/** https://core.telegram.org/bots/api#getupdates */
const MAX_BATCH = 100;
/** Default of `slowMs`. Most updates are settled much sooner. */
const SLOW_MS = 50;
/** Replaces `slowMs` during a flood. Long enough for dropped updates, which would be more expensive to store. */
const FLOOD_MS = 5;
/** Maximum wait of the next poll for storing updates. */
const KEEP_MS = 400;
const GRACE_MS = 10_000;
const LAST_POLL_MS = 3_000;

/**
 * Long polling with at-least-once delivery. An update is confirmed to Telegram only after it is settled or stored, so updates
 * of a crashed process come again. Telegram returns the 100 oldest unconfirmed updates
 * (https://core.telegram.org/bots/api#getupdates), so slow updates would block later ones. Storing slow updates avoids this,
 * except while the storage is unavailable.
 */
export function createPolling(options: PollingOptions): Polling {
  const { api, receive, kept, drop, log, slowMs = SLOW_MS, sleep = pause } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const updateQueue = createUpdateQueue({ receive, kept, drop, log, signal, sleep });
  let running = Promise.resolve();

  async function run(): Promise<void> {
    try {
      await stubbornly(() => api.deleteWebhook({}, forGrammy(signal)));
      for (let timeout = LONG_POLL_S; !signal.aborted; ) {
        await updateQueue.takeKept();
        const updates = await stubbornly(() => poll({ timeout }, signal));
        updateQueue.take(updates);
        // A full batch means that more updates are waiting, perhaps of many users.
        const patience = updates.length === MAX_BATCH ? FLOOD_MS : slowMs;
        if (!(await endsWithin(patience, updateQueue.confirmable()))) {
          await endsWithin(KEEP_MS, updateQueue.keepOpen());
        }
        timeout = updateQueue.holdsBack() ? 0 : LONG_POLL_S;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await updateQueue.idle();
  }

  function poll(how: { timeout: number; limit?: number }, signal: AbortSignal): Promise<Update[]> {
    const request = { ...how, offset: updateQueue.nextOffset(), allowed_updates: ALLOWED_UPDATES };
    return api.getUpdates(request, forGrammy(signal));
  }

  function stubbornly<T>(call: () => Promise<T>): Promise<T> {
    return callWithRetry(call, { log, signal, sleep, stubborn: true });
  }

  async function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
    const timer = new AbortController();
    const late = sleep(ms, timer.signal).then(
      () => false,
      () => false,
    );
    const ended = await Promise.race([work.then(() => true), late]);
    timer.abort();
    return ended;
  }

  return {
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      if (!(await endsWithin(GRACE_MS, running)))
        log.warn({ ms: GRACE_MS }, 'stopping before all updates were handled');
      if (updateQueue.nextOffset() === undefined) return;
      try {
        await poll({ timeout: 0, limit: 1 }, AbortSignal.timeout(LAST_POLL_MS));
      } catch (err) {
        log.warn({ err }, 'the last updates could not be confirmed and will come again');
      }
    },
  };
}
