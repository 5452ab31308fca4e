import type { Broadcast } from './broadcast.ts';
import type { Attempt } from './send-one.ts';

/** So many refusals without anybody who got it mean that Telegram takes it from nobody. */
const REFUSED = 20;
/** So many answers are lost, of people who may have got it and won't get it again, before somebody is asked. */
const LOST = 8;
const LONGEST_MS = 30_000;

/** Tells what is wrong with one person from what is wrong with all: by what comes without anybody who got it in between. */
export interface Trouble {
  /** Why it is held up, and for how long nothing is to be sent, after this. */
  after(attempt: Attempt): { pause?: NonNullable<Broadcast['pause']>; restMs: number };
}

export function createTrouble(): Trouble {
  let refused = 0;
  let lost = 0;
  let failed = 0;
  const growing = (count: number) => Math.min(LONGEST_MS, 1_000 * 2 ** Math.max(0, count - 4));

  return {
    after(attempt) {
      if (attempt.kind === 'halt') return { pause: attempt.pause, restMs: 0 };
      if (attempt.kind === 'again' && attempt.isTry) {
        failed += 1;
        return { restMs: growing(failed) };
      }
      if (attempt.kind !== 'settled') return { restMs: 0 };
      if (attempt.as === 'sent') {
        refused = 0;
        lost = 0;
        failed = 0;
      }
      if (attempt.reason !== undefined) refused += 1;
      if (attempt.as === 'unknown') lost += 1;
      if (lost >= LOST) return { pause: { why: 'lost' }, restMs: 0 };
      if (refused >= REFUSED && attempt.reason !== undefined)
        return { pause: { why: 'refused', reason: attempt.reason }, restMs: 0 };
      return { restMs: attempt.as === 'unknown' ? growing(lost + 3) : 0 };
    },
  };
}
