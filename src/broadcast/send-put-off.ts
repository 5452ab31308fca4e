import type { Log } from '../log.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastStore, Held } from './broadcast-store.ts';
import type { BulkPace } from './bulk-pace.ts';
import type { Hear, Turn, Wait } from './halts.ts';
import { AudienceLost, createPlaces } from './places.ts';
import type { SentAll } from './send-all.ts';
import type { Attempt, Result, SendOne } from './send-one.ts';
import { createTrouble } from './trouble.ts';

const LOOK_MS = 50;
const AWAY_MS = 1_000;
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
  log: Log;
}) {
  const { store, sendOne, pace, hear, wait, now, log } = deps;

  /** Whatever the storage does meanwhile: who has got it is not to get it again. */
  async function write(held: Held, turn: Turn, changes: Partial<Broadcast>): Promise<Held | undefined> {
    while (turn.isMine()) {
      try {
        return await store.replace(held, changes);
      } catch (err) {
        log.warn(
          { err, broadcast: held.broadcast.id },
          'how a broadcast stands could not be written down yet',
        );
        await wait(LOOK_MS);
      }
    }
    return undefined;
  }

  return async (from: Held, turn: Turn): Promise<SentAll> => {
    const { id } = from.broadcast;
    const userAt = createPlaces(store, id);
    let held = from;
    let quietUntil = from.broadcast.quietUntil ?? 0;
    let tries = 0;
    const trouble = createTrouble();

    async function attempted({ broadcast }: Held, place: number, { isMine }: Turn): Promise<Attempt> {
      try {
        return await sendOne(broadcast, await userAt(place), isMine);
      } catch (err) {
        if (err instanceof AudienceLost) return { kind: 'halt', pause: { why: 'audience' } };
        return { kind: 'again', afterMs: AWAY_MS, isTry: false };
      }
    }

    /** Whether it is to be written as settled, and as what. */
    function resultOf(attempt: Attempt): Result | undefined {
      if (attempt.kind === 'settled') return attempt.as;
      if (attempt.kind === 'later') pace.objected();
      if (attempt.kind !== 'halt') quietUntil = now() + attempt.afterMs;
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
      const attempt = await attempted(held, place, turn);
      const { pause, restMs } = trouble.after(attempt);
      if (attempt.kind === 'halt') return { kind: 'held up', held, pause: attempt.pause };
      quietUntil = Math.max(quietUntil, now() + restMs);
      const result = resultOf(attempt);
      const written = await write(held, turn, {
        ...(result && { [result]: held.broadcast[result] + 1, putOff: others }),
        objections: held.broadcast.objections + (attempt.kind === 'later' ? 1 : 0),
        quietUntil,
      });
      if (written === undefined) break;
      // Who is refused here was refused alone before.
      if (pause && pause.why !== 'refused') return { kind: 'held up', held: written, pause };
      held = written;
      if (result) tries = 0;
    }
    return { kind: 'lost' };
  };
}
