import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { botReady, isGone, killProcess, spawnBot } from '../support/processes.ts';
import { freePort } from '../support/redis-process.ts';
import { TOKEN } from '../support/world.ts';

const READY_WITHIN_MS = 30_000;

/** Runs the bot in a separate process that can be killed and restarted with the same address and secret key. */
export async function createVictim(deps: {
  file: string;
  sandbox: string;
  redisUrl: string;
  /** Additional environment variables. */
  env?: Record<string, string>;
  onOutput?: (line: string) => void;
}) {
  const { file, sandbox, redisUrl, env, onOutput } = deps;
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const secretKey = randomBytes(32).toString('base64');
  let child: ChildProcess | undefined;
  let fell: string | undefined;
  let starts = 0;

  return {
    origin,
    /** Base64, as in the configuration. */
    secretKey,
    start(): void {
      starts += 1;
      const started = spawnBot(
        [file],
        {
          BOT_TOKEN: TOKEN,
          // The sandbox records by this path which process sent each message.
          TELEGRAM_API_ROOT: `${sandbox}/telegram/process-${starts}`,
          RENTAL_API_URL: `${sandbox}/api`,
          REDIS_URL: redisUrl,
          SECRET_KEY: secretKey,
          PUBLIC_URL: sandbox,
          PORT: String(port),
          LOG_LEVEL: 'warn',
          ...env,
        },
        ['ignore', 'pipe', 'pipe', 'ipc'],
      );
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (text: Buffer) => onOutput?.(text.toString('utf8')));
      started.once('exit', (code, signal) => {
        if (signal !== 'SIGKILL') fell = `it ended by itself with ${code}`;
      });
      child = started;
    },
    /** Resolves once the process is ready or has ended. */
    async ready(): Promise<void> {
      const awaited = child;
      if (awaited) await botReady(origin, () => isGone(awaited), READY_WITHIN_MS);
    },
    /** Kills the process at once, like a power loss. Resolves when it has ended. */
    async kill(): Promise<void> {
      if (child) await killProcess(child);
    },
    pid: () => child?.pid ?? 0,
    /** Sends a message to the process. */
    ask: (what: object) => void child?.send(what),
    /** Returns the next message from the process. */
    async answer<T>(): Promise<T> {
      if (child === undefined || isGone(child)) throw new Error(fell ?? 'the process is not running');
      const gone = once(child, 'exit').then(() => Promise.reject(new Error(fell)));
      gone.catch(() => undefined);
      const [answer] = await Promise.race([once(child, 'message'), gone]);
      return answer as T;
    },
    /** Returns how the process ended if it wasn't killed, or `undefined`. */
    fell: () => fell,
  };
}
