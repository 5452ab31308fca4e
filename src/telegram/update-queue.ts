import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import { type Pause, pause } from './pause.ts';
import type { Receive, Received } from './received.ts';
import { chatOf } from './updates.ts';

/** Updates on their way through the bot: those of one chat in order, those of different chats at once. */
export interface UpdateQueue {
  /** Begins those that aren't here yet. */
  take(updates: Update[]): void;
  /** The lowest update that isn't settled: what comes before it may be confirmed to Telegram. */
  nextOffset(): number | undefined;
  /** Resolves when all that was taken is settled, or left alone because of the signal. */
  idle(): Promise<void>;
}

export interface UpdateQueueOptions {
  receive: Receive;
  log: Log;
  /** Once aborted, no update is begun or tried again. */
  signal: AbortSignal;
  sleep?: Pause;
}

/** Between tries, at least: twice as long each time. How long an update is tried is for `receive` to say. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

export function createUpdateQueue({ receive, log, signal, sleep = pause }: UpdateQueueOptions): UpdateQueue {
  const queues = new Map<number | undefined, Promise<void>>();
  const open = new Set<number>();
  const settled = new Set<number>();
  let highest: number | undefined;

  function queue(update: Update): void {
    const chat = chatOf(update);
    const turn = (queues.get(chat) ?? Promise.resolve()).then(async () => {
      if (await settle(update)) {
        open.delete(update.update_id);
        settled.add(update.update_id);
      }
      if (queues.get(chat) === turn) queues.delete(chat);
    });
    queues.set(chat, turn);
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

  return {
    take(updates) {
      for (const update of updates) {
        const id = update.update_id;
        if (open.has(id) || settled.has(id)) continue;
        open.add(id);
        highest = Math.max(highest ?? id, id);
        queue(update);
      }
    },
    nextOffset() {
      if (highest === undefined) return undefined;
      const next = Math.min(highest + 1, ...open);
      for (const id of settled) if (id < next) settled.delete(id);
      return next;
    },
    async idle() {
      await Promise.all(queues.values());
    },
  };
}
