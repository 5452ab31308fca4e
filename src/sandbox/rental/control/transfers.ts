import { Hono } from 'hono';
import { z } from 'zod';
import { ApiError, errorDetail } from '../api-error.ts';
import type { Chain } from '../chain.ts';
import { requireAddress } from '../chain-address.ts';
import { currency, money, readBody, text } from '../endpoint.ts';
import { FAUCET, SERVICE } from '../wallets.ts';
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
    const body = await readBody(c.req, transfer);
    const [from, to] = [requireAddress(body.from), requireAddress(body.to)];
    rejectServiceAddresses(chain, from, to);
    return c.json(transactionView(chain.transfer({ ...body, from, to })));
  });
}

/** @throws ApiError 409 ADDRESS_OF_SERVICE for transfers from an address of the service, or to the service's wallet. */
export function rejectServiceAddresses(chain: Chain, from: string, to: string): void {
  if (!chain.getWallet(from).ofService && to !== SERVICE) return;
  throw new ApiError(
    409,
    errorDetail('ADDRESS_OF_SERVICE', 'Only the service moves what is at its addresses'),
  );
}
