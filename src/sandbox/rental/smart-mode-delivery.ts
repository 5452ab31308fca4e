import type { Accounts } from './accounts.ts';
import type { Chain } from './chain.ts';
import { FAUCET } from './purses.ts';
import { transferFee } from './smart-mode-prices.ts';
import { nextId } from './state.ts';
import type { Subscription } from './subscription.ts';
import { trxFromSun } from './sun.ts';
import type { Transaction } from './transaction.ts';
import type { Webhooks } from './webhooks.ts';
import type { World } from './world.ts';

/** For a transfer to somebody who holds USDT already, and to somebody who doesn't (section 1). */
const ENERGY = { known: 65_000, firstTime: 131_000 };
/** What BW Guarantee adds to it. */
const BANDWIDTH = 350;
/** How long they stay. */
const HOURS = 1;

/** Delegates what a USDT transfer takes to the address that made it, and tells the subscription's account. */
export function deliver(
  { id, accountId, address, bwGuarantee }: Subscription,
  { to, amount, hash }: Transaction,
  {
    world,
    chain,
    accounts,
    webhooks,
  }: { world: World; chain: Chain; accounts: Accounts; webhooks: Webhooks },
): void {
  const known = to === FAUCET || chain.look(to).USDT > amount;
  const energy = known ? ENERGY.known : ENERGY.firstTime;
  const delegation = chain.delegate({ address, resource: 'energy', amount: energy, hours: HOURS });
  if (bwGuarantee) chain.delegate({ address, resource: 'bandwidth', amount: BANDWIDTH, hours: HOURS });
  webhooks.emit(accounts.of({ accountId }), 'smart_mode.transfer', {
    transfer_id: nextId(world.state, 'smartTransfer'),
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
