import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { startRedis } from './support/redis-process.ts';
import { startTelegramStub, TOKEN } from './support/telegram-stub.ts';
import { textUpdate } from './support/updates.ts';

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

/** Kills a process group. Ignores a group that has already ended. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Arguments that `npm start` passes to Node. */
const BY_NPM = ['scripts/start.js', 'main'];

/** Starts the bot with only `PATH` and `env` in its environment. */
function start(
  env: Record<string, string>,
  command = [inject('bundles').main],
  program: string = process.execPath,
) {
  const path = process.env.PATH ?? '';
  const child = spawn(program, command, { cwd: ROOT, env: { PATH: path, ...env }, detached: true });
  children.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (said.out += text));
  child.stderr.on('data', (text: Buffer) => (said.err += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, said, ended };
}

/** Waits for a line of the bot's log, and reads the port in it. */
const portIn = ({ said }: ReturnType<typeof start>, message: string) =>
  eventually(() => {
    const line = said.out.split('\n').find((text) => text.includes(`"${message}"`)) ?? '';
    return (JSON.parse(line) as { port: number }).port;
  });

/** Starts the bot on a free port and reads the port from its log. */
async function serve(command?: string[]) {
  const bot = start({ ...SERVES, PORT: '0' }, command);
  const port = await portIn(bot, 'listening');
  return {
    ...bot,
    port,
    status: async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
  };
}

test('exits with one line per configuration fault, without secret values', async () => {
  const { said, ended } = start({ BOT_TOKEN: 'not-a-token-but-secret', PORT: 'eighty' });
  expect(await ended).toBe(1);
  const lines = said.err.trim().split('\n');
  expect(lines.pop()).toContain('.env.example');
  const names = ['BOT_TOKEN', 'PORT', 'REDIS_URL', 'RENTAL_API_URL', 'SECRET_KEY'];
  expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(names);
  for (const line of lines) expect(line).toContain('expected');
  expect(said.err + said.out).not.toMatch(/not-a-token-but-secret|eighty|\bat /);
});

test.each([
  ['SIGTERM', BY_NPM],
  ['SIGINT', undefined],
] as const)(
  'is live but not ready while Telegram is unreachable, and exits with 0 on %s',
  async (signal, command) => {
    const { child, said, ended, status } = await serve(command && [...command]);
    expect(await status('/readyz')).toBe(503);
    expect(await status('/livez')).toBe(200);
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(said.err).toBe('');
  },
);

test('exits without error output when a signal ends the shell that npm started', async () => {
  const env = { ...SERVES, PORT: '0', npm_lifecycle_event: 'start' };
  const line = `"${process.execPath}" "${inject('bundles').main}"; true`;
  const { child, said, ended } = start(env, ['-c', line], '/bin/sh');
  await eventually(() => expect(said.out).toContain('"listening"'));
  child.kill('SIGTERM');
  // `close` is emitted when every process that shares the output has exited.
  await ended;
  expect(said.err).toBe('');
});

/** Starts a Redis server for one test, and the bot on it. Returns what the bot wrote until it exited with 1. */
async function failureOn(options: string[], urlFor: (redis: Redis, url: string) => Promise<string>) {
  const server = await startRedis(options);
  onTestFinished(server.stop);
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const url = await urlFor(redis, server.url);
  const secret = randomBytes(32).toString('base64');
  const { said, ended } = start({ ...SERVES, PORT: '0', REDIS_URL: url, SECRET_KEY: secret });
  expect(await ended).toBe(1);
  return said;
}

test.each([
  ['a Cluster', ['--cluster-enabled', 'yes'], 'node of a Cluster. Use a single Redis'],
  ['full', ['--maxmemory', '1'], 'memory is full. Raise maxmemory'],
])('exits and explains in one line that Redis is %s', async (_, options, explanation) => {
  const said = await failureOn(options, async (_, url) => url);
  expect(said.err).toMatch(/^The bot could not be started: REDIS_URL: [^\n]*\n$/);
  expect(said.err).toContain(explanation);
});

test('exits and names the missing and the required permissions of the Redis user', async () => {
  const permissions = ['on', '>secret-of-the-tests', '~bot:*', '+@all', '-@scripting', '-info'];
  const said = await failureOn([], async (redis, url) => {
    await redis.acl('SETUSER', 'narrow', ...permissions);
    return url.replace('redis://', 'redis://narrow:secret-of-the-tests@');
  });
  expect(said.err).toMatch(
    /^[^\n]*REDIS_URL: [^\n]*commands \(EVAL, EVALSHA, INFO\) and keys. Give this user the permissions ~\* \+@all[^\n]*\n$/,
  );
  expect(said.err + said.out).not.toContain('secret-of-the-tests');
});

test.each(['PORT', 'METRICS_PORT'])('exits and names the port if %s is in use', async (variable) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { said, ended } = start({ ...SERVES, PORT: '0', [variable]: String(port) });
  expect(await ended).toBe(1);
  expect(said.err).toMatch(new RegExp(`^${variable}: [^\\n]*${port}[^\\n]*\\n$`));
});

test.each([
  // An address for documentation, which no machine has (https://www.rfc-editor.org/rfc/rfc5737).
  ['HOST', '192.0.2.1'],
  ['METRICS_HOST', '192.0.2.1'],
  ['HOST', 'no-such-host.invalid'],
])('exits and names %s if this machine does not have the address %s', async (variable, host) => {
  const { said, ended } = start({ ...SERVES, PORT: '0', METRICS_PORT: '0', [variable]: host });
  expect(await ended).toBe(1);
  expect(said.err).toMatch(new RegExp(`^${variable}: the server could not listen: [^\\n]*\\n$`));
});

test('serves metrics on METRICS_PORT only, also while Telegram is unreachable', async () => {
  const bot = start({ ...SERVES, PORT: '0', METRICS_PORT: '0' });
  const [port, metricsPort] = await Promise.all([portIn(bot, 'listening'), portIn(bot, 'serving metrics')]);
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(await metrics.text()).toMatch(/^bot_storage_up 1$/m);
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
  bot.child.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
});

/** Starts the bot with these outputs, checks that it answers a message, and returns its exit code after SIGTERM. */
async function exitCodeAfterAnswer(
  stdio: StdioOptions,
  prepare: (child: ChildProcess) => unknown = () => {},
) {
  const telegram = await startTelegramStub();
  onTestFinished(telegram.close);
  telegram.plan('getMe', { result: { id: 700, is_bot: true, first_name: 'Bot', username: 'bot' } });
  const env = {
    ...SERVES,
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: telegram.root,
    PORT: '0',
    LOG_LEVEL: 'debug',
  };
  const child = spawn(process.execPath, [inject('bundles').main], {
    cwd: ROOT,
    env,
    stdio,
    detached: true,
  });
  children.add(child);
  prepare(child);
  telegram.push(textUpdate(1, 501, '/start'));
  await eventually(() => expect(telegram.callsOf('sendMessage')).not.toEqual([]));
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

test('answers and stops as usual if both outputs are on a full disk', async () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  expect(await exitCodeAfterAnswer(['ignore', full, full])).toBe(0);
});

test('answers and stops as usual if the pipes of its outputs are closed', async () => {
  const close = ({ stdout, stderr }: ChildProcess) => [stdout?.destroy(), stderr?.destroy()];
  expect(await exitCodeAfterAnswer(['ignore', 'pipe', 'pipe'], close)).toBe(0);
});

test('exits with 1 if the reason can’t be written', async () => {
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const child = spawn(process.execPath, [inject('bundles').main], { env: {}, stdio: ['ignore', full, full] });
  expect(await once(child, 'exit')).toEqual([1, null]);
});

/** Starts a process that writes lines and exits at once with 3. Its standard output is a pipe. */
function startWriter(lines: number) {
  const program = `
    import { createLogOutput } from './src/platform/log-output.ts';
    const output = createLogOutput({ describeLoss: String });
    for (let at = 0; at < ${lines}; at += 1) output.write('line ' + at + '\\n');
    process.exit(3);`;
  const options = ['--import', 'tsx', '--input-type=module', '--eval', program];
  return spawn(process.execPath, options, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
}

test('writes waiting lines when the process exits', async () => {
  const writer = startWriter(3);
  let text = '';
  writer.stdout.on('data', (chunk) => (text += chunk));
  expect(await once(writer, 'close')).toEqual([3, null]);
  // A write that had begun may end after the last attempt.
  expect(text.split('\n').toSorted()).toEqual(['', 'line 0', 'line 1', 'line 2']);
});

test('lets the process exit without a reader', async () => {
  expect(await once(startWriter(50_000), 'exit')).toEqual([3, null]);
});
