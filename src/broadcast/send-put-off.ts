import type { BroadcastStore, Held } from './broadcast-store.ts';
import type { BulkPace } from './bulk-pace.ts';
import type { Hear, Turn, Wait } from './halts.ts';
import { createPlaces, type SentAll } from './send-all.ts';
import type { Attempt, Result, SendOne } from './send-one.ts';

const LOOK_MS = 50;
const TRIES = 3;

/**
 * Tries those once more who were put off, one after another: whom Telegram objected to, and those who were begun when it
 * was held up. After some tries they are counted as failed.
 */
export function createSendPutOff(deps: {
  store: BroadcastStore;
  sendOne: SendOne;
  pace: BulkPace;
  hear: Hear;
  wait: Wait;
  now: () => number;
}) {
  const { store, sendOne, pace, hear, wait, now } = deps;

  return async (from: Held, turn: Turn): Promise<SentAll> => {
    const { id } = from.broadcast;
    const userAt = createPlaces(store, id);
    let held = from;
    let quietUntil = from.broadcast.quietUntil ?? 0;
    let tries = 0;

    /** Whether it is to be written as settled, and as what. */
    function resultOf(attempt: Attempt): Result | undefined {
      if (attempt.kind === 'settled') return attempt.as;
      if (attempt.kind === 'later') pace.objected();
      if (attempt.kind !== 'no-source') quietUntil = now() + attempt.afterMs;
      const isTry = attempt.kind === 'later' || (attempt.kind === 'again' && attempt.isTry);
      tries += isTry ? 1 : 0;
      return tries >= TRIES ? 'failed' : undefined;
    }

    while (turn.isMine()) {
      const [place, ...others] = held.broadcast.putOff;
      if (place === undefined) return { kind: 'all', held };
      const halt = await hear(held.broadcast, turn);
      if (halt) return { ...halt, held };
      const waitMs = Math.max(0, quietUntil - now()) || pace.take();
      if (waitMs > 0) {
        await wait(Math.min(waitMs, LOOK_MS));
        continue;
      }
      const attempt = await sendOne(held.broadcast, await userAt(place), turn.isMine);
      if (attempt.kind === 'no-source') return { kind: 'held up', held, pause: { why: 'gone' } };
      const result = resultOf(attempt);
      const written = await store.replace(held, {
        ...(result && { [result]: held.broadcast[result] + 1, putOff: others }),
        objections: held.broadcast.objections + (attempt.kind === 'later' ? 1 : 0),
        quietUntil,
      });
      if (written === undefined) break;
      held = written;
      if (result) tries = 0;
    }
    return { kind: 'lost' };
  };
}
