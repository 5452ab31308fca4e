import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import { readJson } from '../storage/read-json.ts';
import type { Storage } from '../storage/storage.ts';
import type { OperationRequest, Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';

/** An older price tells nothing of today's. */
const KEPT_MS = 30 * 24 * 3600_000;

const seenSchema = z.object({
  amount: z.number(),
  price: z.string(),
  transferFee: z.string().optional(),
  variant: z.string().optional(),
});

/** What something last cost this account, for estimates where the service names no prices. */
export interface LastPrices {
  keep(account: number, request: OperationRequest, result: Result): Promise<void>;
  /** TRX, decimal, in proportion to the last order of the same kind and duration. */
  estimate(
    account: number,
    kind: string,
    wanted: { amount: number; hours: number },
  ): Promise<string | undefined>;
  /** TRX, decimal: what each transfer cost with the last one of this kind, where that was of this variant. */
  transferFee(account: number, kind: string, variant: string): Promise<string | undefined>;
}

/** What is paid by the day. */
const DAY_H = 24;

export function createLastPrices({ storage, kinds }: { storage: Storage; kinds: Kinds }): LastPrices {
  const keyOf = (account: number, kind: string, hours: number) => `last-price:${account}:${kind}:${hours}`;
  return {
    async keep(account, request, { price, transferFee }) {
      const priced = kinds.of(request).priced?.(request);
      if (price === undefined || priced === undefined) return;
      const seen = { amount: priced.amount, price, transferFee, variant: priced.variant };
      await storage.set(keyOf(account, request.kind, priced.hours), JSON.stringify(seen), {
        ttlMs: KEPT_MS,
      });
    },
    async estimate(account, kind, { amount, hours }) {
      const seen = readJson(seenSchema, await storage.get(keyOf(account, kind, hours)));
      if (seen === undefined) return undefined;
      return new BigNumber(seen.price).times(amount).div(seen.amount).toFixed(6);
    },
    async transferFee(account, kind, variant) {
      const seen = readJson(seenSchema, await storage.get(keyOf(account, kind, DAY_H)));
      return seen?.variant === variant ? seen.transferFee : undefined;
    },
  };
}
