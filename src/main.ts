import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { ignoreFailedOutput, onStop } from './shutdown.ts';

/**
 * Maximum duration of a shutdown, in milliseconds. Longer than a request that moves money may take, so that its
 * response isn't lost.
 */
const GRACE_MS = 40_000;

function end(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

function run(): void {
  const config = readConfig();
  const app = createApp(config);
  const server = app.createServer();
  let stopping = false;

  async function stop(): Promise<void> {
    stopping = true;
    setTimeout(() => end('Stopped before everything was finished.'), GRACE_MS).unref();
    server.close();
    await app.stop();
    process.exit(0);
  }

  onStop(() => void stop());
  server.on('error', ({ message }) => end(`The server could not listen: ${message}`));
  server.listen(config.port, config.host, () => {
    const { address: host, port } = server.address() as AddressInfo;
    app.log.info({ host, port }, 'listening');
  });
  app.start().catch(({ message }: Error) => stopping || end(`The bot could not be started: ${message}`));
}

ignoreFailedOutput();
try {
  run();
} catch (error) {
  end(error instanceof ConfigError ? error.message : String(error));
}
