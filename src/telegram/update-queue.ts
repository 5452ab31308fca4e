import type { Message, Update } from 'grammy/types';
import { z } from 'zod';
import type { Seal } from '../platform/encryption.ts';
import type { Log } from '../platform/log.ts';
import type { Storage } from '../platform/storage.ts';
import { type Pause, pause } from './rate-limiter.ts';

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
export interface KeptUpdates {
  keep(update: Update): Promise<void>;
  /** Removes a settled update. */
  forget(update: Update): Promise<void>;
  /** Returns the oldest 1,000 updates in the order of their ids. Unreadable ones are logged and removed. */
  all(): Promise<Update[]>;
}

const INDEX = 'updates:kept';
const BATCH = 1_000;
/** TTL of an update. The same as at Telegram (https://core.telegram.org/bots/api#getting-updates). */
const LIFETIME_MS = 24 * 60 * 60_000;

const keptSchema = z.object({ keptAt: z.number(), update: z.looseObject({ update_id: z.number() }) });

/** Creates the store. Updates are sealed: a message may contain an API key, and a forged tap could confirm an operation. */
export function createKeptUpdates(deps: {
  storage: Storage;
  seal: Seal;
  log: Log;
  now: () => number;
}): KeptUpdates {
  const { storage, seal, log, now } = deps;
  const keyOf = (id: number) => `update:${id}`;
  const aboutOf = (id: number, chat: number) => ({ user: chat, purpose: `update ${id}` });
  const memberOf = (update: Update) => `${update.update_id}/${chatOf(update) ?? 0}`;

  async function read(member: string): Promise<Update | undefined> {
    const [id = 0, chat = 0] = member.split('/').map(Number);
    const sealed = await storage.get(keyOf(id));
    const plain = sealed === undefined ? undefined : seal.open(sealed, aboutOf(id, chat));
    const kept = plain === undefined ? undefined : keptSchema.safeParse(JSON.parse(plain)).data;
    if (kept && now() - kept.keptAt < LIFETIME_MS) return kept.update as Update;
    log.error({ update: id, chat }, 'a kept update is gone, or can not be read');
    await storage.index.remove(INDEX, member);
    return undefined;
  }

  return {
    async keep(update) {
      const about = aboutOf(update.update_id, chatOf(update) ?? 0);
      const sealed = seal.seal(JSON.stringify({ keptAt: now(), update }), about);
      await storage.set(keyOf(update.update_id), sealed, { ttlMs: LIFETIME_MS });
      // Written last, so that the index lists only existing updates.
      await storage.index.put(INDEX, memberOf(update), update.update_id);
    },
    async forget(update) {
      await storage.index.remove(INDEX, memberOf(update));
      await storage.delete(keyOf(update.update_id));
    },
    async all() {
      const members = await storage.index.upTo(INDEX, Number.MAX_SAFE_INTEGER, BATCH);
      const updates = await Promise.all(members.map(read));
      return updates.filter((update) => update !== undefined);
    },
  };
}

/** Queue of updates for the bot. Updates of one chat run in order, different chats run in parallel. */
export interface UpdateQueue {
  /** Starts updates that aren't in the queue. Drops updates of a chat with too many open ones. */
  take(updates: Update[]): void;
  /** Starts stored updates that an earlier process didn't settle. Runs once; if reading fails, the next call retries. */
  takeKept(): Promise<void>;
  /** Stores open updates, so that they can be confirmed. Never rejects. */
  keepOpen(): Promise<void>;
  /** Returns the lowest update id that is neither settled nor stored. All lower ids may be confirmed to Telegram. */
  nextOffset(): number | undefined;
  /** Returns whether any update is neither settled nor stored. */
  holdsBack(): boolean;
  /** Resolves when all updates that aren't stored are settled, or abandoned because of the signal. */
  confirmable(): Promise<void>;
  /** Resolves when all updates are settled, or abandoned because of the signal. */
  idle(): Promise<void>;
}

interface UpdateQueueOptions {
  receive: Receive;
  kept: KeptUpdates;
  /** Called with each update above the maximum per chat. Must not block. */
  drop: (update: Update) => void;
  log: Log;
  /** Once aborted, no update is started or retried. */
  signal: AbortSignal;
  sleep?: Pause;
}

/** Unsettled update. */
interface Open {
  update: Update;
  turn: Promise<void>;
  /** Set once the update is being stored. */
  keeping?: Promise<void> | undefined;
  isKept: boolean;
}

/** Minimum wait between tries, doubled each time. `receive` decides when to give up. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Maximum number of stored updates. Above it, updates stay unconfirmed, and Telegram sends others only after some are settled. */
const MAX_KEPT = 1_000;

export function createUpdateQueue(options: UpdateQueueOptions): UpdateQueue {
  const { receive, kept, drop, log, signal, sleep = pause } = options;
  const openUpdates = createOpenUpdates();
  const leases = new Map<number | undefined, Promise<void>>();
  const open = new Map<number, Open>();
  const settled = new Set<number>();
  /** Updates that are settled but still stored. */
  const over = new Set<Update>();
  const forgetting = new Set<Promise<void>>();
  let keeps = true;
  let highest: number | undefined;
  let keptTaken = false;

  function begin(update: Update, isKept: boolean): void {
    const chat = chatOf(update);
    const turn = (leases.get(chat) ?? Promise.resolve()).then(async () => {
      if (await settle(update)) end(update);
      if (leases.get(chat) === turn) leases.delete(chat);
    });
    leases.set(chat, turn);
    open.set(update.update_id, { update, turn, isKept });
  }

  /** Retries an update until it is done. Returns false if the signal aborted it. */
  async function settle(update: Update): Promise<boolean> {
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const received = await receiveSafely(update);
      if (received.kind === 'done') return true;
      const asked = received.kind === 'failed' ? (received.afterMs ?? 0) : 0;
      await sleep(Math.max(wait, asked), signal).catch(() => undefined);
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
    const { isKept, keeping } = open.get(update.update_id) ?? {};
    open.delete(update.update_id);
    settled.add(update.update_id);
    openUpdates.close(update);
    if (!isKept && keeping === undefined) return;
    const forgotten = Promise.resolve(keeping)
      .then(() => void over.add(update))
      .then(forgetOver)
      .finally(() => forgetting.delete(forgotten));
    forgetting.add(forgotten);
  }

  /** Removes settled updates from the storage. Failures are retried later; a leftover update is recognized as handled. */
  async function forgetOver(): Promise<void> {
    const forgotten = [...over].map((update) => kept.forget(update).then(() => over.delete(update)));
    await Promise.all(forgotten).catch(cannotKeep);
  }

  async function keep(one: Open): Promise<void> {
    try {
      await kept.keep(one.update);
      one.isKept = true;
      keeps = true;
    } catch (err) {
      one.keeping = undefined;
      cannotKeep(err);
    }
  }

  function cannotKeep(err: unknown): void {
    if (keeps) log.warn({ err }, 'updates can not be kept: others wait behind slow ones');
    keeps = false;
  }

  const unkept = () => [...open.values()].filter(({ isKept }) => !isKept);

  return {
    take(updates) {
      for (const update of updates) {
        const id = update.update_id;
        highest = Math.max(highest ?? id, id);
        if (open.has(id) || settled.has(id)) continue;
        if (openUpdates.open(update) === 'over') {
          drop(update);
          settled.add(id);
        } else begin(update, false);
      }
    },
    async takeKept() {
      if (keptTaken) return;
      try {
        for (const update of await kept.all()) {
          if (open.has(update.update_id)) continue;
          openUpdates.open(update);
          begin(update, true);
        }
        keptTaken = true;
      } catch (err) {
        cannotKeep(err);
      }
    },
    async keepOpen() {
      await forgetOver();
      const room = MAX_KEPT - [...open.values()].filter(({ keeping, isKept }) => isKept || keeping).length;
      const waiting = unkept().filter(({ keeping }) => keeping === undefined);
      for (const one of waiting.slice(0, Math.max(0, room))) one.keeping = keep(one);
      await Promise.all(unkept().map(({ keeping }) => keeping));
    },
    nextOffset() {
      if (highest === undefined) return undefined;
      const next = Math.min(highest + 1, ...unkept().map(({ update }) => update.update_id));
      for (const id of settled) if (id < next) settled.delete(id);
      return next;
    },
    holdsBack: () => unkept().length > 0,
    async confirmable() {
      await Promise.all(unkept().map(({ turn }) => turn));
    },
    async idle() {
      await Promise.all(leases.values());
      await Promise.all(forgetting);
    },
  };
}
