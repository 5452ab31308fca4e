import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { expect, inject, onTestFinished, test } from 'vitest';
import { demoSeed } from '../../src/sandbox/rental/state.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFile } from '../support/temporary-file.ts';

/** Runs the sandbox with these options. */
const run = (...options: string[]) => start(process.execPath, [inject('bundles')['sandbox-run'], ...options]);

/** Starts a program on a free port, in a process group of its own, so that all remaining processes can be killed. */
function start(command: string, options: string[]) {
  const child = spawn(command, options, { env: { ...process.env, PORT: '0' }, detached: true });
  const { pid = 0 } = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  // All its processes hold the output open, so it closes when the last one has ended.
  const closed = once(child, 'close');
  let isClosed = false;
  void closed.then(() => (isClosed = true));
  onTestFinished(async () => {
    if (!isClosed) process.kill(-pid, 'SIGKILL');
    await closed;
  });
  return {
    output: () => output,
    closed,
    async origin() {
      await eventually(() => expect(output).toMatch(/http:\/\/localhost:\d+.*\n/));
      return /http:\/\/localhost:\d+/.exec(output)?.[0] ?? '';
    },
    /** Sends a signal to the first process. Resolves with its exit code once all have ended. */
    async stop(signal: NodeJS.Signals) {
      child.kill(signal);
      const [code] = await closed;
      return code;
    },
  };
}

const profile = async (origin: string, key: string) =>
  (await fetch(`${origin}/api/v1/account/profile`, { headers: { 'X-API-Key': key } })).json();

test('serves the service, its document, Telegram and the chat page, and prints their addresses', async () => {
  const sandbox = start(process.execPath, ['scripts/start.js', 'sandbox/run']);
  const origin = await sandbox.origin();
  await eventually(() => expect(sandbox.output()).toContain('control API'));
  expect(await profile(origin, 'demo-key')).toMatchObject({ id: 1001 });
  const places = ['/', '/api/docs', '/api/openapi.json', '/sandbox/rental/state'];
  for (const place of places) expect((await fetch(origin + place)).status, place).toBe(200);
  const [, root, token] = /(http\S+\/telegram), with the bot token (\S+)/.exec(sandbox.output()) ?? [];
  expect(await (await fetch(`${root}/bot${token}/getMe`)).json()).toMatchObject({ ok: true });
  expect(await sandbox.stop('SIGTERM')).toBe(0);
});

test('starts with a seed file and continues from a state file', async () => {
  const [seed, state] = ['seed.json', 'state.json'].map(temporaryFile) as [string, string];
  const [account] = demoSeed().accounts;
  writeFileSync(
    seed,
    JSON.stringify({ accounts: [{ ...account, id: 7, key: 'my-key', balance_trx: '42.00' }] }),
  );
  const options = ['--seed', seed, '--state', state];

  const first = run(...options);
  const origin = await first.origin();
  expect(await profile(origin, 'my-key')).toMatchObject({ id: 7, balance_trx: '42.00' });
  await fetch(`${origin}/sandbox/rental/accounts/7/balance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ balance_trx: '43.00' }),
  });
  expect(await first.stop('SIGINT')).toBe(0);

  expect(await profile(await run(...options).origin(), 'my-key')).toMatchObject({ balance_trx: '43.00' });
});

test.each([
  ['an unknown option', ['--speed', '2'], '--speed'],
  ['a missing seed file', ['--seed', '/nowhere/none.json'], 'none.json'],
])('reports %s and prints the usage', async (_what, options, word) => {
  const sandbox = run(...options);
  const [code] = await sandbox.closed;
  expect(code).toBe(1);
  expect(sandbox.output()).toContain(word);
  expect(sandbox.output()).toContain('Usage: npm run sandbox');
});

const PUBLIC_TOKEN = '700:the-token-of-the-sandbox-alone';

test.each([
  ['sandbox', 'accepts', 200],
  ['demo', 'rejects', 401],
])(
  '`npm run %s` %s the public token, and ends with all its processes when npm is terminated',
  async (script, _accepts, status) => {
    // npm, a shell below it, and the sandbox below the shell.
    const program = start('npm', ['run', script]);
    const origin = await program.origin();
    expect((await fetch(`${origin}/telegram/bot${PUBLIC_TOKEN}/getMe`)).status).toBe(status);
    await program.stop('SIGTERM');
    await expect(fetch(origin)).rejects.toThrow();
  },
);
