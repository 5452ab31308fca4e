import { randomUUID } from 'node:crypto';
import type { Storage } from '../storage/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

/** Longer than anybody tries again. */
const KEPT_MS = 24 * 3600_000;
const MOST = 2;

/**
 * Counts how often the reply to a receipt was sent without a known result: the process ended, or Telegram's answer got
 * lost. It may have been delivered each time, so it is sent twice at most.
 */
export interface NewsSends {
  /** Counts a send. Returns false if two have no known result. */
  begin(ref: OperationRef): Promise<boolean>;
  /** Called if the reply was certainly not delivered. */
  undone(ref: OperationRef): Promise<void>;
}

/** It is to be told in a reply that isn't there yet. */
export function needsNews({ late, news }: Pick<Operation, 'late' | 'news'>): boolean {
  return late && news === undefined;
}

export function createNewsSends({ storage }: { storage: Pick<Storage, 'add' | 'delete'> }): NewsSends {
  const keyOf = ({ user, id }: OperationRef, nth: number) => `news-begun:{${user}}:${id}:${nth}`;
  const all = Array.from({ length: MOST }, (_, at) => at + 1);
  return {
    async begin(ref) {
      for (const nth of all)
        if (await storage.add(keyOf(ref, nth), randomUUID(), { ttlMs: KEPT_MS })) return true;
      return false;
    },
    async undone(ref) {
      await Promise.all(all.map((nth) => storage.delete(keyOf(ref, nth))));
    },
  };
}
