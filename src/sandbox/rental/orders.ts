import type { Accounts, Books } from './accounts.ts';
import type { Chain } from './chain.ts';
import { amountField, type BandwidthOrder, type EnergyOrder, type Order } from './order.ts';
import { bandwidthPrice, energyPrice } from './prices.ts';
import { coded, Refusal } from './refusal.ts';
import { type Account, nextId } from './state.ts';
import type { Sun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Orders {
  /** Charges the account and creates a pending order. @throws Refusal 400 INSUFFICIENT_BALANCE. */
  buyEnergy(account: Account, wish: Pick<EnergyOrder, 'address' | 'amount' | 'durationHours'>): EnergyOrder;
  /** Like `buyEnergy`, for bandwidth. */
  buyBandwidth(
    account: Account,
    wish: Pick<BandwidthOrder, 'address' | 'amount' | 'durationHours'>,
  ): BandwidthOrder;
  /** Delegates the resource of a pending order. @throws Refusal 404 ORDER_NOT_FOUND, or 409 if it isn't pending. */
  fill(id: number): Order;
  /** Marks a pending order as failed and refunds it. @throws Refusal 404 ORDER_NOT_FOUND, or 409 if it isn't pending. */
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
    const account = accounts.of(order);
    order.status = status;
    const { kind, address, amount, price, durationHours: hours } = order;
    if (status === 'filled') {
      books.earn('TRX', price);
      chain.delegate({ address, resource: kind, amount, hours });
      accounts.enter(account, { kind: 'fill', orderId: order.id });
    } else {
      accounts.enter(account, { kind: 'refund', amount: price, orderId: order.id });
    }
    webhooks.emit(account, `order.${status}`, { order_id: order.id, address, ...amountField(order) });
    return order;
  };

  const pending = (id: number) => {
    const order = world.state.orders.find((candidate) => candidate.id === id);
    if (!order) throw new Refusal(404, coded('ORDER_NOT_FOUND', `Order ${id} not found`));
    if (order.status === 'pending') return order;
    throw new Refusal(409, coded('INVALID_STATE', `Order ${id} is ${order.status} already`));
  };

  const fillInTime = (order: Order) => {
    if (fillAfterMs === undefined) return;
    world.at(order.createdAt + fillAfterMs, () => {
      if (order.status === 'pending') end(order, 'filled');
    });
  };

  /** Charges the account. Returns the common fields of new orders. */
  const charge = (account: Account, kind: Order['kind'], price: Sun) => {
    const id = nextId(world.state, 'order');
    accounts.enter(account, { kind, amount: -price, orderId: id });
    return { id, accountId: account.id, price, createdAt: world.clock.now(), status: 'pending' } as const;
  };

  const take = <Taken extends Order>(order: Taken): Taken => {
    world.state.orders.push(order);
    fillInTime(order);
    world.changed();
    return order;
  };

  return {
    buyEnergy(account, wish) {
      const kind = 'energy';
      return take({ ...charge(account, kind, energyPrice(wish.amount, wish.durationHours)), kind, ...wish });
    },
    buyBandwidth(account, wish) {
      const kind = 'bandwidth';
      return take({
        ...charge(account, kind, bandwidthPrice(wish.amount, wish.durationHours)),
        kind,
        ...wish,
      });
    },
    fill: (id) => end(pending(id), 'filled'),
    fail: (id) => end(pending(id), 'failed'),
    resume() {
      for (const order of world.state.orders.filter(({ status }) => status === 'pending')) fillInTime(order);
    },
  };
}

/** Price of an activation in sun (section 8). */
const COST: Sun = 1_100_000n;

export interface Activation {
  /**
   * Charges the account and activates an address on the chain.
   * @throws Refusal 409 ADDRESS_ALREADY_ACTIVE, 400 INSUFFICIENT_BALANCE, with nothing charged.
   */
  activate(account: Account, address: string): Transaction;
}

export function createActivation(deps: { chain: Chain; books: Books; accounts: Accounts }): Activation {
  const { chain, books, accounts } = deps;
  return {
    activate(account, address) {
      if (chain.look(address).active) {
        throw new Refusal(409, coded('ADDRESS_ALREADY_ACTIVE', `${address} is active already`));
      }
      accounts.enter(account, { kind: 'activation', amount: -COST });
      books.earn('TRX', COST);
      return chain.activate(address);
    },
  };
}
