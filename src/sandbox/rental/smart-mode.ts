import type { Accounts } from './accounts.ts';
import type { Books } from './books.ts';
import type { Chain } from './chain.ts';
import { coded, Refusal } from './refusal.ts';
import { deliver } from './smart-mode-delivery.ts';
import { SUBSCRIPTION_FEE, transferFee } from './smart-mode-prices.ts';
import { type Account, type LedgerKind, nextId } from './state.ts';
import type { Subscription } from './subscription.ts';
import type { Sun } from './sun.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Smart Mode: energy for each USDT transfer of a watched address. A daily fee buys 24 hours of being active: a pause stops
 * them, a resumption goes on with the rest, and is charged only when nothing is left. A fee that the balance doesn't
 * suffice for is not charged, and pauses the subscription.
 */
export interface SmartMode {
  /**
   * Begins, and charges the first day.
   * @throws Refusal 400 INSUFFICIENT_BALANCE; 409 PACKAGE_CONFLICT, or SMART_MODE_CONFLICT for an address that is
   * watched already, whoever does it.
   */
  activate(account: Account, wish: Pick<Subscription, 'address' | 'label' | 'bwGuarantee'>): Subscription;
  /** Active and paused ones, newest first. */
  of(account: Account): Subscription[];
  /** @throws Refusal 404 SUBSCRIPTION_NOT_FOUND, for another account's too when `account` is given. */
  find(id: number, account?: Account): Subscription;
  /**
   * Pauses an active subscription, resumes a paused one.
   * @throws Refusal 404 SUBSCRIPTION_NOT_FOUND; 409 INVALID_STATE, PACKAGE_CONFLICT; 400 INSUFFICIENT_BALANCE.
   */
  toggle(account: Account, id: number): Subscription;
  /** Ends it for good. @throws Refusal 404 SUBSCRIPTION_NOT_FOUND; 409 INVALID_STATE when it has ended already. */
  deactivate(account: Account, id: number): Subscription;
  /** Waits for the fees that are due in a state from elsewhere. */
  resume(): void;
}

export function createSmartMode(deps: {
  world: World;
  chain: Chain;
  books: Books;
  accounts: Accounts;
  webhooks: Webhooks;
}): SmartMode {
  const { world, chain, books, accounts } = deps;

  const enter = (subscription: Subscription, kind: LedgerKind, fee: Sun = 0n) => {
    accounts.enter(accounts.of(subscription), { kind, amount: -fee, subscriptionId: subscription.id });
    books.earn('TRX', fee);
  };

  const affords = (subscription: Subscription, fee: Sun) => accounts.of(subscription).balance >= fee;

  const pause = (subscription: Subscription) => {
    subscription.status = 'paused';
    subscription.pausedAt = world.clock.now();
    enter(subscription, 'smart_mode_pause');
  };

  /** Also called at a time that a pause has made too early: then it does nothing. */
  const renewIfDue = (subscription: Subscription) => {
    if (subscription.status !== 'active' || world.clock.now() < subscription.paidUntil) return;
    if (!affords(subscription, SUBSCRIPTION_FEE)) return pause(subscription);
    enter(subscription, 'smart_mode_day', SUBSCRIPTION_FEE);
    subscription.paidUntil += DAY_MS;
    wait(subscription);
  };

  const wait = (subscription: Subscription) => {
    if (subscription.status !== 'active') return;
    world.at(subscription.paidUntil, () => renewIfDue(subscription));
  };

  const resume = (subscription: Subscription) => {
    refusePackage(subscription.address);
    const { paidUntil, pausedAt = paidUntil } = subscription;
    const left = Math.max(paidUntil - pausedAt, 0);
    if (left === 0) enter(subscription, 'smart_mode_day', SUBSCRIPTION_FEE);
    subscription.paidUntil = world.clock.now() + (left || DAY_MS);
    subscription.pausedAt = undefined;
    subscription.status = 'active';
    enter(subscription, 'smart_mode_resumption');
    wait(subscription);
  };

  const refusePackage = (address: string) => {
    const { packages } = world.state;
    if (packages.some((one) => one.address === address && one.active)) {
      const message = `${address} has an active transfer package: it can't have Smart Mode as well`;
      throw new Refusal(409, coded('PACKAGE_CONFLICT', message));
    }
  };

  const refuseSecond = (address: string) => {
    const { subscriptions } = world.state;
    if (subscriptions.some((one) => one.address === address && one.status !== 'deactivated')) {
      throw new Refusal(409, coded('SMART_MODE_CONFLICT', `${address} has Smart Mode already`));
    }
  };

  const find = (id: number, account?: Account) => {
    const subscription = world.state.subscriptions.find((candidate) => candidate.id === id);
    if (!subscription || (account && account.id !== subscription.accountId)) {
      throw new Refusal(404, coded('SUBSCRIPTION_NOT_FOUND', `Subscription ${id} not found`));
    }
    return subscription;
  };

  const live = (account: Account, id: number) => {
    const subscription = find(id, account);
    if (subscription.status === 'deactivated') {
      throw new Refusal(409, coded('INVALID_STATE', `Subscription ${id} is deactivated for good`));
    }
    return subscription;
  };

  chain.onTransfer((transaction) => {
    if (transaction.currency !== 'USDT') return;
    const subscription = world.state.subscriptions.find(
      ({ address, status }) => address === transaction.from && status === 'active',
    );
    if (!subscription) return;
    const fee = transferFee(subscription.bwGuarantee);
    if (!affords(subscription, fee)) return pause(subscription);
    enter(subscription, 'smart_mode_transfer', fee);
    deliver(subscription, transaction, deps);
  });

  return {
    activate(account, wish) {
      refusePackage(wish.address);
      refuseSecond(wish.address);
      const createdAt = world.clock.now();
      const subscription: Subscription = {
        id: nextId(world.state, 'subscription'),
        accountId: account.id,
        ...wish,
        createdAt,
        status: 'active',
        paidUntil: createdAt + DAY_MS,
      };
      enter(subscription, 'smart_mode_day', SUBSCRIPTION_FEE);
      world.state.subscriptions.push(subscription);
      wait(subscription);
      return subscription;
    },
    of: (account) =>
      world.state.subscriptions
        .filter(({ accountId, status }) => accountId === account.id && status !== 'deactivated')
        .reverse(),
    find,
    toggle(account, id) {
      const subscription = live(account, id);
      if (subscription.status === 'active') pause(subscription);
      else resume(subscription);
      return subscription;
    },
    deactivate(account, id) {
      const subscription = live(account, id);
      subscription.status = 'deactivated';
      enter(subscription, 'smart_mode_end');
      return subscription;
    },
    resume() {
      for (const subscription of world.state.subscriptions) wait(subscription);
    },
  };
}
