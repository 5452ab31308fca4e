import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { botReady, forkScript, isGone, killProcess, spawnBot } from '../support/processes.ts';
import { freePort } from '../support/redis-process.ts';
import type { Bench } from './bench-world.ts';
import { type Side, TOKEN } from './identities.ts';

export interface Started {
  readonly pid: number;
  readonly origin: string;
  /** Kills the process like a power loss. */
  kill(): Promise<void>;
  /** Ends the process like a deployment, which lets it finish its work. */
  stop(): Promise<void>;
}

/** Shared key, so that every process can read what another one encrypted and signed. */
export const SECRET_KEY = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 7 + 3) % 256)).toString(
  'base64',
);
const READY_WITHIN_MS = 60_000;

/** Arguments by which `npm start` starts the app. */
export const BY_NPM_START = ['scripts/start.js', 'main'];

/** Starts the app. Resolves once it is ready. */
export async function startApp(
  { origin: standIns, logged }: Pick<Bench, 'origin' | 'logged'>,
  {
    redisUrl,
    port,
    metricsPort,
    publicUrl,
    adminIds = '',
    command = BY_NPM_START,
  }: {
    redisUrl: string;
    port?: number;
    metricsPort?: number;
    publicUrl?: string;
    adminIds?: string;
    command?: string[];
  },
): Promise<Started> {
  const own = port ?? (await freePort());
  const origin = `http://127.0.0.1:${own}`;
  const child = spawnBot(
    command,
    {
      BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: `${standIns}/telegram`,
      RENTAL_API_URL: `${standIns}/api`,
      REDIS_URL: redisUrl,
      SECRET_KEY,
      ADMIN_IDS: adminIds,
      PORT: String(own),
      METRICS_PORT: String(metricsPort ?? ''),
      PUBLIC_URL: publicUrl ?? origin,
      LOG_LEVEL: 'warn',
    },
    ['ignore', 'pipe', 'inherit'],
  );
  if (child.stdout) createInterface({ input: child.stdout }).on('line', logged);
  await botReady(origin, () => isGone(child), READY_WITHIN_MS);
  if (isGone(child)) throw new Error('the app ended at its start');
  return started(child, origin);
}

const SCRIPTS: Record<Exclude<Side, 'app' | 'other'>, string> = {
  floor: 'floor.ts',
  telegraf: 'peers/telegraf.ts',
  grammy: 'peers/grammy.ts',
};

/**
 * Starts a program that is compared with the app, and pushes the updates of its users to it. `replies` is the file of
 * the recorded replies, which only the floor reads.
 */
export async function startCompared(
  { standIns, origin }: Pick<Bench, 'standIns' | 'origin'>,
  side: keyof typeof SCRIPTS,
  { redisUrl, replies = '' }: { redisUrl: string; replies?: string },
): Promise<Started> {
  const port = await freePort();
  const given = [String(port), redisUrl, origin, replies];
  const { child } = await forkScript(new URL(SCRIPTS[side], import.meta.url), given);
  const program = started(child, `http://127.0.0.1:${port}`);
  await standIns.ask('pushTo', { side, origin: program.origin });
  return program;
}

const started = (child: ChildProcess, origin: string): Started => ({
  pid: child.pid ?? 0,
  origin,
  kill: () => killProcess(child),
  stop: () => killProcess(child, 'SIGTERM'),
});
