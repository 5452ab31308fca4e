import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, expect, inject, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { startRedis } from './support/redis-process.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVES = {
  BOT_TOKEN: '700:the-token-of-the-tests-and-of-nothing-else',
  RENTAL_API_URL: 'http://127.0.0.1:1/api',
  TELEGRAM_API_ROOT: 'http://127.0.0.1:1',
  HOST: '127.0.0.1',
};

const children = new Set<ChildProcess>();

afterEach(() => {
  for (const { pid } of children) if (pid) endGroup(pid);
  children.clear();
});

/** A process and all that it started, where there is any of them left. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Bundled, a library is no longer where Node is silent about what it uses that is deprecated (punycode). */
const QUIET = '--disable-warning=DEP0040';

/** As `npm start` starts it. */
const FROM_SOURCE = ['--import', 'tsx', 'src/main.ts'];

/** The bot with nothing else in its environment. */
function start(
  env: Record<string, string>,
  command = [QUIET, inject('bundles').main],
  program: string = process.execPath,
) {
  const path = process.env.PATH ?? '';
  const child = spawn(program, command, { cwd: ROOT, env: { PATH: path, ...env }, detached: true });
  children.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => {
    said.out += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    said.err += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, said, ended };
}

/** Starts it on any free port, which it names in its log. */
async function serve(command?: string[]) {
  const bot = start({ ...SERVES, PORT: '0' }, command);
  const port = await eventually(() => {
    const line = bot.said.out.split('\n').find((text) => text.includes('"listening"')) ?? '';
    return (JSON.parse(line) as { port: number }).port;
  });
  return {
    ...bot,
    port,
    status: async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
  };
}

test('a wrong environment ends it with a line for each fault, and no secret', async () => {
  const { said, ended } = start({ BOT_TOKEN: 'not-a-token-but-secret', PORT: 'eighty' });
  expect(await ended).toBe(1);
  const lines = said.err.trim().split('\n');
  expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(['BOT_TOKEN', 'PORT', 'RENTAL_API_URL']);
  for (const line of lines) expect(line).toContain('expected');
  expect(said.err + said.out).not.toMatch(/not-a-token-but-secret|eighty|\bat /);
});

test.each([
  ['SIGTERM', FROM_SOURCE],
  ['SIGINT', undefined],
] as const)(
  'while Telegram is away it lives, is not ready, and ends with 0 on %s',
  async (signal, command) => {
    const { child, said, ended, status } = await serve(command && [...command]);
    expect(await status('/readyz')).toBe(503);
    expect(await status('/livez')).toBe(200);
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(said.err).toBe('');
  },
);

test('started by npm, it ends when the shell between has ended of a signal and said nothing', async () => {
  const env = { ...SERVES, PORT: '0', npm_lifecycle_event: 'start' };
  const line = `"${process.execPath}" ${QUIET} "${inject('bundles').main}"; true`;
  const { child, said, ended } = start(env, ['-c', line], '/bin/sh');
  await eventually(() => expect(said.out).toContain('"listening"'));
  child.kill('SIGTERM');
  // Closed once nobody has its output any more.
  await ended;
  expect(said.err).toBe('');
});

test('a node of a Redis Cluster ends it with a line that says what is expected', async () => {
  const server = await startRedis(['--cluster-enabled', 'yes']);
  try {
    const { said, ended } = start({
      ...SERVES,
      PORT: '0',
      REDIS_URL: server.url,
      SECRET_KEY: randomBytes(32).toString('base64'),
    });
    expect(await ended).toBe(1);
    expect(said.err).toMatch(/^[^\n]*REDIS_URL: expected a single Redis[^\n]*Cluster[^\n]*\n$/);
  } finally {
    await server.stop();
  }
});

test('a Redis user with too few permissions ends it with a line that says what is missing and needed', async () => {
  const server = await startRedis();
  const admin = new Redis(server.url);
  try {
    await admin.acl(
      'SETUSER',
      'narrow',
      'on',
      '>secret-of-the-tests',
      '~bot:*',
      '+@all',
      '-@scripting',
      '-info',
    );
    const { said, ended } = start({
      ...SERVES,
      PORT: '0',
      REDIS_URL: server.url.replace('redis://', 'redis://narrow:secret-of-the-tests@'),
      SECRET_KEY: randomBytes(32).toString('base64'),
    });
    expect(await ended).toBe(1);
    expect(said.err).toMatch(
      /^[^\n]*REDIS_URL: [^\n]*commands \(EVAL, EVALSHA, INFO\) and keys; expected the permissions ~\* \+@all[^\n]*\n$/,
    );
    expect(said.err + said.out).not.toContain('secret-of-the-tests');
  } finally {
    admin.disconnect();
    await server.stop();
  }
});

test('a port that is taken ends it with a line that names it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  const { said, ended } = start({ ...SERVES, PORT: String(port) });
  expect(await ended).toBe(1);
  expect(said.err).toMatch(new RegExp(`^[^\\n]*${port}[^\\n]*\\n$`));
  server.close();
});
