import { roundToCents, type Sun, trxFromSun } from './sun.ts';

/** Sun for a unit of energy, in hundredths, by hours. */
const ENERGY_SUN = { 1: 35_68n, 24: 65_00n };
/** What a unit of energy costs, in sun, when TRX is burnt for it instead. */
const BURN_SUN = 100n;
const ENERGY_VOLUME = 65_000;
const BANDWIDTH_VOLUME = 350;
const BANDWIDTH_FIXED_FEE: Sun = 200_000n;
/** 9.6 TRX for a day of a thousand, by unit and hour. */
const BANDWIDTH_SUN_PER_HOUR = 400n;

/** USDT is credited at this rate, in TRX. */
export const USDT_TO_TRX_RATE = '3.0769';
export const TRX_USD_RATE = '0.3250';

/** What USDT is worth at the rate, in sun, rounded down. */
export function trxFromUsdt(usdt: bigint): Sun {
  return (usdt * BigInt(USDT_TO_TRX_RATE.replace('.', ''))) / 10_000n;
}

/** What an amount of TRX costs in USDT at the rate, rounded up to the cent: never less than it is worth. */
export function usdtFromTrx(sun: Sun): bigint {
  const cent = 10_000n;
  const rate = BigInt(USDT_TO_TRX_RATE.replace('.', ''));
  return ((sun * 10_000n + rate * cent - 1n) / (rate * cent)) * cent;
}

/** What energy costs: amount × sun, rounded to two decimals of TRX, half up. */
export function energyPrice(amount: number, hours: 1 | 24): Sun {
  return roundToCents(BigInt(amount) * ENERGY_SUN[hours], 100n);
}

/** What bandwidth costs (section 4.2), with the duration as the specification's sample has it. */
export function bandwidthPrice(amount: number, hours: number): Sun {
  return roundToCents(BigInt(amount * hours) * BANDWIDTH_SUN_PER_HOUR + BANDWIDTH_FIXED_FEE);
}

/** The answer of `GET /prices`, whose shape the specification doesn't show: objects keyed by duration. */
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
