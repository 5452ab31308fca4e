import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createConnectionMeter, NO_TRAFFIC, type Traffic } from './round-trips.ts';

export interface RedisProxy {
  url: string;
  /** Returns the total traffic. */
  traffic(): Traffic;
  stop(): void;
}

/** Starts a proxy between the bot and Redis that counts traffic. */
export async function startRedisProxy(redisUrl: string): Promise<RedisProxy> {
  const { hostname, port } = new URL(redisUrl);
  const traffic = { ...NO_TRAFFIC };
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const redis = connect({ host: hostname, port: Number(port), noDelay: true });
    const meter = createConnectionMeter(traffic);
    client.on('data', (chunk) => {
      meter.toServer(chunk);
      redis.write(chunk);
    });
    redis.on('data', (chunk) => {
      meter.toClient(chunk);
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.end();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('no TCP port');
  return {
    url: `redis://127.0.0.1:${address.port}/0`,
    traffic: () => ({ ...traffic }),
    stop() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
