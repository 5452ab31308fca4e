import type { Api } from 'grammy';
import type { Update } from 'grammy/types';
import type { Log } from '../platform/log.ts';
import { orTimeout } from '../platform/retry.ts';
import { callWithRetry, toGrammySignal } from './fetch.ts';
import { realSleep, type Sleep } from './rate-limiter.ts';
import {
  ALLOWED_UPDATES,
  createOpenUpdates,
  createUpdateQueue,
  type Receive,
  type Received,
  type StoredUpdates,
} from './update-queue.ts';

export interface Polling {
  start(): void;
  /** Ends the long poll, waits up to 10 seconds for the handlers, and confirms settled updates. */
  stop(): Promise<void>;
}

interface PollingOptions {
  /** Needs a `timeoutSeconds` above the 30 of a long poll. */
  api: Api;
  receive: Receive;
  storedUpdates: StoredUpdates;
  /** Called with each update above the maximum per chat. Must not block. */
  onDropped: (update: Update) => void;
  log: Log;
  /** Time in milliseconds after which unsettled updates are stored, so that later updates don't wait. */
  slowMs?: number;
  sleep?: Sleep;
}

const LONG_POLL_S = 30;
/** https://core.telegram.org/bots/api#getupdates */
const MAX_BATCH = 100;
/** Default of `slowMs`. Most updates are settled much sooner. */
const POLL_SLOW_MS = 50;
/** Replaces `slowMs` during a flood. Long enough for dropped updates, which would be more expensive to store. */
const FLOOD_MS = 5;
/** Maximum wait of the next poll for storing updates. */
const MAX_STORE_MS = 400;
const GRACE_MS = 10_000;
const LAST_POLL_MS = 3_000;

/**
 * Long polling with at-least-once delivery. An update is confirmed to Telegram only after it is settled or stored, so updates
 * of a crashed process come again. Telegram returns the 100 oldest unconfirmed updates
 * (https://core.telegram.org/bots/api#getupdates), so slow updates would block later ones. Storing slow updates avoids this,
 * except while the storage is unavailable.
 */
export function createPolling(options: PollingOptions): Polling {
  const { api, receive, storedUpdates, onDropped, log, slowMs = POLL_SLOW_MS, sleep = realSleep } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const updateQueue = createUpdateQueue({ receive, storedUpdates, onDropped, log, signal, sleep });
  let running = Promise.resolve();

  async function run(): Promise<void> {
    try {
      await callUntilAccepted(() => api.deleteWebhook({}, toGrammySignal(signal)));
      for (let timeout = LONG_POLL_S; !signal.aborted; ) {
        await updateQueue.enqueueStored();
        const updates = await callUntilAccepted(() => poll({ timeout }, signal));
        updateQueue.enqueue(updates);
        // A full batch means that more updates are waiting, perhaps of many users.
        const slowAfterMs = updates.length === MAX_BATCH ? FLOOD_MS : slowMs;
        if (!(await endsWithin(slowAfterMs, updateQueue.whenConfirmable()))) {
          await endsWithin(MAX_STORE_MS, updateQueue.storeOpen());
        }
        timeout = updateQueue.hasUnstored() ? 0 : LONG_POLL_S;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await updateQueue.whenIdle();
  }

  function poll(params: { timeout: number; limit?: number }, signal: AbortSignal): Promise<Update[]> {
    const request = { ...params, offset: updateQueue.nextOffset(), allowed_updates: ALLOWED_UPDATES };
    return api.getUpdates(request, toGrammySignal(signal));
  }

  function callUntilAccepted<T>(call: () => Promise<T>): Promise<T> {
    return callWithRetry(call, { log, signal, sleep, retriesRefusals: true });
  }

  async function endsWithin(ms: number, work: Promise<void>): Promise<boolean> {
    const timer = new AbortController();
    const timeout = sleep(ms, timer.signal).then(
      () => false,
      () => false,
    );
    const ended = await Promise.race([work.then(() => true), timeout]);
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

/** Default of `slowMs`. Most updates are settled much sooner. */
const WEBHOOK_SLOW_MS = 400;
/** Maximum number of stored updates in progress. Further updates occupy their connections, and Telegram waits. */
const MAX_STORED_IN_PROGRESS = 1_000;

interface WebhookUpdates {
  /** Resolves once the update is settled or stored. */
  receive: Receive;
  /** Handles stored updates of any process that were never settled. Safe while another process is handling them. */
  handleStored(): Promise<void>;
}

/**
 * Handles updates from the webhook. Each update occupies a connection until its response, and Telegram opens only a few.
 * Therefore slow updates are stored and confirmed early, and each chat can have only a few open updates.
 *
 * Updates above this maximum go to `onDropped` and count as done. Such a chat is flooded, or its user repeats taps because nothing
 * seems to happen. A 503 would only bring the flood back and delay all chats, because Telegram backs off from a failing
 * webhook.
 */
export function createWebhookUpdates(deps: {
  receive: Receive;
  storedUpdates: StoredUpdates;
  onDropped: (update: Update) => void;
  /** Time in milliseconds after which an unsettled update is stored, to free its connection. */
  slowMs?: number;
  log: Log;
}): WebhookUpdates {
  const { receive, storedUpdates, onDropped, slowMs = WEBHOOK_SLOW_MS, log } = deps;
  const openUpdates = createOpenUpdates();
  let storedInProgress = 0;

  const handle = (update: Update) => receive(update).finally(() => openUpdates.close(update));

  /** Removes a stored update after it is settled. A failed update stays stored and is handled again later. */
  async function removeOnceDone(update: Update, handled: Promise<Received>): Promise<void> {
    storedInProgress += 1;
    try {
      const { kind } = await handled;
      if (kind === 'done') await storedUpdates.remove(update);
    } catch (err) {
      log.warn({ update: update.update_id, err }, 'a stored update will be handled again');
    } finally {
      storedInProgress -= 1;
    }
  }

  async function settleOrStore(update: Update, handled: Promise<Received>): Promise<Received> {
    const settled = await orTimeout(handled, slowMs);
    if (settled !== undefined || storedInProgress >= MAX_STORED_IN_PROGRESS) return settled ?? handled;
    try {
      await storedUpdates.store(update);
    } catch (err) {
      log.warn({ err }, 'updates can not be stored: slow ones hold their connections');
      return handled;
    }
    void removeOnceDone(update, handled);
    return { kind: 'done' };
  }

  return {
    async receive(update) {
      const opened = openUpdates.open(update);
      // Telegram has sent the update again while it is still in progress.
      if (opened === 'known') return { kind: 'busy' };
      if (opened === 'over') {
        onDropped(update);
        return { kind: 'done' };
      }
      return settleOrStore(update, handle(update));
    },
    async handleStored() {
      const unhandled = (await storedUpdates.all()).filter((update) => openUpdates.open(update) === 'opened');
      // The bot handles the updates of one chat sequentially.
      await Promise.all(unhandled.map((update) => removeOnceDone(update, handle(update))));
    },
  };
}
