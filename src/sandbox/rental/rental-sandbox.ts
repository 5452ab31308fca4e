import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { createAccounts } from './accounts.ts';
import { createApi } from './api.ts';
import { createControl } from './control/control.ts';
import { createDeposits } from './deposits.ts';
import { createFaults } from './faults.ts';
import { createOrders } from './orders.ts';
import { createRateLimits } from './rate-limits.ts';
import { demoSeed, type Seed } from './seed.ts';
import { createWebhooks } from './webhooks.ts';
import { createWorld } from './world.ts';

export interface RentalSandboxOptions {
  clock: Clock;
  /** What it begins with; by default the demo's accounts. */
  seed?: Seed;
  /** Where the secrets of webhooks come from; by default the system's randomness. */
  random?: (size: number) => Uint8Array;
  /** Orders are filled by themselves after this time; without it they wait for the control side. */
  fillAfterMs?: number;
  /** How long the receiver of a webhook may take, in real time. */
  webhookTimeoutMs?: number;
}

export interface RentalSandbox {
  /** Mounted at `/api` it serves `/api/v1/…`. */
  api: Hono;
  /** To be mounted at `/sandbox/rental`. */
  control: Hono;
  /** Back to the seed: what was begun before, deliveries and held requests too, is dropped. */
  reset(): void;
  /** Ends streams, held requests, deliveries and timers. It can't be started again. */
  stop(): void;
}

/** The rental service of the specification, in memory. */
export function createRentalSandbox(options: RentalSandboxOptions): RentalSandbox {
  const { clock, seed = demoSeed(), random = randomBytes, fillAfterMs, webhookTimeoutMs = 10_000 } = options;
  const world = createWorld({ clock, seed });
  const accounts = createAccounts(world);
  const webhooks = createWebhooks({ world, accounts, random, timeoutMs: webhookTimeoutMs });
  const orders = createOrders({ world, accounts, webhooks, fillAfterMs });
  const deposits = createDeposits({ world, accounts });
  const parts = { world, accounts, orders, deposits, webhooks };
  const faults = createFaults(world);
  const limits = createRateLimits(world);
  return {
    api: createApi({ parts, limits, faults }),
    control: createControl({ parts, faults }),
    reset: world.reset,
    stop: world.stop,
  };
}
