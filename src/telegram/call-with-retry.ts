import type { Log } from '../platform/log.ts';
import { askedToWait, type Fault, isPassing, readFault } from './fault.ts';
import { type Pause, pause } from './pause.ts';

export interface RetryOptions {
  log: Log;
  signal?: AbortSignal;
  /** Retries permanent refusals as well, for example of a wrong token. */
  stubborn?: boolean;
  /** Maximum sum of waits in milliseconds. Unlimited by default. */
  patienceMs?: number;
  sleep?: Pause;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Repeats an idempotent call until Telegram accepts it. Waits 1, 2, 4 … 30 seconds in between, or as long as Telegram asks.
 * Rejects with a permanent refusal, and with any error once `patienceMs` is used up or `signal` aborts.
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
