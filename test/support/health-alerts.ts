import { vi } from 'vitest';
import type { Person, ShownMessage } from './person.ts';
import type { World } from './world.ts';

/** Maximum time until an alert that is due arrives, in milliseconds. */
const ALERT_PATIENCE_MS = 20_000;

/**
 * Advances the clock by minutes until a health alert contains `part`. A check that is being measured while the clock moves
 * is measured again a minute later.
 */
export async function readHealthAlert(
  admin: Person,
  world: Pick<World, 'advance'>,
  part: string,
): Promise<ShownMessage> {
  for (let minutes = 1; ; minutes += 1) {
    await world.advance(60);
    const find = async () =>
      (await admin.messages()).findLast(({ text }) => text?.includes(part)) ??
      Promise.reject(new Error(`no “${part}” after ${minutes} minutes`));
    try {
      return await vi.waitFor(find, { timeout: ALERT_PATIENCE_MS, interval: 50 });
    } catch (error) {
      if (minutes === 5) throw error;
    }
  }
}
