import type { Message, Update } from 'grammy/types';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import { realSleep, type Sleep } from './rate-limiter.ts';

/** Kinds of updates that the bot handles and requests. */
export const ALLOWED_UPDATES = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const;

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

/** Passes an update to the bot. */
export type Receive = (update: Update) => Promise<Received>;

/** Waiting and running updates of each chat in this process. Their number is limited, so that no chat blocks others. */
interface OpenUpdates {
  /** Counts the update until it is closed. Returns `over` if its chat has reached the maximum, `known` if it is already open. */
  open(update: Update): 'opened' | 'known' | 'over';
  close(update: Update): void;
}

const MAX_OPEN = 5;

export function createOpenUpdates(): OpenUpdates {
  const chats = new Map<number | undefined, Set<number>>();
  return {
    open(update) {
      const chat = chatOf(update);
      const open = chats.get(chat) ?? new Set();
      if (open.has(update.update_id)) return 'known';
      if (open.size >= MAX_OPEN) return 'over';
      chats.set(chat, open.add(update.update_id));
      return 'opened';
    },
    close(update) {
      const chat = chatOf(update);
      const open = chats.get(chat);
      open?.delete(update.update_id);
      if (open?.size === 0) chats.delete(chat);
    },
  };
}

/**
 * Stores updates that are confirmed to Telegram before they are handled, so that they don't block later updates. Telegram
 * doesn't send them again. All methods reject while the storage is unavailable.
 */
export interface StoredUpdates {
  store(update: Update): Promise<void>;
  /** Removes a settled update. */
  remove(update: Update): Promise<void>;
  /** Returns the oldest 1,000 updates in the order of their ids. Unreadable ones are logged and removed. */
  all(): Promise<Update[]>;
}

const STORED_UPDATE = {
  keys: 'update:id',
  content: 'Update that was confirmed to Telegram before it was handled, encrypted',
  expiry: '1 day',
} as const satisfies StoredData;

const STORED_UPDATES = {
  keys: 'stored-updates',
  content: 'Index of those updates',
  expiry: 'none: one for all; settled updates are removed',
  retained: { elsewhere: 'kept-under-way' },
} as const satisfies StoredData;

export const UPDATE_DATA: readonly StoredData[] = [STORED_UPDATE, STORED_UPDATES];

const BATCH = 1_000;
/** TTL of an update. The same as at Telegram (https://core.telegram.org/bots/api#getting-updates). */
const UPDATE_TTL_MS = 24 * 60 * 60_000;

const storedUpdateSchema = z.object({
  storedAt: z.number(),
  update: z.looseObject({ update_id: z.number() }),
});

/** Creates the store. Updates are sealed: a message may contain an API key, and a forged tap could confirm an operation. */
export function createStoredUpdates(deps: {
  storage: Storage;
  seal: Seal;
  log: Log;
  now: () => number;
}): StoredUpdates {
  const { storage, seal, log, now } = deps;
  const aboutOf = (id: number, chat: number) => ({ user: chat, purpose: `update ${id}` });
  const memberOf = (update: Update) => `${update.update_id}/${chatOf(update) ?? 0}`;

  async function read(member: string): Promise<Update | undefined> {
    const [id = 0, chat = 0] = member.split('/').map(Number);
    const sealed = await storage.get(keyOf(STORED_UPDATE.keys, { id }));
    const plain = sealed === undefined ? undefined : seal.open(sealed, aboutOf(id, chat));
    const stored = plain === undefined ? undefined : storedUpdateSchema.safeParse(JSON.parse(plain)).data;
    if (stored && now() - stored.storedAt < UPDATE_TTL_MS) return stored.update as Update;
    log.error({ update: id, chat }, 'a stored update is missing or can not be read');
    await storage.index.remove(STORED_UPDATES.keys, member);
    return undefined;
  }

  return {
    async store(update) {
      const about = aboutOf(update.update_id, chatOf(update) ?? 0);
      const sealed = seal.seal(JSON.stringify({ storedAt: now(), update }), about);
      await storage.set(keyOf(STORED_UPDATE.keys, { id: update.update_id }), sealed, {
        ttlMs: UPDATE_TTL_MS,
      });
      // Written last, so that the index lists only existing updates.
      await storage.index.put(STORED_UPDATES.keys, memberOf(update), update.update_id);
    },
    async remove(update) {
      await storage.index.remove(STORED_UPDATES.keys, memberOf(update));
      await storage.delete(keyOf(STORED_UPDATE.keys, { id: update.update_id }));
    },
    async all() {
      const members = await storage.index.upTo(STORED_UPDATES.keys, Number.MAX_SAFE_INTEGER, BATCH);
      const updates = await Promise.all(members.map(read));
      return updates.filter((update) => update !== undefined);
    },
  };
}

/** Queue of updates for the bot. Updates of one chat run in order, different chats run in parallel. */
export interface UpdateQueue {
  /** Starts updates that aren't in the queue. Drops updates of a chat with too many open ones. */
  enqueue(updates: Update[]): void;
  /** Starts stored updates that an earlier process didn't settle. Runs once; if reading fails, the next call retries. */
  enqueueStored(): Promise<void>;
  /** Stores open updates, so that they can be confirmed. Never rejects. */
  storeOpen(): Promise<void>;
  /** Returns the lowest update id that is neither settled nor stored. All lower ids may be confirmed to Telegram. */
  nextOffset(): number | undefined;
  /** Returns whether any update is neither settled nor stored. */
  hasUnstored(): boolean;
  /** Resolves when all updates that aren't stored are settled, or abandoned because of the signal. */
  whenConfirmable(): Promise<void>;
  /** Resolves when all updates are settled, or abandoned because of the signal. */
  whenIdle(): Promise<void>;
}

interface UpdateQueueOptions {
  receive: Receive;
  storedUpdates: StoredUpdates;
  /** Called with each update above the maximum per chat. Must not block. */
  onDropped: (update: Update) => void;
  log: Log;
  /** Once aborted, no update is started or retried. */
  signal: AbortSignal;
  sleep?: Sleep;
}

/** Unsettled update. */
interface OpenUpdate {
  update: Update;
  handling: Promise<void>;
  /** Set once the update is being stored. */
  storing?: Promise<void> | undefined;
  isStored: boolean;
}

/** Minimum wait between tries, doubled each time. `receive` decides when to give up. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Maximum number of stored updates. Above it, updates stay unconfirmed, and Telegram sends others only after some are settled. */
const MAX_STORED = 1_000;

export function createUpdateQueue(options: UpdateQueueOptions): UpdateQueue {
  const { receive, storedUpdates, onDropped, log, signal, sleep = realSleep } = options;
  const openUpdates = createOpenUpdates();
  const chatQueues = new Map<number | undefined, Promise<void>>();
  const open = new Map<number, OpenUpdate>();
  const settled = new Set<number>();
  /** Updates that are settled but still stored. */
  const settledStored = new Set<Update>();
  const removals = new Set<Promise<void>>();
  let canStore = true;
  let highest: number | undefined;
  let areStoredEnqueued = false;

  function start(update: Update, isStored: boolean): void {
    const chat = chatOf(update);
    const handling = (chatQueues.get(chat) ?? Promise.resolve()).then(async () => {
      if (await settle(update)) end(update);
      if (chatQueues.get(chat) === handling) chatQueues.delete(chat);
    });
    chatQueues.set(chat, handling);
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
      log.error({ update: update.update_id, err }, 'an update failed');
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
    if (canStore) log.warn({ err }, 'updates can not be stored: others wait behind slow ones');
    canStore = false;
  }

  const unstored = () => [...open.values()].filter(({ isStored }) => !isStored);

  return {
    enqueue(updates) {
      for (const update of updates) {
        const id = update.update_id;
        highest = Math.max(highest ?? id, id);
        if (open.has(id) || settled.has(id)) continue;
        if (openUpdates.open(update) === 'over') {
          onDropped(update);
          settled.add(id);
        } else start(update, false);
      }
    },
    async enqueueStored() {
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
    async storeOpen() {
      await removeSettled();
      const capacity =
        MAX_STORED - [...open.values()].filter(({ storing, isStored }) => isStored || storing).length;
      const waiting = unstored().filter(({ storing }) => storing === undefined);
      for (const entry of waiting.slice(0, Math.max(0, capacity))) entry.storing = storeUpdate(entry);
      await Promise.all(unstored().map(({ storing }) => storing));
    },
    nextOffset() {
      if (highest === undefined) return undefined;
      const next = Math.min(highest + 1, ...unstored().map(({ update }) => update.update_id));
      for (const id of settled) if (id < next) settled.delete(id);
      return next;
    },
    hasUnstored: () => unstored().length > 0,
    async whenConfirmable() {
      await Promise.all(unstored().map(({ handling }) => handling));
    },
    async whenIdle() {
      await Promise.all(chatQueues.values());
      await Promise.all(removals);
    },
  };
}
