import { decimal } from '../conformance/amounts.ts';
import { chargedByTransfer } from './charges.ts';
import { currencyOf, holderOf, hours, person, recent, sun, upTo } from './draws.ts';
import type { Currency, Market } from './market.ts';

export async function createInvoice(market: Market): Promise<boolean> {
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
export async function payInvoice(market: Market): Promise<boolean> {
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
export function transfer(market: Market): Promise<boolean> {
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
