import type { AddressInfo, Server } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { createApp } from './app.ts';
import { mistypedNames, readConfig } from './config.ts';
import { ignoreFailedOutput, onStop } from './shutdown.ts';

/**
 * Maximum duration of a shutdown, in milliseconds. Longer than a request that moves money may take, so that its
 * response isn't lost.
 */
const GRACE_MS = 40_000;

/**
 * Code of undici's parser that runs before V8 optimizes the parser, as V8 counts bytes. By default, V8 optimizes it at the second
 * response, during the start, which takes 100 to 200 ms of CPU on another thread and 40 MB. With this value, V8 does so after
 * some hundred responses.
 */
const WASM_TIERING_BUDGET = 1_000_000_000;

function end(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** Ends the process if a server can't listen. `EADDRINUSE` and `EACCES` are about the port, other errors about the host. */
function endUnlessListening(server: Server, variables: { host: string; port: string }): void {
  server.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
    const variable = ['EADDRINUSE', 'EACCES'].includes(code) ? variables.port : variables.host;
    end(`${variable}: the server could not listen: ${message}`);
  });
}

async function run(): Promise<void> {
  setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`);
  const config = readConfig();
  const { metricsPort, metricsHost } = config;
  const prometheus = metricsPort === undefined ? undefined : await import('prom-client');
  const app = createApp(config, { prometheus });
  for (const name of mistypedNames()) app.log.warn(name);
  const server = app.createServer();
  const metricsServer = app.createMetricsServer();
  let stopping = false;

  async function stop(signal?: NodeJS.Signals): Promise<void> {
    stopping = true;
    setTimeout(() => end('Stopped before everything was finished.'), GRACE_MS).unref();
    server.close();
    metricsServer?.close();
    await app.stop(signal);
    process.exit(0);
  }

  function logAddress(listening: Server, message: string): void {
    const { address: host, port } = listening.address() as AddressInfo;
    app.log.info({ host, port }, message);
  }

  onStop((signal) => void stop(signal));
  endUnlessListening(server, { host: 'HOST', port: 'PORT' });
  server.listen(config.port, config.host, () => logAddress(server, 'listening'));
  if (metricsServer) endUnlessListening(metricsServer, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  metricsServer?.listen(metricsPort, metricsHost, () => logAddress(metricsServer, 'serving metrics'));
  app.start().catch(({ message }: Error) => stopping || end(`The bot could not be started: ${message}`));
}

ignoreFailedOutput();
run().catch((error) => end(error instanceof Error ? error.message : String(error)));
