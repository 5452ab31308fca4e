export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Returns whether a stored time (epoch milliseconds) is less than `ms` ago.
 *
 * A time in the future was stored before the clock was set back, or by a replica whose clock is slightly ahead. It counts
 * as just now, but no longer than for `ms`: otherwise whatever waits would wait for as long as the clock jumped.
 *
 * @example
 * if (isRecent(card.createdAt, 700, now())) return 'too early';
 */
export function isRecent(at: number, ms: number, now: number): boolean {
  return Math.abs(now - at) < ms;
}

/** Returns the day (UTC) of a time in epoch milliseconds, such as `2026-01-31`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export const roundUpToMinutes = (ms: number): number => Math.max(1, Math.ceil(ms / MINUTE_MS));
