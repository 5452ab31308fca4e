import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/** The bot as `src/main.ts` starts it, served too, four times as quick to notice that a process was lost. */
const config = readConfig();
const app = createApp(config, {
  pace: {
    updates: { leaseMs: 3_750, handlerMs: 2_000 },
    heartbeat: { beatMs: 500, silentMs: 2_000 },
    reconcileMs: 750,
    jobs: { lock: 1_500, look: 750 },
  },
});
app.createServer().listen(config.port, config.host);
await app.start();
