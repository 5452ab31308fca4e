import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

/** The bot of `src/main.ts`, but faster at detecting lost processes and hanging handlers. */
const app = createApp(readConfig(), {
  pace: {
    updates: { leaseMs: 5_000, handlerMs: 4_000 },
    heartbeat: { beatMs: 500, silentMs: 2_000 },
    reconcileMs: 750,
    confirmableAfterMs: 0,
    leases: { lease: 1_500, renew: 500 },
  },
});

await app.start();
