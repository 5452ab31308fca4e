import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type Clock, install } from '@sinonjs/fake-timers';
import { createRandom } from '../support/random.ts';

/** Turns of the event loop without any activity after which everything waits for a timer. */
const QUIET_TURNS = 4;
/** 2026-01-05 12:00 UTC: a Monday. */
const START = Date.UTC(2026, 0, 5, 12);

const realImmediate = setImmediate;

/** Owner of timers. Its timers no longer fire once it has crashed. */
export interface TimerOwner {
  readonly isAlive: boolean;
  /** Called before each of its timers fires. If it returns false, the timer doesn't fire. */
  beforeTimer(): boolean;
}

/** The owner of the code that runs now. */
export const timerOwner = new AsyncLocalStorage<TimerOwner | undefined>();

/** Time and randomness of a simulation: the same seed gives the same run. */
export interface VirtualTime {
  now(): number;
  /** Waits until all code waits for a timer. */
  settle(): Promise<void>;
  /** Waits for the next timer and fires it. */
  next(): Promise<void>;
  /** Moves the clock by `ms` at once: each timer that came due fires once, as after a machine's sleep. */
  jump(ms: number): Promise<void>;
  /** Notes that something happened. {@link settle} waits until nothing does. */
  active(): void;
  uninstall(): void;
}

/** Replaces the clocks, timers and random numbers of this whole process. */
export function installVirtualTime(seed: number): VirtualTime {
  const clock: Clock = install({
    now: START,
    toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  const restoreTimers = tieTimersToOwners();
  const restoreRandom = seedRandom(seed);
  syncBuiltinESMExports();
  let activity = 0;

  async function settle(): Promise<void> {
    for (let quiet = 0, seen = activity; quiet < QUIET_TURNS; quiet++) {
      await new Promise<void>((resolve) => realImmediate(resolve));
      if (activity !== seen) quiet = -1;
      seen = activity;
    }
  }

  return {
    now: () => Date.now(),
    settle,
    async next() {
      clock.next();
      await settle();
    },
    async jump(ms) {
      clock.jump(ms);
      await settle();
    },
    active: () => void activity++,
    uninstall() {
      restoreRandom();
      restoreTimers();
      clock.uninstall();
      syncBuiltinESMExports();
    },
  };
}

/** Makes each timer belong to the owner of the code that sets it. Returns a function that undoes this. */
function tieTimersToOwners(): () => void {
  const { setTimeout: timeout, setInterval: interval, clearInterval: clear } = globalThis;
  const owned = (owner: TimerOwner, run: () => void, drop: () => void) => () => {
    if (!owner.isAlive) drop();
    else if (owner.beforeTimer()) timerOwner.run(owner, run);
  };
  globalThis.setTimeout = Object.assign(
    (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
      const owner = timerOwner.getStore();
      const fire = () => run(...given);
      return timeout(owner ? owned(owner, fire, () => undefined) : fire, ms);
    },
    timeout,
  ) as typeof setTimeout;
  globalThis.setInterval = ((run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const owner = timerOwner.getStore();
    const fire = () => run(...given);
    const handle = interval(owner ? owned(owner, fire, () => clear(handle)) : fire, ms);
    return handle;
  }) as typeof setInterval;
  return () => Object.assign(globalThis, { setTimeout: timeout, setInterval: interval });
}

/** Makes ids and keys the same in each run with this seed. */
function seedRandom(seed: number): () => void {
  const { randomBytes, randomUUID } = crypto;
  const { random } = Math;
  const { next } = createRandom(seed);
  const bytes = (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(next() * 256)));
  const uuid = () => {
    const hex = bytes(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid });
  Math.random = next;
  return () => {
    Object.assign(crypto, { randomBytes, randomUUID });
    Math.random = random;
  };
}
