import { Hono } from 'hono';
import { z } from 'zod';
import type { Chain } from '../chain.ts';
import { currency, money, readBody } from '../endpoint.ts';
import type { Invoices } from '../invoices.ts';
import { RECORDS } from '../state.ts';
import { FAUCET } from '../wallets.ts';

const payment = z.strictObject({
  /** Defaults to TRX. */
  currency: currency.optional(),
  /** Defaults to the price. */
  amount: money.optional(),
});

/**
 * Adds control routes for invoices. `POST /invoices/:id/pay` pays from the faucet; the amount may be too low or too high, and
 * the payment may be late. `/invoices/:id/delegate` and `/invoices/:id/fail` end a paid invoice.
 */
export function controlInvoices({ chain, invoices }: { chain: Chain; invoices: Invoices }): Hono {
  return new Hono()
    .post('/:id/pay', async (c) => {
      const body = (await c.req.text()) === '' ? {} : await readBody(c.req, payment);
      const { currency = 'TRX', amount } = body;
      const { id, paymentAddress, price } = invoices.find(Number(c.req.param('id')));
      chain.transfer({ from: FAUCET, to: paymentAddress, currency, amount: amount ?? price[currency] });
      return c.json(RECORDS.invoices.view(invoices.find(id)));
    })
    .post('/:id/delegate', (c) => c.json(RECORDS.invoices.view(invoices.delegate(Number(c.req.param('id'))))))
    .post('/:id/fail', (c) => c.json(RECORDS.invoices.view(invoices.fail(Number(c.req.param('id'))))));
}
