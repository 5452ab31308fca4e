import { z } from 'zod';
import { units } from './amounts.ts';
import type { SandboxTarget } from './target.ts';

const Purse = z
  .looseObject({ trx: z.string(), energy: z.number(), bandwidth: z.number(), active: z.boolean() })
  .transform(({ trx, ...rest }) => ({ ...rest, trx: units(trx) }));

/** What an address has on the chain. */
export function purse(target: SandboxTarget, address: string) {
  return target.controlled(Purse, 'GET', `/chain/addresses/${address}`);
}

/** A transfer on the chain, by default of TRX from somebody outside. */
export function transfer(
  target: SandboxTarget,
  wish: { from?: string; to: string; currency?: 'TRX' | 'USDT'; amount: string },
) {
  return target.control('POST', '/transfers', { currency: 'TRX', ...wish });
}
