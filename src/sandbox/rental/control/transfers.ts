import { Hono } from 'hono';
import { z } from 'zod';
import type { Chain } from '../chain.ts';
import { requireAddress } from '../chain-address.ts';
import { currency, money, readBody, text } from '../endpoint.ts';
import { FAUCET, SERVICE } from '../purses.ts';
import { coded, Refusal } from '../refusal.ts';
import { transactionView } from './chain-views.ts';

const address = text('a chain address: T and 33 more characters');

const transfer = z.strictObject({
  /** Defaults to the faucet, which has unlimited funds. */
  from: address.default(FAUCET),
  to: address,
  currency,
  amount: money,
});

/** Adds `POST /transfers`, which moves money on the chain. Invoices, deposits and Smart Mode react to it. */
export function controlTransfers(chain: Chain): Hono {
  return new Hono().post('/', async (c) => {
    const wish = await readBody(c.req, transfer);
    const [from, to] = [requireAddress(wish.from), requireAddress(wish.to)];
    refuseServices(chain, from, to);
    return c.json(transactionView(chain.transfer({ ...wish, from, to })));
  });
}

/** @throws Refusal 409 ADDRESS_OF_SERVICE for transfers from an address of the service, or to the service's purse. */
export function refuseServices(chain: Chain, from: string, to: string): void {
  if (!chain.look(from).ofService && to !== SERVICE) return;
  throw new Refusal(409, coded('ADDRESS_OF_SERVICE', 'Only the service moves what is at its addresses'));
}
