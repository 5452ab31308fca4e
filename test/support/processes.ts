import { type ChildProcess, fork, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns whether a process has ended. */
export const isGone = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Kills a process, by default at once, like a power loss. Resolves when it has ended. */
export async function killProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (isGone(child)) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** Kills a process when this one exits. */
export function endsWithThis<Child extends ChildProcess>(child: Child): Child {
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

/** Starts a bot process in the repository's directory. Its environment is `env` and what every bot needs. */
export function spawnBot(
  command: string[],
  env: Record<string, string>,
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe'],
): ChildProcess {
  const usual = { PATH: process.env.PATH, HOST: '127.0.0.1', SUPPORT_URL: 'https://support.example/' };
  return endsWithThis(spawn(process.execPath, command, { cwd: ROOT, stdio, env: { ...usual, ...env } }));
}

/** Starts a TypeScript file in a separate process. Resolves with its first message, or rejects if it ends before. */
export async function forkScript<Message>(file: URL, args: string[] = []) {
  const child = endsWithThis(fork(fileURLToPath(file), args, { execArgv: ['--import', 'tsx'] }));
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file.pathname} ended at its start with ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => undefined);
  return { child, message: message as Message };
}

/** Waits until the bot at `origin` is ready, or until `isOver` returns true. Throws after `withinMs`. */
export async function botReady(origin: string, isOver: () => boolean, withinMs: number): Promise<void> {
  for (const end = Date.now() + withinMs; !isOver(); await delay(50)) {
    const signal = AbortSignal.timeout(5_000);
    const answer = await fetch(`${origin}/readyz`, { signal }).catch(() => undefined);
    await answer?.text().catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > end) throw new Error(`the bot was not ready within ${withinMs} ms`);
  }
}
