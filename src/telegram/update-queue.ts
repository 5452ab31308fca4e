import type { Update } from 'grammy/types';
import type { Log } from '../platform/log.ts';
import type { KeptUpdates } from './kept-updates.ts';
import { createOpenUpdates } from './open-updates.ts';
import { type Pause, pause } from './pause.ts';
import type { Receive, Received } from './received.ts';
import { chatOf } from './updates.ts';

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

export interface UpdateQueueOptions {
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
const MOST_KEPT = 1_000;

export function createUpdateQueue(options: UpdateQueueOptions): UpdateQueue {
  const { receive, kept, drop, log, signal, sleep = pause } = options;
  const openUpdates = createOpenUpdates();
  const turns = new Map<number | undefined, Promise<void>>();
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
    const turn = (turns.get(chat) ?? Promise.resolve()).then(async () => {
      if (await settle(update)) end(update);
      if (turns.get(chat) === turn) turns.delete(chat);
    });
    turns.set(chat, turn);
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
      const room = MOST_KEPT - [...open.values()].filter(({ keeping, isKept }) => isKept || keeping).length;
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
      await Promise.all(turns.values());
      await Promise.all(forgetting);
    },
  };
}
