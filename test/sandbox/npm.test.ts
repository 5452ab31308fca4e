import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

const OLD_TOKEN = '700:the-token-of-the-sandbox-alone';

/** A script as people run it, on a free port: npm, below it a shell, below that what is to be ended. */
async function npmRun(script: string) {
  // A group of its own, so that whatever is left of it can be ended.
  const child = spawn('npm', ['run', script], { env: { ...process.env, PORT: '0' }, detached: true });
  const { pid = 0 } = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  // All of its processes hold its output, so it is closed when the last one has ended.
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
  '`npm run %s` ends, with all that it started, when npm is told to',
  async (script) => {
    const { child, origin, isClosed } = await npmRun(script);
    expect((await fetch(origin)).status).toBe(200);
    child.kill('SIGTERM');
    await eventually(() => expect(isClosed()).toBe(true));
    await expect(fetch(origin)).rejects.toThrow();
  },
  120_000,
);

test('nobody knows the token of the demo’s bot', async () => {
  const { origin } = await npmRun('demo');
  const answer = await fetch(`${origin}/telegram/bot${OLD_TOKEN}/getMe`);
  expect(answer.status).toBe(401);
}, 120_000);
