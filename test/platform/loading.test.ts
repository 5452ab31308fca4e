import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import type { RedisOptions } from '../../src/platform/redis-connection.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { StorageUnavailable } from '../../src/platform/storage.ts';

const LOADING = '-LOADING Redis is loading the dataset in memory\r\n';
const KEPT = '*1\r\n$4\r\nkept\r\n';

/** Opens a storage on a fake server that responds to the nth MGET with `answer(n)`, and to everything else with OK. */
async function storageOn(answer: (before: number) => string, timings: RedisOptions['timings']) {
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (data) => {
      const commands = data.toString().split(/^\*/m).slice(1);
      for (const command of commands) {
        socket.write(/^\d+\r\n\$4\r\nmget\r\n/i.test(command) ? answer(asked++) : '+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storage = createRedisStorage({ url, log: createLog({ level: 'silent' }), timings });
  onTestFinished(async () => {
    await storage.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { storage, asked: () => asked };
}

test('retries a call until Redis has loaded its data', async () => {
  const { storage, asked } = await storageOn((before) => (before < 3 ? LOADING : KEPT), { patience: 30_000 });
  expect(await storage.get('a')).toBe('kept');
  expect(asked()).toBe(4);
});

test('rejects as unavailable if Redis loads its data for longer than a call waits', async () => {
  const { storage } = await storageOn(() => LOADING, { patience: 100 });
  const error = await storage.get('a').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StorageUnavailable);
  expect(error).toMatchObject({ message: expect.stringContaining('LOADING') });
});

test('does not retry any other error', async () => {
  const { storage, asked } = await storageOn(() => '-ERR no\r\n', { patience: 1_000 });
  await expect(storage.get('a')).rejects.toThrow(StorageUnavailable);
  expect(asked()).toBe(1);
});
