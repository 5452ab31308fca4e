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
  /** Initial state. Defaults to the accounts of the demo. */
  seed?: Seed;
  /** Source of random bytes for webhook secrets. Defaults to `randomBytes`. */
  random?: (size: number) => Uint8Array;
  /** Time until pending orders are filled automatically. If omitted, only the control API fills them. */
  fillAfterMs?: number;
  /** Like `fillAfterMs`, for the confirmation of pending deposits. */
  confirmAfterMs?: number;
  /** Like `fillAfterMs`, for the completion of withdrawals. With 0 their creation returns `completed`. */
  completeAfterMs?: number;
  /** Like `fillAfterMs`, for the delegation of paid invoices. */
  delegateAfterMs?: number;
  /**
   * JSON file for the state. If it exists, it replaces the seed, and the clock is moved to at least the time of the file.
   * Retries of webhook deliveries aren't restored.
   */
  stateFile?: string;
  /** Called if saving the state fails after the start. Defaults to a line on standard error. */
  report?: (problem: string) => void;
  /** Timeout of a webhook delivery, in real time. */
  webhookTimeoutMs?: number;
}

export interface RentalSandbox {
  /** To be mounted at `/api`. Serves `/api/v1/…`, `/api/openapi.json` and `/api/docs`. */
  api: Hono;
  /** To be mounted at `/sandbox/rental`. */
  control: Hono;
  /** Restores the seed. Aborts deliveries and held requests. */
  reset(): void;
  /** Ends streams, held requests, deliveries and timers. A stopped sandbox can't be restarted. */
  stop(): void;
}

/** Creates an in-memory rental service. @throws FileError if the state file can't be read or written. */
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
  // Created first, so that its transfer listener runs before others change the receiver's balance.
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
