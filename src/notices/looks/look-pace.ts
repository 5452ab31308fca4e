import type { Outcome } from '../../rental/outcome.ts';
import type { Found } from './look.ts';
import type { Looked } from './looked.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long until the next look, the longer the less there was to see; the last one goes on. */
const REGULAR_MS = [
  ...[MINUTE, MINUTE, MINUTE, 2 * MINUTE, 2 * MINUTE, 5 * MINUTE, 5 * MINUTE],
  ...[10 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR],
];
/** With so many of them an account is busy, and looked at before others. */
const BUSY = 5;
/** What an event has spoken of may come later to the list where it is to be seen. */
const AWAITED_MS = [SECOND, 2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE];
/** Where the service doesn't answer. */
const FAILED_MS = [2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE];
/** Nobody wants to know: who begins to, says so. */
export const UNWANTED_MS = 6 * HOUR;

/** Whether something was to be seen: not that anybody knew; for the first time now; or since a look that didn't show it. */
export type Hint = 'none' | 'new' | 'still';

export interface NextLook {
  looked: Looked;
  lane: 'busy' | 'quiet';
  inMs: number;
  /** It is expected still, and looked at again this soon. */
  expectMs?: number;
}

/** When to look again, and what is known then. `found` is missing where no key opens the account just now. */
export function nextLook(
  before: Looked,
  { found, hint, now }: { found: Outcome<Found> | undefined; hint: Hint; now: number },
): NextLook {
  if (found?.kind !== 'accepted') {
    const failed = before.failed + 1;
    const refused = found === undefined || (found.kind === 'rejected' && found.retryAfterMs === undefined);
    const inMs = Math.max(retryAfter(found), pace(refused ? REGULAR_MS : FAILED_MS, failed - 1));
    return {
      ...{ looked: { ...before, failed }, lane: refused ? 'quiet' : 'busy', inMs },
      ...(hint !== 'none' && !refused && { expectMs: inMs }),
    };
  }
  const { known, hasChanged, againMs, withinMs = Number.POSITIVE_INFINITY } = found.value;
  const isAwaited = !hasChanged && (hint !== 'none' || before.awaited > 0);
  const awaited = hint === 'new' ? 0 : before.awaited;
  const awaitMs = isAwaited ? AWAITED_MS[awaited] : undefined;
  // Where something is going on, there is soon more to be seen.
  const quiet = hasChanged || isAwaited ? 0 : before.quiet + 1;
  const expectMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, awaitMs ?? Number.POSITIVE_INFINITY);
  const isExpected = Number.isFinite(expectMs);
  return {
    looked: {
      ...{ since: before.since, at: now, known: [...known], quiet, failed: 0 },
      awaited: awaitMs === undefined ? 0 : awaited + 1,
    },
    lane: quiet < BUSY ? 'busy' : 'quiet',
    inMs: Math.max(Math.min(pace(REGULAR_MS, Math.max(0, quiet - 1)), withinMs), isExpected ? expectMs : 0),
    ...(isExpected && { expectMs }),
  };
}

function pace(steps: readonly number[], count: number): number {
  return steps[Math.min(count, steps.length - 1)] ?? MINUTE;
}

function retryAfter(found: Outcome<Found> | undefined): number {
  return found !== undefined && 'retryAfterMs' in found ? (found.retryAfterMs ?? 0) : 0;
}
