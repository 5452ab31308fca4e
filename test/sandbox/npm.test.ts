import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

const OLD_TOKEN = '700:the-token-of-the-sandbox-alone';

/** Runs an npm script on a free port: npm, a shell below it, and the sandbox below the shell. */
async function npmRun(script: string) {
  // A separate process group, so that all remaining processes can be killed.
  const child = spawn('npm', ['run', script], { env: { ...process.env, PORT: '0' }, detached: true });
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
  await eventually(() => expect(output).toMatch(/http:\/\/localhost:\d+/));
  const origin = /http:\/\/localhost:\d+/.exec(output)?.[0] ?? '';
  return { child, origin, isClosed: () => isClosed };
}

test.each(['sandbox', 'demo'])(
  '`npm run %s` ends with all its processes when npm is terminated',
  async (script) => {
    const { child, origin, isClosed } = await npmRun(script);
    expect((await fetch(origin)).status).toBe(200);
    child.kill('SIGTERM');
    await eventually(() => expect(isClosed()).toBe(true));
    await expect(fetch(origin)).rejects.toThrow();
  },
  120_000,
);

test('gives the demo’s bot a token that is not public', async () => {
  const { origin } = await npmRun('demo');
  const answer = await fetch(`${origin}/telegram/bot${OLD_TOKEN}/getMe`);
  expect(answer.status).toBe(401);
}, 120_000);
