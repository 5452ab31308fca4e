import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/redis-process.ts';
import type { Bench } from './bench-world.ts';
import { TOKEN } from './identities.ts';

export interface Started {
  readonly pid: number;
  readonly origin: string;
  /** Kills the process like a power loss. */
  kill(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Shared key, so that every process can read what another one encrypted and signed. */
export const SECRET_KEY = Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 7 + 3) % 256)).toString(
  'base64',
);
const READY_WITHIN_MS = 60_000;

/** Starts the built app. Resolves once it was spawned or, by default, is ready. */
export async function startApp(
  { origin: standIns, logged }: Pick<Bench, 'origin' | 'logged'>,
  {
    redisUrl,
    port,
    until = 'ready',
    adminIds = '',
  }: { redisUrl: string; port?: number; until?: 'started' | 'ready'; adminIds?: string },
): Promise<Started> {
  const own = port ?? (await freePort());
  const origin = `http://127.0.0.1:${own}`;
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: `${standIns}/telegram`,
      RENTAL_API_URL: `${standIns}/api`,
      REDIS_URL: redisUrl,
      SECRET_KEY,
      ADMIN_IDS: adminIds,
      SUPPORT_URL: 'https://support.example/',
      PORT: String(own),
      HOST: '127.0.0.1',
      PUBLIC_URL: origin,
      LOG_LEVEL: 'warn',
    },
  });
  createInterface({ input: child.stdout }).on('line', logged);
  const started = endingWithThis(child, origin);
  if (until === 'ready') await isReady(child, origin);
  return started;
}

export async function startFloor(about: {
  standIns: string;
  redisUrl: string;
  replies: string;
}): Promise<Started> {
  const port = await freePort();
  const file = fileURLToPath(new URL('floor.ts', import.meta.url));
  const given = [String(port), about.redisUrl, about.standIns, about.replies];
  const child = fork(file, given, { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return endingWithThis(child, `http://127.0.0.1:${port}`);
}

function endingWithThis(child: ChildProcess, origin: string): Started {
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return {
    pid: child.pid ?? 0,
    origin,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      end();
      await gone;
    },
  };
}

async function isReady(child: ChildProcess, origin: string): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (Date.now() < end && child.exitCode === null) {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
    await answer?.text();
    if (answer?.ok) return;
    await delay(50);
  }
  throw new Error('the app did not become ready');
}
