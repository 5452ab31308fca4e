import { BigNumber } from 'bignumber.js';
import type { LastPrices } from '../operations/last-price.ts';
import { readAddress } from '../rental/address.ts';
import type { Rental } from '../rental/client.ts';
import { estimateEnergy } from '../rental/estimate.ts';
import { formatTrx } from '../rental/money.ts';
import { inTime } from './in-time.ts';

/** A step of a flow doesn't wait longer for what only adorns it. */
const WITHIN_MS = 3_000;
/** The service shows prices to two decimals (facts.md). */
const SHOWN_DECIMALS = 2;

/** What energy would cost, in TRX, by the hours for which it is known. */
export type EnergyPrices = { 1?: string | undefined; 24?: string | undefined };

export interface Quotes {
  prices(account: number, apiKey: string, amount: number): Promise<EnergyPrices>;
  /** The balance in TRX; `undefined` when the service doesn't tell in time. */
  balance(apiKey: string): Promise<string | undefined>;
  depositAddress(apiKey: string): Promise<string | undefined>;
}

/** Estimates from `GET /prices`, or from the account's last order. */
export function createQuotes({ rental, lastPrices }: { rental: Rental; lastPrices: LastPrices }): Quotes {
  return {
    async prices(account, apiKey, amount) {
      const listed = await inTime(rental.prices(apiKey), WITHIN_MS);
      const estimate = async (hours: number) => {
        const exact =
          (listed?.kind === 'accepted' && estimateEnergy({ amount, hours }, listed.value)) ||
          (await lastPrices.estimate(account, { amount, hours }));
        return exact && asShown(exact);
      };
      return { 1: await estimate(1), 24: await estimate(24) };
    },
    async balance(apiKey) {
      const profile = await inTime(rental.profile(apiKey), WITHIN_MS);
      return profile?.kind === 'accepted' ? profile.value.balance_trx : undefined;
    },
    async depositAddress(apiKey) {
      const deposit = await inTime(rental.depositInfo(apiKey), WITHIN_MS);
      if (deposit?.kind !== 'accepted') return undefined;
      // Money is sent there: an address with a wrong checksum is worse than none.
      const read = readAddress(deposit.value.deposit_address);
      return read.ok ? read.address : undefined;
    },
  };
}

/** What is missing for `estimate`, in TRX; `undefined` where the balance suffices. */
export function missing(balance: string, estimate: string): string | undefined {
  const short = new BigNumber(estimate).minus(balance);
  return short.gt(0) ? formatTrx(short) : undefined;
}

function asShown(price: string): string {
  return formatTrx(new BigNumber(price).decimalPlaces(SHOWN_DECIMALS, BigNumber.ROUND_HALF_UP));
}
