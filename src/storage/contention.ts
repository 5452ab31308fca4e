import { setTimeout as delay } from 'node:timers/promises';
import { StorageUnavailable } from './storage.ts';

/** So often who is beaten to a record by others tries again: with the pauses, for some seconds. */
const TRIES = 100;
const LONGEST_MS = 60;

/**
 * Tries to change what others change at once, until `attempt` answers something: `undefined` says that another was quicker.
 * In between it waits a moment of its own, since many at once would only beat each other again. Rejects with
 * {@link StorageUnavailable} where others are quicker again and again.
 */
export async function untilWritten<Written>(attempt: () => Promise<Written | undefined>): Promise<Written> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const written = await attempt();
    if (written !== undefined) return written;
    await delay(Math.random() * Math.min(2 * tries, LONGEST_MS));
  }
  throw new StorageUnavailable('what is to be changed is changed by others too often');
}
