import { BigNumber } from 'bignumber.js';

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
