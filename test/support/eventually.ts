import { vi } from 'vitest';

/** Waits until `check` no longer throws. The timeout is longer than any machine should need. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
