import { Redis } from 'ioredis';
import { expect } from 'vitest';

/** Seeded API keys. `SECRET` also matches the bot token and the service's webhook secrets. */
const API_KEYS = ['demo-key', 'merchant-key', 'operator-key', 'empty-key', 'totp-key'];
const SECRET = new RegExp([...API_KEYS, '700:the-token', 'whsec_\\w+'].join('|'));

/** Asserts that no log line, Telegram call, message, document or stored value contains a secret. */
export async function expectNoSecrets(outputs: {
  logLines: string[];
  calls: object[];
  shown: object[];
  /** Contents of the documents of these messages. */
  documents: string[];
  redisUrl: string | undefined;
  secretKey: Uint8Array;
}): Promise<void> {
  const sealing = Buffer.from(outputs.secretKey).toString('base64');
  const all = outputs.redisUrl === undefined ? [] : await storedIn(outputs.redisUrl);
  for (const [place, texts] of Object.entries({
    'a log line': outputs.logLines,
    'a call to Telegram': outputs.calls.map((call) => JSON.stringify(call)),
    'a message': outputs.shown.map((messages) => JSON.stringify(messages)),
    'a document': outputs.documents,
    'a stored value': all.map(({ key, value }) => `${key} ${value}`),
  })) {
    const leaks = texts.filter((text) => SECRET.test(text) || text.includes(sealing));
    expect(leaks, `a secret is in ${place}`).toEqual([]);
  }
}

export interface Stored {
  key: string;
  value: string;
}

/** Returns every key of a Redis database with its value, of any type. */
export async function storedIn(url: string): Promise<Stored[]> {
  const redis = new Redis(url);
  const found: Stored[] = [];
  for await (const keys of redis.scanStream({ count: 500 })) {
    for (const key of keys as string[]) found.push({ key, value: await textOf(redis, key) });
  }
  await redis.quit();
  return found;
}

async function textOf(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'zset':
      return (await redis.zrange(key, '0', '-1')).join(' ');
    case 'list':
      return (await redis.lrange(key, 0, -1)).join(' ');
    case 'set':
      return (await redis.smembers(key)).join(' ');
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}
