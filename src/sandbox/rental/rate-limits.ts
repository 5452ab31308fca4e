import type { World } from './world.ts';

const WINDOW_MS = 60_000;

export interface Allowance {
  granted: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/** Rate limits of section 8, per key and endpoint. A window begins with a request and lasts a minute. */
export interface RateLimits {
  /** Counts a request and returns the allowance. A refused request isn't counted. */
  take(key: string, endpoint: { name: string; perMinute: number }): Allowance;
  /** Returns the current allowance without counting a request. */
  look(key: string | undefined, endpoint: { name: string; perMinute: number }): Allowance;
}

export function createRateLimits(world: World): RateLimits {
  const windowOf = (name: string) => {
    const now = world.clock.now();
    const window = world.state.rateWindows.get(name);
    return window && now < window.endsAt ? window : { endsAt: now + WINDOW_MS, used: 0 };
  };
  const allowance = (window: { endsAt: number; used: number }, limit: number, granted: boolean) => ({
    granted,
    limit,
    remaining: limit - window.used,
    reset: Math.ceil((window.endsAt - world.clock.now()) / 1000),
  });

  return {
    take(key, { name, perMinute }) {
      const window = windowOf(`${key} ${name}`);
      const granted = window.used < perMinute;
      if (granted) window.used += 1;
      world.state.rateWindows.set(`${key} ${name}`, window);
      return allowance(window, perMinute, granted);
    },
    look(key, { name, perMinute }) {
      const window = windowOf(`${key} ${name}`);
      return allowance(window, perMinute, window.used < perMinute);
    },
  };
}

/** Returns the headers of every response. The specification doesn't define the reset; the sandbox uses seconds from now. */
export function rateLimitHeaders({ limit, remaining, reset }: Allowance): [name: string, value: string][] {
  return [
    ['X-RateLimit-Limit', String(limit)],
    ['X-RateLimit-Remaining', String(remaining)],
    ['X-RateLimit-Reset', String(reset)],
  ];
}

/** Returns the `detail` of a 429 (section 7). */
export function rateLimitDetail(seconds: number): string {
  return `Rate limit exceeded. Try again in ${seconds} seconds.`;
}
