import { z } from 'zod';
import { readJson } from '../storage/read-json.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationRef } from './operation.ts';

/** As long as the operations themselves. */
const KEPT_MS = 90 * 24 * 3600_000;
/** Nothing is missed any more. */
const EMPTY_KEPT_MS = 60_000;
/** Few enough to be told within one update; the latest ones. */
const MOST = 5;
const TRIES = 20;

const idsSchema = z.array(z.string());

/** Outcomes that their user could not be told, having blocked the bot. */
export interface Missed {
  note(ref: OperationRef): Promise<void>;
  of(user: number): Promise<OperationRef[]>;
  forget(ref: OperationRef): Promise<void>;
}

export function createMissed({ storage }: { storage: Storage }): Missed {
  const keyOf = (user: number) => `missed:{${user}}`;
  const idsIn = (text: string | undefined) => readJson(idsSchema, text) ?? [];

  async function change(user: number, changed: (ids: string[]) => string[]): Promise<void> {
    for (let tried = 0; tried < TRIES; tried++) {
      const text = await storage.get(keyOf(user));
      const ids = changed(idsIn(text));
      const next = JSON.stringify(ids);
      const kept = { ttlMs: ids.length > 0 ? KEPT_MS : EMPTY_KEPT_MS };
      const isWritten =
        text === undefined
          ? await storage.add(keyOf(user), next, kept)
          : await storage.replace(keyOf(user), text, next, kept);
      if (isWritten) return;
    }
    throw new Error('what a user has missed kept changing');
  }

  return {
    note: ({ user, id }) => change(user, (ids) => [...ids.filter((one) => one !== id), id].slice(-MOST)),
    of: async (user) => idsIn(await storage.get(keyOf(user))).map((id) => ({ user, id })),
    forget: ({ user, id }) => change(user, (ids) => ids.filter((one) => one !== id)),
  };
}
