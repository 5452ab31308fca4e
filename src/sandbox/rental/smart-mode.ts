import { DAY_MS } from '../../platform/clock.ts';
import type { Accounts, Books } from './accounts.ts';
import { ApiError, errorDetail } from './api-error.ts';
import type { Chain } from './chain.ts';
import { SUBSCRIPTION_FEE, transferFee } from './prices.ts';
import { type Account, type LedgerKind, nextId } from './state.ts';
import type { Subscription } from './subscription.ts';
import { type Sun, trxFromSun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import { FAUCET } from './wallets.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

/** Energy of a transfer to an address that already holds USDT, and to one that doesn't (section 1). */
const ENERGY = { known: 65_000, firstTime: 131_000 };
/** Additional bandwidth with BW Guarantee. */
const BANDWIDTH = 350;
/** Duration of the delegations. */
const HOURS = 1;

/** Delegates the resources of a USDT transfer to its sender, and sends an event to the subscription's account. */
function deliver(
  { id, accountId, address, bwGuarantee }: Subscription,
  { to, amount, hash }: Transaction,
  {
    world,
    chain,
    accounts,
    webhooks,
  }: { world: World; chain: Chain; accounts: Accounts; webhooks: Webhooks },
): void {
  const known = to === FAUCET || chain.getWallet(to).USDT > amount;
  const energy = known ? ENERGY.known : ENERGY.firstTime;
  const delegation = chain.delegate({ address, resource: 'energy', amount: energy, hours: HOURS });
  if (bwGuarantee) chain.delegate({ address, resource: 'bandwidth', amount: BANDWIDTH, hours: HOURS });
  webhooks.emit(accounts.ownerOf({ accountId }), 'smart_mode.transfer', {
    transfer_id: nextId(world.state, 'smartTransfers'),
    subscription_id: id,
    address,
    to_address: to,
    amount_usdt: trxFromSun(amount),
    energy_amount: energy,
    bw_guarantee: bwGuarantee,
    fee_trx: trxFromSun(transferFee(bwGuarantee)),
    tx_hash: hash,
    delegation_tx_hash: delegation.hash,
  });
}

/**
 * Smart Mode: energy for each USDT transfer of a watched address. A daily fee pays for 24 active hours. A pause stops the
 * clock. Resuming uses the remaining time and charges a fee only if none is left. If the balance doesn't suffice for a fee,
 * the fee isn't charged and the subscription is paused.
 */
export interface SmartMode {
  /**
   * Creates a subscription and charges the first day.
   * @throws ApiError 400 INSUFFICIENT_BALANCE; 409 PACKAGE_CONFLICT; 409 SMART_MODE_CONFLICT if any account already has a
   * subscription for the address.
   */
  activate(account: Account, request: Pick<Subscription, 'address' | 'label' | 'bwGuarantee'>): Subscription;
  /** Returns active and paused subscriptions, newest first. */
  listFor(account: Account): Subscription[];
  /** @throws ApiError 404 SUBSCRIPTION_NOT_FOUND, also if `account` is given and isn't the subscription's. */
  find(id: number, account?: Account): Subscription;
  /**
   * Pauses an active subscription, resumes a paused one.
   * @throws ApiError 404 SUBSCRIPTION_NOT_FOUND; 409 INVALID_STATE, PACKAGE_CONFLICT; 400 INSUFFICIENT_BALANCE.
   */
  toggle(account: Account, id: number): Subscription;
  /** Ends a subscription permanently. @throws ApiError 404 SUBSCRIPTION_NOT_FOUND; 409 INVALID_STATE if it has already ended. */
  deactivate(account: Account, id: number): Subscription;
  /** Schedules the daily fees of subscriptions in a restored state. */
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

  const addLedgerEntry = (subscription: Subscription, kind: LedgerKind, fee: Sun = 0n) => {
    accounts.addLedgerEntry(accounts.ownerOf(subscription), {
      kind,
      amount: -fee,
      subscriptionId: subscription.id,
    });
    books.earn('TRX', fee);
  };

  const canAfford = (subscription: Subscription, fee: Sun) => accounts.ownerOf(subscription).balance >= fee;

  const pause = (subscription: Subscription) => {
    subscription.status = 'paused';
    subscription.pausedAt = world.clock.now();
    addLedgerEntry(subscription, 'smart_mode_pause');
  };

  /** Charges the next day if it is due. A timer from before a pause may fire early and changes nothing. */
  const renewIfDue = (subscription: Subscription) => {
    if (subscription.status !== 'active' || world.clock.now() < subscription.paidUntil) return;
    if (!canAfford(subscription, SUBSCRIPTION_FEE)) return pause(subscription);
    addLedgerEntry(subscription, 'smart_mode_day', SUBSCRIPTION_FEE);
    subscription.paidUntil += DAY_MS;
    scheduleRenewal(subscription);
  };

  const scheduleRenewal = (subscription: Subscription) => {
    if (subscription.status !== 'active') return;
    world.scheduleAt(subscription.paidUntil, () => renewIfDue(subscription));
  };

  const resume = (subscription: Subscription) => {
    rejectAddressWithPackage(subscription.address);
    const { paidUntil, pausedAt = paidUntil } = subscription;
    const remainingMs = Math.max(paidUntil - pausedAt, 0);
    if (remainingMs === 0) addLedgerEntry(subscription, 'smart_mode_day', SUBSCRIPTION_FEE);
    subscription.paidUntil = world.clock.now() + (remainingMs || DAY_MS);
    subscription.pausedAt = undefined;
    subscription.status = 'active';
    addLedgerEntry(subscription, 'smart_mode_resumption');
    scheduleRenewal(subscription);
  };

  const rejectAddressWithPackage = (address: string) => {
    const { packages } = world.state;
    if (packages.some((one) => one.address === address && one.active)) {
      const message = `${address} has an active transfer package: it can't have Smart Mode as well`;
      throw new ApiError(409, errorDetail('PACKAGE_CONFLICT', message));
    }
  };

  const rejectSecondSubscription = (address: string) => {
    const { subscriptions } = world.state;
    if (subscriptions.some((one) => one.address === address && one.status !== 'deactivated')) {
      throw new ApiError(409, errorDetail('SMART_MODE_CONFLICT', `${address} has Smart Mode already`));
    }
  };

  const find = (id: number, account?: Account) => {
    const subscription = world.state.subscriptions.find((candidate) => candidate.id === id);
    if (!subscription || (account && account.id !== subscription.accountId)) {
      throw new ApiError(404, errorDetail('SUBSCRIPTION_NOT_FOUND', `Subscription ${id} not found`));
    }
    return subscription;
  };

  const live = (account: Account, id: number) => {
    const subscription = find(id, account);
    if (subscription.status === 'deactivated') {
      throw new ApiError(409, errorDetail('INVALID_STATE', `Subscription ${id} is deactivated for good`));
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
    if (!canAfford(subscription, fee)) return pause(subscription);
    addLedgerEntry(subscription, 'smart_mode_transfer', fee);
    deliver(subscription, transaction, deps);
  });

  return {
    activate(account, request) {
      rejectAddressWithPackage(request.address);
      rejectSecondSubscription(request.address);
      const createdAt = world.clock.now();
      const subscription: Subscription = {
        id: nextId(world.state, 'subscriptions'),
        accountId: account.id,
        ...request,
        createdAt,
        status: 'active',
        paidUntil: createdAt + DAY_MS,
      };
      addLedgerEntry(subscription, 'smart_mode_day', SUBSCRIPTION_FEE);
      world.state.subscriptions.push(subscription);
      scheduleRenewal(subscription);
      return subscription;
    },
    listFor: (account) =>
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
      addLedgerEntry(subscription, 'smart_mode_end');
      return subscription;
    },
    resume() {
      for (const subscription of world.state.subscriptions) scheduleRenewal(subscription);
    },
  };
}
