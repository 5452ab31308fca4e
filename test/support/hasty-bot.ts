import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/** The bot of `src/main.ts`, but four times as fast at detecting lost processes and hanging handlers. */
const app = createApp(readConfig(), {
  pace: {
    updates: { leaseMs: 3_750, handlerMs: 2_000 },
    heartbeat: { beatMs: 500, silentMs: 2_000 },
    reconcileMs: 750,
    confirmableAfterMs: 0,
    leases: { lease: 1_500, renew: 500 },
  },
});

await app.start();
