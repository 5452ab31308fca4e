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

/** Energy of a transfer to an address that already holds USDT, and to one that doesn't (section 1). */
const ENERGY = { known: 65_000, firstTime: 131_000 };
/** Additional bandwidth with BW Guarantee. */
const BANDWIDTH = 350;
/** Duration of the delegations. */
const HOURS = 1;

/** Delegates the resources of a USDT transfer to its sender, and sends an event to the subscription's account. */
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
