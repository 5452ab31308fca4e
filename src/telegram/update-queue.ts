import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import type { KeptUpdates } from './kept-updates.ts';
import { createOpenUpdates } from './open-updates.ts';
import { type Pause, pause } from './pause.ts';
import type { Receive, Received } from './received.ts';
import { chatOf } from './updates.ts';

/** Updates on their way through the bot: those of one chat in order, those of different chats at once. */
export interface UpdateQueue {
  /** Begins those that aren't here yet; of a chat that has enough of them here, they are dropped as a flood. */
  take(updates: Update[]): void;
  /** Begins what an earlier process had kept and not settled. Does so once, and again later where it can't be read. */
  takeKept(): Promise<void>;
  /** Keeps what is open beyond this process, so that it can be confirmed. Never rejects. */
  keepOpen(): Promise<void>;
  /** The lowest update that is neither settled nor kept: what comes before it may be confirmed to Telegram. */
  nextOffset(): number | undefined;
  /** Whether there is such a one. */
  holdsBack(): boolean;
  /** Resolves when all that isn't kept is settled, or left alone because of the signal. */
  confirmable(): Promise<void>;
  /** Resolves when all that was taken is settled, or left alone because of the signal. */
  idle(): Promise<void>;
}

export interface UpdateQueueOptions {
  receive: Receive;
  kept: KeptUpdates;
  /** Gets what a chat has sent beyond any use; nobody waits for it. */
  drop: (update: Update) => void;
  log: Log;
  /** Once aborted, no update is begun or tried again. */
  signal: AbortSignal;
  sleep?: Pause;
}

/** An update that isn't settled. */
interface Open {
  update: Update;
  turn: Promise<void>;
  /** From when it begins to be kept. */
  keeping?: Promise<void> | undefined;
  isKept: boolean;
}

/** Between tries, at least: twice as long each time. How long an update is tried is for `receive` to say. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** Beyond them no more is confirmed, and so no more comes, until some are settled. */
const MOST_KEPT = 1_000;

export function createUpdateQueue(options: UpdateQueueOptions): UpdateQueue {
  const { receive, kept, drop, log, signal, sleep = pause } = options;
  const openUpdates = createOpenUpdates();
  const turns = new Map<number | undefined, Promise<void>>();
  const open = new Map<number, Open>();
  const settled = new Set<number>();
  /** Settled, and still kept. */
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

  /** Answers whether the update is through, and isn't left alone because of the signal. */
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

  /** Where it fails, the next time; one that is kept for too long is known as handled when it comes again. */
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
