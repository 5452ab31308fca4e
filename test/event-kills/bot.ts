import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/** Starts the bot and its web server like `src/main.ts`, with timeouts for lost processes four times as short. */
const config = readConfig();
const app = createApp(config, {
  pace: {
    updates: { leaseMs: 3_750, handlerMs: 2_000 },
    heartbeat: { beatMs: 500, silentMs: 2_000 },
    reconcileMs: 750,
    confirmableAfterMs: 0,
    leases: { lease: 1_500, renew: 500 },
  },
});
app.createServer().listen(config.port, config.host);
await app.start();
