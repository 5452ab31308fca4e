import { z } from 'zod';
import { roundToCents, SUN_PER_CENT, type Sun, trxFromSun } from './sun.ts';

/** Fee of BW Guarantee per transfer, in sun (section 8). */
export const BW_FEE: Sun = 300_000n;

/** Fee of Smart Mode for 24 active hours, in sun. The specification shows neither this nor the transfer fee. */
export const SUBSCRIPTION_FEE: Sun = 1_500_000n;
const TRANSFER_FEE: Sun = 2_500_000n;

/** Returns the Smart Mode fee of a transfer, including BW Guarantee (section 8) if it is on. */
export function transferFee(bwGuarantee: boolean): Sun {
  return bwGuarantee ? TRANSFER_FEE + BW_FEE : TRANSFER_FEE;
}

/** Prices of a unit of energy in hundredths of a sun, by duration in hours. */
type EnergyPrices = Readonly<Record<1 | 24, bigint>>;

/** Energy prices of a new sandbox. */
export const DEFAULT_ENERGY_PRICES: EnergyPrices = { 1: 35_68n, 24: 65_00n };

const UNIT_PRICE = /^(\d{1,6})(?:\.(\d{1,2}))?$/;

/** Parses a price in sun with up to two decimals. Returns hundredths of a sun, or 0 if the text is invalid. */
function parseUnitPrice(text: string): bigint {
  const [, whole = '0', fraction = ''] = UNIT_PRICE.exec(text) ?? [];
  return BigInt(whole + fraction.padEnd(2, '0'));
}

const UNIT_PRICE_ERROR = {
  error: 'expected a decimal string of sun above 0 and below 1,000,000 with up to two decimals, like "35.68"',
};
const unitPrice = z.string(UNIT_PRICE_ERROR).refine((text) => parseUnitPrice(text) > 0n, UNIT_PRICE_ERROR);

/** Schema for changed energy prices in sun, as in `energy_sun` of `GET /prices`. At least one is required. */
export const energySun = z
  .strictObject(
    { '1h': unitPrice.optional(), '24h': unitPrice.optional() },
    {
      error: ({ code }) =>
        code === 'invalid_type' ? 'expected an object like {"1h": "35.68", "24h": "65.00"}' : undefined,
    },
  )
  .refine((prices) => Object.keys(prices).length > 0, { error: 'expected "1h", "24h" or both' });

export type EnergySun = z.output<typeof energySun>;

/** Returns `prices` with changes. The price of an omitted duration stays the same. */
export function changeEnergyPrices(
  prices: EnergyPrices,
  { '1h': hour, '24h': day }: EnergySun,
): EnergyPrices {
  return {
    1: hour === undefined ? prices[1] : parseUnitPrice(hour),
    24: day === undefined ? prices[24] : parseUnitPrice(day),
  };
}

/** Cost of a unit of energy if TRX is burnt for it instead, in sun. */
const BURN_SUN = 100n;
const ENERGY_VOLUME = 65_000;
const BANDWIDTH_VOLUME = 350;
const BANDWIDTH_FIXED_FEE: Sun = 200_000n;
/** Price of a unit of bandwidth per hour: 9.6 TRX ÷ 1,000 units ÷ 24 hours. */
const BANDWIDTH_SUN_PER_HOUR = 400n;

/** TRX credited for one USDT. */
export const USDT_TO_TRX_RATE = '3.0769';
export const TRX_USD_RATE = '0.3250';

/** Converts USDT (smallest unit) to sun, rounded down. */
export function trxFromUsdt(usdt: bigint): Sun {
  return (usdt * BigInt(USDT_TO_TRX_RATE.replace('.', ''))) / 10_000n;
}

/** Converts sun to USDT (smallest unit), rounded up to the cent. */
export function usdtFromTrx(sun: Sun): bigint {
  const cent = 10_000n;
  const rate = BigInt(USDT_TO_TRX_RATE.replace('.', ''));
  return ((sun * 10_000n + rate * cent - 1n) / (rate * cent)) * cent;
}

/** Returns the price of energy: amount × sun, rounded half up to two decimals of TRX, but at least 0.01 TRX. */
export function energyPrice(prices: EnergyPrices, amount: number, hours: 1 | 24): Sun {
  const rounded = roundToCents(BigInt(amount) * prices[hours], 100n);
  return rounded > SUN_PER_CENT ? rounded : SUN_PER_CENT;
}

/** Returns the price of bandwidth (section 4.2). The duration counts as in the specification's sample. */
export function bandwidthPrice(amount: number, hours: number): Sun {
  return roundToCents(BigInt(amount * hours) * BANDWIDTH_SUN_PER_HOUR + BANDWIDTH_FIXED_FEE);
}

/** Returns the response of `GET /prices`. The specification doesn't show it; the sandbox keys prices by duration. */
export function priceList(prices: EnergyPrices) {
  const energyTrx = (hours: 1 | 24) => energyPrice(prices, ENERGY_VOLUME, hours);
  const burn = BigInt(ENERGY_VOLUME) * BURN_SUN;
  const byDuration = (write: (hours: 1 | 24) => string) => ({ '1h': write(1), '24h': write(24) });
  return {
    energy_sun: byDuration((hours) => decimal(prices[hours])),
    energy_trx: byDuration((hours) => trxFromSun(energyTrx(hours))),
    energy_usd: byDuration((hours) => usd(energyTrx(hours))),
    energy_volume: ENERGY_VOLUME,
    bandwidth_trx: byDuration((hours) => trxFromSun(bandwidthPrice(BANDWIDTH_VOLUME, hours))),
    bandwidth_usd: byDuration((hours) => usd(bandwidthPrice(BANDWIDTH_VOLUME, hours))),
    bandwidth_volume: BANDWIDTH_VOLUME,
    trx_usd_rate: TRX_USD_RATE,
    burn_cost_trx: trxFromSun(burn),
    savings_percent: Number(((burn - energyTrx(1)) * 100n) / burn),
  };
}

function decimal(hundredths: bigint): string {
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}

function usd(sun: Sun): string {
  const rate = BigInt(TRX_USD_RATE.replace('.', ''));
  return trxFromSun(roundToCents(sun * rate, 10_000n));
}
