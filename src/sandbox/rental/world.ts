import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { createState, type Seed, type State } from './state.ts';

/** State with its clock and change listeners. */
export interface World {
  readonly clock: Clock;
  /** Replaced at each reset. Don't keep a reference. */
  readonly state: State;
  /** Number of changes since the start. */
  readonly revision: number;
  /** Aborted at the next reset or stop, to cancel work on the old state. */
  readonly resetSignal: AbortSignal;
  readonly stopSignal: AbortSignal;
  /** Must be called after each change of the state. */
  changed(): void;
  /** Returns the function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Runs `action` in `ms` milliseconds of the sandbox's clock. A reset or stop cancels it. */
  scheduleIn(ms: number, action: () => void): void;
  /** Like `scheduleIn`, at a time in epoch milliseconds. Runs soon if the time has passed. */
  scheduleAt(epochMs: number, action: () => void): void;
  reset(): void;
  stop(): void;
}

/** Creates a world with `state`, or from `seed` if `state` is missing. A reset always uses `seed`. */
export function createWorld(deps: { clock: Clock; seed: Seed; sharedLimit?: boolean; state?: State }): World {
  const { clock, seed, sharedLimit } = deps;
  let state = deps.state ?? createState(seed);
  state.isLimitShared = sharedLimit ?? state.isLimitShared;
  let revision = 0;
  let resetController = createAbortController();
  const stopController = createAbortController();
  const listeners = new Set<() => void>();
  const pending = new Set<() => void>();

  const changed = () => {
    revision += 1;
    for (const listener of [...listeners]) listener();
  };
  const cancelAll = () => {
    resetController.abort();
    for (const cancel of pending) cancel();
    pending.clear();
  };
  const scheduleAt = (epochMs: number, action: () => void) => {
    if (resetController.signal.aborted) return;
    const cancel = clock.scheduleAt(epochMs, () => {
      pending.delete(cancel);
      action();
    });
    pending.add(cancel);
  };
  const unsubscribeFromClock = clock.onAdvance(changed);

  return {
    clock,
    get state() {
      return state;
    },
    get revision() {
      return revision;
    },
    get resetSignal() {
      return resetController.signal;
    },
    stopSignal: stopController.signal,
    changed,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    scheduleIn: (ms, action) => scheduleAt(clock.now() + ms, action),
    scheduleAt,
    reset() {
      if (stopController.signal.aborted) return;
      cancelAll();
      resetController = createAbortController();
      state = createState(seed);
      state.isLimitShared = sharedLimit === true;
      changed();
    },
    stop() {
      cancelAll();
      stopController.abort();
      unsubscribeFromClock();
    },
  };
}

/** Creates an abort controller without a listener limit, because many requests and deliveries may listen. */
function createAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
