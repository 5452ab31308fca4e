import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { explainRedis } from '../../src/health/redis-problem.ts';
import { createLog } from '../../src/platform/log.ts';
import { NEEDED_COMMANDS, REDIS_PERMISSIONS } from '../../src/platform/redis-connection.ts';
import { scripts } from '../../src/platform/redis-scripts.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { storedKeys } from '../support/stored-keys.ts';
import { TEXTS } from '../support/texts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const log = createLog({ level: 'silent' });
const PASSWORD = 'password-of-the-tests';

let server: RedisServer;
let admin: Redis;
beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

/** Returns the URL of a new Redis user with only these permissions. */
async function userWith(permissions: string): Promise<string> {
  const name = `user-${Math.random().toString(36).slice(2)}`;
  await admin.acl('SETUSER', name, 'reset', 'on', `>${PASSWORD}`, ...permissions.split(' '));
  const url = new URL(server.url);
  url.username = name;
  url.password = PASSWORD;
  return url.href;
}

/** Returns the line with which a start on this Redis ends. */
async function failureOf(url: string): Promise<string> {
  const storage = createRedisStorage({ url, log });
  onTestFinished(() => storage.close());
  const error = await storage.check().then(
    () => new Error('started'),
    (reason: Error) => reason,
  );
  return explainRedis(TEXTS.in('en'), error).message;
}

async function storageOf(permissions: string) {
  const storage = createRedisStorage({ url: await userWith(permissions), log });
  onTestFinished(() => storage.close());
  return storage;
}

describe('a Redis user without permission for', () => {
  it.each([
    ['keys outside a prefix', '~bot:* +@all', 'for keys.'],
    ['writing keys', '%R~* +@all', 'for keys.'],
    ['scripts', '~* +@all -@scripting', 'for commands (EVAL, EVALSHA).'],
    ['INFO', '~* +@all -info', 'for commands (INFO).'],
    ['dangerous commands', '~* +@all -@dangerous', 'for commands (INFO).'],
    ['blocking commands', '~* +@all -wait', 'for commands (WAIT).'],
    ['connection commands', '~* +@all -ping -select', 'for commands (PING, SELECT).'],
    ['scripts and most keys', '~bot:* +@all -@scripting', 'for commands (EVAL, EVALSHA) and keys.'],
    ['writing', '~* +@read +@transaction +@connection', /for commands \(DEL, PEXPIRE, .*, …\)\./],
    ['anything', '-@all', 'for commands (MULTI).'],
  ])('%s is rejected with the missing and the expected permissions', async (_what, permissions, lacks) => {
    const message = await failureOf(await userWith(permissions));
    expect(message).toMatch(/^REDIS_URL: [^\n]*$/);
    expect(message).toMatch(lacks);
    expect(message).toContain(`the permissions ${REDIS_PERMISSIONS},`);
    expect(message).not.toMatch(/password|user-/);
    expect(await admin.dbsize()).toBe(0);
  });
});

describe('the start explains in one line', () => {
  async function urlOf(settings: string[]): Promise<string> {
    const { url, stop } = await startRedis(settings);
    onTestFinished(stop);
    return url;
  }

  it.each([
    [
      'a wrong password',
      () => userWith('~* +@all').then((url) => url.replace(PASSWORD, 'wrong')),
      /WRONGPASS.*Correct user and password/,
    ],
    ['a missing password', () => urlOf(['--requirepass', PASSWORD]), /needs a password/],
    [
      'a server that repeats an unknown AUTH',
      async () => {
        const url = await urlOf(['HELLO', 'AUTH'].flatMap((name) => ['--rename-command', name, '']));
        return url.replace('redis://', `redis://:${PASSWORD}@`);
      },
      /unknown command.*Remove the password/,
    ],
    [
      'a read-only replica',
      () => urlOf(['--replicaof', '127.0.0.1', '1']),
      /read-only replica.*primary server/,
    ],
    [
      'a server whose configuration renames commands',
      () => urlOf(['EVAL', 'EVALSHA'].flatMap((name) => ['--rename-command', name, ''])),
      /: unknown command EVAL, EVALSHA\. Remove rename-command/,
    ],
    [
      'a database that does not exist',
      async () => server.url.replace(/0$/, '99'),
      /no database with this number/,
    ],
    [
      'TLS to a server without it',
      async () => server.url.replace('redis:', 'rediss:'),
      /no TLS, use redis:\/\//,
    ],
    [
      'a connection without TLS to a server that needs it',
      async () => {
        const tls = createServer().listen(0, '127.0.0.1');
        onTestFinished(() => void tls.close());
        await once(tls, 'listening');
        return `redis://127.0.0.1:${(tls.address() as AddressInfo).port}`;
      },
      /connection was closed.*rediss:\/\/ in REDIS_URL if Redis needs TLS/,
    ],
  ])('%s', async (_, urlFor, explanation) => {
    const message = await failureOf(await urlFor());
    expect(message).toMatch(/^REDIS_URL: [^\n]*$/);
    expect(message).toMatch(explanation);
    expect(message).not.toContain(PASSWORD);
  });
});

it('accepts the permissions that the document names', async () => {
  expect(readFileSync(join(ROOT, 'docs/operating/install.md'), 'utf8')).toContain(REDIS_PERMISSIONS);
  const storage = await storageOf(REDIS_PERMISSIONS);
  await expect(storage.check()).resolves.toMatch(/^(Redis|Valkey) \d+\.\d+/);
  expect((await storage.inspect())?.fsyncPolicy).toBe('everysec');
});

describe('the commands that the startup check covers', () => {
  const names = NEEDED_COMMANDS.map((command) => command.split(' ')[0]);

  it('are those that the storage and its scripts call', () => {
    const storage = readFileSync(join(ROOT, 'src', 'platform', 'redis-storage.ts'), 'utf8');
    const called = [
      ...Object.values(scripts).flatMap(({ lua }) => [...lua.matchAll(/redis\.p?call\('(\w+)'/g)]),
      ...storage.matchAll(/\bredis\.(\w+?)(?:Buffer)?\(/g),
      // Commands that scripts get as arguments.
      ...storage.matchAll(/given: \['([A-Z]+)'/g),
    ].map(([, name = '']) => name.toLowerCase());
    const ofScripts = Object.keys(scripts).map((name) => name.toLowerCase());
    // Without CONFIG GET, the policy of fsync is unknown.
    const optional = [...ofScripts, 'config'];
    const expected = [...called.filter((name) => !optional.includes(name)), 'eval', 'evalsha', 'select'];
    expect(new Set(names)).toEqual(new Set(expected));
  });

  it('are sufficient for the storage', async () => {
    const allowed = [...names, 'multi'].map((name) => `+${name}`);
    const url = await userWith(`~* ${allowed.join(' ')}`);
    await admin.acl('LOG', 'RESET');
    const storage = createRedisStorage({ url, log });
    onTestFinished(() => storage.close());
    await storage.check();
    await storage.set('key', 'value', { ttlMs: 60_000 });
    await storage.replace('key', 'value', 'other');
    await storage.secure('key', 'other');
    await storage.index.scheduleIn('index', 'member', 0);
    await storage.index.remove('index', ...(await storage.index.due('index', 1, Number.MAX_SAFE_INTEGER)));
    expect(await storedKeys(storage, 'ke')).toEqual(['key']);
    await storage.delete('key');
    expect(await admin.acl('LOG')).toEqual([]);
  });
});

describe('a Redis user that loses its permission while the bot runs', () => {
  it.each([
    ['for scripts', '-eval -evalsha', 'for commands (EVAL, EVALSHA).'],
    ['for a command within scripts', '-zadd', 'for commands (ZADD).'],
    ['for keys', 'resetkeys ~other', 'for keys.'],
  ])(
    '%s is found unfit as soon as Redis has refused a call, until it is permitted again',
    async (_what, change, lacks) => {
      const url = await userWith(REDIS_PERMISSIONS);
      const storage = createRedisStorage({ url, log });
      onTestFinished(() => storage.close());
      await storage.check();
      const { username } = new URL(url);
      await admin.acl('SETUSER', username, ...change.split(' '));
      await expect(storage.index.scheduleIn('index', 'member', 0)).rejects.toThrow();
      for (const _time of [1, 2]) {
        const error = await storage.checkWritable().catch((reason: Error) => reason);
        expect(error && explainRedis(TEXTS.in('en'), error).message).toContain(lacks);
      }
      await admin.acl('SETUSER', username, ...REDIS_PERMISSIONS.split(' '));
      await storage.checkWritable();
      await storage.index.scheduleIn('index', 'member', 0);
      await storage.delete('index');
    },
  );
});

describe('the fsync policy', () => {
  it('is read from the Redis configuration', async () => {
    const storage = await storageOf('~* +@all');
    for (const policy of ['always', 'no', 'everysec'] as const) {
      await admin.config('SET', 'appendfsync', policy);
      expect((await storage.inspect())?.fsyncPolicy).toBe(policy);
    }
  });

  it('is unknown if CONFIG GET is forbidden', async () => {
    const storage = await storageOf('~* +@all -config');
    expect((await storage.inspect())?.fsyncPolicy).toBe('unknown');
  });
});
