import type { Update } from 'grammy/types';
import { chatOf } from './updates.ts';

/** Waiting and running updates of each chat in this process. Their number is limited, so that no chat blocks others. */
export interface OpenUpdates {
  /** Counts the update until it is closed. Returns `over` if its chat has reached the maximum, `known` if it is already open. */
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
