import { type Fault, nextId } from './state.ts';
import type { World } from './world.ts';

/** Faults ordered for future requests. */
export interface Faults {
  order(fault: Omit<Fault, 'id'>): Fault;
  clear(): void;
  /** Returns the oldest fault ordered for this endpoint and counts it as used once. */
  take(endpoint: string): Fault | undefined;
}

export function createFaults(world: World): Faults {
  return {
    order(wish) {
      const fault = { ...wish, id: nextId(world.state, 'fault') };
      world.state.faults.push(fault);
      world.changed();
      return fault;
    },
    clear() {
      world.state.faults = [];
      world.changed();
    },
    take(endpoint) {
      const { state } = world;
      const fault = state.faults.find((candidate) => candidate.endpoint === endpoint);
      if (!fault) return undefined;
      fault.times -= 1;
      state.faults = state.faults.filter(({ times }) => times > 0);
      world.changed();
      return fault;
    },
  };
}
