import { onTestFinished, vi } from 'vitest';
import { type Clock, createClock } from '../../../src/sandbox/clock.ts';
import { demoSeed } from '../../../src/sandbox/rental/state.ts';
import { createWorld, type World } from '../../../src/sandbox/rental/world.ts';
import { START } from './rental-server.ts';

/** Creates the demo's world with a clock that moves only when a test advances it. */
export function stillWorld(): { world: World; clock: Clock } {
  vi.setSystemTime(START);
  const clock = createClock();
  const world = createWorld({ clock, seed: demoSeed() });
  onTestFinished(() => {
    world.stop();
    vi.useRealTimers();
  });
  return { world, clock };
}
