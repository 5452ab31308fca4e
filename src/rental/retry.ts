import type { Outcome } from './outcome.ts';

const TRIES = 3;
const FIRST_BACKOFF_MS = 250;
const LONGEST_WAIT_MS = 3_000;

export interface Pace {
  now(): number;
  sleep(ms: number): Promise<void>;
  random(): number;
}

/**
 * Tries a read up to three times within `wholeMs`. Retries after a lost connection, a timeout, a 5xx or no connection with
 * exponential backoff and jitter. Retries after a rate limit if its wait is at most three seconds.
 */
export async function tryRead<Value>(
  attempt: (timeoutMs: number) => Promise<Outcome<Value>>,
  { pace, tryMs, wholeMs }: { pace: Pace; tryMs: number; wholeMs: number },
): Promise<Outcome<Value>> {
  const deadline = pace.now() + wholeMs;
  for (let tries = 1; ; tries += 1) {
    const outcome = await attempt(Math.min(tryMs, Math.max(1, deadline - pace.now())));
    const wait = waitBeforeNext(outcome, tries, pace.random());
    if (tries === TRIES || wait === undefined || pace.now() + wait >= deadline) return outcome;
    await pace.sleep(wait);
  }
}

function waitBeforeNext(outcome: Outcome<unknown>, tries: number, random: number): number | undefined {
  const backoff = FIRST_BACKOFF_MS * 2 ** (tries - 1) * (0.5 + random / 2);
  if (outcome.kind === 'accepted') return undefined;
  if (outcome.kind === 'unknown') return isPassing(outcome) ? backoff : undefined;
  if (outcome.kind === 'not-sent' && outcome.reason === 'offline') return backoff;
  if (outcome.retryAfterMs === undefined || outcome.retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return outcome.retryAfterMs + backoff;
}

function isPassing({ reason, status = 0 }: { reason: string; status?: number }): boolean {
  return reason === 'timeout' || reason === 'cut' || (reason === 'status' && status >= 500);
}
