import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../src/sandbox/server.ts';
import { startHttpServer } from './support/http-server.ts';
import { createPerson } from './support/person.ts';
import { startRedis } from './support/redis.ts';
import { createSandboxRequests } from './support/sandbox-requests.ts';

const TOKEN = '700:the-token-of-the-tests-and-of-nothing-else';

interface Result {
  check: string;
  status: string;
  finding: string;
  advice: string;
}

const run = promisify(execFile);
let environment: Record<string, string>;
let requests: string[];

beforeEach(async () => {
  const sandbox = createSandbox({ token: TOKEN, limits: false });
  await createPerson({ requests: createSandboxRequests(sandbox), chat: 504 }).say('/start');
  requests = [];
  const server = await startHttpServer((request: Request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname.replace(/.*\/(bot[^/]+|v1)\//, '')}`);
    return sandbox.fetch(request);
  });
  onTestFinished(async () => {
    sandbox.stop();
    await server.close();
  });
  environment = {
    PATH: process.env.PATH ?? '',
    BOT_TOKEN: TOKEN,
    RENTAL_API_URL: `${server.origin}/api`,
    RENTAL_API_KEY: 'operator-key',
    TELEGRAM_API_ROOT: `${server.origin}/telegram`,
    ADMIN_IDS: '504',
  };
});

async function examine(more: Record<string, string>, ...options: string[]) {
  const env = { ...environment, ...more };
  const command = ['--import', 'tsx', 'src/doctor.ts', ...options];
  const { code = 0, stdout } = await run(process.execPath, command, { env }).catch((error) => error);
  const results: Result[] = options.includes('--json') ? JSON.parse(stdout) : [];
  // A busy machine is slow.
  const failing = results.filter(({ check, status }) => status !== 'ok' && check !== 'redis-latency');
  return { code, stdout, results, failing: failing.map(({ check, status }) => `${status} ${check}`) };
}

test('npm run doctor finds what is wrong, and changes neither Redis nor Telegram nor the service', async () => {
  const server = await startRedis(['--appendfsync', 'everysec']);
  onTestFinished(server.stop);
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  await redis.set('some', 'data');
  const stored = async () => [await redis.keys('*'), await redis.get('some')];
  const before = await stored();
  const changes = async () => /rdb_changes_since_last_save:(\d+)/.exec(await redis.info('persistence'))?.[1];
  const changesBefore = await changes();
  const secrets = { REDIS_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };

  const { code, failing, results } = await examine(secrets, '--json');
  expect([code, failing]).toEqual([0, ['warning redis-fsync']]);
  expect(await redis.info('commandstats')).toContain('cmdstat_config|get:calls=1,');
  for (const result of results) expect(Object.keys(result)).toEqual(['check', 'status', 'finding', 'advice']);
  const { stdout } = await examine(secrets);
  expect(stdout).toMatch(/^ok +telegram-api$/m);
  expect(stdout).toMatch(/^warning +redis-fsync +A power failure .* Set appendfsync always/m);
  const faulty = await examine(
    { ...secrets, RENTAL_API_KEY: 'wrong-key', BOT_TOKEN: `701${TOKEN.slice(3)}` },
    '--json',
  );
  expect([faulty.code, faulty.failing]).toEqual([
    1,
    [
      'warning redis-fsync',
      'error telegram-api',
      'unmeasured telegram-updates',
      'unmeasured admins',
      'error service',
    ],
  ]);

  const mistyped = await examine({ ...secrets, ADMIN_IDS: '504,50100', WITHDRAW_CAP: '10' }, '--json');
  expect(mistyped.failing).toContain('warning configuration');
  expect(mistyped.results).toContainEqual(
    expect.objectContaining({ check: 'admins', finding: expect.stringMatching(/alerts: 50100\.$/) }),
  );
  expect([await stored(), await changes()]).toEqual([before, changesBefore]);
  expect(new Set(requests)).toEqual(
    new Set(['POST getMe', 'POST getWebhookInfo', 'POST getChat', 'GET account/profile']),
  );
});

test('npm run doctor names each fault of a configuration with which the bot does not start', async () => {
  const { code, results } = await examine({ BOT_TOKEN: 'secret', REDIS_URL: 'http://redis' }, '--json');
  expect(code).toBe(1);
  for (const variable of ['BOT_TOKEN', 'REDIS_URL', 'SECRET_KEY'])
    expect(results.map(({ finding }) => finding)).toContainEqual(expect.stringMatching(`^${variable}: `));
  expect(JSON.stringify(results)).not.toContain('secret"');
  const { stdout } = await examine({ BOT_TOKEN: 'secret', REDIS_URL: 'http://redis' });
  for (const variable of ['BOT_TOKEN', 'REDIS_URL', 'SECRET_KEY'])
    expect(stdout).toMatch(
      new RegExp(`^error +configuration +${variable}: .*\\. Correct this variable;`, 'm'),
    );
});

test('npm run doctor measures all else while Redis is unreachable, and says in one line what it did not', async () => {
  const secrets = { REDIS_URL: 'redis://127.0.0.1:1', SECRET_KEY: randomBytes(32).toString('base64') };
  const { code, stdout } = await examine(secrets);
  expect(code).toBe(1);
  const failing = (stdout as string).split('\n').filter((line) => line && !line.startsWith('ok '));
  expect(failing).toEqual([
    expect.stringMatching(/^error +storage +Redis isn't responding: .*ECONNREFUSED.*: nothing listens there/),
    expect.stringMatching(/^unmeasured redis-setup, .*redis-clock, .*because Redis can't be reached/),
  ]);
  for (const check of ['telegram-api', 'telegram-updates', 'admins', 'service', 'process-clock'])
    expect(stdout).toMatch(new RegExp(`^ok +${check}$`, 'm'));
});

test('npm run doctor begins with the advice of the start if Redis is a Cluster', async () => {
  const server = await startRedis(['--cluster-enabled', 'yes']);
  onTestFinished(server.stop);
  const secrets = { REDIS_URL: server.url, SECRET_KEY: randomBytes(32).toString('base64') };
  const { results } = await examine(secrets, '--json');
  const [finding, advice] = ['node of a Cluster', 'Use a single Redis'].map((text) =>
    expect.stringContaining(text),
  );
  expect(results[0]).toMatchObject({ check: 'storage', finding, advice });
});
