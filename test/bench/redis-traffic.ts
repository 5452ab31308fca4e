import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Traffic {
  /** Number of times that a connection without pending responses started to send. */
  roundTrips: number;
  commands: number;
  bytesOut: number;
  bytesIn: number;
}

export const NO_TRAFFIC: Traffic = { roundTrips: 0, commands: 0, bytesOut: 0, bytesIn: 0 };

/** Counts the traffic of one connection to Redis, from the client's side. */
interface ConnectionMeter {
  toServer(chunk: Uint8Array): void;
  toClient(chunk: Uint8Array): void;
}

/** Adds the traffic of a connection to `traffic`. */
export function createConnectionMeter(traffic: Traffic): ConnectionMeter {
  const asked = createRespCounter();
  const answered = createRespCounter();
  let unanswered = 0;
  return {
    toServer(chunk) {
      if (unanswered === 0 && asked.isWhole()) traffic.roundTrips += 1;
      const commands = asked.feed(chunk);
      unanswered += commands;
      traffic.commands += commands;
      traffic.bytesOut += chunk.length;
    },
    toClient(chunk) {
      unanswered = Math.max(0, unanswered - answered.feed(chunk));
      traffic.bytesIn += chunk.length;
    },
  };
}

export function difference(later: Traffic, earlier: Traffic): Traffic {
  return {
    roundTrips: later.roundTrips - earlier.roundTrips,
    commands: later.commands - earlier.commands,
    bytesOut: later.bytesOut - earlier.bytesOut,
    bytesIn: later.bytesIn - earlier.bytesIn,
  };
}

export function scaled(traffic: Traffic, by: number): Traffic {
  return {
    roundTrips: traffic.roundTrips * by,
    commands: traffic.commands * by,
    bytesOut: traffic.bytesOut * by,
    bytesIn: traffic.bytesIn * by,
  };
}

/** Counts complete values in a RESP stream (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
interface RespCounter {
  /** Returns how many top-level values end within this chunk. Pushed values don't count. */
  feed(chunk: Uint8Array): number;
  /** Returns whether the stream is between two values. */
  isWhole(): boolean;
}

const CR = 13;
const LF = 10;
const BULK = '$!=';
const LIST = '*~>';
const MAP = '%';

export function createRespCounter(): RespCounter {
  let header = '';
  let toSkip = 0;
  /** Number of missing elements of each open list, outermost first. */
  const open: number[] = [];
  let isPush = false;
  let ended = 0;

  function endValue(): void {
    while (open.length > 0) {
      const left = (open.pop() ?? 0) - 1;
      if (left > 0) {
        open.push(left);
        return;
      }
    }
    if (!isPush) ended += 1;
    isPush = false;
  }

  function take(line: string): void {
    const [kind = ''] = line;
    const length = Number(line.slice(1));
    if (open.length === 0) isPush = kind === '>';
    if (BULK.includes(kind)) {
      if (length < 0) endValue();
      else toSkip = length + 2;
    } else if (LIST.includes(kind) || kind === MAP) {
      if (length > 0) open.push(kind === MAP ? 2 * length : length);
      else endValue();
    } else endValue();
  }

  return {
    feed(chunk) {
      ended = 0;
      for (let at = 0; at < chunk.length; ) {
        if (toSkip > 0) {
          const step = Math.min(toSkip, chunk.length - at);
          at += step;
          toSkip -= step;
          if (toSkip === 0) endValue();
          continue;
        }
        const byte = chunk[at++];
        if (byte === LF) {
          const line = header;
          header = '';
          take(line);
        } else if (byte !== CR && byte !== undefined) header += String.fromCharCode(byte);
      }
      return ended;
    },
    isWhole: () => header === '' && toSkip === 0 && open.length === 0,
  };
}

interface RedisProxy {
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
