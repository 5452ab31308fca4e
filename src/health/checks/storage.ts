import { orTimeout } from '../../platform/async.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { adviceForRedis } from '../../platform/redis-faults.ts';
import type { Storage } from '../../platform/storage.ts';
import { defineCheck, type Found } from '../check.ts';

export interface StorageCheckDeps {
  storage: Pick<Storage, 'checkWritable'>;
}

/** Longer than a call is retried after a lost connection. */
const TIMEOUT_MS = 2_500;

/** Problems by the first word of Redis's message (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
const PROBLEMS = {
  READONLY: 'redis-read-only',
  OOM: 'redis-full',
  MISCONF: 'redis-refuses-writes',
  NOREPLICAS: 'redis-refuses-writes',
  NOAUTH: 'redis-refuses-user',
  WRONGPASS: 'redis-refuses-user',
  NOPERM: 'redis-refuses-user',
  ERR: 'redis-unsuitable',
  MOVED: 'redis-unsuitable',
  ASK: 'redis-unsuitable',
  CLUSTERDOWN: 'redis-unsuitable',
  LOADING: 'redis-loading',
} as const;

/** Whether this replica reaches the storage, and the storage accepts writes. */
export const STORAGE = defineCheck({
  name: 'storage',
  everyMs: 2 * SECOND_MS,
  scope: 'replica',
  unready: true,
  problems: {
    'redis-unreachable': 'error',
    'redis-loading': 'error',
    'redis-read-only': 'error',
    'redis-full': 'error',
    'redis-refuses-writes': 'error',
    'redis-refuses-user': 'error',
    'redis-unsuitable': 'error',
  },
  async measure({ storage }: StorageCheckDeps): Promise<Found<StorageProblem> | undefined> {
    const late = () => {
      throw new Error('no response');
    };
    try {
      await orTimeout(storage.checkWritable(), TIMEOUT_MS, late);
      return undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown reason';
      return { problem: problemOf(why), values: { why, advice: adviceForRedis(why) } };
    }
  },
});

type StorageProblem = 'redis-unreachable' | (typeof PROBLEMS)[keyof typeof PROBLEMS];

function problemOf(why: string): StorageProblem {
  const found = Object.entries(PROBLEMS).find(([code]) => why.startsWith(code));
  return found?.[1] ?? 'redis-unreachable';
}
