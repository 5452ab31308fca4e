import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { botReady, isGone, killProcess, spawnBot } from '../support/processes.ts';
import { freePort } from '../support/redis-process.ts';
import type { Health } from './health.ts';
import { TOKEN } from './people.ts';

const READY_WITHIN_MS = 90_000;
const POLL_MS = 100;
/** Delay before a process that ended by itself is restarted, in milliseconds, as a supervisor would do. */
const RETRY_DELAY_MS = 1_000;

/** Place of a process, which is filled again when the process ends. */
interface Slot {
  child: ChildProcess;
  port: number;
  ended: boolean;
}

export interface SetUp {
  name: string;
  push: boolean;
  replicas: number;
}

/** Runs the bot in separate processes, as `npm start` does. Their logs are written to the directory `logs`. */
export function createBots(deps: {
  origin: string;
  redisUrl: string;
  logs: string;
  health: Health;
  logLevel: 'debug' | 'warn';
}) {
  const { origin, redisUrl, logs, health, logLevel } = deps;
  const secretKey = randomBytes(32).toString('base64');
  let wanted: Slot[] = [];
  let push = false;
  let fallen = 0;
  let starting = 0;

  function launch(bot: number, port: number): ChildProcess {
    const log = createWriteStream(join(logs, `bot-${bot + 1}.log`), { flags: 'a' });
    const child = spawnBot(['scripts/start.js', 'main'], {
      BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: `${origin}/telegram`,
      RENTAL_API_URL: `${origin}/api`,
      REDIS_URL: redisUrl,
      SECRET_KEY: secretKey,
      PORT: String(port),
      LOG_LEVEL: logLevel,
      ...(push && { PUBLIC_URL: origin }),
    });
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false });
    child.once('exit', (code, signal) => {
      log.end(`${new Date().toISOString()} ended: ${signal ?? code}\n`);
      const slot = wanted[bot];
      if (slot?.child !== child || slot.ended) return;
      if (signal !== 'SIGKILL') fallen += 1;
      void replace(bot, signal === 'SIGKILL' ? 0 : RETRY_DELAY_MS);
    });
    return child;
  }

  async function replace(bot: number, afterMs: number): Promise<void> {
    const slot = wanted[bot];
    if (slot === undefined) return;
    const well = health.ails(`bot ${bot + 1} is down`);
    starting += 1;
    await delay(afterMs);
    if (!slot.ended) slot.child = launch(bot, slot.port);
    await isReady(slot);
    starting -= 1;
    well();
  }

  function isReady(slot: Slot): Promise<void> {
    const { child, port } = slot;
    const isOver = () => slot.ended || slot.child !== child || isGone(child);
    return botReady(`http://127.0.0.1:${port}`, isOver, READY_WITHIN_MS);
  }

  async function stop(): Promise<void> {
    for (const slot of wanted) slot.ended = true;
    await Promise.all(wanted.map(({ child }) => killProcess(child)));
  }

  return {
    /** Replaces the running processes by new ones. Resolves with their addresses once all are ready. */
    async start(setUp: SetUp): Promise<string[]> {
      const well = health.ails(`changing to ${setUp.name}`);
      await stop();
      push = setUp.push;
      wanted = [];
      for (let bot = 0; bot < setUp.replicas; bot++) {
        const port = await freePort();
        wanted.push({ port, ended: false, child: launch(bot, port) });
      }
      const present = wanted;
      const end = Date.now() + READY_WITHIN_MS;
      // A process may end during its start and be replaced.
      for (;;) {
        await Promise.all(present.map(isReady));
        if (present.every(({ child }) => !isGone(child))) break;
        if (Date.now() > end) throw new Error(`a bot ends at every start: see ${logs}`);
        await delay(POLL_MS);
      }
      well();
      return present.map(({ port }) => `http://127.0.0.1:${port}`);
    },
    count: () => wanted.length,
    /** Returns whether all processes are ready, including those that were killed and restarted. */
    areReady: () => starting === 0,
    /** Kills the process like a power loss. It is restarted at once. */
    kill: (bot: number) => void wanted[bot]?.child.kill('SIGKILL'),
    /** Stops the process with SIGSTOP and continues it after `ms`. */
    async freeze(bot: number, ms: number): Promise<void> {
      const child = wanted[bot]?.child;
      if (child === undefined) return;
      const well = health.ails(`bot ${bot + 1} is frozen`);
      child.kill('SIGSTOP');
      await delay(ms);
      child.kill('SIGCONT');
      well();
    },
    /** Returns how many processes ended without being killed. */
    fell: () => fallen,
    stop,
  };
}

export type Bots = ReturnType<typeof createBots>;
