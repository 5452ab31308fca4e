import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { RedisServer } from '../support/redis-process.ts';
import type { Bots } from './bots.ts';
import type { Health } from './health.ts';
import { PURCHASES } from './journal.ts';
import type { SandboxProcess } from './sandbox-process.ts';

const MONEY = [...PURCHASES.keys()].map((path) => `POST ${path}`);
const MONEY_KINDS = [
  ...['latency', 'latency', 'error-before', 'error-after', 'cut-before', 'cut-after'],
  ...['garbage', 'garbage-before', 'rate-limit', 'hang-after'],
];
const READS = ['GET /account/profile', 'GET /prices', 'GET /webhooks/logs'];
const READ_KINDS = ['latency', 'error-before', 'cut-before', 'garbage-before', 'rate-limit'];
const METHODS = ['sendMessage', 'editMessageText', 'answerCallbackQuery', 'getUpdates', undefined];
const TELEGRAM_KINDS = ['error', 'cut', 'rate-limit', 'rate-limit', 'latency', 'latency'];
/** Duration of an occasional very slow response, in milliseconds. Longer than the bot's timeout for handlers. */
const VERY_SLOW_MS = 9_000;

/** Creates periods of faults with calm periods in between. */
export function createWeather(deps: { random: Random; sandbox: SandboxProcess; health: Health }) {
  const { random, sandbox, health } = deps;
  const counts = { faults: 0 };

  /** Adds a fault. Returns for how long its effects last, in milliseconds. */
  async function fault(): Promise<number> {
    counts.faults += 1;
    const slow = random.below(8) === 0 ? VERY_SLOW_MS : 100 + random.below(3_000);
    const times = 1 + random.below(3);
    switch (random.below(3)) {
      case 0: {
        const order = { endpoint: random.pick(MONEY), kind: random.pick(MONEY_KINDS), ms: slow, times };
        await sandbox.control('POST', '/sandbox/rental/faults', order);
        return 0;
      }
      case 1: {
        const order = { endpoint: random.pick(READS), kind: random.pick(READ_KINDS), ms: slow, times };
        await sandbox.control('POST', '/sandbox/rental/faults', order);
        return slow;
      }
      default: {
        const wait = 1 + random.below(3);
        const kind = random.pick(TELEGRAM_KINDS);
        const order = { method: random.pick(METHODS), kind, ms: slow, retry_after: wait, times };
        await sandbox.control('POST', '/sandbox/telegram/faults', { ...order, after: random.below(3) === 0 });
        return Math.max(slow, wait * 1_000);
      }
    }
  }

  async function window(signal: AbortSignal): Promise<void> {
    const well = health.ails('service and Telegram fail at random');
    let felt = 0;
    for (const end = Date.now() + 2_000 + random.below(6_000); Date.now() < end && !signal.aborted; ) {
      felt = Math.max(felt, Date.now() + (await fault()));
      await delay(200 + random.below(1_300));
    }
    await sandbox.control('DELETE', '/sandbox/rental/faults');
    await sandbox.control('DELETE', '/sandbox/telegram/faults');
    void delay(Math.max(0, felt - Date.now())).then(well);
  }

  return {
    counts,
    /**
     * Makes the service and Telegram slow or failing at random until `signal` aborts. Removes all faults before it
     * resolves.
     */
    async blow(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await window(signal);
        await delay(1_000 + random.below(5_000), undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

export type Weather = ReturnType<typeof createWeather>;

const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const POLL_MS = 100;
/** Duration of a long freeze, in milliseconds. Longer than the lease of a chat. */
const LONG_FREEZE_MS = 17_000;

/** Kills and freezes bots and Redis and drops events, one at a time, with pauses in between. */
export function createStorm(deps: {
  random: Random;
  bots: Bots;
  redis: RedisServer;
  sandbox: SandboxProcess;
  health: Health;
}) {
  const { random, bots, redis, sandbox, health } = deps;
  const counts = { kills: 0, freezes: 0, redis: 0, lostEvents: 0 };

  function kill(): void {
    counts.kills += 1;
    bots.kill(random.below(bots.count()));
  }

  function freeze(): Promise<void> {
    counts.freezes += 1;
    const ms = random.below(6) === 0 ? LONG_FREEZE_MS : 500 + random.below(7_500);
    return bots.freeze(random.below(bots.count()), ms);
  }

  async function killRedis(): Promise<void> {
    counts.redis += 1;
    const well = health.ails('Redis is killed');
    await redis.kill();
    await delay(random.below(4_000));
    await redis.restart();
    well();
  }

  async function pauseRedis(): Promise<void> {
    counts.redis += 1;
    const well = health.ails('Redis is paused');
    redis.pause();
    await delay(300 + random.below(6_000));
    redis.resume();
    well();
  }

  async function loseEvents(): Promise<void> {
    counts.lostEvents += 1;
    const well = health.ails('events are lost');
    await sandbox.control('POST', '/chaos/bots', { events: random.pick(['refuse', 'swallow']) });
    await delay(1_000 + random.below(4_000));
    await sandbox.control('POST', '/chaos/bots', { events: 'pass' });
    well();
  }

  async function well(end: number): Promise<void> {
    while (!bots.areReady() && Date.now() < end) await delay(POLL_MS);
  }

  const disturbances: [weight: number, disturb: () => Promise<void> | void][] = [
    [10, kill],
    [3, freeze],
    [3, killRedis],
    [3, pauseRedis],
    [2, loseEvents],
  ];
  const drawn = disturbances.flatMap(([weight, disturb]) => Array.from({ length: weight }, () => disturb));

  return {
    counts,
    /** Causes random disturbances for `ms` and ends with a kill. Redis runs and no bot is frozen when it resolves. */
    async rage(ms: number): Promise<void> {
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

export type Storm = ReturnType<typeof createStorm>;
