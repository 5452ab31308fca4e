import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../sandbox/conservation/random.ts';
import type { RedisServer } from '../support/redis-process.ts';
import type { Bots } from './bots.ts';
import type { Health } from './health.ts';
import type { SandboxProcess } from './sandbox-process.ts';

export interface Storm {
  /** Causes random disturbances for `ms` and ends with a kill. Redis runs and no bot is frozen when it resolves. */
  rage(ms: number): Promise<void>;
  counts: { kills: number; freezes: number; redis: number; lostEvents: number };
}

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const LOOK_MS = 100;
/** Duration of a long freeze, in milliseconds. Longer than the lease of a chat. */
const LONG_FREEZE_MS = 17_000;

/** Kills and freezes bots and Redis and drops events, one at a time, with pauses in between. */
export function createStorm(deps: {
  random: Random;
  bots: Bots;
  redis: RedisServer;
  sandbox: SandboxProcess;
  health: Health;
}): Storm {
  const { random, bots, redis, sandbox, health } = deps;
  const counts = { kills: 0, freezes: 0, redis: 0, lostEvents: 0 };

  function kill(): void {
    counts.kills += 1;
    bots.kill(random.below(bots.count()));
  }

  async function well(end: number): Promise<void> {
    while (!bots.areReady() && Date.now() < end) await delay(LOOK_MS);
  }

  const disturbances: [weight: number, disturb: () => Promise<void> | void][] = [
    [10, kill],
    [
      3,
      () => {
        counts.freezes += 1;
        const ms = random.below(6) === 0 ? LONG_FREEZE_MS : 500 + random.below(7_500);
        return bots.freeze(random.below(bots.count()), ms);
      },
    ],
    [
      3,
      async () => {
        counts.redis += 1;
        const well = health.ails('Redis is killed');
        await redis.kill();
        await delay(random.below(4_000));
        await redis.restart();
        well();
      },
    ],
    [
      3,
      async () => {
        counts.redis += 1;
        const well = health.ails('Redis is paused');
        redis.pause();
        await delay(300 + random.below(6_000));
        redis.resume();
        well();
      },
    ],
    [
      2,
      async () => {
        counts.lostEvents += 1;
        const well = health.ails('events are lost');
        await sandbox.control('POST', '/chaos/bots', { events: random.pick(['refuse', 'swallow']) });
        await delay(1_000 + random.below(4_000));
        await sandbox.control('POST', '/chaos/bots', { events: 'pass' });
        well();
      },
    ],
  ];
  const drawn = disturbances.flatMap(([weight, disturb]) => Array.from({ length: weight }, () => disturb));

  return {
    counts,
    async rage(ms) {
      for (const end = Date.now() + ms; Date.now() < end; ) {
        // Usually waits until the bots are ready, so that a slow machine recovers. Sometimes it hits a starting bot.
        if (random.below(4) > 0) await well(end);
        await delay(SHORTEST_PAUSE_MS + random.below(LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
        await random.pick(drawn)?.();
      }
      kill();
    },
  };
}
