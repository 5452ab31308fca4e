import { addressOf } from '../conformance/addresses.ts';
import { decimal, units } from '../conformance/amounts.ts';
import { charged, chargedByTransfer } from './charges.ts';
import type { Currency, Holder, Json, Market } from './market.ts';

/** What somebody does. `true` when it was taken, `false` when it was refused, or there was nothing to do it to. */
export type Operation = (market: Market) => Promise<boolean>;

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const MILLION = 1_000_000n;
const WITHDRAWAL_FEE = 1_000_000n;
const ACTIVATION_COST = 1_100_000n;
/** So that what is acted upon is mostly still open. */
const RECENT = 12;

const holderOf = ({ random, holders }: Market): Holder => {
  const holder = random.pick(holders);
  if (!holder) throw new Error('there are no accounts');
  return holder;
};
const recent = <Item>({ random }: Market, list: readonly Item[]) => random.pick(list.slice(-RECENT));
const hours = ({ random }: Market) => random.pick([1, 24]);
const currencyOf = ({ random }: Market): Currency => random.pick(['TRX', 'USDT'] as const) ?? 'TRX';
const person = ({ random, addresses }: Market) => random.pick(addresses) ?? '';
const upTo = ({ random }: Market, most: number) => BigInt(1 + random.below(most));
const sun = (json: Json, field: string) => units(String(json[field]));

async function order(market: Market, path: string, wish: Json): Promise<boolean> {
  const holder = holderOf(market);
  const address = person(market);
  const taken = await market.api(holder, 'POST', path, { address, ...wish });
  if (!taken) return false;
  const price = sun(taken, 'price_trx');
  holder.expected -= price;
  market.orders.push({ id: Number(taken.order_id), holder, price });
  return true;
}

/** A USDT deposit comes in at the rate, rounded down to the sun. */
async function deposit(market: Market, confirm: boolean): Promise<boolean> {
  const holder = holderOf(market);
  const currency = currencyOf(market);
  const amount = upTo(market, 50_000_000);
  const body = { amount: decimal(amount), currency, confirm };
  const taken = await market.control('POST', `/accounts/${holder.id}/deposit`, body);
  if (!taken) return false;
  const credit = currency === 'TRX' ? amount : (amount * market.rate) / MILLION;
  if (confirm) holder.expected += credit;
  else market.deposits.push({ id: Number(Object(taken.deposit).id), holder, credit });
  return true;
}

async function withdraw(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const amount = upTo(market, 20_000_000);
  const body = { to_address: person(market), amount_trx: decimal(amount) };
  const taken = await market.api(holder, 'POST', '/account/withdrawal', body);
  if (!taken) return false;
  holder.expected -= amount + WITHDRAWAL_FEE;
  market.withdrawals.push({ id: Number(taken.id), holder, total: amount + WITHDRAWAL_FEE });
  return true;
}

async function activateAddress(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const body = { address: addressOf(`new ${market.random.below(1_000)}`) };
  if (!(await market.api(holder, 'POST', '/energy/activate', body))) return false;
  holder.expected -= ACTIVATION_COST;
  return true;
}

async function createInvoice(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const { random } = market;
  const size = random.below(2)
    ? { transfer_count: 1 + random.below(76) }
    : { energy_amount: 32_000 + random.below(90_000) };
  const body = { address: person(market), duration_hours: hours(market), ...size };
  const taken = await market.api(holder, 'POST', '/invoices', body);
  if (!taken) return false;
  const price = { TRX: sun(taken, 'price_trx'), USDT: sun(taken, 'price_usdt') };
  market.invoices.push({
    id: Number(taken.invoice_id),
    holder,
    paymentAddress: String(taken.payment_address),
    price,
  });
  return true;
}

/** The price, something less, or something more; by a person, or by the rest of the world. */
async function payInvoice(market: Market): Promise<boolean> {
  const invoice = recent(market, market.invoices);
  if (!invoice) return false;
  const currency = currencyOf(market);
  const price = invoice.price[currency];
  const amount = decimal(
    market.random.pick([price, price, price / 3n + 1n, price - 1n, price + 1n]) ?? price,
  );
  if (market.random.below(2))
    return (await market.control('POST', `/invoices/${invoice.id}/pay`, { currency, amount })) !== undefined;
  return send(market, invoice.paymentAddress, currency, amount);
}

async function subscribe(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const body = { address: person(market), bw_guarantee: market.random.below(2) === 0 };
  const taken = await market.api(holder, 'POST', '/smart-mode/activate', body);
  if (!taken) return false;
  const daily = sun(taken, 'subscription_fee_trx');
  holder.expected -= daily;
  holder.subscriptions.push({
    id: Number(taken.id),
    address: body.address,
    daily,
    transfer: sun(taken, 'transfer_fee_trx'),
  });
  return true;
}

async function subscribed(market: Market, deed: 'toggle' | 'deactivate'): Promise<boolean> {
  const holder = holderOf(market);
  const { id } = recent(market, holder.subscriptions) ?? {};
  return id !== undefined && (await market.api(holder, 'POST', `/smart-mode/${id}/${deed}`)) !== undefined;
}

/** Money goes from one person to another, or to somebody's deposit address, where it waits. */
function transfer(market: Market): Promise<boolean> {
  const to = market.random.below(4) ? person(market) : holderOf(market).depositAddress;
  return send(market, to, currencyOf(market), decimal(upTo(market, 20_000_000)));
}

/** A person's transfer, for which Smart Mode charges where it is of USDT. */
async function send(market: Market, to: string, currency: Currency, amount: string): Promise<boolean> {
  const from = person(market);
  const taken = await market.control('POST', '/transfers', { from, to, currency, amount });
  if (taken && currency === 'USDT') await chargedByTransfer(market, from);
  return taken !== undefined;
}

/** The end of one of the records that are remembered: its account gets `gain`. */
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

/** What can happen, and how often in relation to the others. */
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
