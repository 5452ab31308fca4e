import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { startRedis } from '../support/redis.ts';

/** Opens a master with a replica, the storage on the master, and a client for each server. */
async function openReplicated() {
  const [master, replica] = await Promise.all([startRedis(), startRedis()]);
  const storage = createRedisStorage({ url: master.url, log: silentLog() });
  const consoles = { master: new Redis(master.url), replica: new Redis(replica.url) };
  onTestFinished(async () => {
    for (const one of Object.values(consoles)) one.disconnect();
    await storage.close();
    await Promise.all([master.stop(), replica.stop()]);
  });
  await consoles.master.config('SET', 'repl-diskless-sync-delay', '0');
  await consoles.replica.replicaof('127.0.0.1', Number(new URL(master.url).port));
  // An online replica isn't enough: the master streams writes to it only after its first acknowledgement.
  await eventually(async () => {
    await consoles.master.set('streamed', 'yes');
    expect(await consoles.master.wait(1, 100)).toBe(1);
    expect(await consoles.replica.get('streamed')).toBe('yes');
  });
  return { storage, replica, consoles };
}

test('reports the number of connected replicas', async () => {
  const { storage, replica } = await openReplicated();
  expect(await storage.replicas()).toBe(1);
  await replica.kill();
  await eventually(async () => expect(await storage.replicas()).toBe(0));
});

test('a secured record is on the replica that would take over', async () => {
  const { storage, consoles } = await openReplicated();
  await storage.set('a', 'step', { ttlMs: 60_000 });
  // A replica that has just connected is rewriting its own file and may once respond too late.
  await eventually(async () => expect(await storage.secure('a', 'step', { ttlMs: 60_000 })).toBe(true));
  expect(await consoles.replica.get('a')).toBe('step');
  expect(await consoles.replica.pttl('a')).toBeGreaterThan(0);
});

test('a record without an acknowledgement of a replica is not secured', async () => {
  const { storage, replica } = await openReplicated();
  await storage.set('a', 'step');
  replica.pause();
  expect(await storage.secure('a', 'step')).toBe(false);
  replica.resume();
  await eventually(async () => expect(await storage.secure('a', 'step')).toBe(true));
});

test('a record lost in a failover is not secured, although the new master works', async () => {
  const { storage, consoles } = await openReplicated();
  await storage.set('a', 'step');
  // Simulates the new master: an older record under the same key.
  await consoles.master.set('a', 'before the step');
  expect(await storage.secure('a', 'step')).toBe(false);
  expect(await storage.get('a')).toBe('before the step');
});
