import { DAY_MS, SECOND_MS } from '../../../src/platform/clock.ts';
import { addressOf, decimal, units } from '../conformance/samples.ts';
import type { Currency, Holder, Json, Market } from './market.ts';

/** Number of recent records to choose from. Most of them are still open. */
const RECENT = 12;

/** Picks the account for an operation at random. */
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

/**
 * Accepts charges of Smart Mode while `ms` passed: whole daily fees, at most one per started day. Any other
 * difference remains a fault.
 */
async function charged(market: Market, ms: number): Promise<void> {
  const days = BigInt(Math.floor(ms / DAY_MS) + 1);
  await lookAt(
    market,
    ({ subscriptions }) => subscriptions.length > 0,
    ({ subscriptions }, charge) => {
      const fees = subscriptions.map(({ daily }) => daily);
      const most = days * fees.reduce((sum, fee) => sum + fee, 0n);
      return fees.some((fee) => charge % fee === 0n) && charge <= most;
    },
  );
}

/** Accepts charges of Smart Mode for one transfer from `from`: none, or the fee of a subscription that watches it. */
async function chargedByTransfer(market: Market, from: string): Promise<void> {
  const watching = ({ subscriptions }: Holder) => subscriptions.filter(({ address }) => address === from);
  await lookAt(
    market,
    (holder) => watching(holder).length > 0,
    (holder, charge) => watching(holder).some(({ transfer }) => charge === transfer),
  );
}

/** Accepts the charge for resuming a subscription: none during a paid day, otherwise a daily fee. */
async function chargedByResumption(market: Market, { id }: Holder): Promise<void> {
  await lookAt(
    market,
    (holder) => holder.id === id,
    ({ subscriptions }, charge) => subscriptions.some(({ daily }) => charge === daily),
  );
}

async function lookAt(
  market: Market,
  concerns: (holder: Holder) => boolean,
  fits: (holder: Holder, charge: bigint) => boolean,
): Promise<void> {
  for (const holder of market.holders.filter(concerns)) {
    const balance = await market.balanceOf(holder);
    const charge = holder.expected - balance;
    if (charge > 0n && fits(holder, charge)) holder.expected = balance;
  }
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

/** Pays the price, less or more, from a user or from an external address. */
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

/** Sends money from one user to another, or to a deposit address, where it remains pending. */
function transfer(market: Market): Promise<boolean> {
  const to = market.random.below(4) ? person(market) : holderOf(market).depositAddress;
  return send(market, to, currencyOf(market), decimal(upTo(market, 20_000_000)));
}

/** Sends money from a user. Smart Mode charges for USDT. */
async function send(market: Market, to: string, currency: Currency, amount: string): Promise<boolean> {
  const from = person(market);
  const taken = await market.control('POST', '/transfers', { from, to, currency, amount });
  if (taken && currency === 'USDT') await chargedByTransfer(market, from);
  return taken !== undefined;
}

const MILLION = 1_000_000n;
const WITHDRAWAL_FEE = 1_000_000n;
const ACTIVATION_COST = 1_100_000n;

async function order(market: Market, path: string, body: Json): Promise<boolean> {
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
async function deposit(market: Market, confirm: boolean): Promise<boolean> {
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

async function withdraw(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const amount = upTo(market, 20_000_000);
  const body = { to_address: person(market), amount_trx: decimal(amount) };
  const isAccepted = await market.api(holder, 'POST', '/account/withdrawal', body);
  if (!isAccepted) return false;
  holder.expected -= amount + WITHDRAWAL_FEE;
  market.withdrawals.push({ id: Number(isAccepted.id), holder, total: amount + WITHDRAWAL_FEE });
  return true;
}

async function activateAddress(market: Market): Promise<boolean> {
  const holder = holderOf(market);
  const body = { address: addressOf(`new ${market.random.below(1_000)}`) };
  if (!(await market.api(holder, 'POST', '/energy/activate', body))) return false;
  holder.expected -= ACTIVATION_COST;
  return true;
}

async function subscribe(market: Market): Promise<boolean> {
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

async function subscribed(market: Market, deed: 'toggle' | 'deactivate'): Promise<boolean> {
  const holder = holderOf(market);
  const { id } = recent(market, holder.subscriptions) ?? {};
  if (id === undefined) return false;
  const isAccepted = await market.api(holder, 'POST', `/smart-mode/${id}/${deed}`);
  if (isAccepted?.status === 'active') await chargedByResumption(market, holder);
  return isAccepted !== undefined;
}

/** A random action. Resolves with true if it was accepted, false if it was rejected or had no target. */
export type Operation = (market: Market) => Promise<boolean>;

type Records = Pick<Market, 'orders' | 'invoices' | 'deposits' | 'withdrawals'>;

/** Returns an operation that ends a remembered record and adds `gain` to its account. */
function end<Kind extends keyof Records>(
  kind: Kind,
  deed: string,
  gain: (record: Records[Kind][number]) => bigint = () => 0n,
): Operation {
  return async (market) => {
    const record = recent<Records[Kind][number]>(market, market[kind]);
    if (!record || !(await market.control('POST', `/${kind}/${record.id}/${deed}`))) return false;
    record.holder.expected += gain(record);
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

/** Operations and their relative frequencies. An operation that an endpoint charges for has the name of the endpoint. */
export const operations: Record<string, [weight: number, operation: Operation]> = {
  'POST /energy/buy': [
    12,
    (market) =>
      order(market, '/energy/buy', {
        energy_amount: 32_000 + market.random.below(200_000),
        duration_hours: hours(market),
      }),
  ],
  'POST /bandwidth/buy': [
    10,
    (market) =>
      order(market, '/bandwidth/buy', {
        bandwidth_amount: 350 + market.random.below(5_000),
        duration_hours: 1 + market.random.below(72),
      }),
  ],
  'fill an order': [9, end('orders', 'fill')],
  'fail an order': [5, end('orders', 'fail', ({ price }) => price)],
  'POST /energy/activate': [3, activateAddress],
  'POST /invoices': [8, createInvoice],
  'pay an invoice': [12, payInvoice],
  'delegate an invoice': [5, end('invoices', 'delegate')],
  'fail an invoice': [4, end('invoices', 'fail')],
  'POST /smart-mode/activate': [3, subscribe],
  'toggle Smart Mode': [3, (market) => subscribed(market, 'toggle')],
  'deactivate Smart Mode': [1, (market) => subscribed(market, 'deactivate')],
  transfer: [10, transfer],
  deposit: [6, (market) => deposit(market, true)],
  'deposit, unconfirmed': [4, (market) => deposit(market, false)],
  'confirm a deposit': [4, end('deposits', 'confirm', ({ credit }) => credit)],
  'expire a deposit': [2, end('deposits', 'expire')],
  'POST /account/withdrawal': [6, withdraw],
  'complete a withdrawal': [3, end('withdrawals', 'complete')],
  'fail a withdrawal': [3, end('withdrawals', 'fail', ({ total }) => total)],
  'wait some seconds': [6, wait(60 * SECOND_MS)],
  'wait up to an hour': [1, wait(3_600 * SECOND_MS)],
  'wait up to two days': [1, wait(2 * DAY_MS)],
};
