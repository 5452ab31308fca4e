import type { Accounts, Books } from './accounts.ts';
import { ApiError, errorDetail } from './api-error.ts';
import type { Chain } from './chain.ts';
import { amountField, type BandwidthOrder, type EnergyOrder, type Order } from './order.ts';
import { bandwidthPrice, energyPrice } from './prices.ts';
import { type Account, nextId } from './state.ts';
import type { Sun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Orders {
  /** Charges the account and creates a pending order. @throws ApiError 400 INSUFFICIENT_BALANCE. */
  buyEnergy(
    account: Account,
    purchase: Pick<EnergyOrder, 'address' | 'amount' | 'durationHours'>,
  ): EnergyOrder;
  /** Like `buyEnergy`, for bandwidth. */
  buyBandwidth(
    account: Account,
    purchase: Pick<BandwidthOrder, 'address' | 'amount' | 'durationHours'>,
  ): BandwidthOrder;
  /** Delegates the resource of a pending order. @throws ApiError 404 ORDER_NOT_FOUND, or 409 if it isn't pending. */
  fill(id: number): Order;
  /** Marks a pending order as failed and refunds it. @throws ApiError 404 ORDER_NOT_FOUND, or 409 if it isn't pending. */
  fail(id: number): Order;
  /** Schedules the filling of pending orders in a restored state. */
  resume(): void;
}

/** `fillAfterMs`: time until orders are filled automatically. If omitted, only the control API fills them. */
export function createOrders(deps: {
  world: World;
  chain: Chain;
  books: Books;
  accounts: Accounts;
  webhooks: Webhooks;
  fillAfterMs?: number;
}): Orders {
  const { world, chain, books, accounts, webhooks, fillAfterMs } = deps;

  const end = (order: Order, status: 'filled' | 'failed') => {
    const account = accounts.ownerOf(order);
    order.status = status;
    const { kind, address, amount, price, durationHours: hours } = order;
    if (status === 'filled') {
      books.earn('TRX', price);
      chain.delegate({ address, resource: kind, amount, hours });
      accounts.addLedgerEntry(account, { kind: 'fill', orderId: order.id });
    } else {
      accounts.addLedgerEntry(account, { kind: 'refund', amount: price, orderId: order.id });
    }
    webhooks.emit(account, `order.${status}`, { order_id: order.id, address, ...amountField(order) });
    return order;
  };

  const pending = (id: number) => {
    const order = world.state.orders.find((candidate) => candidate.id === id);
    if (!order) throw new ApiError(404, errorDetail('ORDER_NOT_FOUND', `Order ${id} not found`));
    if (order.status === 'pending') return order;
    throw new ApiError(409, errorDetail('INVALID_STATE', `Order ${id} is ${order.status} already`));
  };

  const scheduleFill = (order: Order) => {
    if (fillAfterMs === undefined) return;
    world.scheduleAt(order.createdAt + fillAfterMs, () => {
      if (order.status === 'pending') end(order, 'filled');
    });
  };

  /** Charges the account. Returns the common fields of new orders. */
  const charge = (account: Account, kind: Order['kind'], price: Sun) => {
    const id = nextId(world.state, 'orders');
    accounts.addLedgerEntry(account, { kind, amount: -price, orderId: id });
    return { id, accountId: account.id, price, createdAt: world.clock.now(), status: 'pending' } as const;
  };

  const addOrder = <NewOrder extends Order>(order: NewOrder): NewOrder => {
    world.state.orders.push(order);
    scheduleFill(order);
    world.changed();
    return order;
  };

  return {
    buyEnergy(account, purchase) {
      const kind = 'energy';
      const price = energyPrice(world.state.energyPrices, purchase.amount, purchase.durationHours);
      return addOrder({ ...charge(account, kind, price), kind, ...purchase });
    },
    buyBandwidth(account, purchase) {
      const kind = 'bandwidth';
      return addOrder({
        ...charge(account, kind, bandwidthPrice(purchase.amount, purchase.durationHours)),
        kind,
        ...purchase,
      });
    },
    fill: (id) => end(pending(id), 'filled'),
    fail: (id) => end(pending(id), 'failed'),
    resume() {
      for (const order of world.state.orders.filter(({ status }) => status === 'pending'))
        scheduleFill(order);
    },
  };
}

/** Price of an activation in sun (section 8). */
const COST: Sun = 1_100_000n;

interface Activation {
  /**
   * Charges the account and activates an address on the chain.
   * @throws ApiError 409 ADDRESS_ALREADY_ACTIVE, 400 INSUFFICIENT_BALANCE, with nothing charged.
   */
  activate(account: Account, address: string): Transaction;
}

export function createActivation(deps: { chain: Chain; books: Books; accounts: Accounts }): Activation {
  const { chain, books, accounts } = deps;
  return {
    activate(account, address) {
      if (chain.getWallet(address).active) {
        throw new ApiError(409, errorDetail('ADDRESS_ALREADY_ACTIVE', `${address} is active already`));
      }
      accounts.addLedgerEntry(account, { kind: 'activation', amount: -COST });
      books.earn('TRX', COST);
      return chain.activate(address);
    },
  };
}
