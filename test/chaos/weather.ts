import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../sandbox/conservation/random.ts';
import type { Health } from './health.ts';
import type { SandboxProcess } from './sandbox-process.ts';

export interface Weather {
  /**
   * Makes the service and Telegram slow or failing at random until `signal` aborts. Removes all faults before it
   * resolves.
   */
  blow(signal: AbortSignal): Promise<void>;
  counts: { faults: number };
}

const MONEY = ['POST /energy/buy', 'POST /bandwidth/buy', 'POST /energy/activate'];
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
export function createWeather(deps: { random: Random; sandbox: SandboxProcess; health: Health }): Weather {
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
    async blow(signal) {
      while (!signal.aborted) {
        await window(signal);
        await delay(1_000 + random.below(5_000), undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
