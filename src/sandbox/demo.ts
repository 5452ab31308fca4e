import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { createApp } from '../app.ts';
import { type Config, readPort } from '../config.ts';
import { ignoreFailedOutput, onStop } from '../shutdown.ts';
import { useSmartModeOnce } from './earlier-user.ts';
import { createSandbox, HOST, listen } from './server.ts';

/** Random bot token. Only this process knows it. */
const TOKEN = `700:${randomBytes(24).toString('base64url')}`;
const ADMIN = 504;
/** Delay before orders and paid invoices are completed. Leaves time to complete them by hand. */
const FILL_AFTER_MS = 20_000;

/** Runs the bot and the sandbox in one process, connected by HTTP. Returns the URL of the chat page. */
async function demo(args: string[]): Promise<string> {
  const { values } = parseArgs({ args, options: { 'shared-limit': { type: 'boolean' } } });
  const sandbox = createSandbox({
    token: TOKEN,
    sharedLimit: values['shared-limit'],
    fillAfterMs: FILL_AFTER_MS,
    delegateAfterMs: FILL_AFTER_MS,
  });
  const { port: taken } = await listen(sandbox.fetch, readPort());
  const origin = `http://${HOST}:${taken}`;

  const config: Config = {
    botToken: TOKEN,
    rentalApiUrl: `${origin}/api`,
    rentalApiKey: 'operator-key',
    secretKeys: [randomBytes(32)],
    adminIds: new Set([ADMIN]),
    publicUrl: origin,
    port: taken,
    host: HOST,
    metricsHost: '127.0.0.1',
    telegramApiRoot: `${origin}/telegram`,
    supportUrl: 'https://support.example/',
    accountUrl: 'https://account.example/',
    explorerUrl: 'https://tronscan.org/#/{kind}/{id}',
    signatureHeader: 'X-Webhook-Signature',
    withdrawCapTrx: '1000',
    logLevel: 'error',
  };
  const app = createApp(config, { now: sandbox.clock.now });
  sandbox.setFallback((request, env) => {
    const { incoming, outgoing } = env as HttpBindings;
    return app.receiveUpdate?.(incoming, outgoing) ? RESPONSE_ALREADY_SENT : app.fetch(request, env);
  });
  await app.start();
  // In an installation that is in use, the bot knows what Smart Mode costs.
  await useSmartModeOnce(sandbox, origin, ADMIN);
  return `http://localhost:${taken}`;
}

ignoreFailedOutput();
// The demo has no persistent state, so no cleanup is needed.
onStop(() => process.exit(0));
demo(process.argv.slice(2)).then(
  (address) =>
    process.stdout.write(
      `Open ${address} and talk to the bot. Its rental service is at ${address}/api/v1, with the key demo-key.\n`,
    ),
  (error: Error) => {
    process.stderr.write(
      `The demo could not be started: ${error.message}\nUsage: npm run demo -- [--shared-limit]\n`,
    );
    process.exit(1);
  },
);
