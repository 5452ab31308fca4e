import { onTestFinished } from 'vitest';
import { createLeases, type Leases } from '../../src/platform/leases.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { silentLog } from './log-lines.ts';

/** Creates leases on a Redis server. Their connection is closed at the end of the test. */
export function redisLeases(url: string): Leases {
  const storage = createRedisStorage({ url, log: silentLog() });
  onTestFinished(() => storage.close());
  return createLeases({ storage });
}
