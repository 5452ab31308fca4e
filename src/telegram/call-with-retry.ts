import type { Log } from '../log.ts';
import { askedToWait, type Fault, isPassing, readFault } from './fault.ts';
import { type Pause, pause } from './pause.ts';

export interface RetryOptions {
  log: Log;
  signal?: AbortSignal;
  /** Whether to go on also where Telegram refuses for good, as with a wrong token. */
  stubborn?: boolean;
  /** For how long to wait altogether; without end by default. */
  patienceMs?: number;
  sleep?: Pause;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Makes a call that may be repeated until Telegram answers it: 1, 2, 4 … 30 seconds apart, or as far apart as
 * Telegram asks. Rejects with a refusal that repeating won't change, and with any error once the patience is at
 * its end or `signal` aborts.
 */
export async function callWithRetry<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { log, signal, stubborn = false, patienceMs = Number.POSITIVE_INFINITY, sleep = pause } = options;
  let waited = 0;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await call();
    } catch (error) {
      const fault = readFault(error);
      if (signal?.aborted || !(stubborn || isPassing(error))) throw error;
      const ms = Math.max(wait, askedToWait(error));
      waited += ms;
      if (waited > patienceMs) throw error;
      report(log, fault, ms);
      await sleep(ms, signal);
    }
  }
}

function report(log: Log, fault: Fault, ms: number): void {
  if (fault.kind === 'unreached') {
    log.warn({ reason: fault.reason, ms }, 'Telegram is out of reach, trying again');
  } else if (fault.status === 409) {
    log.error({ reason: fault.reason, ms }, 'something else takes the updates of this bot, trying again');
  } else {
    log.error({ reason: fault.reason, status: fault.status, ms }, 'Telegram refused, trying again');
  }
}
