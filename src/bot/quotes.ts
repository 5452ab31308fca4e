import { BigNumber } from 'bignumber.js';
import { energy } from '../operations/kinds/energy.ts';
import type { LastPrices } from '../operations/queries.ts';
import { orTimeout } from '../platform/retry.ts';
import { readAddress } from '../rental-api/address.ts';
import { estimateEnergy, formatTrx } from '../rental-api/amounts.ts';
import type { Rental } from '../rental-api/client.ts';

/** Maximum time that a question waits for a price or a balance, in milliseconds. */
const QUOTE_TIMEOUT_MS = 3_000;
/** The service shows prices to two decimals (docs/facts.md). */
const PRICE_DECIMALS = 2;

/** Account that pays, with its user. */
export interface Payer {
  user: number;
  account: number;
  apiKey: string;
  /** Whether it is the operator's account. Then the user is an admin. */
  operators?: true | undefined;
}

/** Prices in TRX, by hours. */
export type EnergyPrices = { 1?: string | undefined; 24?: string | undefined };

export interface Quotes {
  /** Returns what energy would cost in TRX, by the hours for which the service or an earlier order has a price. */
  energy(payer: Payer, amount: number): Promise<EnergyPrices>;
  /** Returns the balance in TRX, or `undefined` if the service doesn't respond in time. */
  balance(payer: Payer, timeoutMs?: number): Promise<string | undefined>;
  /** Returns `undefined` also if the address from the service is invalid. */
  depositAddress(payer: Payer): Promise<string | undefined>;
}

/** Creates quotes from `GET /prices`, or from the account's last order. */
export function createQuotes({ rental, lastPrices }: { rental: Rental; lastPrices: LastPrices }): Quotes {
  return {
    async energy({ account, apiKey }, amount) {
      const listed = await orTimeout(rental.prices(apiKey), QUOTE_TIMEOUT_MS);
      const estimate = async (hours: number) => {
        const exact =
          (listed?.kind === 'accepted' && estimateEnergy({ amount, hours }, listed.value)) ||
          (await lastPrices.estimate(account, energy.name, { amount, hours }));
        return exact ? roundPrice(exact) : undefined;
      };
      const [hour, day] = await Promise.all([estimate(1), estimate(24)]);
      return { 1: hour, 24: day };
    },
    async balance({ apiKey }, withinMs = QUOTE_TIMEOUT_MS) {
      const profile = await orTimeout(rental.profile(apiKey), withinMs);
      return profile?.kind === 'accepted' ? profile.value.balance_trx : undefined;
    },
    async depositAddress({ apiKey }) {
      const deposit = await orTimeout(rental.depositInfo(apiKey), QUOTE_TIMEOUT_MS);
      if (deposit?.kind !== 'accepted') return undefined;
      // Users send money to this address: one with a wrong checksum is worse than none.
      const read = readAddress(deposit.value.deposit_address);
      return read.ok ? read.address : undefined;
    },
  };
}

/** Returns a price in TRX as the service shows prices: rounded to two decimals. */
export function roundPrice(price: string): string {
  return formatTrx(new BigNumber(price).decimalPlaces(PRICE_DECIMALS, BigNumber.ROUND_HALF_UP));
}
