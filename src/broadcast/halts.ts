import type { Log } from '../log.ts';
import type { Broadcast } from './broadcast.ts';
import type { BroadcastStore } from './broadcast-store.ts';

/** Why a broadcast ends or is held up before all are through; `left`: this process ends, and another goes on. */
export type Halt =
  | { kind: 'stopped' }
  | { kind: 'left' }
  | { kind: 'held up'; pause: NonNullable<Broadcast['pause']> };

/** The time in which a process may work at a broadcast. */
export interface Turn {
  /** Nobody else can be at it. */
  isMine(): boolean;
  isClosing(): boolean;
}

/** Resolves after so many milliseconds. */
export type Wait = (ms: number) => Promise<unknown>;

/** How soon a process that sends notices that time has passed. */
export const LOOK_MS = 50;
/** And that somebody wishes something. */
const HEAR_MS = 400;

type About = Pick<Broadcast, 'id' | 'admin'>;

/** Whether somebody wishes that it ends here, or it must. */
export interface Hear {
  now(broadcast: About, turn: Turn): Promise<Halt | undefined>;
  /** The same asked again and again while it is under way; where the storage is away nobody wishes anything. */
  often(broadcast: About, turn: Turn): () => Promise<Halt | undefined>;
}

export function createHear(deps: {
  store: Pick<BroadcastStore, 'wished'>;
  isAdmin: (user: number) => boolean;
  now: () => number;
  log: Log;
}): Hear {
  const { store, isAdmin, now, log } = deps;

  async function hear({ id, admin }: About, turn: Turn): Promise<Halt | undefined> {
    if (turn.isClosing()) return { kind: 'left' };
    if (!isAdmin(admin)) return { kind: 'held up', pause: { why: 'nobody' } };
    const wished = await store.wished(id);
    if (wished?.wish === 'stop') return { kind: 'stopped' };
    return wished && { kind: 'held up', pause: { why: 'admin', by: wished.by } };
  }

  return {
    now: hear,
    often(broadcast, turn) {
      let heardAt = Number.NEGATIVE_INFINITY;
      return async () => {
        if (!turn.isClosing() && now() - heardAt < HEAR_MS) return undefined;
        heardAt = now();
        try {
          return await hear(broadcast, turn);
        } catch (err) {
          log.warn({ err, broadcast: broadcast.id }, 'what is wished of a broadcast could not be read');
          return undefined;
        }
      };
    },
  };
}
