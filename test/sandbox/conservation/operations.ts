import { charged } from './charges.ts';
import { hours, recent } from './draws.ts';
import type { Holder, Market } from './market.ts';
import { createInvoice, payInvoice, transfer } from './payments.ts';
import { activateAddress, deposit, order, subscribe, subscribed, withdraw } from './purchases.ts';

/** A random action. Resolves with true if it was accepted, false if it was rejected or had no target. */
export type Operation = (market: Market) => Promise<boolean>;

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Returns an operation that ends a remembered record and adds `gain` to its account. */
function end<Item extends { id: number; holder: Holder }>(
  list: (market: Market) => Item[],
  path: string,
  deed: string,
  gain: (item: Item) => bigint = () => 0n,
): Operation {
  return async (market) => {
    const item = recent(market, list(market));
    if (!item || !(await market.control('POST', `/${path}/${item.id}/${deed}`))) return false;
    item.holder.expected += gain(item);
    return true;
  };
}

function wait(most: number): Operation {
  return async (market) => {
    const ms = market.random.below(most);
    market.advance(ms);
    await charged(market, ms);
    return true;
  };
}

/** Operations and their relative frequencies. */
export const operations: Record<string, [weight: number, operation: Operation]> = {
  'buy energy': [
    12,
    (market) =>
      order(market, '/energy/buy', {
        energy_amount: 32_000 + market.random.below(200_000),
        duration_hours: hours(market),
      }),
  ],
  'buy bandwidth': [
    10,
    (market) =>
      order(market, '/bandwidth/buy', {
        bandwidth_amount: 350 + market.random.below(5_000),
        duration_hours: 1 + market.random.below(72),
      }),
  ],
  'fill an order': [9, end(({ orders }) => orders, 'orders', 'fill')],
  'fail an order': [
    5,
    end(
      ({ orders }) => orders,
      'orders',
      'fail',
      ({ price }) => price,
    ),
  ],
  'activate an address': [3, activateAddress],
  'create an invoice': [8, createInvoice],
  'pay an invoice': [12, payInvoice],
  'delegate an invoice': [5, end(({ invoices }) => invoices, 'invoices', 'delegate')],
  'fail an invoice': [4, end(({ invoices }) => invoices, 'invoices', 'fail')],
  'activate Smart Mode': [3, subscribe],
  'toggle Smart Mode': [3, (market) => subscribed(market, 'toggle')],
  'deactivate Smart Mode': [1, (market) => subscribed(market, 'deactivate')],
  transfer: [10, transfer],
  deposit: [6, (market) => deposit(market, true)],
  'deposit, unconfirmed': [4, (market) => deposit(market, false)],
  'confirm a deposit': [
    4,
    end(
      ({ deposits }) => deposits,
      'deposits',
      'confirm',
      ({ credit }) => credit,
    ),
  ],
  'expire a deposit': [2, end(({ deposits }) => deposits, 'deposits', 'expire')],
  withdraw: [6, withdraw],
  'complete a withdrawal': [3, end(({ withdrawals }) => withdrawals, 'withdrawals', 'complete')],
  'fail a withdrawal': [
    3,
    end(
      ({ withdrawals }) => withdrawals,
      'withdrawals',
      'fail',
      ({ total }) => total,
    ),
  ],
  'wait some seconds': [6, wait(60 * SECOND_MS)],
  'wait up to an hour': [1, wait(3_600 * SECOND_MS)],
  'wait up to two days': [1, wait(2 * DAY_MS)],
};
