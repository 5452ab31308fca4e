import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { endsWithThis, killProcess } from './processes.ts';

export interface RedisServer {
  url: string;
  /** Freezes the process. Its connections stay open without responses. */
  pause(): void;
  resume(): void;
  /** Kills the process without a shutdown, like a power loss. */
  kill(): Promise<void>;
  /** Starts the server again after `kill`, on the same port, with the data of its append-only file. */
  restart(): Promise<void>;
  /** Copies the current data. Call the returned function while the server is killed to restore the copy. */
  copyData(): Promise<() => Promise<void>>;
  /** Stops the server and removes its directory. */
  stop(): Promise<void>;
}

const KEEPING_THE_MONEY_RULES = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', ''];

/** Returns the path of a Redis or Valkey server, if one is installed. */
export function redisBinary(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}

/** Starts a separate server, with `settings` as additional command-line options. */
export async function startRedis(settings: string[] = []): Promise<RedisServer> {
  const binary = redisBinary();
  if (!binary) throw new Error('redis-server or valkey-server must be installed for this test');
  const folder = await mkdtemp(join(tmpdir(), 'rental-bot-redis-'));
  const options = ['--bind', '127.0.0.1', '--dir', folder, ...KEEPING_THE_MONEY_RULES, ...settings];

  let { port, child } = await launchOnFreePort(binary, options);
  const kill = () => killProcess(child);
  return {
    url: `redis://127.0.0.1:${port}/0`,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill,
    async restart() {
      child = await launch(binary, port, options);
    },
    async copyData() {
      const copy = await mkdtemp(join(tmpdir(), 'rental-bot-redis-copy-'));
      await cp(folder, copy, { recursive: true });
      return async () => {
        await rm(folder, { recursive: true, force: true });
        await cp(copy, folder, { recursive: true });
        await rm(copy, { recursive: true, force: true });
      };
    },
    async stop() {
      await kill();
      // A child process of the server may still be writing to the directory.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

async function launchOnFreePort(binary: string, options: string[], attempts = 5) {
  const port = await freePort();
  try {
    return { port, child: await launch(binary, port, options) };
  } catch (error) {
    if (attempts === 1) throw error;
    return launchOnFreePort(binary, options, attempts - 1);
  }
}

/** Ports that the system gives to no other program by itself, so that a server can be restarted on its port. */
const PORTS = { from: 10_000, to: 32_000 };

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.from, PORTS.to);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  server.close();
  await once(server, 'close');
  return port;
}

async function launch(binary: string, port: number, options: string[]): Promise<ChildProcess> {
  const child = endsWithThis(
    spawn(binary, ['--port', String(port), ...options], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.includes('Ready to accept connections')) {
      child.stdout.resume();
      return child;
    }
  }
  throw new Error(`${binary} exited at startup:\n${said.join('\n')}`);
}
