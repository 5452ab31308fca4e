import type { Update } from 'grammy/types';
import type { Log } from '../platform/log.ts';
import { orTimeout } from '../platform/retry.ts';
import type { KeptUpdates, Receive, Received } from './update-queue.ts';
import { createOpenUpdates } from './update-queue.ts';

/** Default of `slowMs`. Most updates are settled much sooner. */
const SLOW_MS = 400;
/** Maximum number of stored updates in progress. Further updates occupy their connections, and Telegram waits. */
const MAX_KEPT = 1_000;

export interface PushedUpdates {
  /** Resolves once the update is settled or stored. */
  receive: Receive;
  /** Handles stored updates of any process that were never settled. Safe while another process is handling them. */
  handleKept(): Promise<void>;
}

/**
 * Handles updates from the webhook. Each update occupies a connection until its response, and Telegram opens only a few.
 * Therefore slow updates are stored and confirmed early, and each chat can have only a few open updates.
 *
 * Updates above this maximum go to `drop` and count as done. Such a chat is flooded, or its user repeats taps because nothing
 * seems to happen. A 503 would only bring the flood back and delay all chats, because Telegram backs off from a failing
 * webhook.
 */
export function createPushedUpdates(deps: {
  receive: Receive;
  kept: KeptUpdates;
  drop: (update: Update) => void;
  /** Time in milliseconds after which an unsettled update is stored, to free its connection. */
  slowMs?: number;
  log: Log;
}): PushedUpdates {
  const { receive, kept, drop, slowMs = SLOW_MS, log } = deps;
  const openUpdates = createOpenUpdates();
  let keptHere = 0;

  const handle = (update: Update) => receive(update).finally(() => openUpdates.close(update));

  /** Removes a stored update after it is settled. A failed update stays stored and is handled again later. */
  async function forgetOnceDone(update: Update, handled: Promise<Received>): Promise<void> {
    keptHere += 1;
    try {
      const { kind } = await handled;
      if (kind === 'done') await kept.forget(update);
    } catch (err) {
      log.warn({ update: update.update_id, err }, 'a kept update will be handled again');
    } finally {
      keptHere -= 1;
    }
  }

  async function settleOrKeep(update: Update, handled: Promise<Received>): Promise<Received> {
    const settled = await orTimeout(handled, slowMs);
    if (settled !== undefined || keptHere >= MAX_KEPT) return settled ?? handled;
    try {
      await kept.keep(update);
    } catch (err) {
      log.warn({ err }, 'updates can not be kept: slow ones hold their connections');
      return handled;
    }
    void forgetOnceDone(update, handled);
    return { kind: 'done' };
  }

  return {
    async receive(update) {
      const opened = openUpdates.open(update);
      // Telegram has sent the update again while it is still in progress.
      if (opened === 'known') return { kind: 'busy' };
      if (opened === 'over') {
        drop(update);
        return { kind: 'done' };
      }
      return settleOrKeep(update, handle(update));
    },
    async handleKept() {
      const left = (await kept.all()).filter((update) => openUpdates.open(update) === 'opened');
      // The bot handles the updates of one chat sequentially.
      await Promise.all(left.map((update) => forgetOnceDone(update, handle(update))));
    },
  };
}
