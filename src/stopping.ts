import { isStartedByNpm } from './config.ts';

const LOOK_MS = 250;

/**
 * Calls `stop` once, when this process is to end. npm hands a TERM only to the shell between it and this process, and
 * some shells end of it without a word: a process that npm has started also ends once its shell is gone.
 */
export function onStop(stop: () => void): void {
  let look: NodeJS.Timeout | undefined;
  let stopping = false;
  const stopOnce = () => {
    clearInterval(look);
    if (!stopping) stop();
    stopping = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopOnce);
  if (!isStartedByNpm()) return;
  const shell = process.ppid;
  look = setInterval(() => process.ppid !== shell && stopOnce(), LOOK_MS).unref();
}
