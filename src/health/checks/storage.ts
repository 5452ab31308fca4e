import { orTimeout } from '../../platform/async.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { type Storage, StorageUnfit } from '../../platform/storage.ts';
import { defineCheck } from '../check.ts';
import { problemOfRedis, problemOfUnfit, REDIS_PROBLEMS } from '../redis-problem.ts';

export interface StorageCheckDeps {
  storage: Pick<Storage, 'checkWritable'>;
}

/** Longer than a call is retried after a lost connection. */
const TIMEOUT_MS = 2_500;

/** Whether this replica reaches the storage, and the storage accepts its writes and commands. */
export const STORAGE = defineCheck({
  name: 'storage',
  everyMs: 2 * SECOND_MS,
  scope: 'replica',
  unready: true,
  problems: { ...REDIS_PROBLEMS, 'redis-lacks-permissions': 'error' },
  async measure({ storage }: StorageCheckDeps) {
    const late = () => {
      throw new Error('ETIMEDOUT');
    };
    try {
      await orTimeout(storage.checkWritable(), TIMEOUT_MS, late);
      return undefined;
    } catch (error) {
      if (error instanceof StorageUnfit) return problemOfUnfit(error);
      return problemOfRedis(error instanceof Error ? error.message : 'unknown reason');
    }
  },
});
