import { type BroadcastStore, CHUNK_SIZE } from './broadcast-store.ts';

/** A part of who is to get it is not there any more: it was deleted, or held up for too long. */
export class AudienceLost extends Error {
  override readonly name = 'AudienceLost';
}

/** Who stands where in the audience of a broadcast, of which a part is read at once. Throws {@link AudienceLost}. */
export function createPlaces(store: Pick<BroadcastStore, 'chunk'>, id: string) {
  let part: { number: number; users: Promise<number[] | undefined> } | undefined;
  return async (place: number): Promise<number> => {
    const number = Math.floor(place / CHUNK_SIZE);
    if (part?.number !== number) {
      const users = store.chunk(id, number);
      part = { number, users };
      // Read again where it could not be.
      users.catch(() => {
        part = undefined;
      });
    }
    const user = (await part.users)?.[place % CHUNK_SIZE];
    if (user !== undefined) return user;
    part = undefined;
    throw new AudienceLost(`place ${place} of broadcast ${id} is not there`);
  };
}
