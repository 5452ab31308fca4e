import type { ReadAudience } from './audience.ts';
import { type BroadcastStore, CHUNK_SIZE, type Held } from './broadcast-store.ts';
import type { Halt, Hear, Turn } from './halts.ts';

export type Gathered = { kind: 'gathered'; total: number } | Halt | { kind: 'lost' };

/** Fixes who gets a broadcast: whoever comes later doesn't. Begun anew where a process died over it. */
export function createGather(deps: {
  store: Pick<BroadcastStore, 'putChunk'>;
  readAudience: ReadAudience;
  hear: Hear;
}) {
  const { store, readAudience, hear } = deps;

  return async ({ broadcast }: Held, turn: Turn): Promise<Gathered> => {
    const { id, audience, admin } = broadcast;
    let waiting: number[] = [];
    let chunks = 0;
    const heard = hear.often(broadcast, turn);
    for await (const users of readAudience(audience, admin)) {
      const halt = await heard();
      if (halt) return halt;
      if (!turn.isMine()) return { kind: 'lost' };
      waiting.push(...users);
      while (waiting.length >= CHUNK_SIZE) {
        await store.putChunk(id, chunks, waiting.slice(0, CHUNK_SIZE));
        waiting = waiting.slice(CHUNK_SIZE);
        chunks += 1;
      }
    }
    if (waiting.length > 0) await store.putChunk(id, chunks, waiting);
    return { kind: 'gathered', total: chunks * CHUNK_SIZE + waiting.length };
  };
}
