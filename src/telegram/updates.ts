import { setMaxListeners } from 'node:events';
import { type Api, GrammyError, HttpError } from 'grammy';
import type { Message, Update } from 'grammy/types';
import { z } from 'zod';
import { createKeyedQueue, orTimeout } from '../platform/async.ts';
import { DAY_MS, MINUTE_MS } from '../platform/clock.ts';
import type { Seal } from '../platform/encryption.ts';
import { type Log, reportFailure } from '../platform/log.ts';
import { keyOf, readJson, type StoredData } from '../platform/records.ts';
import type { Storage } from '../platform/storage.ts';
import {
  callWithRetry,
  MAX_BACKOFF_MS,
  ResponseTooLarge,
  realSleep,
  type Sleep,
  toGrammySignal,
  UnreadableResponse,
} from './fetch.ts';
import { ALLOWED_UPDATES, readUpdate, updateIdOf } from './update-schema.ts';
import { type WebhookUse, withoutSecrets } from './webhook-use.ts';

/** Returns the chat by which an update is ordered: the chat of its message, or else the user's private chat. */
export function chatOf(update: Update): number | undefined {
  const { callback_query: tap, my_chat_member: membership } = update;
  return messageOf(update)?.chat.id ?? tap?.message?.chat.id ?? tap?.from.id ?? membership?.chat.id;
}

/** Returns the new or edited message of an update. */
export function messageOf({ message, edited_message: edited }: Update): Message | undefined {
  return message ?? edited;
}

/**
 * Result of handling an update.
 *
 * - `done`: handled, or never to be handled. Can be confirmed to Telegram.
 * - `busy`: another update of the chat is being handled elsewhere. To be retried soon.
 * - `failed`: not handled. To be retried, after `afterMs` if Telegram asked to wait.
 */
export type Received = { kind: 'done' } | { kind: 'busy' } | { kind: 'failed'; afterMs?: number };

export type Receive = (update: Update) => Promise<Received>;

const MAX_OPEN = 5;

/** Logs an update that is dropped because it can't be read, without its content. */
export function reportUnreadable(log: Log, id: number | undefined, reason: string): void {
  const advice = 'Look for a newer version of the bot: the Bot API may have changed.';
  log.error({ update: id, reason, advice }, "an update can't be read and is dropped");
}

/** Creates a register of the waiting and running updates of each chat. Their number is limited, so that no chat blocks others. */
function createOpenUpdates() {
  const chats = new Map<number | undefined, Set<number>>();
  return {
    /**
     * Counts the update until it is closed. Returns `over` if its chat has reached the maximum, `known` if it is already
     * open.
     */
    open(update: Update): 'opened' | 'known' | 'over' {
      const chat = chatOf(update);
      const open = chats.get(chat) ?? new Set();
      if (open.has(update.update_id)) return 'known';
      if (open.size >= MAX_OPEN) return 'over';
      chats.set(chat, open.add(update.update_id));
      return 'opened';
    },
    close(update: Update): void {
      const chat = chatOf(update);
      const open = chats.get(chat);
      open?.delete(update.update_id);
      if (open?.size === 0) chats.delete(chat);
    },
  };
}

const STORED_UPDATE = {
  keys: 'update:id',
  content: 'Update that was confirmed to Telegram before it was handled, encrypted',
  expiry: '1 day',
} as const satisfies StoredData;

const STORED_UPDATES = {
  keys: 'stored-updates',
  content: 'Index of the stored updates',
  expiry: 'none: a single key; settled updates are removed',
  retained: { elsewhere: 'kept-under-way' },
} as const satisfies StoredData;

export const UPDATE_DATA: readonly StoredData[] = [STORED_UPDATE, STORED_UPDATES];

const BATCH = 1_000;
/** TTL of an update. The same as at Telegram (https://core.telegram.org/bots/api#getting-updates). */
const UPDATE_TTL_MS = DAY_MS;

const storedUpdateSchema = z.object({ storedAt: z.number(), update: z.unknown() });

/**
 * Stores updates that are confirmed to Telegram before they are handled, so that they don't block later updates. Telegram
 * doesn't send them again. Updates are sealed: a message may contain an API key, and a forged tap could confirm an operation.
 * All methods reject while the storage is unavailable.
 */
export function createStoredUpdates(deps: { storage: Storage; seal: Seal; log: Log; now: () => number }) {
  const { storage, seal, log, now } = deps;
  const aboutOf = (id: number, chat: number) => ({ user: chat, purpose: `update ${id}` });
  const memberOf = (update: Update) => `${update.update_id}/${chatOf(update) ?? 0}`;

  async function read(member: string): Promise<Update | undefined> {
    const [id = 0, chat = 0] = member.split('/').map(Number);
    const sealed = await storage.get(keyOf(STORED_UPDATE.keys, { id }));
    const plain = sealed === undefined ? undefined : seal.open(sealed, aboutOf(id, chat));
    const stored = readJson(storedUpdateSchema, plain);
    if (stored && now() - stored.storedAt < UPDATE_TTL_MS) {
      const read = readUpdate(stored.update);
      if ('update' in read) return read.update;
    }
    log.warn({ update: id, chat }, "a stored update is missing, too old or can't be read");
    await storage.index.remove(STORED_UPDATES.keys, member);
    return undefined;
  }

  return {
    async store(update: Update): Promise<void> {
      const about = aboutOf(update.update_id, chatOf(update) ?? 0);
      const sealed = seal.seal(JSON.stringify({ storedAt: now(), update }), about);
      await storage.set(keyOf(STORED_UPDATE.keys, { id: update.update_id }), sealed, {
        ttlMs: UPDATE_TTL_MS,
      });
      // Written last, so that the index lists only existing updates.
      await storage.index.put(STORED_UPDATES.keys, memberOf(update), update.update_id);
    },
    async remove(update: Update): Promise<void> {
      await storage.index.remove(STORED_UPDATES.keys, memberOf(update));
      await storage.delete(keyOf(STORED_UPDATE.keys, { id: update.update_id }));
    },
    /**
     * Returns the oldest 1,000 updates in the order of their ids. Unreadable ones are logged and removed. Ids restart only
     * after a week without updates (https://core.telegram.org/bots/api#update), so those of one day are in order.
     */
    async all(): Promise<Update[]> {
      const members = await storage.index.upTo(STORED_UPDATES.keys, Number.MAX_SAFE_INTEGER, BATCH);
      const updates = await Promise.all(members.map(read));
      return updates.filter((update) => update !== undefined);
    },
  };
}

export type StoredUpdates = ReturnType<typeof createStoredUpdates>;

interface UpdateSourceDeps {
  receive: Receive;
  storedUpdates: StoredUpdates;
  /** Called with each update above the maximum per chat. Must not block. */
  onDropped: (update: Update) => void;
  log: Log;
  /** Time in milliseconds after which an unsettled update is stored, so that neither later updates nor its connection wait. */
  slowMs?: number;
}

interface OpenUpdate {
  update: Update;
  handling: Promise<void>;
  storing?: Promise<void> | undefined;
  isStored: boolean;
}

/** Minimum wait between tries, doubled each time. `receive` decides when to give up. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/**
 * Maximum number of stored updates. Above it, updates stay unconfirmed, and Telegram sends others only after some are
 * settled.
 */
const MAX_STORED = 1_000;

/**
 * Creates a queue of updates for the bot. Updates of one chat run in order, different chats run in parallel. Once `signal`
 * aborts, no update is started or retried.
 */
export function createUpdateQueue(
  deps: Omit<UpdateSourceDeps, 'slowMs'> & { signal: AbortSignal; sleep?: Sleep },
) {
  const { receive, storedUpdates, onDropped, log, signal, sleep = realSleep } = deps;
  // Each update that is retried waits on it, in many chats at once after an outage.
  setMaxListeners(0, signal);
  const openUpdates = createOpenUpdates();
  const chatQueue = createKeyedQueue<number | undefined>();
  const open = new Map<number, OpenUpdate>();
  /** Ids of settled updates that Telegram may return again. */
  const settled = new Set<number>();
  /** Updates that are settled but still stored. */
  const settledStored = new Set<Update>();
  const removals = new Set<Promise<void>>();
  let canStore = true;
  /** Last id of the latest response. Ids can restart lower, so higher ones may have come before. */
  let lastId: number | undefined;
  let areStoredEnqueued = false;

  function start(update: Update, isStored: boolean): void {
    const handling = chatQueue.run(chatOf(update), async () => {
      if (await settle(update)) end(update);
    });
    open.set(update.update_id, { update, handling, isStored });
  }

  /** Retries an update until it is done. Returns false if the signal aborted it. */
  async function settle(update: Update): Promise<boolean> {
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const received = await receiveSafely(update);
      if (received.kind === 'done') return true;
      const retryAfterMs = received.kind === 'failed' ? (received.afterMs ?? 0) : 0;
      await sleep(Math.max(wait, retryAfterMs), signal).catch(() => undefined);
    }
    return false;
  }

  async function receiveSafely(update: Update): Promise<Received> {
    try {
      return await receive(update);
    } catch (err) {
      reportFailure(log, { update: update.update_id, err }, 'an update failed');
      return { kind: 'failed' };
    }
  }

  function end(update: Update): void {
    const { isStored, storing } = open.get(update.update_id) ?? {};
    open.delete(update.update_id);
    settled.add(update.update_id);
    openUpdates.close(update);
    if (!isStored && storing === undefined) return;
    const removal = Promise.resolve(storing)
      .then(() => void settledStored.add(update))
      .then(removeSettled)
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  /** Removes settled updates from the storage. Failures are retried later; a leftover update is recognized as handled. */
  async function removeSettled(): Promise<void> {
    const removing = [...settledStored].map((update) =>
      storedUpdates.remove(update).then(() => settledStored.delete(update)),
    );
    await Promise.all(removing).catch(reportStoreFailure);
  }

  async function storeUpdate(entry: OpenUpdate): Promise<void> {
    try {
      await storedUpdates.store(entry.update);
      entry.isStored = true;
      canStore = true;
    } catch (err) {
      entry.storing = undefined;
      reportStoreFailure(err);
    }
  }

  function reportStoreFailure(err: unknown): void {
    if (canStore) log.warn({ err }, "updates can't be stored: others wait behind slow ones");
    canStore = false;
  }

  const unstored = () => [...open.values()].filter(({ isStored }) => !isStored);

  /** Starts or drops a received update. Returns false if it came before. */
  function add(value: unknown): boolean {
    const id = updateIdOf(value);
    if (id !== undefined && (open.has(id) || settled.has(id))) return false;
    const read = readUpdate(value);
    if ('reason' in read) reportUnreadable(log, id, read.reason);
    else if (openUpdates.open(read.update) === 'over') onDropped(read.update);
    else {
      start(read.update, false);
      return true;
    }
    // Without an id, the update is confirmed together with a later one.
    if (id !== undefined) settled.add(id);
    return id !== undefined;
  }

  /** Forgets settled updates that Telegram doesn't have any more, because their ids may be used again. */
  function forgetConfirmed(returned: ReadonlySet<number | undefined>, mayContinue: boolean): void {
    for (const id of settled) {
      const isLater = mayContinue && lastId !== undefined && id > lastId;
      if (!returned.has(id) && !isLater) settled.delete(id);
    }
  }

  return {
    /**
     * Starts the updates of a response that aren't in the queue. Drops unreadable ones and those of a chat with too many open
     * ones. Returns whether the response had any new update. `mayContinue`: Telegram may have more updates.
     */
    enqueue(response: readonly unknown[], mayContinue = false): boolean {
      lastId = response.map(updateIdOf).findLast((id) => id !== undefined);
      const added = response.filter(add);
      forgetConfirmed(new Set(response.map(updateIdOf)), mayContinue);
      return added.length > 0;
    },
    /** Starts stored updates that an earlier process didn't settle. Runs once; if reading fails, the next call retries. */
    async enqueueStored(): Promise<void> {
      if (areStoredEnqueued) return;
      try {
        for (const update of await storedUpdates.all()) {
          if (open.has(update.update_id)) continue;
          openUpdates.open(update);
          start(update, true);
        }
        areStoredEnqueued = true;
      } catch (err) {
        reportStoreFailure(err);
      }
    },
    /** Stores open updates, so that they can be confirmed. Never rejects. */
    async storeOpen(): Promise<void> {
      await removeSettled();
      const capacity =
        MAX_STORED - [...open.values()].filter(({ storing, isStored }) => isStored || storing).length;
      const waiting = unstored().filter(({ storing }) => storing === undefined);
      for (const entry of waiting.slice(0, Math.max(0, capacity))) entry.storing = storeUpdate(entry);
      await Promise.all(unstored().map(({ storing }) => storing));
    },
    /**
     * Returns the offset that confirms the updates of the latest response which are settled or stored. Returns `undefined` if
     * the response had no updates: a poll without an offset finds ids that restart lower.
     */
    nextOffset(): number | undefined {
      if (lastId === undefined) return undefined;
      return Math.min(lastId + 1, ...unstored().map(({ update }) => update.update_id));
    },
    hasUnstored: () => unstored().length > 0,
    /** Resolves when all updates that aren't stored are settled, or abandoned because of the signal. */
    async whenConfirmable(): Promise<void> {
      await Promise.all(unstored().map(({ handling }) => handling));
    },
    /** Resolves when all updates are settled, or abandoned because of the signal. */
    async whenIdle(): Promise<void> {
      await Promise.all([...open.values()].map(({ handling }) => handling));
      await Promise.all(removals);
    },
  };
}

const LONG_POLL_S = 30;
/** https://core.telegram.org/bots/api#getupdates */
const MAX_BATCH = 100;
/** Default of `slowMs` for polling. Most updates are settled much sooner. */
const POLL_SLOW_MS = 50;
/** Replaces `slowMs` during a flood. Dropped updates are settled sooner than this, so they needn't be stored. */
const FLOOD_MS = 5;
/** Maximum wait of the next poll for storing updates. */
const MAX_STORE_MS = 400;
/** Maximum wait before the next poll while Telegram returns only known updates. */
const LONGEST_REPEAT_MS = 2_000;
const GRACE_MS = 10_000;
const LAST_POLL_MS = 3_000;

/**
 * Why polls get no updates: another process polls too, another program has set a webhook since, or replicas on the same
 * storage use one.
 */
export type PollingProblem = 'another-poller' | 'webhook-set' | 'replicas-use-webhook';

/**
 * Duration of polling without a failure after which no other process polls, in milliseconds. Two pollers that wait
 * {@link MAX_BACKOFF_MS} after each collision collide about once a minute.
 */
const CALM_MS = 3 * MINUTE_MS;

/** Pause before the next search for a webhook of replicas, in milliseconds. */
const WEBHOOK_SEARCH_MS = 10_000;

/**
 * Long polling with at-least-once delivery. An update is confirmed to Telegram only after it is settled or stored, so updates
 * of a crashed process come again. Telegram returns the 100 oldest unconfirmed updates
 * (https://core.telegram.org/bots/api#getupdates), so slow updates would block later ones. Storing slow updates avoids this,
 * except while the storage is unavailable.
 */
export function createPolling(
  /** `api` needs a `timeoutSeconds` above the 30 of a long poll. */
  deps: UpdateSourceDeps & {
    api: Api;
    webhookUse: Pick<WebhookUse, 'url' | 'isForeign' | 'recordForeignChange'>;
    now: () => number;
    sleep?: Sleep;
  },
) {
  const { api, webhookUse, now, log, slowMs = POLL_SLOW_MS, sleep = realSleep } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const updateQueue = createUpdateQueue({ ...deps, signal });
  /** Number of updates to request, below {@link MAX_BATCH} after a response that was too large. */
  let limit = MAX_BATCH;
  let running = Promise.resolve();
  let problem: PollingProblem | 'unknown' | undefined = 'unknown';
  /** Time of the first successful poll since the last failed one, in epoch milliseconds. */
  let calmSince: number | undefined;
  /** Ends the wait before a call is repeated. */
  let endBackoff = () => {};

  /**
   * Waits until no replica uses a webhook, because a poll would make all of them deaf. Then removes the webhook of this
   * bot's former `PUBLIC_URL` or of another program, if there is one.
   */
  async function removeWebhook(): Promise<void> {
    for (;;) {
      const { url } = await callUntilAccepted(() => api.getWebhookInfo(toGrammySignal(signal)));
      if (!url) break;
      const used = await webhookUse.url().catch(() => url);
      if (used === undefined) {
        const isForeign = await webhookUse.isForeign(url);
        const reason = withoutSecrets(url);
        if (isForeign)
          log.warn({ reason }, 'this process polls, so the webhook of another program is removed');
        else log.info({ reason }, 'this process polls, so its former webhook is removed');
        await callUntilAccepted(() => api.deleteWebhook({}, toGrammySignal(signal)));
        // A health check shows it, and advises.
        if (isForeign) await webhookUse.recordForeignChange(reason).catch(() => undefined);
        break;
      }
      problem = 'replicas-use-webhook';
      await sleep(WEBHOOK_SEARCH_MS, signal);
    }
    if (problem !== 'replicas-use-webhook') return;
    problem = undefined;
    log.info('no replica uses a webhook any more: this process polls');
  }

  function recordSuccess(): void {
    calmSince ??= now();
    if (problem === 'webhook-set' || now() - calmSince >= CALM_MS) problem = undefined;
  }

  function recordFailure(error: unknown): void {
    calmSince = undefined;
    if (isWebhookConflict(error)) problem = problem === 'another-poller' ? problem : 'webhook-set';
    else if (error instanceof GrammyError && error.error_code === 409) problem = 'another-poller';
  }

  /** Returns whether a poll failed because of the webhook of replicas that have started since. */
  async function isReplicasWebhook(error: unknown): Promise<boolean> {
    if (!isWebhookConflict(error)) return false;
    return (await webhookUse.url().catch(() => undefined)) !== undefined;
  }

  async function run(): Promise<void> {
    try {
      await removeWebhook();
      for (let [timeout, repeats] = [LONG_POLL_S, 0]; !signal.aborted; ) {
        await updateQueue.enqueueStored();
        const { updates, isFull } = await callUntilAccepted(() => requestBatch(timeout));
        const isRepeated = !updateQueue.enqueue(updates, isFull) && updates.length > 0;
        repeats = isRepeated ? repeats + 1 : 0;
        await pauseAfter({ isFull, repeats });
        timeout = updateQueue.hasUnstored() ? 0 : LONG_POLL_S;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    await updateQueue.whenIdle();
  }

  /** Waits until the updates of a response can be confirmed, or have been stored. */
  async function pauseAfter({ isFull, repeats }: { isFull: boolean; repeats: number }): Promise<void> {
    // The first repetition can be answered by another offset at once.
    const repeatMs = repeats > 1 ? Math.min(FIRST_WAIT_MS * 2 ** (repeats - 2), LONGEST_REPEAT_MS) : 0;
    if (repeatMs > 0 && !updateQueue.hasUnstored()) {
      if (repeats === 2) log.warn('Telegram returns confirmed updates again: polling more slowly');
      return sleep(repeatMs, signal);
    }
    // A full batch means that more updates are waiting, perhaps of many users.
    const slowAfterMs = repeatMs || (isFull ? FLOOD_MS : slowMs);
    if (!(await endsWithin(slowAfterMs, updateQueue.whenConfirmable())))
      await endsWithin(MAX_STORE_MS, updateQueue.storeOpen());
  }

  /**
   * Requests updates. Halves their number while the response is too large. Returns only the id of a single update that is too
   * large.
   */
  async function requestBatch(timeout: number): Promise<{ updates: readonly unknown[]; isFull: boolean }> {
    try {
      const updates = await poll({ timeout, limit }, signal);
      recordSuccess();
      if (!Array.isArray(updates))
        throw new HttpError('unreadable response', new UnreadableResponse('no list of updates'));
      const isFull = updates.length >= limit;
      limit = Math.min(2 * limit, MAX_BATCH);
      return { updates, isFull };
    } catch (error) {
      recordFailure(error);
      if (await isReplicasWebhook(error)) {
        await removeWebhook();
        return requestBatch(timeout);
      }
      const cause = error instanceof HttpError ? error.error : undefined;
      if (!(cause instanceof ResponseTooLarge)) throw error;
      log.warn({ limit }, 'a response with updates was too large');
      if (limit > 1) {
        limit = Math.floor(limit / 2);
        return requestBatch(timeout);
      }
      if (cause.updateId === undefined) throw error;
      return { updates: [{ update_id: cause.updateId }], isFull: true };
    }
  }

  function poll(params: { timeout: number; limit: number }, signal: AbortSignal): Promise<unknown> {
    const request = { ...params, offset: updateQueue.nextOffset(), allowed_updates: ALLOWED_UPDATES };
    return api.getUpdates(request, toGrammySignal(signal));
  }

  function callUntilAccepted<T>(call: () => Promise<T>): Promise<T> {
    const options = { log, signal, sleep: backOff, retriesRefusals: true, maxWaitMs: MAX_BACKOFF_MS };
    return callWithRetry(call, options);
  }

  async function backOff(ms: number): Promise<void> {
    const wait = new AbortController();
    endBackoff = () => wait.abort();
    await sleep(ms, AbortSignal.any([signal, wait.signal])).catch(() => signal.throwIfAborted());
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
    start(): void {
      running = run();
    },
    /**
     * Returns why polls get no updates, or only some of them; `undefined` if they get all. Another poller counts until polls
     * have succeeded for three minutes. `unknown` until then after the start.
     */
    problem: () => problem,
    /** Polls now if a failed call is to be repeated later. */
    retryNow: () => endBackoff(),
    /** Ends the long poll, waits up to 10 seconds for the handlers, and confirms settled updates. */
    async stop(): Promise<void> {
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

/** Returns whether Telegram refuses a poll because a webhook is set. */
function isWebhookConflict(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 409 && /webhook/i.test(error.description);
}

/** Default of `slowMs` for the webhook. */
const WEBHOOK_SLOW_MS = 400;
/** Maximum number of stored updates in progress. Further updates occupy their connections, and Telegram waits. */
const MAX_STORED_IN_PROGRESS = 1_000;

/**
 * Handles updates from the webhook. Each update occupies a connection until its response, and Telegram opens only a few.
 * Therefore slow updates are stored and confirmed early, and each chat can have only a few open updates.
 *
 * Updates above this maximum go to `onDropped` and count as done. Such a chat is flooded, or its user repeats taps because
 * nothing seems to happen. A 503 would only bring the flood back and delay all chats, because Telegram backs off from a
 * failing webhook.
 */
export function createWebhookUpdates(deps: UpdateSourceDeps) {
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
      log.warn({ err }, "updates can't be stored: slow ones hold their connections");
      return handled;
    }
    void removeOnceDone(update, handled);
    return { kind: 'done' };
  }

  return {
    /** Resolves once the update is settled or stored. */
    async receive(update: Update): Promise<Received> {
      const opened = openUpdates.open(update);
      // Telegram has sent the update again while it is still in progress.
      if (opened === 'known') return { kind: 'busy' };
      if (opened === 'over') {
        onDropped(update);
        return { kind: 'done' };
      }
      return settleOrStore(update, handle(update));
    },
    /** Handles stored updates of any process that were never settled. Safe while another process is handling them. */
    async handleStored(): Promise<void> {
      const unhandled = (await storedUpdates.all()).filter((update) => openUpdates.open(update) === 'opened');
      // The bot handles the updates of one chat sequentially.
      await Promise.all(unhandled.map((update) => removeOnceDone(update, handle(update))));
    },
  };
}
