import { z } from 'zod';
import { units } from './amounts.ts';
import type { SandboxTarget } from './target.ts';

const Wallet = z
  .looseObject({ trx: z.string(), energy: z.number(), bandwidth: z.number(), active: z.boolean() })
  .transform(({ trx, ...rest }) => ({ ...rest, trx: units(trx) }));

/** Returns the balances and resources of an address on the chain. */
export function wallet(target: SandboxTarget, address: string) {
  return target.controlled(Wallet, 'GET', `/chain/addresses/${address}`);
}

/** Makes a transfer on the chain, by default of TRX from an external address. */
export function transfer(
  target: SandboxTarget,
  transfer: { from?: string; to: string; currency?: 'TRX' | 'USDT'; amount: string },
) {
  return target.control('POST', '/transfers', { currency: 'TRX', ...transfer });
}
