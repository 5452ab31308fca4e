import { roundToCents, type Sun, trxFromSun } from './sun.ts';

/** Prices of a single transfer and, in `TIERS`, of a transfer in a package. The specification shows no prices. */
const SINGLE_TRANSFER: Sun = 2_400_000n;
const TIERS: readonly [size: number, each: Sun][] = [
  [10, 2_350_000n],
  [50, 2_300_000n],
  [100, 2_250_000n],
  [500, 2_150_000n],
  [1_000, 2_050_000n],
];

/** Fee of BW Guarantee per transfer, in sun (section 8). */
export const BW_FEE: Sun = 300_000n;
const MIN_CUSTOM_SIZE = 1;
const MAX_CUSTOM_SIZE = 10_000;

/** Returns the transfer package tiers (section 2). */
export function packageTiers() {
  return {
    tiers: TIERS.map(([size, each]) => ({ size, price_trx: trxFromSun(BigInt(size) * each) })),
    single_transfer_price: trxFromSun(SINGLE_TRANSFER),
    bw_fee_per_transfer: trxFromSun(BW_FEE),
    min_custom_size: MIN_CUSTOM_SIZE,
    max_custom_size: MAX_CUSTOM_SIZE,
  };
}

/** Prepaid bundle of transfers for one address. The specification has no purchase of packages; the seed defines them. */
export interface TransferPackage {
  readonly id: number;
  readonly accountId: number;
  readonly address: string;
  /** Number of transfers. */
  readonly size: number;
  readonly createdAt: number;
  /** An address can't have both an active package and an active subscription (section 3). */
  active: boolean;
}

/** Price of a unit of energy in hundredths of a sun, by duration in hours. */
const ENERGY_SUN = { 1: 35_68n, 24: 65_00n };
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

/** Returns the price of energy: amount × sun, rounded half up to two decimals of TRX. */
export function energyPrice(amount: number, hours: 1 | 24): Sun {
  return roundToCents(BigInt(amount) * ENERGY_SUN[hours], 100n);
}

/** Returns the price of bandwidth (section 4.2). The duration counts as in the specification's sample. */
export function bandwidthPrice(amount: number, hours: number): Sun {
  return roundToCents(BigInt(amount * hours) * BANDWIDTH_SUN_PER_HOUR + BANDWIDTH_FIXED_FEE);
}

/** Returns the response of `GET /prices`. The specification doesn't show it; the sandbox keys prices by duration. */
export function priceList() {
  const burn = BigInt(ENERGY_VOLUME) * BURN_SUN;
  const byDuration = (write: (hours: 1 | 24) => string) => ({ '1h': write(1), '24h': write(24) });
  return {
    energy_sun: byDuration((hours) => decimal(ENERGY_SUN[hours])),
    energy_trx: byDuration((hours) => trxFromSun(energyPrice(ENERGY_VOLUME, hours))),
    energy_usd: byDuration((hours) => usd(energyPrice(ENERGY_VOLUME, hours))),
    energy_volume: ENERGY_VOLUME,
    bandwidth_trx: byDuration((hours) => trxFromSun(bandwidthPrice(BANDWIDTH_VOLUME, hours))),
    bandwidth_usd: byDuration((hours) => usd(bandwidthPrice(BANDWIDTH_VOLUME, hours))),
    bandwidth_volume: BANDWIDTH_VOLUME,
    trx_usd_rate: TRX_USD_RATE,
    burn_cost_trx: trxFromSun(burn),
    savings_percent: Number(((burn - energyPrice(ENERGY_VOLUME, 1)) * 100n) / burn),
  };
}

function decimal(hundredths: bigint): string {
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}

function usd(sun: Sun): string {
  const rate = BigInt(TRX_USD_RATE.replace('.', ''));
  return trxFromSun(roundToCents(sun * rate, 10_000n));
}
