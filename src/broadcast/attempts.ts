import type { Broadcast } from './broadcast.ts';

/**
 * Maximum attempts at one person without a recorded result: the process was killed during each of them. The first may have
 * sent nothing, so there is a second one. After that the result is `unknown`, and nothing more is sent.
 */
export const MAX_ATTEMPTS = 2;

/** Returns how many attempts at this place of the audience have no recorded result. */
export const countAttempts = (openAttempts: readonly number[], place: number): number =>
  openAttempts.filter((one) => one === place).length;

/** Returns the attempts without the latest one at this place, which is known to have sent nothing. */
export function withoutAttempt(openAttempts: readonly number[], place: number): number[] {
  const latest = openAttempts.lastIndexOf(place);
  return openAttempts.filter((_, index) => index !== latest);
}

/** Returns the attempts at places that have no result yet, or are to be tried again at the end. */
export const withoutSettled = (
  openAttempts: readonly number[],
  { settled, putOff }: Pick<Broadcast, 'settled' | 'putOff'>,
): number[] => openAttempts.filter((place) => place >= settled || putOff.includes(place));
