import { createAdaptorServer } from '@hono/node-server';
import { createApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';

const GRACE_MS = 20_000;

function config() {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

const settings = config();
const app = createApp(settings);
const server = createAdaptorServer({ fetch: app.fetch });

async function stop(code: number): Promise<void> {
  setTimeout(() => process.exit(1), GRACE_MS).unref();
  server.close();
  await app.stop();
  process.exit(code);
}

process.once('SIGTERM', () => void stop(0));
process.once('SIGINT', () => void stop(0));
server.listen(settings.port, settings.host);
app.start().catch((error: Error) => {
  process.stderr.write(`The bot could not be started: ${error.message}\n`);
  void stop(1);
});
