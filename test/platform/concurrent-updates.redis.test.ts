import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { type ChatChanges, type Storage, StorageUnavailable } from '../../src/platform/storage.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';

/** Maximum time for an update, in milliseconds. Then the test fails instead of running forever. */
const PATIENCE_MS = 60_000;

describe('chat transactions on two replicas', () => {
  let server: RedisServer;
  let replicas: Storage[];
  let control: Redis;
  beforeAll(async () => {
    server = await startRedis();
    control = new Redis(server.url);
    const log = createLog({ level: 'silent' });
    replicas = [createRedisStorage({ url: server.url, log }), createRedisStorage({ url: server.url, log })];
  });
  afterAll(async () => {
    control.disconnect();
    for (const storage of replicas) await storage.close();
    await server.stop();
  });

  const updates = Array.from({ length: 50 }, (_, n) => n + 1);
  const handle: Handler = async ({ update, session = '' }) => ({
    changes: { session: `${session}${update} ` },
  });

  /** Delivers an update to both replicas, repeatedly until each reports it as handled, as Telegram would. */
  const deliver = async (chat: number, update: number, handle: Handler) => {
    await Promise.all(replicas.map((storage) => deliverTo(storage, chat, update, handle)));
  };

  /** Repeatedly drops every connection and flushes the scripts until `work` is done. */
  const whileCut = async (work: Promise<unknown>) => {
    let done = false;
    const cutting = (async () => {
      for (; !done; await sleep(30 * Math.random())) {
        await control.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        await control.script('FLUSH');
      }
    })();
    await work.finally(() => {
      done = true;
    });
    await cutting;
  };

  it('handle each of many updates of one chat once', async () => {
    await Promise.all(updates.map((update) => deliver(1, update, handle)));
    expect(await handled(1)).toEqual(updates);
  });

  it('handle each update once despite dropped connections and flushed scripts', async () => {
    await whileCut(Promise.all(updates.map((update) => deliver(2, update, handle))));
    expect(await handled(2)).toEqual(updates);
  });

  it('claim an operation once, however often it is confirmed', async () => {
    const chats = Array.from({ length: 40 }, (_, n) => 1000 + n);
    const operations = chats.map((chat) => ({ chat, key: `operation:{${chat}}:1` }));
    await Promise.all(operations.map(({ key }) => control.set(key, 'drafted')));
    const claims: string[] = [];
    const tap = ({ chat, key }: { chat: number; key: string }, update: number) =>
      deliver(chat, update, async ({ token }) => ({
        changes: { claim: { key, expected: 'drafted', value: `${key} claimed by ${token}` } },
        committed: () => void claims.push(`${key} claimed by ${token}`),
      }));
    await whileCut(
      Promise.all(operations.flatMap((operation) => [1, 2, 3, 4].map((n) => tap(operation, n)))),
    );
    expect(claims).toHaveLength(40);
    const records = await control.mget(operations.map(({ key }) => key));
    expect(records.toSorted()).toEqual(claims.toSorted());
  });

  async function handled(chat: number): Promise<number[]> {
    const session = await control.hget(`chat:{${chat}}`, 'session');
    const numbers = (session ?? '').trim().split(' ').map(Number);
    return numbers.toSorted((a, b) => a - b);
  }
});

type Handler = (update: { update: number; token: string; session?: string }) => Promise<{
  changes: ChatChanges;
  committed?: () => void;
}>;

async function deliverTo(storage: Storage, chat: number, update: number, handle: Handler): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await receive(storage, chat, update, handle))) {
    if (performance.now() > deadline) throw new Error(`update ${update} of chat ${chat} is not handled`);
  }
}

/** Delivers an update once. Returns true if any replica has handled it. */
async function receive(storage: Storage, chat: number, update: number, handle: Handler): Promise<boolean> {
  const token = randomUUID();
  const begun = await answered(() => storage.chats.begin({ chat, update, token, leaseMs: 500 }));
  if (begun.kind === 'busy') await sleep(Math.min(begun.retryAfterMs, 20 * Math.random()));
  if (begun.kind !== 'granted') return begun.kind === 'handled';
  const { changes, committed } = await handle({ update, token, session: begun.session });
  const answer = await answered(() => storage.chats.commit({ chat, update, token, changes }));
  if (answer === 'committed') committed?.();
  if (answer === 'conflict') {
    await answered(() => storage.chats.commit({ chat, update, token, changes: {} }));
  }
  return answer !== 'lost';
}

/** Retries a call until it returns, so that the test knows its result. */
async function answered<T>(call: () => Promise<T>, tries = 10): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof StorageUnavailable) || tries === 1) throw error;
    return answered(call, tries - 1);
  }
}
