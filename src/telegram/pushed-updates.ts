import type { Update } from 'grammy/types';
import type { Log } from '../log.ts';
import { orTimeout } from '../or-timeout.ts';
import type { KeptUpdates } from './kept-updates.ts';
import { createOpenUpdates } from './open-updates.ts';
import type { Receive, Received } from './received.ts';

/** Most are settled much sooner. */
const SLOW_MS = 400;
/** Beyond them updates hold their connections, and Telegram waits. */
const MOST_KEPT = 1_000;

export interface PushedUpdates {
  /** Answers once the update is settled, or kept. */
  receive: Receive;
  /** Handles what was kept and never settled, by whatever process. Does no harm to what another is handling. */
  handleKept(): Promise<void>;
}

/**
 * Updates that are pushed, each over a connection that stays taken until it is answered, and Telegram opens few: so none
 * is held for long, whatever its handler waits for, and no chat holds more than a few.
 *
 * What is over goes to `drop`, and is done: a chat with that much under way is flooded, or its person taps again because
 * nothing seems to happen, and no longer wants all of it once it does. To have Telegram send it again (503) would only
 * bring the flood back, and slow it down for everybody: Telegram waits longer and longer for a webhook that fails.
 */
export function createPushedUpdates(deps: {
  receive: Receive;
  kept: KeptUpdates;
  drop: (update: Update) => void;
  /** What isn't settled within so many milliseconds is kept, so that its connection is free for others. */
  slowMs?: number;
  log: Log;
}): PushedUpdates {
  const { receive, kept, drop, slowMs = SLOW_MS, log } = deps;
  const openUpdates = createOpenUpdates();
  let keptHere = 0;

  const handle = (update: Update) => receive(update).finally(() => openUpdates.close(update));

  /** Once it is settled nobody needs it any more; what failed is handled again from where it is kept. */
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
    if (settled !== undefined || keptHere >= MOST_KEPT) return settled ?? handled;
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
      // Sent again while it is still under way: what becomes of it isn't known yet.
      if (opened === 'known') return { kind: 'busy' };
      if (opened === 'over') {
        drop(update);
        return { kind: 'done' };
      }
      return settleOrKeep(update, handle(update));
    },
    async handleKept() {
      const left = (await kept.all()).filter((update) => openUpdates.open(update) === 'opened');
      // Those of one chat come one after another in the bot.
      await Promise.all(left.map((update) => forgetOnceDone(update, handle(update))));
    },
  };
}
