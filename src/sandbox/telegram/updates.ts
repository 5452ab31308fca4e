import { setMaxListeners } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { request } from 'undici';
import { z } from 'zod';
import { DAY_MS } from '../../platform/clock.ts';
import type { Clock } from '../clock.ts';
import { badRequest, conflict } from './bot-api-error.ts';

/** Resolves when one of the signals is aborted. */
export function anyAborted(...signals: AbortSignal[]): Promise<void> {
  const any = AbortSignal.any(signals);
  return new Promise((resolve) => {
    if (any.aborted) resolve();
    else any.addEventListener('abort', () => resolve(), { once: true });
  });
}

export interface Callbacks {
  /** Registers a tap in the chat. Returns the id of its callback query. */
  open(chatId: number): string;
  /** Accepts one answer per tap. Returns the chat of the tap. @throws BotApiError */
  answer(id: string): number;
  reset(): void;
}

/** Period in which a tap can be answered, in milliseconds. Equals the time in which the sandbox delivers a callback query. */
const ANSWERABLE_MS = 150_000;

export function createCallbacks({ now }: { now: () => number }): Callbacks {
  const open = new Map<string, { chatId: number; at: number }>();
  let last = 3_000_000_000_000_000;
  /** Deletes expired taps. The map is ordered by age, oldest first. */
  const deleteExpired = () => {
    for (const [id, { at }] of open) {
      if (now() - at <= ANSWERABLE_MS) return;
      open.delete(id);
    }
  };
  return {
    open(chatId) {
      deleteExpired();
      last += 1;
      open.set(String(last), { chatId, at: now() });
      return String(last);
    },
    answer(id) {
      const tap = open.get(id);
      if (!tap || now() - tap.at > ANSWERABLE_MS) {
        throw badRequest('query is too old and response timeout expired or query ID is invalid');
      }
      open.delete(id);
      return tap.chatId;
    },
    reset: () => open.clear(),
  };
}

type Update = { update_id: number } & Record<string, unknown>;

interface QueuedUpdate {
  readonly update: Update;
  /** Time at which the update is dropped, in epoch milliseconds. */
  readonly expiresAt: number;
  /** Whether `getUpdates` has returned the update. */
  taken: boolean;
  /** Whether the caller chose the id. It may be lower than ids that are already confirmed. */
  readonly replayed: boolean;
}

export interface Updates {
  /** Queues an update. Returns its id, or undefined if the bot doesn't receive this kind. */
  add(kind: string, payload: unknown): number | undefined;
  /** Queues a complete update and returns its id. Adds an id if it is missing. */
  addRaw(update: Record<string, unknown>): number;
  /** Returns at most `limit` waiting updates in order. */
  waiting(limit?: number): QueuedUpdate[];
  remove(queued: QueuedUpdate): void;
  /**
   * Removes the updates that a `getUpdates` with this offset confirms. A negative offset keeps that many from the end. One far
   * beyond the end confirms nothing.
   */
  confirm(offset: number): void;
  /** Sets the next id, as Telegram does after a week without updates. Returns false if updates are waiting. */
  restartIds(next: number): boolean;
  clear(): void;
  /** Sets the kinds that the bot receives. An empty list means Telegram's default. */
  allow(kinds: readonly string[]): void;
  allowed(): readonly string[];
  onAdded(listener: () => void): () => void;
}

const CALLBACK_QUERY_MS = 150_000;
/** Maximum distance of an offset from the next id (`TQueueImpl::get` in tdlib's `TQueue.cpp`). */
const MAX_AHEAD = 10;
/** Kinds that are delivered only if the bot lists them. */
const NOT_BY_DEFAULT = ['chat_member', 'message_reaction', 'message_reaction_count'];

/** Creates the queue of undelivered updates. Callback queries expire after 150 seconds, other updates after a day. */
export function createUpdates({ now, firstId }: { now: () => number; firstId: number }): Updates {
  const listeners = new Set<() => void>();
  let queue: QueuedUpdate[] = [];
  let nextId = firstId;
  let allowed: readonly string[] = [];
  // Polls don't scan the whole queue, because thousands of updates may wait for a hundred polls.
  let firstExpiry = Number.POSITIVE_INFINITY;
  let inOrder = true;

  const push = (update: Update, replayed: boolean): number => {
    const lifetime = 'callback_query' in update ? CALLBACK_QUERY_MS : DAY_MS;
    const expiresAt = now() + lifetime;
    queue.push({ update, replayed, taken: false, expiresAt });
    firstExpiry = Math.min(firstExpiry, expiresAt);
    inOrder &&= !replayed;
    nextId = Math.max(nextId, update.update_id + 1);
    for (const listener of [...listeners]) listener();
    return update.update_id;
  };

  return {
    add(kind, payload) {
      const wanted = allowed.length > 0 ? allowed.includes(kind) : !NOT_BY_DEFAULT.includes(kind);
      return wanted ? push({ update_id: nextId, [kind]: payload }, false) : undefined;
    },
    addRaw(update) {
      const given = update.update_id;
      const replayed = typeof given === 'number';
      return push({ ...update, update_id: replayed ? given : nextId }, replayed);
    },
    waiting(limit = queue.length) {
      const at = now();
      if (firstExpiry <= at) {
        queue = queue.filter(({ expiresAt }) => expiresAt > at);
        firstExpiry = queue.reduce(
          (first, { expiresAt }) => Math.min(first, expiresAt),
          Number.POSITIVE_INFINITY,
        );
      }
      return queue.slice(0, limit);
    },
    remove(queued) {
      queue = queue.filter((other) => other !== queued);
    },
    confirm(offset) {
      if (offset > nextId + MAX_AHEAD) return;
      if (offset < 0) queue = queue.slice(offset);
      else if (inOrder) {
        const left = queue.findIndex(({ update }) => update.update_id >= offset);
        queue = left === -1 ? [] : queue.slice(left);
      } else {
        queue = queue.filter(
          ({ update, taken, replayed }) => update.update_id >= offset || (replayed && !taken),
        );
      }
    },
    restartIds(next) {
      if (queue.length > 0) return false;
      nextId = next;
      return true;
    },
    clear() {
      queue = [];
      inOrder = true;
    },
    allow(kinds) {
      allowed = kinds;
    },
    allowed: () => allowed,
    onAdded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export interface Polling {
  /**
   * Executes `getUpdates`. Returns at once if updates are waiting, otherwise on the next update or after `timeoutMs`.
   * @throws BotApiError 409 as soon as another call is made
   */
  poll(request: { offset: number; limit: number; timeoutMs: number }, signal: AbortSignal): Promise<Update[]>;
  /** Rejects a waiting poll with a 409. `by` names the reason. */
  interrupt(by: string): void;
  /** Resolves a waiting poll with the updates waiting at that time, usually none. */
  stop(): void;
}

export function createPolling({ updates, clock }: { updates: Updates; clock: Clock }): Polling {
  let waiting: { finish(): void; fail(reason: Error): void } | undefined;

  const take = (limit: number): Update[] =>
    updates.waiting(limit).map((queued) => {
      queued.taken = true;
      return queued.update;
    });
  const interrupt = (by: string) => waiting?.fail(conflict(`terminated by ${by}`));

  return {
    async poll({ offset, limit, timeoutMs }, signal) {
      interrupt('other getUpdates request; make sure that only one bot instance is running');
      if (offset !== 0) updates.confirm(offset);
      const ready = take(limit);
      if (ready.length > 0 || timeoutMs <= 0 || signal.aborted) return ready;
      await new Promise<void>((resolve, reject) => {
        const end = (settle: () => void) => {
          for (const unsubscribe of listening) unsubscribe();
          waiting = undefined;
          settle();
        };
        const finish = () => end(resolve);
        const listening = [
          clock.scheduleAt(clock.now() + timeoutMs, finish),
          updates.onAdded(finish),
          onAbort(signal, finish),
        ];
        waiting = { finish, fail: (reason) => end(() => reject(reason)) };
      });
      return take(limit);
    },
    interrupt,
    stop: () => waiting?.finish(),
  };
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
}

interface Webhook {
  url: string;
  secretToken: string | undefined;
  maxConnections: number;
}

export interface Delivery {
  webhook(): Webhook | undefined;
  /** Sets or removes the webhook. Waiting updates are retried at once, also if the webhook is the same. */
  use(webhook: Webhook | undefined): void;
  /** Returns the last delivery error of this webhook and its time in epoch milliseconds. */
  lastError(): { at: number; message: string } | undefined;
  /** Stops delivering and aborts deliveries in progress. */
  stop(): void;
}

const MAX_DELAY_MS = 60_000;
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Delivers updates to the webhook as Telegram does. Updates of one chat are delivered sequentially. Taps have a lane of
 * their own, so a message and a tap of one user can arrive in parallel. Retries after 1, 2, 4 … seconds if the response
 * isn't 2xx. `answered` receives the body of a 2xx response, which may be an API call.
 */
export function createDelivery({
  updates,
  clock,
  answered,
}: {
  updates: Updates;
  clock: Clock;
  answered: (body: string) => void;
}): Delivery {
  const stopped = new AbortController();
  // Each delivery waits on it, `max_connections` at once.
  setMaxListeners(0, stopped.signal);
  const failures = new WeakMap<QueuedUpdate, number>();
  /** Lanes that are delivering (undefined) or waiting for a retry (the function that cancels it). */
  let lanes = new Map<string, (() => void) | undefined>();
  let webhook: Webhook | undefined;
  let lastError: { at: number; message: string } | undefined;
  let underWay = 0;

  const pump = () => {
    if (!webhook || stopped.signal.aborted) return;
    for (const queued of updates.waiting()) {
      const lane = laneOf(queued.update);
      if (lanes.has(lane) || underWay >= webhook.maxConnections) continue;
      lanes.set(lane, undefined);
      underWay += 1;
      void deliver(webhook, queued, lane, lanes);
    }
  };

  const deliver = async (to: Webhook, queued: QueuedUpdate, lane: string, mine: typeof lanes) => {
    const problem = await post(to, queued.update, stopped.signal, answered);
    underWay -= 1;
    mine.delete(lane);
    if (problem === undefined) {
      updates.remove(queued);
    } else if (mine === lanes && !stopped.signal.aborted) {
      lastError = { at: clock.now(), message: problem };
      const failed = (failures.get(queued) ?? 0) + 1;
      failures.set(queued, failed);
      const retry = () => {
        mine.delete(lane);
        pump();
      };
      const delay = Math.min(1_000 * 2 ** (failed - 1), MAX_DELAY_MS);
      mine.set(lane, clock.scheduleAt(clock.now() + delay, retry));
    }
    pump();
  };

  const cancelWaits = () => {
    for (const [lane, cancel] of lanes) {
      if (!cancel) continue;
      cancel();
      lanes.delete(lane);
    }
  };

  updates.onAdded(pump);
  return {
    webhook: () => webhook,
    use(next) {
      cancelWaits();
      if (!isDeepStrictEqual(next, webhook)) {
        lanes = new Map();
        webhook = next;
        lastError = undefined;
      }
      pump();
    },
    lastError: () => lastError,
    stop() {
      stopped.abort();
      cancelWaits();
    },
  };
}

const origin = z.looseObject({
  chat: z.looseObject({ id: z.number() }).optional(),
  from: z.looseObject({ id: z.number() }).optional(),
});

/** Returns the lane of an update: callback queries are ordered per user, other updates per chat. */
function laneOf({ update_id: _, ...update }: Update): string {
  const [kind, payload] = Object.entries(update)[0] ?? [];
  const { chat, from } = origin.safeParse(payload).data ?? {};
  return kind === 'callback_query' ? `tap ${from?.id}` : `chat ${chat?.id ?? from?.id}`;
}

/** Posts an update. Returns the error as Telegram words it, or undefined. */
async function post(
  { url, secretToken }: Webhook,
  update: Update,
  stopped: AbortSignal,
  answered: (body: string) => void,
): Promise<string | undefined> {
  try {
    const response = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secretToken !== undefined && { 'x-telegram-bot-api-secret-token': secretToken }),
      },
      body: JSON.stringify(update),
      signal: stopped,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    });
    const body = await response.body.text();
    const { statusCode, statusText } = response;
    if (statusCode < 200 || statusCode > 299)
      return `Wrong response from the webhook: ${statusCode} ${statusText}`;
    answered(body);
    return undefined;
  } catch {
    return 'Connection failed';
  }
}

type FeedEvent = 'message' | 'edit' | 'delete' | 'toast' | 'chat' | 'share';

export interface Feed {
  publish(chat: number, event: FeedEvent, data: unknown): void;
  /** Calls `listener` for every event of the chat until the returned function is called. */
  subscribe(chat: number, listener: (event: FeedEvent, data: unknown) => void): () => void;
}

/** Creates the event feed of people's clients, per chat. */
export function createFeed(): Feed {
  const listeners = new Map<(event: FeedEvent, data: unknown) => void, number>();
  return {
    publish(chat, event, data) {
      for (const [listener, followed] of listeners) if (followed === chat) listener(event, data);
    },
    subscribe(chat, listener) {
      listeners.set(listener, chat);
      return () => listeners.delete(listener);
    },
  };
}
