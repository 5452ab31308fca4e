import { BigNumber } from 'bignumber.js';
import { z } from 'zod';
import type { Storage } from '../storage/storage.ts';
import type { Operation } from './operation.ts';

const seenSchema = z.object({ amount: z.number(), price: z.string() });

/** What energy last cost this account, for estimates where the service names no prices. */
export interface LastPrices {
  keep(operation: Operation, price: string | undefined): Promise<void>;
  /** TRX, decimal, in proportion to the last order of the same duration. */
  estimate(account: number, energy: { amount: number; hours: number }): Promise<string | undefined>;
}

export function createLastPrices({ storage }: { storage: Storage }): LastPrices {
  const keyOf = (account: number, hours: number) => `last-price:${account}:${hours}`;
  return {
    async keep({ account, request }, price) {
      if (price === undefined) return;
      const seen = { amount: request.energy_amount, price };
      await storage.set(keyOf(account, request.duration_hours), JSON.stringify(seen));
    },
    async estimate(account, { amount, hours }) {
      const record = await storage.get(keyOf(account, hours));
      if (record === undefined) return undefined;
      const seen = seenSchema.parse(JSON.parse(record));
      return new BigNumber(seen.price).times(amount).div(seen.amount).toFixed(6);
    },
  };
}
