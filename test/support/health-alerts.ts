import { vi } from 'vitest';
import type { Person, ShownMessage } from './person.ts';
import type { World } from './world.ts';

/** Maximum time until the effect of a health check that is due appears, in milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * Advances the clock by minutes until `find` no longer throws. A check that is being measured while the clock moves is
 * measured again a minute later.
 */
export async function advanceUntil<T>(
  world: Pick<World, 'advance'>,
  find: () => T | Promise<T>,
): Promise<Awaited<T>> {
  for (let minutes = 1; ; minutes += 1) {
    await world.advance(60);
    try {
      return await vi.waitFor(async () => await find(), { timeout: PATIENCE_MS, interval: 50 });
    } catch (error) {
      if (minutes === 5) throw error;
    }
  }
}

/** Advances the clock by minutes until a health alert contains `part`. */
export function readHealthAlert(
  admin: Person,
  world: Pick<World, 'advance'>,
  part: string,
): Promise<ShownMessage> {
  return advanceUntil(world, async () => {
    const alert = (await admin.messages()).findLast(({ text }) => text?.includes(part));
    if (alert === undefined) throw new Error(`no alert says “${part}”`);
    return alert;
  });
}
