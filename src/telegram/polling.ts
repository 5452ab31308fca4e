import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import { callWithRetry } from './call-with-retry.ts';
import { forGrammy } from './for-grammy.ts';
import { type Pause, pause } from './pause.ts';
import type { Receive } from './received.ts';
import { createUpdateQueue } from './update-queue.ts';
import { ALLOWED_UPDATES } from './updates.ts';

export interface Polling {
  start(): void;
  /** Ends the long poll at once, waits up to 10 seconds for the handlers, and confirms what is settled. */
  stop(): Promise<void>;
}

export interface PollingOptions {
  /** Its `timeoutSeconds` must be above the 30 of a long poll. */
  api: Api;
  receive: Receive;
  log: Log;
  sleep?: Pause;
}

const LONG_POLL_S = 30;
/** How often to look for other chats' updates while a slow one is being handled. */
const LOOK_AGAIN_MS = 400;
const GRACE_MS = 10_000;
const LAST_POLL_MS = 3_000;

/**
 * Long polling, at least once: an update is confirmed to Telegram only when it was handled or given up, so what
 * a dead process had begun comes again (https://core.telegram.org/bots/api#getupdates).
 */
export function createPolling({ api, receive, log, sleep = pause }: PollingOptions): Polling {
  const stopping = new AbortController();
  const { signal } = stopping;
  const updateQueue = createUpdateQueue({ receive, log, signal, sleep });
  let running = Promise.resolve();

  async function run(): Promise<void> {
    try {
      await stubbornly(() => api.deleteWebhook({}, forGrammy(signal)));
      for (let timeout = LONG_POLL_S; !signal.aborted; ) {
        updateQueue.take(await stubbornly(() => poll({ timeout }, signal)));
        timeout = (await endsWithin(LOOK_AGAIN_MS, updateQueue.idle())) ? LONG_POLL_S : 0;
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
