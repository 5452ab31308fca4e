import { addressOf } from '../conformance/addresses.ts';
import { decimal } from '../conformance/amounts.ts';
import { chargedByResumption } from './charges.ts';
import { currencyOf, holderOf, person, recent, sun, upTo } from './draws.ts';
import type { Json, Market } from './market.ts';

const MILLION = 1_000_000n;
const WITHDRAWAL_FEE = 1_000_000n;
const ACTIVATION_COST = 1_100_000n;

export async function order(market: Market, path: string, body: Json): Promise<boolean> {
  const holder = holderOf(market);
  const address = person(market);
  const isAccepted = await market.api(holder, 'POST', path, { address, ...body });
  if (!isAccepted) return false;
  const price = sun(isAccepted, 'price_trx');
  holder.expected -= price;
  market.orders.push({ id: Number(isAccepted.order_id), holder, price });
  return true;
}

/** Deposits money. USDT is converted at the rate, rounded down to the sun. */
export async function deposit(market: Market, confirm: boolean): Promise<boolean> {
  const holder = holderOf(market);
  const currency = currencyOf(market);
  const amount = upTo(market, 50_000_000);
  const body = { amount: decimal(amount), currency, confirm };
  const isAccepted = await market.control('POST', `/accounts/${holder.id}/deposit`, body);
  if (!isAccepted) return false;
  const credit = currency === 'TRX' ? amount : (amount * market.rate) / MILLION;
  if (confirm) holder.expected += credit;
  else market.deposits.push({ id: Number(Object(isAccepted.deposit).id), holder, credit });
  return true;
}

export async function withdraw(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const amount = upTo(market, 20_000_000);
  const body = { to_address: person(market), amount_trx: decimal(amount) };
  const isAccepted = await market.api(holder, 'POST', '/account/withdrawal', body);
  if (!isAccepted) return false;
  holder.expected -= amount + WITHDRAWAL_FEE;
  market.withdrawals.push({ id: Number(isAccepted.id), holder, total: amount + WITHDRAWAL_FEE });
  return true;
}

export async function activateAddress(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const body = { address: addressOf(`new ${market.random.below(1_000)}`) };
  if (!(await market.api(holder, 'POST', '/energy/activate', body))) return false;
  holder.expected -= ACTIVATION_COST;
  return true;
}

export async function subscribe(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const body = { address: person(market), bw_guarantee: market.random.below(2) === 0 };
  const isAccepted = await market.api(holder, 'POST', '/smart-mode/activate', body);
  if (!isAccepted) return false;
  const daily = sun(isAccepted, 'subscription_fee_trx');
  holder.expected -= daily;
  holder.subscriptions.push({
    id: Number(isAccepted.id),
    address: body.address,
    daily,
    transfer: sun(isAccepted, 'transfer_fee_trx'),
  });
  return true;
}

export async function subscribed(market: Market, deed: 'toggle' | 'deactivate'): Promise<boolean> {
  const holder = holderOf(market);
  const { id } = recent(market, holder.subscriptions) ?? {};
  if (id === undefined) return false;
  const isAccepted = await market.api(holder, 'POST', `/smart-mode/${id}/${deed}`);
  if (isAccepted?.status === 'active') await chargedByResumption(market, holder);
  return isAccepted !== undefined;
}
