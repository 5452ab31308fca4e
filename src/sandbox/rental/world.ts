import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { createState } from './initial-state.ts';
import type { Seed } from './seed.ts';
import type { State } from './state.ts';

/** The state, its time, and who watches it. */
export interface World {
  readonly clock: Clock;
  /** Another object after each reset: read it anew each time. */
  readonly state: State;
  /** Grows with each change. */
  readonly revision: number;
  /** Aborted at the next reset or at the stop: what was begun before belongs to a world that is gone. */
  readonly life: AbortSignal;
  readonly stopped: AbortSignal;
  /** To be called after each change of the state. */
  changed(): void;
  onChange(listener: () => void): () => void;
  /** Runs `action` in `ms` milliseconds of the sandbox's clock, unless the world has ended by then. */
  later(ms: number, action: () => void): void;
  /** The same at a time, in epoch milliseconds; soon when it has passed. */
  at(epochMs: number, action: () => void): void;
  reset(): void;
  stop(): void;
}

/** A world that begins with `state`, or as `seed` says; after a reset it is as `seed` says. */
export function createWorld(deps: { clock: Clock; seed: Seed; state?: State }): World {
  const { clock, seed } = deps;
  let state = deps.state ?? createState(seed);
  let revision = 0;
  let life = createEnd();
  const stopped = createEnd();
  const listeners = new Set<() => void>();
  const pending = new Set<() => void>();

  const changed = () => {
    revision += 1;
    for (const listener of [...listeners]) listener();
  };
  const endLife = () => {
    life.abort();
    for (const cancel of pending) cancel();
    pending.clear();
  };
  const at = (epochMs: number, action: () => void) => {
    if (life.signal.aborted) return;
    const cancel = clock.at(epochMs, () => {
      pending.delete(cancel);
      action();
    });
    pending.add(cancel);
  };
  const forgetClock = clock.onAdvance(changed);

  return {
    clock,
    get state() {
      return state;
    },
    get revision() {
      return revision;
    },
    get life() {
      return life.signal;
    },
    stopped: stopped.signal,
    changed,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    later: (ms, action) => at(clock.now() + ms, action),
    at,
    reset() {
      if (stopped.signal.aborted) return;
      endLife();
      life = createEnd();
      state = createState(seed);
      changed();
    },
    stop() {
      endLife();
      stopped.abort();
      forgetClock();
    },
  };
}

/** Any number of requests and deliveries may wait for it. */
function createEnd(): AbortController {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  return end;
}
