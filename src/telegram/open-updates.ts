import type { Update } from 'grammy/types';
import type { Receive } from './received.ts';
import { chatOf } from './updates.ts';

/** The updates of each chat that wait or are being handled in this process: a few, so that no chat holds up others. */
export interface OpenUpdates {
  /** Counts the update until it is closed; `over` where its chat has as many as it may, `known` where it is open already. */
  open(update: Update): 'opened' | 'known' | 'over';
  close(update: Update): void;
}

const MOST = 5;

export function createOpenUpdates(): OpenUpdates {
  const chats = new Map<number | undefined, Set<number>>();
  return {
    open(update) {
      const chat = chatOf(update);
      const open = chats.get(chat) ?? new Set();
      if (open.has(update.update_id)) return 'known';
      if (open.size >= MOST) return 'over';
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
 * For updates that are pushed, each over a connection that stays taken until it is answered, and Telegram opens few.
 *
 * What is over goes to `drop`, and is done: a chat with that much under way is flooded, or its person taps again because
 * nothing seems to happen, and no longer wants all of it once it does. To have Telegram send it again (503) would only
 * bring the flood back, and slow it down for everybody: Telegram waits longer and longer for a webhook that fails.
 */
export function limitOpen({ receive, drop }: { receive: Receive; drop: (update: Update) => void }): Receive {
  const openUpdates = createOpenUpdates();
  return async (update) => {
    const opened = openUpdates.open(update);
    // Sent again while it is still under way: what becomes of it isn't known yet.
    if (opened === 'known') return { kind: 'busy' };
    if (opened === 'over') {
      drop(update);
      return { kind: 'done' };
    }
    try {
      return await receive(update);
    } finally {
      openUpdates.close(update);
    }
  };
}
