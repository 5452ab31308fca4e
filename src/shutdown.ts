import { isStartedByNpm } from './config.ts';

const LOOK_MS = 250;

/**
 * Calls `stop` once, when this process should end, with the signal if there was one. npm sends SIGTERM only to the shell
 * between npm and this process, and some shells exit without forwarding it. So a process that npm started also stops when
 * its shell is gone.
 */
export function onStop(stop: (signal?: NodeJS.Signals) => void): void {
  let look: NodeJS.Timeout | undefined;
  let stopping = false;
  const stopOnce = (signal?: NodeJS.Signals) => {
    clearInterval(look);
    if (!stopping) stop(signal);
    stopping = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopOnce);
  if (!isStartedByNpm()) return;
  const shell = process.ppid;
  look = setInterval(() => process.ppid !== shell && stopOnce(), LOOK_MS).unref();
}

/**
 * Keeps failed writes to stdout and stderr, for example to a full disk or a closed pipe, from ending this process. Their
 * text is lost.
 */
export function ignoreFailedOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
}
