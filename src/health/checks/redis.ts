import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';
import { type Storage, StorageUnfit, type StoreCondition } from '../../platform/storage.ts';
import { defineCheck } from '../check.ts';
import { problemOfUnfit } from '../redis-problem.ts';

export interface RedisCheckDeps {
  storage: Pick<Storage, 'check' | 'checkWritable' | 'inspect'>;
}

/** Oldest version of Redis that the bot supports. */
const MIN_VERSION = { major: 6, minor: 2 };
/** Shares of the memory from which it is running out, in percent. */
const LOW_MEMORY = 80;
const NO_MEMORY = 95;
/** Response time that users notice, in milliseconds: an update takes two round trips. */
const SLOW_MS = 100;
/** Maximum time since a replica's last acknowledgement, in seconds. */
const MAX_LAG_S = 10;

const common = { everyMs: MINUTE_MS, scope: 'installation' } as const;

export const REDIS_SETUP = defineCheck({
  ...{ ...common, name: 'redis-setup' },
  problems: { 'redis-unsuitable': 'error', 'redis-lacks-permissions': 'error' },
  async measure({ storage }: RedisCheckDeps) {
    try {
      await storage.check();
      return undefined;
    } catch (error) {
      if (error instanceof StorageUnfit) return problemOfUnfit(error);
      throw error;
    }
  },
});

export const REDIS_VERSION = defineCheck({
  ...{ ...common, name: 'redis-version', problems: { 'redis-too-old': 'error' } },
  async measure({ storage }: RedisCheckDeps) {
    const version = (await storage.inspect())?.version;
    const [major = 0, minor = 0] = version?.split('.').map(Number) ?? [Number.POSITIVE_INFINITY];
    const isSupported =
      major > MIN_VERSION.major || (major === MIN_VERSION.major && minor >= MIN_VERSION.minor);
    return isSupported ? undefined : { problem: 'redis-too-old', values: { version: version ?? '' } };
  },
});

export const REDIS_PERSISTENCE = defineCheck({
  ...{ ...common, name: 'redis-persistence' },
  problems: { 'redis-no-append-only-file': 'error', 'redis-disk-failing': 'error' },
  async measure({ storage }: RedisCheckDeps) {
    const condition = await storage.inspect();
    if (condition === undefined) return undefined;
    if (!condition.hasAppendOnlyFile) return { problem: 'redis-no-append-only-file' };
    const fields = condition.failedDiskWrites.join(', ');
    return fields === '' ? undefined : { problem: 'redis-disk-failing', values: { fields } };
  },
});

export const REDIS_FSYNC = defineCheck({
  ...{ ...common, name: 'redis-fsync' },
  problems: { 'redis-fsync-late': 'warning', 'redis-fsync-unknown': 'warning' },
  async measure({ storage }: RedisCheckDeps) {
    const condition = await storage.inspect();
    // Without the file, the policy doesn't matter.
    if (!condition?.hasAppendOnlyFile || condition.fsyncPolicy === 'always') return undefined;
    const { fsyncPolicy: policy } = condition;
    return policy === 'unknown'
      ? { problem: 'redis-fsync-unknown' }
      : { problem: 'redis-fsync-late', values: { policy } };
  },
});

export const REDIS_EVICTION = defineCheck({
  ...{ ...common, name: 'redis-eviction', problems: { 'redis-evicts': 'error' } },
  async measure({ storage }: RedisCheckDeps) {
    const policy = (await storage.inspect())?.evictionPolicy ?? 'noeviction';
    return policy === 'noeviction' ? undefined : { problem: 'redis-evicts', values: { policy } };
  },
});

export const REDIS_MEMORY = defineCheck({
  ...{ ...common, name: 'redis-memory' },
  problems: { 'redis-memory-low': 'warning', 'redis-memory-used-up': 'error' },
  async measure({ storage }: RedisCheckDeps) {
    const { usedBytes, maxBytes } = (await storage.inspect()) ?? { usedBytes: 0, maxBytes: 0 };
    const percent = maxBytes > 0 ? Math.round((100 * usedBytes) / maxBytes) : 0;
    if (percent < LOW_MEMORY) return undefined;
    const problem = percent < NO_MEMORY ? 'redis-memory-low' : 'redis-memory-used-up';
    return { problem, values: { percent, size: sizeOf(maxBytes) } };
  },
});

/** `512 MB` */
function sizeOf(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

export const REDIS_REPLICATION = defineCheck({
  ...{ ...common, name: 'redis-replication' },
  problems: { 'redis-is-replica': 'error', 'redis-replica-lags': 'warning' },
  async measure({ storage }: RedisCheckDeps) {
    const condition: Pick<StoreCondition, 'role' | 'replicaLagsS'> | undefined = await storage.inspect();
    if (condition?.role === 'replica') return { problem: 'redis-is-replica' };
    const seconds = Math.max(0, ...(condition?.replicaLagsS ?? []));
    return seconds > MAX_LAG_S ? { problem: 'redis-replica-lags', values: { seconds } } : undefined;
  },
});

export const REDIS_LATENCY = defineCheck({
  ...{
    name: 'redis-latency',
    everyMs: 30 * SECOND_MS,
    scope: 'replica',
    problems: { 'redis-slow': 'warning' },
  },
  async measure({ storage }: RedisCheckDeps) {
    const times: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      const startedAt = performance.now();
      await storage.checkWritable();
      times.push(performance.now() - startedAt);
    }
    const ms = Math.round(Math.min(...times));
    return ms < SLOW_MS ? undefined : { problem: 'redis-slow', values: { ms } };
  },
});
