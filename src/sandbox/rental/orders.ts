import type { Accounts } from './accounts.ts';
import { energyPrice } from './prices.ts';
import { Refusal } from './refusal.ts';
import { type Account, type EnergyOrder, nextId } from './state.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

export interface Orders {
  /** Charges the account and takes the order. @throws Refusal 400 INSUFFICIENT_BALANCE. */
  buyEnergy(
    account: Account,
    wish: Pick<EnergyOrder, 'address' | 'energyAmount' | 'durationHours'>,
  ): EnergyOrder;
  /** Delivers a pending order. @throws Refusal 404, or 409 when it isn't pending. */
  fill(id: number): EnergyOrder;
  /** Gives up a pending order and refunds it. @throws Refusal 404, or 409 when it isn't pending. */
  fail(id: number): EnergyOrder;
}

/** `fillAfterMs`: when orders are filled by themselves; without it they wait for the control side. */
export function createOrders(deps: {
  world: World;
  accounts: Accounts;
  webhooks: Webhooks;
  fillAfterMs?: number;
}): Orders {
  const { world, accounts, webhooks, fillAfterMs } = deps;

  const settle = (order: EnergyOrder, status: 'filled' | 'failed') => {
    const account = accounts.byId(order.accountId);
    if (!account) throw new Refusal(404, `Account ${order.accountId} not found`);
    order.status = status;
    const refund = { kind: 'refund', amount: order.price } as const;
    accounts.enter(account, { ...(status === 'filled' ? { kind: 'fill' } : refund), orderId: order.id });
    webhooks.emit(account, `order.${status}`, {
      order_id: order.id,
      address: order.address,
      energy_amount: order.energyAmount,
    });
  };

  const pending = (id: number) => {
    const order = world.state.orders.find((candidate) => candidate.id === id);
    if (!order) throw new Refusal(404, `Order ${id} not found`);
    if (order.status !== 'pending') throw new Refusal(409, `Order ${id} is ${order.status} already`);
    return order;
  };

  const end = (id: number, status: 'filled' | 'failed') => {
    const order = pending(id);
    settle(order, status);
    return order;
  };

  return {
    buyEnergy(account, { address, energyAmount, durationHours }) {
      const price = energyPrice(energyAmount, durationHours);
      const id = nextId(world.state, 'order');
      accounts.enter(account, { kind: 'energy', amount: -price, orderId: id });
      const order: EnergyOrder = {
        id,
        accountId: account.id,
        address,
        energyAmount,
        durationHours,
        price,
        createdAt: world.clock.now(),
        status: 'pending',
      };
      world.state.orders.push(order);
      world.changed();
      if (fillAfterMs !== undefined) {
        world.later(fillAfterMs, () => {
          if (order.status === 'pending') settle(order, 'filled');
        });
      }
      return order;
    },
    fill: (id) => end(id, 'filled'),
    fail: (id) => end(id, 'failed'),
  };
}
