import type { Log } from '../log.ts';
import type { Result } from '../texts/broadcast-counts.ts';
import { countAttempts, MAX_ATTEMPTS, withoutSettled } from './attempts.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastStore, Held } from './broadcast-store.ts';
import type { BulkPace } from './bulk-pace.ts';
import { type Hear, LOOK_MS, type Turn, type Wait } from './halts.ts';
import { RENEW_MS } from './ledger.ts';
import { createReach } from './reach.ts';
import type { SendAll } from './send-all.ts';
import type { Attempt, PrepareCopy } from './send-one.ts';
import { createTrouble } from './trouble.ts';

const TRIES = 3;

/**
 * Tries those once more who were put off, one after another: whom Telegram objected to, and those who were begun when it
 * was held up. After some tries they are counted as failed.
 */
export function createSendPutOff(deps: {
  store: BroadcastStore;
  prepareCopy: PrepareCopy;
  pace: BulkPace;
  hear: Hear;
  wait: Wait;
  now: () => number;
  log: Log;
}): SendAll {
  const { store, pace, hear, wait, now, log } = deps;

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

  return async (from, turn, changed) => {
    const reach = createReach(deps, from.broadcast);
    const heard = hear.often(from.broadcast, turn);
    let held = from;
    let quietUntil = from.broadcast.quietUntil ?? 0;
    let tries = 0;
    const trouble = createTrouble();

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
      changed(held.broadcast);
      const halt = await heard();
      if (halt) return { ...halt, held };
      if (now() - held.broadcast.activeAt >= RENEW_MS) {
        const renewed = await write(held, turn, { activeAt: now() });
        if (renewed === undefined) break;
        held = renewed;
      }
      const { openAttempts, settled, unknown } = held.broadcast;
      const openWithoutPlace = withoutSettled(openAttempts, { settled, putOff: others });
      if (countAttempts(openAttempts, place) >= MAX_ATTEMPTS) {
        const changes = { unknown: unknown + 1, putOff: others, openAttempts: openWithoutPlace };
        const written = await write(held, turn, changes);
        if (written === undefined) break;
        held = written;
        continue;
      }
      const waitMs = Math.max(0, quietUntil - now()) || pace.take();
      if (waitMs > 0) {
        await wait(Math.min(waitMs, LOOK_MS));
        continue;
      }
      let attempt = await reach(place);
      if (attempt.kind === 'ready') {
        // Recorded before the request: a process that takes over sends to this place at most once more.
        const recorded = await write(held, turn, {
          ...{ openAttempts: [...openAttempts, place], activeAt: now() },
        });
        if (recorded === undefined || !turn.isMine()) break;
        held = recorded;
        attempt = await attempt.send();
      }
      const { pause, restMs } = trouble.after(attempt);
      quietUntil = Math.max(quietUntil, now() + restMs);
      const result = resultOf(attempt);
      const { objections } = held.broadcast;
      const written = await write(held, turn, {
        ...(result && { [result]: held.broadcast[result] + 1, putOff: others }),
        openAttempts: result ? openWithoutPlace : openAttempts,
        objections: objections + (attempt.kind === 'later' ? 1 : 0),
        ...{ quietUntil, activeAt: now() },
      });
      if (written === undefined) break;
      held = written;
      if (attempt.kind === 'halt') return { kind: 'held up', held, pause: attempt.pause };
      // Who is refused here was refused alone before.
      if (pause && pause.why !== 'refused') return { kind: 'held up', held, pause };
      if (result) tries = 0;
    }
    return { kind: 'lost' };
  };
}
