import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { Clock } from '../clock.ts';
import { createAccounts } from './accounts.ts';
import { createActivation } from './activation.ts';
import { createApi } from './api.ts';
import { createBooks } from './books.ts';
import { createChain } from './chain.ts';
import { createControl } from './control/control.ts';
import { createDeposits } from './deposits.ts';
import { createFaults } from './faults.ts';
import { createInvoices } from './invoices.ts';
import { serveOpenApi } from './openapi/routes.ts';
import { createOrders } from './orders.ts';
import { createRateLimits } from './rate-limits.ts';
import { createSecondFactor } from './second-factor.ts';
import { demoSeed, type Seed } from './seed.ts';
import { createSmartMode } from './smart-mode.ts';
import { keepSaved, loadState } from './state-file.ts';
import { createWebhooks } from './webhooks.ts';
import { createWithdrawals } from './withdrawals.ts';
import { createWorld } from './world.ts';

export interface RentalSandboxOptions {
  clock: Clock;
  /** What it begins with; by default the demo's accounts. */
  seed?: Seed;
  /** Where the secrets of webhooks come from; by default the system's randomness. */
  random?: (size: number) => Uint8Array;
  /** Orders are filled by themselves after this time; without it they wait for the control side. */
  fillAfterMs?: number;
  /** The same of deposits that are pending: they are confirmed. */
  confirmAfterMs?: number;
  /** The same of withdrawals; 0: their creation is answered with `completed`. */
  completeAfterMs?: number;
  /** The same of invoices that are paid: their energy is delegated. */
  delegateAfterMs?: number;
  /**
   * A JSON file that keeps the state: where there is one, it is gone on from, at the time it was saved or later, instead
   * of from the seed. Deliveries that were being tried again aren't.
   */
  stateFile?: string;
  /** Is told what keeps the state from being saved later on; by default a line on standard error. */
  report?: (problem: string) => void;
  /** How long the receiver of a webhook may take, in real time. */
  webhookTimeoutMs?: number;
}

export interface RentalSandbox {
  /** Mounted at `/api` it serves `/api/v1/…`, `/api/openapi.json` and `/api/docs`. */
  api: Hono;
  /** To be mounted at `/sandbox/rental`. */
  control: Hono;
  /** Back to the seed: what was begun before, deliveries and held requests too, is dropped. */
  reset(): void;
  /** Ends streams, held requests, deliveries and timers. It can't be started again. */
  stop(): void;
}

/** The rental service of the specification, in memory. @throws FileError when the state file can't be read or written. */
export function createRentalSandbox(options: RentalSandboxOptions): RentalSandbox {
  const { clock, seed = demoSeed(), random = randomBytes, webhookTimeoutMs = 10_000, stateFile } = options;
  const { fillAfterMs, confirmAfterMs, completeAfterMs, delegateAfterMs } = options;
  const { report = (problem) => process.stderr.write(`${problem}\n`) } = options;
  const saved = stateFile === undefined ? undefined : loadState(stateFile);
  if (saved) clock.advance(Math.max(saved.now - clock.now(), 0));

  const world = createWorld({ clock, seed, state: saved?.state });
  const chain = createChain(world);
  const books = createBooks({ world, chain });
  const accounts = createAccounts({ world, books });
  const webhooks = createWebhooks({ world, accounts, random, timeoutMs: webhookTimeoutMs });
  const shared = { world, chain, books, accounts, webhooks };
  // The first to see a transfer: what was there before it decides how much energy it takes.
  const smartMode = createSmartMode(shared);
  const orders = createOrders({ ...shared, fillAfterMs });
  const deposits = createDeposits({ ...shared, confirmAfterMs });
  const withdrawals = createWithdrawals({ ...shared, completeAfterMs });
  const invoices = createInvoices({ ...shared, delegateAfterMs });
  for (const part of [chain, orders, deposits, withdrawals, invoices, smartMode]) part.resume();

  const activation = createActivation(shared);
  const secondFactor = createSecondFactor(world);
  const own = { orders, deposits, withdrawals, invoices, smartMode, activation, secondFactor };
  const parts = { ...shared, ...own };
  const faults = createFaults(world);
  const limits = createRateLimits(world);
  const endSaving = stateFile === undefined ? undefined : keepSaved(world, stateFile, report);
  return {
    api: createApi({ parts, limits, faults }).route('/', serveOpenApi()),
    control: createControl({ parts, faults }),
    reset: world.reset,
    stop() {
      endSaving?.();
      world.stop();
    },
  };
}
