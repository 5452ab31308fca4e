import { BigNumber } from 'bignumber.js';

/** Section 8 of the specification: value limits and constants. Amounts of TRX are decimal strings. */
export const ENERGY_MIN = 32_000;
export const ENERGY_MAX = 5_000_000;
export const ENERGY_DURATIONS = [1, 24] as const;
export const ENERGY_PER_TRANSFER = 65_000;
export const ENERGY_PER_FIRST_TRANSFER = 131_000;
export const BANDWIDTH_MIN = 350;
export const BANDWIDTH_MAX = 100_000;
export const INVOICE_TRANSFERS_MIN = 1;
export const INVOICE_TRANSFERS_MAX = 100;
export const INVOICE_LIFETIME_MS = 30 * 60_000;
export const PACKAGE_SIZE_MIN = 1;
export const PACKAGE_SIZE_MAX = 10_000;
export const WITHDRAWAL_FEE_TRX = '1';
export const ACTIVATION_COST_TRX = '1.1';
const BANDWIDTH_FEE_TRX = '0.2';
/** Price of 1,000 bandwidth for a day (section 4, endpoint 2). */
const BANDWIDTH_TRX_PER_THOUSAND = '9.6';
export const BW_GUARANTEE_FEE_TRX = '0.3';

/** Requests allowed per minute, by endpoint (section 8). */
export const PER_MINUTE = {
  prices: 60,
  buyEnergy: 30,
  buyBandwidth: 30,
  createInvoice: 20,
  activateSmartMode: 10,
  withdraw: 1,
  others: 60,
} as const;

const SUN_DECIMALS = 6;

/** Parses a decimal amount of TRX exactly. Returns `undefined` for exponents, commas, units or more than 40 characters. */
export function parseTrx(text: string): BigNumber | undefined {
  const trimmed = text.trim();
  return trimmed.length <= 40 && /^-?\d+(\.\d+)?$/.test(trimmed) ? new BigNumber(trimmed) : undefined;
}

/** Formats TRX with at least two decimals: `2.32`, `9.80`, `2.3192`. */
export function formatTrx(amount: BigNumber): string {
  return amount.toFixed(Math.max(2, amount.decimalPlaces() ?? 0));
}

/** Converts sun to TRX exactly: 1 TRX is 1,000,000 sun. */
export function trxFromSun(sun: BigNumber.Value): BigNumber {
  return new BigNumber(sun).shiftedBy(-SUN_DECIMALS);
}

/** Rounds TRX down to whole sun. */
export function downToWholeSun(trx: BigNumber): BigNumber {
  return trx.decimalPlaces(SUN_DECIMALS, BigNumber.ROUND_DOWN);
}

/** Rounds TRX half up to whole sun, the smallest unit. */
export function toWholeSun(trx: BigNumber): BigNumber {
  return trx.decimalPlaces(SUN_DECIMALS, BigNumber.ROUND_HALF_UP);
}

/**
 * Estimates the price of energy in TRX: amount × sun ÷ 1,000,000, rounded to the sun. The formula isn't in the specification
 * (section 4, gaps). Returns `undefined` if no price is known for this duration.
 */
export function estimateEnergy(
  { amount, hours }: { amount: number; hours: number },
  prices: { energySunPerUnit?: Readonly<Record<string, string>> },
): string | undefined {
  const sun = prices.energySunPerUnit?.[hours];
  const price = toWholeSun(trxFromSun(new BigNumber(sun ?? 0).times(amount)));
  return price.gt(0) ? formatTrx(price) : undefined;
}

/**
 * Estimates the price of bandwidth in TRX, rounded to the sun: (volume ÷ 1000) × 9.6 × hours ÷ 24 + 0.2. The formula of section
 * 4, endpoint 2 omits the hours. With them, its sample (1000 for 24 hours) gives the documented 9.80.
 */
export function estimateBandwidth({ amount, hours }: { amount: number; hours: number }): string {
  const rented = new BigNumber(BANDWIDTH_TRX_PER_THOUSAND).times(amount).times(hours).div(24_000);
  return formatTrx(toWholeSun(rented.plus(BANDWIDTH_FEE_TRX)));
}
