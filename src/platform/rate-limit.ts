import { z } from 'zod';
import { readJson, untilWritten } from './records.ts';
import type { Storage } from './storage.ts';

const takenSchema = z.array(z.tuple([z.number(), z.string()]));
type Taken = z.infer<typeof takenSchema>;

/** So many within a time, that of any such time that passes. */
export interface Allowance {
  most: number;
  withinMs: number;
}

/**
 * What all replicas take from together: of a service's limits, of what one person may have. Whoever takes the last one at
 * once with others gets it alone.
 */
export interface Budget {
  /**
   * Takes one. `member` names what for: it has its place once, and can give it back. Answers 0, or in how many milliseconds
   * one will be free.
   *
   * @example
   * const waitMs = await budget.take('guests', randomUUID(), { most: 12, withinMs: 60_000 });
   */
  take(name: string, member: string, allowance: Allowance): Promise<number>;
  giveBack(name: string, member: string): Promise<void>;
  /** What for some were taken, also what counts no more. */
  taken(name: string): Promise<string[]>;
}

export function createBudget({
  storage,
  now,
}: {
  storage: Pick<Storage, 'get' | 'add' | 'replace'>;
  now: () => number;
}): Budget {
  const keyOf = (name: string) => `budget:${name}`;

  /** `to` may be called again; what it answers is the result once what it made is written. */
  function change(
    name: string,
    to: (taken: Taken) => { taken: Taken; waitMs: number; ttlMs: number },
  ): Promise<number> {
    return untilWritten(async () => {
      const text = await storage.get(keyOf(name));
      const { taken, waitMs, ttlMs } = to(readJson(takenSchema, text) ?? []);
      const content = JSON.stringify(taken);
      if (content === text) return waitMs;
      const isWritten =
        text === undefined
          ? await storage.add(keyOf(name), content, { ttlMs })
          : await storage.replace(keyOf(name), text, content, { ttlMs });
      return isWritten ? waitMs : undefined;
    });
  }

  return {
    take: (name, member, { most, withinMs }) =>
      change(name, (before) => {
        const present = before.filter(([at]) => now() < at + withinMs);
        const [oldest] = present;
        if (present.some(([, one]) => one === member)) return { taken: present, waitMs: 0, ttlMs: withinMs };
        if (oldest !== undefined && present.length >= most)
          return { taken: present, waitMs: oldest[0] + withinMs - now(), ttlMs: withinMs };
        return { taken: [...present, [now(), member]], waitMs: 0, ttlMs: withinMs };
      }),
    async giveBack(name, member) {
      if ((await storage.get(keyOf(name))) === undefined) return;
      await change(name, (before) => ({
        taken: before.filter(([, one]) => one !== member),
        waitMs: 0,
        ttlMs: DAY_MS,
      }));
    },
    taken: async (name) =>
      (readJson(takenSchema, await storage.get(keyOf(name))) ?? []).map(([, member]) => member),
  };
}

/** Of what is given back from: nothing is counted for longer. */
const DAY_MS = 24 * 3600_000;
