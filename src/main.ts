import { createAdaptorServer } from '@hono/node-server';
import { createApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';

/** Longer than a request that moves money may take, so that none is left without its answer. */
const GRACE_MS = 40_000;

function checkedConfig(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) end(error.message);
    throw error;
  }
}

function end(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

const config = checkedConfig();
const app = createApp(config);
const server = createAdaptorServer({ fetch: app.fetch });
let stopping = false;

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => end('Stopped before everything was finished.'), GRACE_MS).unref();
  server.close();
  await app.stop();
  process.exit(0);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
server.on('error', (error) =>
  end(`The server could not listen on ${config.host}:${config.port}: ${error.message}`),
);
server.listen(config.port, config.host);
app.start().catch((error: Error) => stopping || end(`The bot could not be started: ${error.message}`));
