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

/** Maximum calls over boundaries until everything waits for a timer. Schedules that settle make a few hundred. */
const MAX_CALLS = 10_000;
/** Maximum timers that fire one by one in a schedule. Schedules that settle have at most about a thousand. */
const MAX_TIMERS = 50_000;

/** A schedule that would go on without end. */
export class Unsettled extends Error {
  override readonly name = 'Unsettled';
}

/** Owner of timers. Its timers no longer fire once it has crashed. */
export interface TimerOwner {
  readonly isAlive: boolean;
  /** Resolves when the owner continues. Until then, timers that came due wait. Absent unless it is stopped. */
  readonly stopped: Promise<void> | undefined;
  /** Called before each of its timers fires. If it returns false, the timer doesn't fire. */
  beforeTimer(): boolean;
}

/** The owner of the code that runs now. */
export const timerOwner = new AsyncLocalStorage<TimerOwner | undefined>();

/** Time and randomness of a simulation: the same seed gives the same run. */
export interface VirtualTime {
  now(): number;
  /** Waits until all code waits for a timer. Throws {@link Unsettled} if that never happens. */
  settle(): Promise<void>;
  /** Waits for the next timer and fires it. Throws {@link Unsettled} if there is none, or after too many. */
  next(): Promise<void>;
  /** Moves the clock by `ms` at once: each timer that came due fires once, as after a machine's sleep. */
  jump(ms: number): Promise<void>;
  /**
   * Notes that something happened. {@link settle} waits until nothing does. Returns false after too many calls: the caller
   * must then not continue, because a loop without timers would never let {@link settle} run.
   */
  active(): boolean;
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
  /** Calls since everything waited for a timer. */
  let calls = 0;
  let timers = 0;

  async function settle(): Promise<void> {
    for (let quiet = 0, seen = calls; quiet < QUIET_TURNS; quiet++) {
      await new Promise<void>((resolve) => realImmediate(resolve));
      if (calls > MAX_CALLS) throw new Unsettled(`${MAX_CALLS} calls without waiting for a timer`);
      if (calls !== seen) quiet = -1;
      seen = calls;
    }
    calls = 0;
  }

  return {
    now: () => Date.now(),
    settle,
    async next() {
      if (clock.countTimers() === 0) throw new Unsettled('nothing waits for a timer');
      if (++timers > MAX_TIMERS) throw new Unsettled(`${MAX_TIMERS} timers`);
      clock.next();
      await settle();
    },
    async jump(ms) {
      clock.jump(ms);
      await settle();
    },
    active: () => ++calls <= MAX_CALLS,
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
  const real = { setTimeout, clearTimeout, setInterval, clearInterval };
  /** Timers that came due while their owner was stopped. */
  const waiting = new Set<unknown>();

  function fire(owner: TimerOwner, handle: NodeJS.Timeout, run: () => void): void {
    if (!owner.isAlive) real.clearInterval(handle);
    else if (owner.stopped === undefined) {
      if (owner.beforeTimer()) timerOwner.run(owner, run);
    } else if (!waiting.has(handle)) {
      waiting.add(handle);
      void owner.stopped.then(() => waiting.delete(handle) && fire(owner, handle, run));
    }
  }

  const owned =
    (set: typeof setTimeout | typeof setInterval) =>
    (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
      const owner = timerOwner.getStore();
      const work = () => run(...given);
      const handle: NodeJS.Timeout = set(() => (owner ? fire(owner, handle, work) : work()), ms);
      return handle;
    };
  const clearing = (clear: typeof clearTimeout) => (handle: Parameters<typeof clearTimeout>[0]) => {
    waiting.delete(handle);
    clear(handle);
  };
  Object.assign(globalThis, {
    setTimeout: Object.assign(owned(setTimeout), setTimeout),
    clearTimeout: clearing(clearTimeout),
    setInterval: owned(setInterval),
    clearInterval: clearing(clearInterval),
  });
  return () => Object.assign(globalThis, real);
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
