import { Hono } from 'hono';
import { z } from 'zod';
import type { Chain } from '../chain.ts';
import { requireAddress } from '../chain-address.ts';
import { money, readBody, text } from '../endpoint.ts';
import type { SmartMode } from '../smart-mode.ts';
import { FAUCET } from '../wallets.ts';
import { transactionView } from './chain-views.ts';
import { rejectServiceAddresses } from './transfers.ts';

const transfer = z.strictObject({
  /** Defaults to the faucet, which counts as a holder of USDT. */
  to: text('a chain address: T and 33 more characters').default(FAUCET),
  amount: money,
});

/** Adds `POST /smart-mode/:id/transfer`: sends USDT from the watched address, after activating and funding it if needed. */
export function controlSmartMode({ chain, smartMode }: { chain: Chain; smartMode: SmartMode }): Hono {
  return new Hono().post('/:id/transfer', async (c) => {
    const { amount, ...body } = await readBody(c.req, transfer);
    const to = requireAddress(body.to);
    const { address: from } = smartMode.find(Number(c.req.param('id')));
    rejectServiceAddresses(chain, from, to);
    const { active, USDT } = chain.getWallet(from);
    if (!active) chain.activate(from);
    if (USDT < amount) chain.transfer({ from: FAUCET, to: from, currency: 'USDT', amount: amount - USDT });
    return c.json(transactionView(chain.transfer({ from, to, currency: 'USDT', amount })));
  });
}
