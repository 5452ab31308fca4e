import { setTimeout as delay } from 'node:timers/promises';

/** So often who is beaten to a record by others tries again: with the pauses, for some seconds. */
export const TRIES = 100;
const LONGEST_MS = 60;

/** Whoever was beaten to a record waits a moment of their own: many at once would only beat each other again. */
export async function afterLosing(tries: number): Promise<void> {
  await delay(Math.random() * Math.min(2 * tries, LONGEST_MS));
}
