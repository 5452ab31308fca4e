import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The mark of a run outlasts its end by this part of the interval, so that others don't begin the next at once. */
const PACE = 0.8;

/** Lets a mark end after ARGV[2] milliseconds, at once where that is 0; only where it is still one's own. */
const keep = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`;

/**
 * What recurs, on one replica at a time. Each replica asks for every run by itself, with a mark in Redis whose end is
 * Redis's to time: so no schedule can be lost with Redis's data, and clocks of replicas may differ.
 */
export function createRecurring({ redis, prefix, lock }: { redis: Redis; prefix: string; lock: number }) {
  const kinds = new Map<string, { intervalMs: number; run: () => Promise<void> }>();
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();

  async function alone(name: string, intervalMs: number, run: () => Promise<void>): Promise<void> {
    const key = `${prefix}:running:${name}`;
    const token = randomUUID();
    if ((await redis.set(key, token, 'PX', lock, 'NX')) === null) return;
    const began = performance.now();
    const keepFor = (ms: number) => redis.eval(keep, 1, key, token, Math.max(0, Math.round(ms)));
    const renewal = setInterval(() => keepFor(lock).catch(() => {}), lock / 3);
    try {
      await run();
    } finally {
      clearInterval(renewal);
      await keepFor(PACE * intervalMs - (performance.now() - began));
    }
  }

  return {
    /** `failed` is called with what a run, or asking for one, threw. */
    every(name: string, intervalMs: number, handler: () => Promise<void>, failed: (err: unknown) => void) {
      let busy = false;
      const run = async () => {
        if (busy) return;
        busy = true;
        await alone(name, intervalMs, handler).catch(failed);
        busy = false;
      };
      kinds.set(name, { intervalMs, run });
    },
    start(): void {
      for (const { intervalMs, run } of kinds.values()) {
        const tick = () => {
          const done: Promise<void> = run().finally(() => running.delete(done));
          running.add(done);
        };
        tick();
        timers.add(setInterval(tick, intervalMs));
      }
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
