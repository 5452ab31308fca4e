import { createAccounts, createBooks } from './accounts.ts';
import { createChain } from './chain.ts';
import { createDeposits } from './deposits.ts';
import { createInvoices } from './invoices.ts';
import { createActivation, createOrders } from './orders.ts';
import { createSmartMode } from './smart-mode.ts';
import { createSecondFactor } from './two-factor.ts';
import { createWebhooks } from './webhooks.ts';
import { createWithdrawals } from './withdrawals.ts';
import type { World } from './world.ts';

interface PartsOptions {
  /** Source of random bytes for webhook secrets. */
  random: (size: number) => Uint8Array;
  /** Timeout of a webhook delivery, in real time. */
  webhookTimeoutMs: number;
  fillAfterMs?: number;
  confirmAfterMs?: number;
  completeAfterMs?: number;
  delegateAfterMs?: number;
}

/** Parts of the rental service that endpoints and the control API use. */
export type RentalParts = ReturnType<typeof createParts>;

/** Creates the parts, and schedules the events of a restored state. */
export function createParts(world: World, options: PartsOptions) {
  const { random, webhookTimeoutMs: timeoutMs, ...delays } = options;
  const chain = createChain(world);
  const books = createBooks({ world, chain });
  const accounts = createAccounts({ world, books });
  const webhooks = createWebhooks({ world, accounts, random, timeoutMs });
  const shared = { world, chain, books, accounts, webhooks, ...delays };
  // Created first, so that its transfer listener runs before others change the receiver's balance.
  const smartMode = createSmartMode(shared);
  const orders = createOrders(shared);
  const deposits = createDeposits(shared);
  const withdrawals = createWithdrawals(shared);
  const invoices = createInvoices(shared);
  for (const part of [chain, orders, deposits, withdrawals, invoices, smartMode]) part.resume();
  return {
    world,
    chain,
    books,
    accounts,
    webhooks,
    smartMode,
    orders,
    deposits,
    withdrawals,
    invoices,
    activation: createActivation(shared),
    secondFactor: createSecondFactor(world),
  };
}
