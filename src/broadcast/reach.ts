import type { Log } from '../log.ts';
import type { Broadcast } from './broadcast.ts';
import { type BroadcastStore, CHUNK_SIZE } from './broadcast-store.ts';
import type { PrepareCopy, Prepared } from './send-one.ts';

const AWAY_MS = 1_000;

/** Prepares sending to the person at this place of the audience, of which a part is read at once. Never throws. */
export type Reach = (place: number) => Promise<Prepared>;

export function createReach(
  deps: { store: Pick<BroadcastStore, 'chunk'>; prepareCopy: PrepareCopy; log: Log },
  broadcast: Broadcast,
): Reach {
  const { store, prepareCopy, log } = deps;
  const { id } = broadcast;
  let part: { number: number; users: Promise<number[] | undefined> } | undefined;

  /** `undefined`: that part of the audience was deleted, or held up for too long. */
  async function userAt(place: number): Promise<number | undefined> {
    const number = Math.floor(place / CHUNK_SIZE);
    if (part?.number !== number) part = { number, users: store.chunk(id, number) };
    const { users } = part;
    try {
      return (await users)?.[place % CHUNK_SIZE];
    } catch (err) {
      // Read again where it could not be.
      part = undefined;
      throw err;
    }
  }

  return async (place) => {
    try {
      const user = await userAt(place);
      if (user === undefined) return { kind: 'halt', pause: { why: 'audience' } };
      return await prepareCopy(broadcast, user);
    } catch (err) {
      log.warn({ err, broadcast: id }, 'a broadcast could not go on for a moment');
      return { kind: 'again', afterMs: AWAY_MS, isTry: false };
    }
  };
}
