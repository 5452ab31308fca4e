import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { killProcess, spawnBot } from './processes.ts';
import type { World } from './world.ts';

/** Bot in a separate process. Polls, uses the world's sandbox and Redis, and detects lost processes quickly. */
export interface BotProcess {
  /** Returns the exit code with the last log lines, or `undefined` while the process has not exited. */
  ended(): string | undefined;
  /** Kills the process without a shutdown, like a power loss. */
  kill(): Promise<void>;
}

/**
 * Starts a bot process and waits until it takes updates. Adds its log lines to the world's. Kill the process before
 * the world stops. `clockAheadMs`: shift of its clock.
 */
export async function startBotProcess(world: World, { clockAheadMs = 0 } = {}): Promise<BotProcess> {
  const { config } = world;
  const child = spawnBot([...wrongClock(clockAheadMs), inject('bundles')['hasty-bot']], {
    BOT_TOKEN: config.botToken,
    TELEGRAM_API_ROOT: config.telegramApiRoot,
    RENTAL_API_URL: config.rentalApiUrl,
    REDIS_URL: config.redisUrl ?? '',
    SECRET_KEY: config.secretKeys.map((key) => Buffer.from(key).toString('base64')).join(','),
    ADMIN_IDS: [...config.adminIds].join(','),
    SUPPORT_URL: config.supportUrl ?? '',
    PORT: '0',
    LOG_LEVEL: 'debug',
  });
  await takingUpdates(child, world.log);
  return {
    ended: () =>
      child.exitCode === null ? undefined : `${child.exitCode}: ${world.log.slice(-5).join(' ')}`,
    kill: () => killProcess(child),
  };
}

/** Returns Node options that shift `Date.now` before any module is loaded. */
function wrongClock(aheadMs: number): string[] {
  if (aheadMs === 0) return [];
  const script = `const now = Date.now; Date.now = () => now() + ${aheadMs};`;
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`];
}

/** Collects the output lines of the process. Resolves once it takes updates, and rejects if it exits before. */
function takingUpdates(child: ChildProcess, said: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      reject(new Error(`the bot exited with ${code}:\n${said.slice(-5).join('\n')}`)),
    );
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        if (line.includes('the bot takes updates')) resolve();
      });
    }
  });
}
