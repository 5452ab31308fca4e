import { randomUUID } from 'node:crypto';
import type { Storage } from '../storage/storage.ts';
import type { Operation, OperationRef } from './operation.ts';

/** Longer than anybody tries again. */
const KEPT_MS = 24 * 3600_000;
const MOST = 2;

/**
 * How often the reply to a receipt was begun to be sent without anybody writing down what came of it: whoever did that died
 * over it, and it may have come.
 */
export interface NewsSends {
  /** Begins once more. `false`: two have died over it, and it isn't sent a third time. */
  begin(ref: OperationRef): Promise<boolean>;
  /** It is known that it didn't come. */
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
