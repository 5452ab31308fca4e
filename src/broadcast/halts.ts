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

/** Whether somebody wishes that it ends here, or it must: asked again and again while it is under way. */
export type Hear = (broadcast: Pick<Broadcast, 'id' | 'admin'>, turn: Turn) => Promise<Halt | undefined>;

export function createHear({
  store,
  isAdmin,
}: {
  store: Pick<BroadcastStore, 'wished'>;
  isAdmin: (user: number) => boolean;
}): Hear {
  return async ({ id, admin }, turn) => {
    if (turn.isClosing()) return { kind: 'left' };
    if (!isAdmin(admin)) return { kind: 'held up', pause: { why: 'nobody' } };
    const wished = await store.wished(id);
    if (wished?.wish === 'stop') return { kind: 'stopped' };
    return wished && { kind: 'held up', pause: { why: 'admin', by: wished.by } };
  };
}
